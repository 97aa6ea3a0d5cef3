"""Registry hives whose newest changes are only in their logs."""

import os
import shutil
import struct
import tempfile
import unittest

from causeway_osmorphing.protocol import MorphError
from causeway_osmorphing.windows import hive_log
from causeway_osmorphing.windows.tree import WindowsTree

PAGE = 4096
PATH = 'Windows/System32/config/SYSTEM'


def sealed(head):
    head = bytearray(head)
    struct.pack_into('<I', head, 508, hive_log._checksum(head))
    return bytes(head)


def head_of(first, second, length, kind=0, stamp=7):
    return sealed(struct.pack('<4sIIQIIIIIII', b'regf', first, second, stamp, 1, 5, kind, 1, 32, length, 1).ljust(PAGE, b'\0'))


def bins(*fills):
    return b''.join(struct.pack('<4sII', b'hbin', index * PAGE, PAGE).ljust(32, b'\0') + bytes([fill]) * (PAGE - 32) for index, fill in enumerate(fills))


def entry(number, length, *pages):
    body = b''.join(struct.pack('<II', offset, len(content)) for offset, content in pages) + b''.join(content for _, content in pages)
    body = body.ljust(-(-(40 + len(body)) // 512) * 512 - 40, b'\0')
    head = struct.pack('<4sIIIIIQ', b'HvLE', 40 + len(body), 0, number, length, len(pages), hive_log.marvin32(body))
    return head + struct.pack('<Q', hive_log.marvin32(head)) + body


def log(*entries):
    return head_of(1, 1, PAGE, kind=6)[:512] + b''.join(entries)


def old_log(first, second, length, pages, stamp=7):
    """`pages`: number of the 512 bytes → what they hold."""
    bits = bytearray(length // PAGE)
    for index in pages:
        bits[index // 8] |= 1 << index % 8
    listed = b'DIRT' + bytes(bits)
    return head_of(first, second, length, kind=1, stamp=stamp)[:512] + listed.ljust(-(-len(listed) // 512) * 512, b'\0') + b''.join(pages[index] for index in sorted(pages))


class HiveLog(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        os.makedirs(os.path.join(self.root, os.path.dirname(PATH)))
        self.tree = WindowsTree(self.root)

    def hive(self, content, **logs):
        for name, one in dict(logs, **{'': content}).items():
            with open(os.path.join(self.root, PATH + ('.' + name if name else '')), 'wb') as file:
                file.write(one)

    def content(self):
        with open(os.path.join(self.root, PATH), 'rb') as file:
            return file.read()

    def replayed(self):
        found = hive_log.recovered(self.tree, PATH)
        return found and found[PAGE:]

    def refused(self, code='osmorphing.not-shut-down'):
        before = self.content()
        with self.assertRaises(MorphError) as caught:
            hive_log.recovered(self.tree, PATH)
        self.assertEqual((caught.exception.code, self.content()), (code, before))

    def test_the_hash_is_marvin32(self):
        seed = hive_log._SEED
        self.addCleanup(setattr, hive_log, '_SEED', seed)
        hive_log._SEED = 0x004FB61A001BDBCC
        published = ((b'', 0x30ED35C100CD3C7D), (b'\xaf', 0x48E73FC77D75DDC1), (b'\xe7\x0f', 0xB5F6E1FC485DBFF8))
        for data, expected in published:
            self.assertEqual(hive_log.marvin32(data), expected)

    def test_a_hive_that_is_complete_needs_no_logs(self):
        self.hive(head_of(5, 5, PAGE) + bins(1), LOG1=log(entry(5, PAGE, (0, bins(9)))))
        self.assertIsNone(self.replayed())

    def test_changes_of_two_logs_are_applied_in_their_order(self):
        grown = 2 * PAGE
        second = log(entry(12, PAGE, (512, b'c' * 512)), entry(13, grown, (PAGE, bins(1, 2)[PAGE:])))
        self.hive(head_of(11, 10, PAGE) + bins(1), LOG1=second, LOG2=log(entry(10, PAGE, (512, b'a' * 1024)), entry(11, PAGE, (1024, b'b' * 512))))
        found = hive_log.recovered(self.tree, PATH)
        self.assertEqual(found[PAGE + 512 : PAGE + 1536], b'c' * 512 + b'b' * 512)
        self.assertEqual(len(found), PAGE + grown)
        self.assertEqual(struct.unpack_from('<II', found, 4), (14, 14))
        hive_log.write(self.tree, PATH, found)
        self.assertEqual(self.content(), found)
        self.assertIsNone(self.replayed())

    def test_what_is_older_or_not_written_completely_is_passed_over(self):
        torn = entry(12, PAGE, (512, b'z' * 512))[:-1] + b'!'
        self.hive(
            head_of(11, 10, PAGE) + bins(1),
            LOG1=log(entry(9, PAGE, (512, b'y' * 512)), entry(10, PAGE, (1024, b'a' * 512)), entry(11, PAGE, (1536, b'b' * 512)), torn),
            LOG2=log(entry(3, PAGE, (512, b'x' * 512))),
        )
        self.assertEqual(self.replayed()[512:2048], b'\1' * 512 + b'a' * 512 + b'b' * 512)

    def test_logs_may_begin_later_when_the_hive_was_written_in_part(self):
        self.hive(head_of(101, 100, PAGE) + bins(1), LOG1=log(entry(251, PAGE, (512, b'b' * 512))), LOG2=log(entry(250, PAGE, (512, b'a' * 512))))
        self.assertEqual(self.replayed()[512:1024], b'b' * 512)

    def test_nobody_guesses_what_is_missing(self):
        dirty = head_of(11, 10, PAGE) + bins(1)
        for logs in (
            {},
            {'LOG1': log(entry(9, PAGE, (512, b'a' * 512)))},
            {'LOG1': log(entry(10, PAGE, (512, b'a' * 512))), 'LOG2': log(entry(12, PAGE, (512, b'a' * 512)))},
            {'LOG1': b''},
            {'LOG1': log(entry(10, PAGE, (512, b'a' * 512)))[:-512]},
        ):
            for name in ('LOG1', 'LOG2'):
                if os.path.exists(os.path.join(self.root, PATH + '.' + name)):
                    os.unlink(os.path.join(self.root, PATH + '.' + name))
            self.hive(dirty, **logs)
            self.refused()

    def test_hostile_logs_are_refused(self):
        dirty = head_of(11, 10, PAGE) + bins(1)
        for one in (
            entry(10, PAGE, (PAGE, b'a' * 512)),
            entry(10, PAGE, (0xFFFFFE00, b'a' * 512)),
            entry(10, 0xFFFFF000, (0, b'a' * 512)),
            entry(10, 777, (0, b'a' * 512)),
            entry(10, 0),
        ):
            self.hive(dirty, LOG1=log(one))
            self.refused()
        self.hive(dirty, LOG1=log(entry(10, PAGE, (0, b'rubbish!' * 64))))
        self.refused('osmorphing.registry-damaged')
        self.hive(dirty, LOG1=log(entry(10, 2 * PAGE, (512, b'a' * 512))))
        self.refused('osmorphing.registry-damaged')
        for count in (0xFFFFFFFF, 1 << 20):
            raw = bytearray(entry(10, PAGE, (512, b'a' * 512)))
            struct.pack_into('<I', raw, 20, count)
            struct.pack_into('<Q', raw, 32, hive_log.marvin32(bytes(raw[:32])))
            self.hive(dirty, LOG1=log(bytes(raw)))
            self.refused()

    def test_a_hive_without_a_valid_beginning_is_damaged(self):
        for start in (b'', b'regf', b'\xff' + head_of(1, 1, PAGE)[1:], head_of(2, 1, PAGE)[:20] + b'!' + head_of(2, 1, PAGE)[21:], head_of(2, 1, 9 * PAGE)):
            self.hive(start + bins(1), LOG1=log(entry(1, PAGE, (512, b'a' * 512))))
            self.refused('osmorphing.registry-damaged')

    def test_a_log_of_before_windows_8_1_belongs_to_one_state(self):
        pages = {1: b'a' * 512, 9: b'b' * 512}
        self.hive(head_of(5, 4, 2 * PAGE) + bins(1, 2), LOG1=old_log(6, 6, 2 * PAGE, pages), LOG2=old_log(9, 9, 2 * PAGE, {1: b'x' * 512}, stamp=6))
        found = hive_log.recovered(self.tree, PATH)
        expected = bytearray(bins(1, 2))
        expected[512:1024], expected[9 * 512 : 10 * 512] = b'a' * 512, b'b' * 512
        self.assertEqual(found[PAGE:], bytes(expected))
        self.assertEqual(struct.unpack_from('<II', found, 4), (7, 7))
        for other in (old_log(6, 5, 2 * PAGE, pages), old_log(6, 6, 2 * PAGE, pages, stamp=8), old_log(6, 6, 2 * PAGE, pages)[:-512]):
            self.hive(head_of(5, 4, 2 * PAGE) + bins(1, 2), LOG1=other, LOG2=b'')
            self.refused()

    def test_a_write_that_is_ended_is_repeated(self):
        self.hive(head_of(11, 10, PAGE) + bins(1), LOG1=log(entry(10, PAGE, (512, b'a' * 512))))
        found = hive_log.recovered(self.tree, PATH)
        with open(os.path.join(self.root, PATH), 'r+b') as file:
            file.seek(PAGE)
            file.write(found[PAGE:])
        self.assertEqual(hive_log.recovered(self.tree, PATH), found)

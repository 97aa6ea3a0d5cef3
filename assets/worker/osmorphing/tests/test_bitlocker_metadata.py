"""Keys that stand on a volume in the clear, and what such a volume looks like to the device mapper. Whole volumes are in e2e/specs/bitlocker-volume.spec.ts."""

import hashlib
import os
import struct
import tempfile
import unittest
import zlib

from causeway_osmorphing import aes_ccm, bitlocker, device_mapper, protocol
from causeway_osmorphing.bitlocker_metadata import Metadata, Unreadable, table
from causeway_osmorphing.command import Result
from causeway_osmorphing.block_devices import BlockDevice

from .test_disk_names import device

MIB = 1 << 20
TAG = '26826e8c011baea804df69f94b2f443a'
DATA = '24d8a38e939d2710cad52b96fe6f82010014c4c43b2e55c557d69f0402e0d6f206c53d6cbd3f1c3c6de5dcdc'
CLEAR, MASTER, STORED = bytes(range(32)), bytes(range(32, 64)), bytes(range(64, 128))


def sealed(key, content, nonce=b'n' * 12):
    """The same by its definition, beside what is tested: the stream is its own inverse, and a tag follows from it."""
    plain = aes_ccm.decrypt(key, nonce, b'\0' * 16, content)
    assert plain is None
    keys = aes_ccm._round_keys(key)
    stream = lambda counter: aes_ccm._encrypted(keys, b'\x02' + nonce + struct.pack('>I', counter)[1:])
    padded = content + b'\0' * (-len(content) % 16)
    state = aes_ccm._encrypted(keys, b'\x3a' + nonce + struct.pack('>I', len(content))[1:])
    for at in range(0, len(padded), 16):
        state = aes_ccm._encrypted(keys, bytes(a ^ b for a, b in zip(state, padded[at : at + 16])))
    data = b''.join(bytes(a ^ b for a, b in zip(content[at : at + 16], stream(at // 16 + 1))) for at in range(0, len(content), 16))
    return nonce + bytes(a ^ b for a, b in zip(state, stream(0))) + data


def entry(kind, value, data):
    return struct.pack('<4H', 8 + len(data), kind, value, 1) + data


def datum(key, method=0x2003):
    return struct.pack('<4HI', 12 + len(key), 0, 1, 1, method) + key


def protector(kind, *inner):
    return entry(2, 8, b'g' * 16 + b'\0' * 10 + struct.pack('<H', kind) + b''.join(inner))


def made(path, method=0x8004, states=(4, 4), protectors=None, places=(2 * MIB, 4 * MIB, 6 * MIB), kept=None, kind='3bd66749292ed84a8399f6a339e3d001', sector=512, digest_of=None):
    protectors = protectors or [protector(0x0800), protector(0, entry(0, 1, struct.pack('<I', 0x2003) + CLEAR), entry(0, 5, sealed(CLEAR, datum(MASTER))))]
    entries = b''.join(protectors) + entry(3, 5, sealed(MASTER, datum(STORED, method)))
    kept = kept or places[0] + 0x10000
    length = 48 + len(entries)
    units = (64 + length + 15) // 16
    block = (
        b'-FVE-FS-' + struct.pack('<4HQ2I', units, 2, states[0], states[1], 8 * MIB, 0, 16) + struct.pack('<4Q', *(list(places) + [kept]))
        + struct.pack('<4I', length, 1, 48, length) + b'v' * 16 + struct.pack('<I2HQ', 9, method, 0, 1) + entries
    ).ljust(units * 16, b'\0')
    proof = struct.pack('<6H', 44, 0, 1, 1, 0x2005, 0) + hashlib.sha256(digest_of or block).digest()
    nested = struct.pack('<4H', 80, 0, 5, 1) + sealed(MASTER, proof)
    with open(path, 'wb') as file:
        file.truncate(8 * MIB)
        file.write((b'\xeb\x58\x90-FVE-FS-' + struct.pack('<H', sector)).ljust(160, b'\0') + bytes.fromhex(kind) + struct.pack('<3Q', *places))
        for place in places:
            file.seek(place)
            file.write(block + struct.pack('<2HI', 8 + len(nested), 2, zlib.crc32(block)) + nested)


class Keys(unittest.TestCase):
    def test_the_cipher_is_that_of_its_standards(self):
        for key, found in (('000102030405060708090a0b0c0d0e0f', '69c4e0d86a7b0430d8cdb78070b4c55a'), ('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', '8ea2b7ca516745bfeafc49904b496089')):
            self.assertEqual(aes_ccm._encrypted(aes_ccm._round_keys(bytes.fromhex(key)), bytes.fromhex('00112233445566778899aabbccddeeff')).hex(), found)
        # What another implementation of the mode sealed, with a nonce of twelve bytes and a tag of sixteen.
        key, nonce, tag, data = bytes(range(0x40, 0x60)), bytes(range(0x10, 0x1C)), bytes.fromhex(TAG), bytes.fromhex(DATA)
        self.assertEqual(aes_ccm.decrypt(key, nonce, tag, data), bytes(range(44)))
        for other in ((key[::-1], nonce, tag, data), (key, nonce[::-1], tag, data), (key, nonce, tag[::-1], data), (key, nonce, tag, data[::-1])):
            self.assertIsNone(aes_ccm.decrypt(*other))


class Volumes(unittest.TestCase):
    def setUp(self):
        handle, self.path = tempfile.mkstemp()
        os.close(handle)
        self.addCleanup(os.unlink, self.path)

    def metadata(self, **more):
        made(self.path, **more)
        return Metadata(self.path)

    def test_one_whose_key_is_in_the_clear_is_open_and_others_are_not(self):
        self.assertEqual([getattr(self.metadata(), name) for name in ('is_open', 'is_whole', 'has_other_protectors')], [True, True, True])
        alone = self.metadata(protectors=[protector(0, entry(0, 1, b'\0' * 4 + CLEAR), entry(0, 5, sealed(CLEAR, datum(MASTER))))])
        self.assertEqual([alone.is_open, alone.has_other_protectors], [True, False])
        closed = self.metadata(protectors=[protector(0x0100), protector(0x0800)])
        self.assertEqual([closed.is_open, closed.is_whole], [False, True])
        self.assertRaisesRegex(Unreadable, 'not on it in the clear', closed.sector_key)

    def test_one_that_is_about_to_be_encrypted_or_decrypted_is_not_whole(self):
        for more in ({'states': (2, 4)}, {'states': (4, 1)}, {'states': (5, 4)}, {'kind': '3b4da89280dd0e4d9e4eb1e3284eaed8'}):
            self.assertFalse(self.metadata(**more).is_whole)

    def test_the_key_of_its_sectors_is_that_of_its_method(self):
        for method, cipher, key in (
            (0x8004, 'aes-xts-plain64', STORED[:32]), (0x8005, 'aes-xts-plain64', STORED), (0x8002, 'aes-cbc-eboiv', STORED[:16]), (0x8003, 'aes-cbc-eboiv', STORED[:32]),
            (0x8000, 'aes-cbc-elephant', STORED[:16] + STORED[32:48]), (0x8001, 'aes-cbc-elephant', STORED),
        ):
            self.assertEqual(self.metadata(method=method).sector_key(), (cipher, key))
        self.assertRaisesRegex(Unreadable, 'method 9000', self.metadata(method=0x9000).sector_key)

    def test_metadata_that_nobody_with_its_key_wrote_open_nothing(self):
        self.assertRaisesRegex(Unreadable, 'changed by somebody', self.metadata(digest_of=b'another').sector_key)
        other = [protector(0, entry(0, 1, b'\0' * 4 + CLEAR[::-1]), entry(0, 5, sealed(CLEAR, datum(MASTER))))]
        self.assertRaisesRegex(Unreadable, 'cannot be decrypted', self.metadata(protectors=other).sector_key)
        with open(self.path, 'r+b') as file:
            file.seek(176)
            file.write(b'\xff' * 24)
        self.assertRaisesRegex(Unreadable, 'none of the three', Metadata, self.path)

    def test_one_whole_copy_of_the_metadata_is_enough(self):
        made(self.path)
        for place, left in ((2 * MIB, True), (4 * MIB, True), (6 * MIB, False)):
            with open(self.path, 'r+b') as file:
                file.seek(place + 100)
                file.write(b'\xff')
            if left:
                self.assertEqual(Metadata(self.path).sector_key()[1], STORED[:32])
            else:
                self.assertRaisesRegex(Unreadable, 'none of the three', Metadata, self.path)

    def test_the_mapper_shows_the_volume_as_windows_sees_it(self):
        told = table(self.metadata(places=(2 * MIB, 2 * MIB + 0x10000, 6 * MIB), kept=4 * MIB), '/dev/w02')
        key = STORED[:32].hex()
        crypt = lambda start, length, at: '%d %d crypt aes-xts-plain64 %s %d /dev/w02 %d' % (start, length, key, at, at)
        self.assertEqual(told.splitlines(), [
            crypt(0, 16, 8192), crypt(16, 4080, 16), '4096 128 zero', '4224 128 zero', crypt(4352, 3840, 4352), '8192 16 zero', crypt(8208, 4080, 8208), '12288 128 zero', crypt(12416, 3968, 12416)])
        self.assertIn('/dev/w02 8192 2 sector_size:4096 iv_large_sectors\n', table(self.metadata(kept=4 * MIB, sector=4096, places=(2 * MIB, 5 * MIB, 6 * MIB)), '/dev/w02'))
        for places in ((2 * MIB + 100, 4 * MIB, 6 * MIB), (2 * MIB, 2 * MIB + 512, 6 * MIB), (0, 4 * MIB, 6 * MIB), (2 * MIB, 4 * MIB, 8 * MIB - 512)):
            with self.subTest(places), self.assertRaises(Unreadable):
                table(self.metadata(places=places, kept=5 * MIB), '/dev/w02')


class Opened(unittest.TestCase):
    def setUp(self):
        handle, self.path = tempfile.mkstemp()
        os.close(handle)
        self.addCleanup(os.unlink, self.path)
        self.asked, self.warnings, self.undone, self.code, self.content = [], [], [], 0, 'ntfs'
        for module, name, value in (
            (bitlocker, 'run', self.run_stand_in), (device_mapper, 'run', self.run_stand_in), (protocol, 'warn', self.warnings.append), (protocol, 'log', lambda line: None), (BlockDevice, 'probe', lambda one: self.probe_stand_in(one))
        ):
            self.addCleanup(setattr, module, name, getattr(module, name))
            setattr(module, name, value)

    def run_stand_in(self, args, text_input=None, **_):
        self.asked.append((args, text_input))
        return Result(self.code if args[0] == 'dmsetup' else 0, '', 'no such target' if self.code else '')

    def probe_stand_in(self, one):
        one.properties = {'TYPE': self.content}
        return one

    def will(self, undo, **fields):
        self.undone.append((undo, fields))

    def undo_last(self):
        self.undone.pop()

    def opened(self, read_only=False, **more):
        made(self.path, **more)
        volume = device(self.path, 'partition', 2, content='BitLocker')
        return bitlocker.open_suspended([volume], self, read_only)

    def test_it_is_opened_without_a_key_which_no_argument_holds(self):
        for read_only in (False, True):
            self.asked, self.undone = [], []
            found = self.opened(read_only)
            self.assertEqual([(one.kind, one.name) for one in found], [('decrypted', self.path)])
            (args, given), (then, _) = self.asked[-2:]
            name = found[0].path.rsplit('/', 1)[1]
            self.assertEqual((args, self.undone), (['dmsetup', '--noudevrules', '--noudevsync', 'create', name] + (['--readonly'] if read_only else []), [('remove-mapping', {'name': name})]))
            self.assertEqual(then[-2:], ['mknodes', name])
            self.assertIn(STORED[:32].hex().encode(), given)
            bitlocker.warn_of_source_keys(found[0])
        self.assertIn('-type TPM', self.warnings[0])

    def test_others_are_left_alone(self):
        for more in ({'states': (2, 4)}, {'protectors': [protector(0x0800)]}, {'digest_of': b'another'}):
            self.assertEqual(self.opened(**more), [])
        self.assertEqual((self.asked, self.undone), ([], []))

    def test_a_worker_that_cannot_is_told_of(self):
        for self.code, word in ((1, 'no such target'), (127, 'it has no dmsetup')):
            self.assertEqual((self.opened(), self.undone), ([], []))
            self.assertIn(word, self.warnings[-1])
        self.code, self.content = 0, ''
        self.assertEqual((self.opened(), self.undone), ([], []))
        self.assertIn('nothing that it knows', self.warnings[-1])

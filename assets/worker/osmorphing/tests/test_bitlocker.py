"""Volumes that BitLocker encrypts, with a stand-in for the program that opens them."""

import base64
import unittest

from causeway_osmorphing import bitlocker, block_devices, protocol
from causeway_osmorphing.command import Result
from causeway_osmorphing.protocol import MorphError
from causeway_osmorphing.windows.commands import _choose

from .test_disk_names import device

DIGITS = b'026345-181478-456291-000594-555643-117425-390786-012111'
DUMP = 'Info for BITLK device /dev/w02.\nVersion:      \t2\nGUID:         \t6A1F10AC-0000-4000-8000-000000000001\n'


class Undo(object):
    def __init__(self):
        self.entries = []

    def will(self, undo, **fields):
        self.entries.append((undo, fields))

    def undo_last(self):
        self.entries.pop()


class BitLocker(unittest.TestCase):
    def setUp(self):
        self.asked, self.warnings, self.undo = [], [], Undo()
        for module, name, value in ((bitlocker, 'run', self.run_stand_in), (block_devices, 'run', self.run_stand_in), (protocol, 'warn', self.warnings.append), (protocol, 'log', lambda line: None)):
            self.addCleanup(setattr, module, name, getattr(module, name))
            setattr(module, name, value)
        self.slots = 'VMK 0\n\tGUID:         \t01\n\tProtection:   \tVMK protected with recovery passphrase\n'
        self.fails = Result(2, '', 'No key available with this passphrase.')
        self.volumes = [device('/dev/w01', 'partition', 1, content='vfat'), device('/dev/w02', 'partition', 2, content='BitLocker')]

    def run_stand_in(self, args, text_input=None, **_):
        if args[0] == 'blkid':
            return Result(0, 'TYPE=ntfs\nUUID=77AA\n', '')
        if args[0] == 'modprobe':
            return Result(1, '', '')
        if args[1] == 'bitlkDump':
            return Result(0, DUMP + self.slots, '')
        self.assertNotIn(DIGITS.decode(), ' '.join(args))
        self.asked.append(text_input)
        return Result(0, '', '') if text_input == DIGITS else self.fails

    def opened(self, *keys):
        packed = [dict(one, key=base64.b64encode(one['key']).decode()) for one in keys]
        return bitlocker.open_volumes(self.volumes, packed, self.undo)

    def test_a_recovery_key_opens_it_in_every_way_that_people_write_it(self):
        for written in (DIGITS, DIGITS + b'\r\n', DIGITS.replace(b'-', b''), DIGITS.replace(b'-', b' '), b' ' + DIGITS.replace(b'-', b' - ')):
            self.assertEqual(bitlocker.recovery_key(written), DIGITS)
        self.assertEqual(bitlocker.recovery_key(b'a pass - phrase '), b'a pass - phrase ')
        found = self.opened({'key': b'wrong'}, {'key': DIGITS.replace(b'-', b'')})
        self.assertEqual(self.asked, [b'wrong', DIGITS])
        self.assertEqual([(one.path, one.kind, one.content, one.name) for one in found], [('/dev/mapper/causeway-bitlocker-w02', 'decrypted', 'ntfs', '/dev/w02')])
        self.assertEqual(self.undo.entries, [('close-luks', {'name': 'causeway-bitlocker-w02'})])
        self.volumes += found
        self.assertEqual((self.opened({'key': DIGITS}), bitlocker.locked(self.volumes)), ([], []))

    def test_a_key_may_name_its_volume(self):
        self.assertEqual(self.opened({'key': DIGITS, 'device': 'u-luks'}), [])
        self.assertEqual(len(self.opened({'key': DIGITS, 'device': '6a1f10ac-0000-4000-8000-000000000001'})), 1)
        self.assertEqual(len(self.asked), 1)

    def test_what_no_key_opens_is_refused_by_name(self):
        self.assertEqual(self.opened({'key': b'wrong'}), [])
        self.assertEqual((self.undo.entries, self.warnings), ([], []))
        for keys, word in (([], 'no recovery key'), ([{}], 'none of the keys')):
            with self.assertRaises(MorphError) as caught:
                _choose([], None, self.volumes, keys)
            self.assertEqual(caught.exception.code, 'osmorphing.locked')
            self.assertIn(word, caught.exception.message)
            self.assertIn('/dev/w02', caught.exception.message)

    def test_one_that_cannot_be_opened_without_a_key_is_refused_with_what_to_do(self):
        class Told(object):
            is_open, is_whole = True, True

        self.addCleanup(setattr, bitlocker, '_metadata', bitlocker._metadata)
        bitlocker._metadata = lambda one: Told
        # No key is tried, as older programs open no such volume with whatever key.
        self.assertEqual((self.opened({'key': b'x'}), self.asked), ([], []))
        for keys, whole, word in (([], True, 'suspended, and the worker cannot open it: give its recovery key and resume it on the source'), ([{}], True, 'open it: resume it'), ([{}], False, 'had not ended encrypting')):
            Told.is_whole = whole
            with self.assertRaises(MorphError) as caught:
                _choose([], None, self.volumes, keys)
            self.assertEqual(caught.exception.code, 'osmorphing.locked')
            self.assertIn(word, caught.exception.message)

    def test_another_reason_is_told(self):
        self.fails = Result(1, '', 'This BITLK device is in an unsupported state and cannot be activated.')
        self.assertEqual(self.opened({'key': b'x'}), [])
        self.assertIn('unsupported state', self.warnings[0])
        self.fails = Result(127, '', '')
        self.assertEqual(self.opened({'key': b'x'}), [])
        self.assertIn('2.3 or newer', self.warnings[1])

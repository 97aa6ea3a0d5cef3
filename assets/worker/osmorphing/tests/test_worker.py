"""What the worker can't do for a guest, and what it has to say of it."""

import base64
import json
import os
import re
import shutil
import struct
import subprocess
import uuid

from causeway_osmorphing import luks, mounting, roots, unattended
from causeway_osmorphing.block_devices import BlockDevice
from causeway_osmorphing.command import Result
from causeway_osmorphing.protocol import MorphError
from causeway_osmorphing.roots import Root
from causeway_osmorphing.steps import Morph
from causeway_osmorphing.undo_log import UndoLog

from .test_disk_names import device
from .trees import TreeTest, everything

PATH = os.environ['PATH'] + ':/usr/sbin:/sbin'
DUMP = 'LUKS header information\nVersion:       \t2\n\nKeyslots:\n  0: luks2\n\tKey:        512 bits\nTokens:\n  0: %s\n\tKeyslot:    1\nDigests:\n  0: pbkdf2\n'

# By which Clevis marks what it keeps in LUKS1.
CLEVIS = 'cb6e8904-81ff-40da-a84a-07ab9ab5715e'


def open_bytes(path):
    with open(path, 'rb') as file:
        return file.read()


class Worker(TreeTest):
    def answers(self, module, **results):
        """Programs by their names, and what they answer."""
        self.addCleanup(setattr, module, 'run', module.run)
        module.run = lambda args, **_: results.get(args[0], Result(0, '', ''))

    def refused(self, action, *args):
        with self.assertRaises(MorphError) as caught:
            action(*args)
        return caught.exception

    def test_a_file_system_that_is_newer_than_the_worker_is_not_called_damaged(self):
        root = device('/dev/w02', 'partition', 2, content='ext4', uuid='u-root')
        for told in (
            '/dev/w02 has unsupported feature(s): FEATURE_C12\ne2fsck: Get a newer version of e2fsck!\n',
            'e2fsck: Filesystem has unsupported read-only feature(s) while trying to open /dev/w02',
        ):
            self.answers(mounting, e2fsck=Result(8, '', told))
            self.assertEqual(self.refused(mounting.check_file_system, root).code, 'osmorphing.worker-too-old')
        self.answers(mounting, e2fsck=Result(4, '', 'UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY.'))
        self.assertEqual(self.refused(mounting.check_file_system, root).code, 'osmorphing.file-system-damaged')

    def test_a_kernel_that_is_too_old_says_so_in_its_log_alone(self):
        root = device('/dev/w02', 'partition', 2, content='xfs', uuid='u-root')
        wrong = Result(32, '', 'mount: wrong fs type, bad option, bad superblock on /dev/w02')
        for line, code in (
            ('XFS (w02): Superblock has unknown read-only compatible features (0x8) enabled.', 'osmorphing.worker-too-old'),
            ('XFS (w02): Superblock has unknown incompatible features (0x60) enabled.', 'osmorphing.worker-too-old'),
            ('BTRFS error (device w02): cannot mount because of unknown incompat features (0x4000)', 'osmorphing.worker-too-old'),
            ("EXT4-fs (w02): couldn't mount RDWR because of unsupported optional features (10000)", 'osmorphing.worker-too-old'),
            ('XFS (w99): Superblock has unknown incompatible features (0x60) enabled.', 'osmorphing.mount-failed'),
            ('XFS (w02): Metadata corruption detected', 'osmorphing.mount-failed'),
        ):
            self.answers(mounting, mount=wrong)
            self.answers(roots, dmesg=Result(0, 'booted\n%s\n' % line, ''))
            self.assertEqual(self.refused(mounting._mount, root, [root], '/nowhere', [], False).code, code, line)

    def test_a_root_that_a_tpm_unlocks_is_told(self):
        volumes = [device('/dev/w02', 'partition', 2, content='crypto_LUKS', uuid='u-luks'), device('/dev/w03', 'partition', 3, content='crypto_LUKS', uuid='u-data')]
        for kind, word in (('systemd-tpm2', 'a TPM'), ('clevis', 'Clevis'), ('systemd-recovery', None)):
            del self.warnings[:]
            self.answers(unattended, cryptsetup=Result(0, DUMP % kind, ''))
            luks.warn_of_unattended(volumes, ['u-luks'])
            self.assertEqual([('u-luks' in one, word in one) for one in self.warnings], [(True, True)] if word else [], kind)

    def encrypted_image(self, kind, slots, *more):
        """A volume with the key `key` and those of `more`, and a token."""
        program = shutil.which('cryptsetup', path=PATH)
        if program is None:
            self.skipTest('cryptsetup is not installed')
        image, token = os.path.join(self.root, 'image'), os.path.join(self.root, 'token')
        with open(image, 'wb') as file:
            file.truncate(20 << 20)
        with open(token, 'w') as file:
            json.dump({'type': kind, 'keyslots': slots, 'jwe': {}}, file)
        cheap = ['--pbkdf', 'pbkdf2', '--pbkdf-force-iterations', '1000']
        formatted = subprocess.run([program, 'luksFormat', '-q', '--type', 'luks2', '--key-file', '-'] + cheap + [image], input=b'key', stderr=subprocess.PIPE)
        if formatted.returncode != 0:
            self.skipTest('this kernel encrypts no files for programs: %s' % formatted.stderr.decode(errors='replace'))
        for one in more:
            path = os.path.join(self.root, 'more')
            with open(path, 'w') as file:
                file.write(one)
            subprocess.run([program, 'luksAddKey', '-q', '--key-file', '-'] + cheap + [image, path], input=b'key', check=True)
        subprocess.run([program, 'token', 'import', '--json-file', token, image], check=True)
        return device(image, 'partition', 2, content='crypto_LUKS', uuid='u-luks')

    def test_tokens_are_read_as_the_real_program_shows_them(self):
        made = self.encrypted_image('clevis', [])
        luks.warn_of_unattended([made], ['u-luks'])
        self.assertEqual(len([one for one in self.warnings if 'Clevis' in one]), 1)

    def old_image(self, maker):
        """A LUKS1 volume with an entry of LUKSMeta for its slot 1."""
        program = shutil.which('cryptsetup', path=PATH)
        if program is None:
            self.skipTest('cryptsetup is not installed')
        image = os.path.join(self.root, 'image')
        with open(image, 'wb') as file:
            file.truncate(20 << 20)
        made = subprocess.run([program, 'luksFormat', '-q', '--type', 'luks1', '--key-file', '-', '--pbkdf-force-iterations', '1000', image], input=b'key', stderr=subprocess.PIPE)
        self.assertEqual((made.returncode, made.stderr), (0, b''))
        told = subprocess.run([program, 'luksDump', image], stdout=subprocess.PIPE, check=True).stdout.decode()
        data = int(re.search(r'Payload offset:\s+(\d+)', told).group(1)) * 512
        # Where luksmeta puts it: behind the eight slots, of which each has half a megabyte at most.
        with open(image, 'r+b') as file:
            file.seek(data - 8192)
            file.write(b'LUKSMETA' + struct.pack('>II', 1, 0) + b'\0' * 32 + uuid.UUID(maker).bytes + struct.pack('>IIII', 4096, 300, 0, 0))
            # What is in the data is none of it.
            file.seek(data)
            file.write(b'LUKSMETA' + b'\0' * 8 + uuid.UUID(CLEVIS).bytes)
        return device(image, 'partition', 2, content='crypto_LUKS', uuid='u-luks')

    def test_clevis_is_told_of_older_volumes_as_well(self):
        made = self.old_image(CLEVIS)
        luks.warn_of_unattended([made], ['u-luks'])
        self.assertEqual([('u-luks' in one, 'Clevis (a TPM or a server' in one) for one in self.warnings], [(True, True)])
        # It cannot be taken away from outside.
        del self.warnings[:]
        before = open_bytes(made.path)
        guest, morph, unbind = self.unbound(made, b'key')
        self.assertEqual(unbind()[1], ['/etc/crypttab: system_crypt is unlocked by a passphrase'])
        self.assertEqual(self.warnings, ['the encrypted volume u-luks is LUKS1, from which Clevis cannot be removed here (slot 1): run `clevis luks unbind` on the source and execute the replica again'])
        self.assertEqual(open_bytes(made.path), before)
        # Others keep something there, too.
        del self.warnings[:]
        luks.warn_of_unattended([self.old_image('11111111-2222-3333-4444-555555555555')], ['u-luks'])
        self.assertEqual(self.warnings, [])

    def test_each_key_is_tried_on_the_volumes_that_it_is_for(self):
        made = self.encrypted_image('clevis', [], 'second')
        # Files need no device mapper to have their keys checked.
        run, asked = luks.run, []
        self.addCleanup(setattr, luks, 'run', run)
        luks.run = lambda args, **more: asked.append(more['text_input']) or run(args[:-1] + ['--test-passphrase'], **more)
        self.addCleanup(setattr, BlockDevice, 'probe', BlockDevice.probe)
        BlockDevice.probe = lambda self: self
        undo = UndoLog(os.path.join(self.root, 'session'))
        for keys, tried, opened in (
            (({}, b'wrong'), [b'wrong'], []), (({'device': 'u-other'}, b'second'), [], []), (({}, b'wrong', {'device': 'u-other'}, b'key', {'device': 'u-luks'}, b'second', {}, b'key'), [b'wrong', b'second'], ['u-luks']),
        ):
            del asked[:]
            pairs = [dict(named, key=base64.b64encode(key).decode()) for named, key in zip(keys[::2], keys[1::2])]
            found = luks.open_encrypted([made], pairs, undo, {'u-luks': 'system_crypt'}, read_only=True)
            self.assertEqual((asked, [one.name for one in found]), (tried, opened))
            self.assertEqual([one.path for one in found], ['/dev/mapper/system_crypt'] * len(opened))

    def unbound(self, volume, *keys):
        opened = device('/dev/mapper/system_crypt', 'decrypted', uuid='1')
        opened.name = 'u-luks'
        guest = self.guest('debian', {'/etc/crypttab': '# kept\nsystem_crypt UUID=u-luks none luks,tpm2-device=auto,discard,tpm2-pcrs=7\nother UUID=u-other none tpm2-device=auto\n'})
        request = {'unbindVolumes': True, 'luksKeys': [{'key': base64.b64encode(one).decode()} for one in keys]}
        root = Root(opened, '', guest.release)
        morph = Morph(guest, [volume, opened], root, {'/': opened}, None, dict(request, nics=[]))
        return guest, morph, lambda: unattended.unbind(morph)

    def test_a_volume_is_left_with_its_passphrase_alone_when_that_is_asked_for(self):
        made = self.encrypted_image('clevis', ['1'], 'sealed')
        guest, morph, unbind = self.unbound(made, b'wrong', b'key')
        self.assertEqual(unattended.Header(made).tokens, {0: ('clevis', {1})})
        changed, notes = unbind()
        self.assertEqual((changed, notes), (True, ['the encrypted volume u-luks is no longer unlocked by Clevis (a TPM or a server on its network)', '/etc/crypttab: system_crypt is unlocked by a passphrase']))
        header = unattended.Header(made)
        self.assertEqual((header.slots, header.tokens, morph.rebuild_initramfs), ({0}, {}, True))
        self.assertEqual(guest.read('/etc/crypttab'), '# kept\nsystem_crypt UUID=u-luks none luks,discard\nother UUID=u-other none tpm2-device=auto\n')
        self.assertEqual(unbind(), (False, []))

    def test_nobody_is_locked_out(self):
        made = self.encrypted_image('clevis', ['0'], 'other')
        guest, _, unbind = self.unbound(made, b'key')
        before = everything(self.root)
        with self.assertRaises(MorphError) as caught:
            unbind()
        self.assertEqual(caught.exception.code, 'osmorphing.locked')
        self.assertEqual(everything(self.root), before)
        self.assertEqual(unattended.Header(made).slots, {0, 1})

"""What the root lies on, and what an initial RAM disk needs for it."""

from causeway_osmorphing import initramfs, root_stack
from causeway_osmorphing.command import Result
from causeway_osmorphing.protocol import MorphError
from causeway_osmorphing.root_stack import RootStack

from .test_boot import DRACUT, BootTest
from .test_disk_names import boot_disk, device
from .trees import kernel

VERSION = '5.14.0-1'
CRYPTO = ('crypto/xts.ko', 'crypto/aes_generic.ko', 'arch/x86/crypto/aesni-intel.ko.xz', 'crypto/sha256_generic.ko', 'crypto/cast5_generic.ko', 'drivers/md/dm-crypt.ko', 'drivers/md/dm-mod.ko')
LUKS2 = 'LUKS header information\nData segments:\n  0: crypt\n\tcipher: aes-xts-plain64\nKeyslots:\n'
LUKS1 = 'Version:       \t1\nCipher name:   \taes\nCipher mode:   \tcbc-essiv:sha256\n'


class Layers(BootTest):
    def at(self, modules, more=None):
        files = dict(DRACUT, **kernel(VERSION))
        files.update(('/lib/modules/%s/kernel/%s' % (VERSION, path), '') for path in modules)
        return self.guest('rocky', dict(files, **(more or {})))

    def below(self, stack):
        self.addCleanup(setattr, initramfs, 'stack_below', initramfs.stack_below)
        initramfs.stack_below = lambda roots, devices: stack

    def test_dracut_is_given_what_it_reads_from_devices_that_it_does_not_see(self):
        guest = self.at(CRYPTO + ('drivers/md/raid1.ko',))
        self.below(RootStack(('decrypted', 'raid'), (), ('raid1',), ('aes', 'xts')))
        # The stand-in makes images without programs.
        self.addCleanup(setattr, root_stack, '_PROGRAMS', root_stack._PROGRAMS)
        root_stack._PROGRAMS = {}
        initramfs.rebuild(self.morph(guest))
        command = next(one for one in guest.commands if one.startswith('dracut'))
        for name in ('dm_crypt', 'dm_mod', 'raid1', 'xts', 'aes_generic', 'aesni_intel'):
            self.assertRegex(command, r'\b%s\b' % name)
        self.assertNotIn('cast5', command)
        self.assertEqual(initramfs.rebuild(self.morph(guest))[0], False)

    def test_an_image_without_the_cipher_of_the_root_is_refused(self):
        guest = self.at(CRYPTO)
        self.below(RootStack(('decrypted',), (), (), ('aes', 'xts')))
        made = guest._image
        guest._image = lambda image, version: (made(image, version), guest.write(image, guest.read(image).replace('xts', 'other')))
        with self.assertRaises(MorphError) as raised:
            initramfs.rebuild(self.morph(guest))
        self.assertEqual(raised.exception.code, 'osmorphing.initramfs')
        self.assertIn('lacks xts', raised.exception.message)

    def test_one_module_of_a_cipher_is_enough_and_what_is_built_in_is_not_missed(self):
        guest = self.at(('crypto/xts.ko', 'arch/x86/crypto/aesni-intel.ko', 'crypto/aes_generic.ko'))
        stack = RootStack(('decrypted',), (), (), ('aes', 'xts', 'essiv'))
        listed = 'usr/lib/modules/%s/kernel/crypto/xts.ko\nusr/lib/modules/%s/kernel/arch/x86/crypto/aesni-intel.ko\n' % (VERSION, VERSION)
        self.assertEqual(root_stack.lacking_below(guest, VERSION, listed, stack), [])
        self.assertEqual(root_stack.lacking_below(guest, VERSION, '', stack), ['aes_generic', 'xts'])
        guest = self.at(('fs/xfs/xfs.ko',))
        self.assertEqual(root_stack.lacking_below(guest, VERSION, '', RootStack(('logical',), ('xfs',))), ['lvm', 'xfs'])

    def test_ciphers_are_read_from_headers_of_both_kinds(self):
        self.addCleanup(setattr, root_stack, 'run', root_stack.run)
        devices = boot_disk() + [device('/dev/w08', 'partition', 8, 0, 'crypto_LUKS', 'u-luks'), device('/dev/mapper/root', 'decrypted', None, 0, 'ext4', 'u-root')]
        opened = devices[-1]
        opened.name = 'u-luks'
        for told, words in ((LUKS2, ['aes', 'xts']), (LUKS1, ['aes', 'cbc', 'essiv', 'sha256'])):
            root_stack.run = lambda args, check=True, timeout=0, told=told: Result(0, told, '')
            self.assertEqual(root_stack.stack_below([opened], devices).ciphers, words)

"""What programs of the guest take for the kernel's arguments: the guest's own, never the worker's."""

import os
import unittest

from causeway_osmorphing import boot_entries, initramfs
from causeway_osmorphing.guest import Guest
from causeway_osmorphing.own_command_line import arguments_of

from .test_boot import MACHINE, BootTest, unified
from .trees import RELEASES, TreeTest, bring_program, bring_programs, can_isolate, kernel, program, tree

VERSION = '6.1.0-9-amd64'
ENTRY = '/boot/efi/loader/entries/%s-%s.conf' % (MACHINE, VERSION)
PLUGIN = '/usr/lib/kernel/install.d/90-loaderentry.install'
PROGRAMS = ('sh', 'cat', 'chown', 'grep', 'id', 'install', 'mkdir', 'mktemp', 'mountpoint', 'rm', 'sort', 'stat', 'tr', 'kernel-install')

class Arguments(TreeTest):
    def test_they_are_those_of_the_entry_that_starts_first(self):
        menu = "set default=0\nmenuentry 'x' {\n\tlinux ($root)/vmlinuz-5.0 BOOT_IMAGE=/x root=UUID=1 ro  quiet\n}\nmenuentry 'y' {\n\tlinux /vmlinuz-4.0 root=UUID=2\n}\n"
        entry = 'title x\nversion %s\nlinux /vmlinuz\noptions %s\n'
        for files, told in (
            ({'/boot/grub/grub.cfg': menu}, 'root=UUID=1 ro quiet'),
            ({'/boot/grub/menu.lst': 'title a\nroot (hd0,0)\nkernel /xen.gz dom0_mem=1\nmodule /vmlinuz root=/dev/sda1 ro\n'}, 'root=/dev/sda1 ro'),
            ({'/boot/grub/grub.cfg': menu, '/boot/loader/entries/a.conf': entry % ('5.0', 'root=UUID=5 ro'), '/boot/loader/entries/b.conf': entry % ('6.0', 'root=UUID=6 initrd=\\x ro')}, 'root=UUID=6 ro'),
            ({'/boot/loader/entries/a.conf': entry % ('5.0', '$kernelopts $tuned_params'), '/boot/grub2/grubenv': '# GRUB Environment Block\nkernelopts=root=UUID=7 ro\n####'}, 'root=UUID=7 ro'),
            ({'/boot/loader/entries/a.conf': entry % ('5.0', 'root=UUID=5\x1b[2J\x07 ro')}, 'root=UUID=5 [2J ro'),
            ({'/boot/efi/EFI/Linux/a.efi': unified('6.0', b'', [(b'.linux', b'x'), (b'.cmdline', b'root=UUID=8 ro\0')])}, 'root=UUID=8 ro'),
            ({'/boot/grub/grub.cfg': 'linux /memtest\nlinux /x console=ttyS0\n'}, ''), ({}, ''),
        ):
            with self.subTest(files):
                self.clear()
                self.assertEqual(arguments_of(self.guest('debian', files)), told)
        self.clear()
        self.assertEqual(len(arguments_of(self.guest('debian', {'/boot/grub/grub.cfg': 'linux /v root=a ' + 'x' * 300000 + '\n' * 10000}))), 2048)
        self.clear()
        bomb = {'/boot/loader/entries/a.conf': entry % ('5.0', '$kernelopts ' * 100000), '/boot/grub2/grubenv': 'kernelopts=root=a ' + 'x' * 300000 + '\n'}
        self.assertEqual(len(arguments_of(self.guest('debian', bomb))), 2048)


@unittest.skipUnless(can_isolate() and program('kernel-install') and os.path.exists(PLUGIN), 'needs root and the kernel-install of systemd')
class KernelInstall(BootTest):
    """The real program, run as the guest's."""

    def systemd_boot(self, more=None):
        entry = 'title Debian\nversion %s\nlinux /%s/%s/linux\ninitrd /%s/%s/initrd.img-%s\noptions root=UUID=u-root ro audit=1\n' % ((VERSION,) + (MACHINE, VERSION) * 2 + (VERSION,))
        folder = '/boot/efi/%s/%s/' % (MACHINE, VERSION)
        tree(self.root, dict({
            '/etc/os-release': RELEASES['debian'], '/etc/fstab': '', '/etc/machine-id': MACHINE + '\n', ENTRY: entry, folder + 'linux': 'old', folder + 'initrd.img-' + VERSION: 'old',
            '/proc/.keep': '', '/sys/.keep': '', '/dev/.keep': '', '/tmp/.keep': '', '/boot/efi/loader/entries.srel': 'type1\n'}, **dict(kernel(VERSION, image='/boot/initrd.img-%s'), **(more or {}))))
        bring_program(self.root, PLUGIN)
        bring_programs(self.root, PROGRAMS)
        return Guest(self.root)

    def test_an_entry_that_a_hook_writes_leads_to_the_guests_own_root(self):
        guest = self.systemd_boot()
        self.assertEqual(guest.run(['cat', '/proc/cmdline']).out, 'root=UUID=u-root ro audit=1\n')
        self.assertEqual(guest.run(['sh', '-c', 'echo x > /proc/cmdline || ls -d /dev/causeway* || echo neither'], check=False).out, 'neither\n')
        guest.run(['kernel-install', 'add', VERSION, '/boot/vmlinuz-' + VERSION, '/boot/initrd.img-' + VERSION])
        text = guest.read(ENTRY)
        self.assertIn('\noptions    root=UUID=u-root ro audit=1', text)
        self.assertNotIn('audit=1\n', text)
        with open('/proc/cmdline') as file:
            self.assertNotEqual(file.read(), 'root=UUID=u-root ro audit=1\n')

    def test_no_hook_writes_an_entry_anew_where_the_image_is_copied_to_it(self):
        hook = '#!/bin/sh\necho new > "/boot/initrd.img-$3"\nkernel-install add "$3" "/boot/vmlinuz-$3" "/boot/initrd.img-$3"\n'
        listing = '#!/bin/sh\ncat "$1"\nfor name in virtio virtio_ring virtio_pci virtio_blk virtio_scsi virtio_net; do grep -q new "$1" && echo $name.ko; done\ntrue\n'
        guest = self.systemd_boot({'/usr/sbin/update-initramfs': hook, '/usr/bin/lsinitramfs': listing, '/etc/initramfs-tools/.keep': ''})
        for path in ('/usr/sbin/update-initramfs', '/usr/bin/lsinitramfs'):
            os.chmod(self.root + path, 0o755)
        before = guest.read(ENTRY)
        initramfs.rebuild(self.morph(guest))
        self.assertEqual(guest.read(ENTRY), before)
        self.assertEqual(guest.read(boot_entries.entries_of(guest)[0].images[0]), 'new\n')

"""Initial RAM disks that are read without the guest's programs."""

import gzip
import os
import shutil
import subprocess

from causeway_osmorphing import initramfs, ram_disk_image
from causeway_osmorphing.command import Result
from causeway_osmorphing.ram_disk_image import names_in

from .test_boot import BootTest
from .trees import kernel


def entry(name, content=b'', size=None):
    head = b'070701' + b''.join(b'%08X' % one for one in (1, 0o100644, 0, 0, 1, 0, len(content) if size is None else size, 0, 0, 0, 0, len(name) + 1, 0))
    return head + name + b'\0' + b'\0' * (-(110 + len(name) + 1) % 4) + content + b'\0' * (-len(content) % 4)


def archive(*names):
    return b''.join(entry(name, b'x' * index) for index, name in enumerate(names)) + entry(b'TRAILER!!!')


class Images(BootTest):
    def listed(self, content):
        guest = self.guest('debian') if not os.path.exists(self.root + '/etc') else self.kept
        self.kept = guest
        with open(self.root + '/image', 'wb') as file:
            file.write(content)
        return names_in(guest, '/image')

    def test_archives_are_read_with_what_is_before_and_behind_them(self):
        plain = archive(b'lib/virtio_blk.ko', b'bin/nash')
        microcode = archive(b'kernel/x86/microcode/GenuineIntel.bin')
        both = 'lib/virtio_blk.ko\nbin/nash'
        for content, told in (
            (plain, both), (gzip.compress(plain), both), (plain + b'\0' * 512, both), (gzip.compress(plain + b'\0' * 512), both),
            (microcode + b'\0' * 300 + gzip.compress(plain), 'kernel/x86/microcode/GenuineIntel.bin\n' + both),
            (archive(b'a\nlib/virtio_blk.ko'), 'a?lib/virtio_blk.ko'), (b'\x28\xb5\x2f\xfd' + plain, None), (microcode + b'\x28\xb5\x2f\xfd', None), (b'', None), (b'\0' * 999, None),
        ):
            self.assertEqual(self.listed(content), told)

    def test_damaged_and_hostile_ones_end(self):
        plain = archive(b'lib/virtio_blk.ko', b'bin/nash')
        for content in (plain[:-50], gzip.compress(plain)[:-20], gzip.compress(plain[:60]), entry(b'a', size=0xFFFFFFFF), b'070701' + b'-' * 104, b'070701' + b'F' * 104, entry(b'', size=3), gzip.compress(b'x' * 99)):
            self.assertIsNone(self.listed(content), content[:40])
        for name, value in (('_LARGEST', 1 << 20), ('_MOST_NAMES', 50), ('_MOST_TEXT', 1000)):
            self.addCleanup(setattr, ram_disk_image, name, getattr(ram_disk_image, name))
            setattr(ram_disk_image, name, value)
        self.assertIsNone(self.listed(gzip.compress(b'\0' * (4 << 20) + plain)))
        self.assertIsNone(self.listed(gzip.compress(entry(b'a', b'\0' * (2 << 20)) + plain)))
        self.assertIsNone(self.listed(archive(*[b'%d' % number for number in range(60)])))
        self.assertIsNone(self.listed(archive(b'a' * 700, b'b' * 700)))

    def test_what_the_real_program_packs_is_read(self):
        if not shutil.which('cpio'):
            self.skipTest('cpio is not installed')
        os.makedirs(self.root + '/packed/lib')
        with open(self.root + '/packed/lib/virtio_blk.ko', 'wb') as file:
            file.write(os.urandom(70001))
        os.symlink('nash', self.root + '/packed/sh')
        made = subprocess.run(['sh', '-c', 'find lib sh | LC_ALL=C sort | cpio -o -H newc --quiet | gzip -9'], cwd=self.root + '/packed', stdout=subprocess.PIPE, check=True)
        self.assertEqual(self.listed(made.stdout), 'lib\nlib/virtio_blk.ko\nsh')

    def test_an_image_of_rhel_5_is_looked_into_although_nothing_of_its_own_lists_it(self):
        version, image = '2.6.18-400.el5', '/boot/initrd-2.6.18-400.el5.img'
        for names, refused in ((('virtio', 'virtio_ring', 'virtio_pci', 'virtio_blk', 'virtio_scsi', 'virtio_net'), False), (('virtio', 'mptspi'), True)):
            self.clear()
            guest = self.guest('centos7', dict(kernel(version, image='/boot/initrd-%s.img'), **{'/etc/os-release': 'ID=rhel\nVERSION_ID=5.11\n', '/sbin/mkinitrd': ''}))
            guest._lsinitrd = lambda args: Result(127, '', 'not here')

            def mkinitrd(args, names=names):
                with open(self.root + args[-2], 'wb') as file:
                    file.write(gzip.compress(archive(*[b'lib/%s.ko' % name.encode() for name in names])))
                return Result(0, '', '')

            guest._mkinitrd = mkinitrd
            if refused:
                self.assertRaisesRegex(initramfs.MorphError, 'still lacks virtio_blk', initramfs.rebuild, self.morph(guest))
                continue
            self.assertEqual(initramfs.rebuild(self.morph(guest))[1], ['rebuilt ' + image])
            self.assertEqual((initramfs.rebuild(self.morph(guest))[0], self.warnings), (False, []))

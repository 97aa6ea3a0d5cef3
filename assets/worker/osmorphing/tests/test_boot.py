"""What a guest boots from: its partitions, loaders, entries and kernels."""

import os
import shutil

from causeway_osmorphing import efi_fallback, fstab, mounting
from causeway_osmorphing.roots import Root
from causeway_osmorphing.steps import Morph
from causeway_osmorphing.undo_log import UndoLog

from .test_disk_names import boot_disk, device
from .trees import TreeTest

ESP = 'C12A7328-F81F-11D2-BA4B-00A0C93EC93B'
EXTENDED_BOOT = 'bc13c2ff-59e6-4262-a352-b275fd6f7172'


class BootTest(TreeTest):
    def morph(self, guest, request=None, devices=None):
        devices = devices or boot_disk()
        undo_log = UndoLog(os.path.join(self.root, '..', os.path.basename(self.root) + '-session'))
        self.addCleanup(shutil.rmtree, undo_log.folder, True)
        root = Root(next(one for one in devices if one.uuid == 'u-root'), '', guest.release)
        return Morph(guest, devices, root, {'/': root.device}, undo_log, dict({'nics': []}, **(request or {})))


class Partitions(BootTest):
    def found(self, files, devices, table='', mounted=None):
        guest = self.guest('debian', dict({'/etc/fstab': 'UUID=u-root / ext4 defaults 0 1\n' + table}, **files))
        root = next(one for one in devices if one.uuid == 'u-root')
        resolver = fstab.resolver_for(guest, devices, root)
        entries = fstab.parse(guest.read('/etc/fstab'))
        return [(one.path, point) for one, point in mounting.boot_partitions(guest, root, devices, entries, mounted or {'/': root}, resolver)]

    def esp(self, disk=0, **more):
        return device('/dev/w%d9' % disk, 'partition', 9, disk, 'vfat', 'u-esp-%d' % disk, **dict({'PART_ENTRY_TYPE': ESP}, **more))

    def folders(self, *paths):
        return dict((path + '/.keep', '') for path in paths)

    def test_the_loaders_partition_is_found_by_its_type_where_no_table_mounts_it(self):
        esp = self.esp()
        for files, table, point in (
            ({}, '', '/efi'),
            ({'/boot/grub/grub.cfg': ''}, 'UUID=u-esp-0 /boot/efi vfat noauto,x-systemd.automount 0 0\n', '/boot/efi'),
            ({'/boot/efi/old': ''}, '', '/efi'),
            (dict(self.folders('/boot', '/efi')), '', None),
        ):
            with self.subTest(table=table, files=files):
                self.clear()
                self.assertEqual(self.found(files, boot_disk() + [esp], table), [('/dev/w09', point)] if point else [])
        self.clear()
        os.makedirs(self.root + '/boot/efi')
        self.assertEqual(self.found({}, boot_disk() + [esp]), [('/dev/w09', '/boot/efi')])

    def test_kernels_on_a_partition_of_their_own_come_before_the_loader(self):
        os.makedirs(self.root + '/boot')
        kernels = device('/dev/w08', 'partition', 8, 0, 'ext4', 'u-boot', PART_ENTRY_TYPE=EXTENDED_BOOT)
        self.assertEqual(self.found({}, boot_disk() + [kernels, self.esp()]), [('/dev/w08', '/boot'), ('/dev/w09', '/efi')])

    def test_what_is_mounted_or_belongs_to_another_system_stays(self):
        esp = self.esp()
        self.assertEqual(self.found({}, boot_disk() + [esp], mounted={'/': boot_disk()[2], '/boot/efi': esp}), [])
        # The one beside the root is meant; of two elsewhere, neither.
        self.clear()
        self.assertEqual(self.found({}, boot_disk() + [self.esp(1), esp]), [('/dev/w09', '/efi')])
        self.clear()
        self.assertEqual(self.found({}, boot_disk() + [self.esp(1), self.esp(2)]), [])
        self.assertEqual(len(self.warnings), 1)
        # A partition of that type that holds something else.
        self.clear()
        self.assertEqual(self.found({}, boot_disk() + [device('/dev/w09', 'partition', 9, 0, 'ext4', 'x', PART_ENTRY_TYPE=ESP)]), [])


class Loaders(BootTest):
    def ensure(self, files):
        guest = self.guest('rocky', files)
        return guest, efi_fallback.ensure(self.morph(guest))

    def test_grub_legacy_gets_its_configuration_under_the_name_that_it_reads(self):
        vendor = '/boot/efi/EFI/redhat/'
        files = {vendor + 'grub.efi': 'legacy', vendor + 'grub.conf': 'default=0\n'}
        guest, (changed, _) = self.ensure(files)
        self.assertTrue(changed)
        self.assertEqual(guest.read('/boot/efi/EFI/BOOT/BOOTX64.EFI'), 'legacy')
        self.assertEqual(guest.read('/boot/efi/EFI/BOOT/BOOTX64.conf'), 'default=0\n')
        self.assertEqual(efi_fallback.ensure(self.morph(guest))[0], False)
        # Somebody copied the loader alone.
        self.clear()
        guest, (changed, notes) = self.ensure(dict(files, **{'/boot/efi/EFI/BOOT/BOOTX64.EFI': 'legacy'}))
        self.assertEqual((changed, guest.read('/boot/efi/EFI/BOOT/BOOTX64.conf')), (True, 'default=0\n'))
        # The fallback is another loader, with settings of its own.
        self.clear()
        guest, (changed, _) = self.ensure(dict(files, **{'/boot/efi/EFI/BOOT/BOOTX64.EFI': 'another'}))
        self.assertEqual((changed, guest.exists('/boot/efi/EFI/BOOT/BOOTX64.conf')), (False, False))

    def test_of_several_loaders_the_one_of_the_guest_is_taken(self):
        guest, _ = self.ensure({'/boot/efi/EFI/almalinux/grubx64.efi': 'of an earlier system', '/boot/efi/EFI/rocky/grubx64.efi': 'own'})
        self.assertEqual(guest.read('/boot/efi/EFI/BOOT/BOOTX64.EFI'), 'own')

import os
import shutil
import subprocess
import unittest

from causeway_osmorphing import cli, disk_names, fstab_names, kernel_command_line, leftovers
from causeway_osmorphing.block_devices import BlockDevice
from causeway_osmorphing.undo_log import UndoLog
from causeway_osmorphing.protocol import MorphError
from causeway_osmorphing.roots import Root
from causeway_osmorphing.steps import Morph

from .trees import TreeTest

ROOT_LINE = '/dev/sda2 / ext4 defaults 0 1\n'


def device(path, kind, number=None, disk=0, content='', uuid=None, **more):
    made = BlockDevice(path, kind, disk=disk, number=number)
    made.properties = dict({'TYPE': content, 'LAST_MOUNTED': ''}, **dict(more, **({'UUID': uuid} if uuid else {})))
    return made


def boot_disk():
    return [
        device('/dev/w0', 'disk', SECTORS='41943040'),
        device('/dev/w01', 'partition', 1, content='swap', uuid='u-swap'),
        device('/dev/w02', 'partition', 2, content='ext4', uuid='u-root'),
    ]


def data_disk(disk, content='xfs', **more):
    sectors = more.pop('sectors', '41943040')
    return [
        device('/dev/w%d' % disk, 'disk', disk=disk, SECTORS=sectors),
        device('/dev/w%d1' % disk, 'partition', 1, disk, content, 'u-%d' % disk, **more),
    ]


class DiskNames(TreeTest):
    def morph(self, files, devices, request=None):
        guest = self.guest('debian', files)
        undo_log = UndoLog(os.path.join(self.root, '..', os.path.basename(self.root) + '-session'))
        self.addCleanup(shutil.rmtree, undo_log.folder, True)
        root = Root(next(one for one in devices if one.uuid == 'u-root'), '', guest.release)
        return Morph(guest, devices, root, {'/': root.device}, undo_log, dict({'nics': []}, **(request or {})))

    def table(self, lines, devices, more=None):
        morph = self.morph(dict({'/etc/fstab': ROOT_LINE + lines}, **(more or {})), devices)
        fstab_names.by_uuid(morph)
        text = morph.guest.read('/etc/fstab').split('\n', 1)[1]
        self.assertEqual(fstab_names.by_uuid(self.again(morph)), (False, []))
        return text

    def again(self, morph):
        return Morph(morph.guest, morph.devices, Root(morph.root_device, '', morph.guest.release), {}, morph.undo_log, morph.request)

    def test_names_of_every_kind_become_uuids(self):
        for name in (
            '/dev/sdb1', '/dev/vdb1', '/dev/xvdf1', '/dev/sdaa1', '/dev/nvme1n1p1', '/dev/disk/by-id/scsi-36000c29f0000000000000000000000a1-part1',
            '/dev/disk/by-id/wwn-0x6000c29f-part1', '/dev/disk/by-id/ata-VBOX_HARDDISK_VB1-part1', '/dev/disk/by-id/dm-uuid-part1-mpath-3600',
            '/dev/disk/by-path/pci-0000:03:00.0-scsi-0:0:1:0-part1', '/dev/mapper/mpathb1', '/dev/mapper/mpathbp1', '/dev/mapper/mpathb-part1',
            '/dev/mapper/36000c29f0000000000000000000000a1-part1', '/dev/disk/azure/scsi1/lun0-part1', '/dev/oracleoci/oraclevdb1',
        ):
            with self.subTest(name):
                self.clear()
                self.assertEqual(self.table('%s /data xfs defaults 0 2\n' % name, boot_disk() + data_disk(1)), 'UUID=u-1 /data xfs defaults 0 2\n')
                self.assertEqual(self.warnings, [])

    def test_names_by_content_stay(self):
        lines = ''.join('%s /m%d auto nofail 0 0\n' % pair for pair in (
            ('UUID=u-1', 1), ('LABEL=x', 2), ('/dev/vg/data', 3), ('/dev/mapper/vg-data', 4), ('/dev/disk/by-id/dm-name-vg-data', 5),
            ('/dev/disk/by-id/md-uuid-1:2:3:4', 6), ('/dev/md127', 7), ('server:/export', 8), ('tmpfs', 9),
        ))
        self.assertEqual(self.table(lines, boot_disk() + data_disk(1)), lines)

    def test_two_file_systems_of_one_kind_never_change_places(self):
        lines = '/dev/sdb1 /data ext4 defaults 0 2\n/dev/sdc1 /logs ext4 defaults 0 2\n'
        swapped = [data_disk(1, 'ext4', LAST_MOUNTED='/logs'), data_disk(2, 'ext4', LAST_MOUNTED='/data')]
        right = 'UUID=u-2 /data ext4 defaults 0 2\nUUID=u-1 /logs ext4 defaults 0 2\n'
        self.assertEqual(self.table(lines, boot_disk() + swapped[0] + swapped[1]), right)
        self.clear()
        one_known = boot_disk() + data_disk(1, 'ext4', LAST_MOUNTED='/logs') + data_disk(2, 'ext4')
        self.assertEqual(self.table(lines, one_known), right)
        self.clear()
        labelled = boot_disk() + data_disk(1, LABEL='LOGS') + data_disk(2)
        self.assertEqual(self.table(lines.replace('ext4', 'xfs'), labelled), right.replace('ext4', 'xfs'))
        self.clear()
        sizes = {'/var/log/dmesg': 'sd 0:0:1:0: [sdb] 41943041 512-byte logical blocks\nsd 0:0:2:0: [sdc] 2097152 512-byte logical blocks\n'}
        sized = boot_disk() + data_disk(1, sectors='2097152') + data_disk(2, sectors='44040192')
        self.assertEqual(self.table(lines.replace('ext4', 'xfs'), sized, sizes), right.replace('ext4', 'xfs'))
        self.clear()
        listed = {'/etc/blkid/blkid.tab': '<device DEVNO="0x0811" UUID="u-2" TYPE="xfs">/dev/sdb1</device>\n'}
        self.assertEqual(self.table(lines.replace('ext4', 'xfs'), boot_disk() + data_disk(1) + data_disk(2), listed), right.replace('ext4', 'xfs'))

    def test_where_a_file_system_was_mounted_last_speaks_for_and_against(self):
        line, right = '/dev/sdb1 /data ext4 defaults 0 2\n', 'UUID=u-2 /data ext4 defaults 0 2\n'
        self.assertEqual(self.table(line, boot_disk() + data_disk(1, 'ext4', LAST_MOUNTED='/old') + data_disk(2, 'ext4', LAST_MOUNTED='/data')), right)
        self.clear()
        # An old copy of the root.
        self.assertEqual(self.table(line, boot_disk() + data_disk(1, 'ext4', LAST_MOUNTED='/') + data_disk(2, 'ext4')), right)

    @unittest.skipUnless(shutil.which('mkfs.ext4', path=os.environ['PATH'] + ':/usr/sbin:/sbin'), 'mkfs.ext4 is not installed')
    def test_real_superblocks_tell_where_they_were_mounted_last(self):
        mkfs = shutil.which('mkfs.ext4', path=os.environ['PATH'] + ':/usr/sbin:/sbin')
        for point, told in (('/var/lib/data', '/var/lib/data'), ('/run/causeway-osmorphing/s-1/guest/var', '/var')):
            image = os.path.join(self.root, 'image')
            with open(image, 'wb') as file:
                file.truncate(4 << 20)
            subprocess.check_call([mkfs, '-q', '-F', '-M', point, image])
            made = BlockDevice(image, 'disk')
            made.properties = {'TYPE': 'ext4'}
            self.assertEqual(disk_names.last_mounted(made), told)

    def test_what_nothing_tells_apart_is_refused_with_its_remedy(self):
        lines = '/dev/sdb1 /data xfs defaults 0 2\n/dev/sdc1 /logs xfs defaults 0 2\n'
        with self.assertRaises(MorphError) as caught:
            self.table(lines, boot_disk() + data_disk(1) + data_disk(2))
        self.assertEqual(caught.exception.code, 'osmorphing.disk-names-unclear')
        self.assertIn('/dev/sdb1 for /data, which may be UUID=u-1 or UUID=u-2 here', caught.exception.message)
        self.assertIn('write UUID=', caught.exception.message)
        self.clear()
        optional = lines.replace('defaults', 'nofail')
        self.assertEqual(self.table(optional, boot_disk() + data_disk(1) + data_disk(2)), optional)
        self.assertEqual(len([one for one in self.warnings if 'nothing tells them apart' in one]), 4)

    def test_the_temporary_disk_of_a_cloud_is_none_of_the_disks(self):
        lines = '/dev/disk/cloud/azure_resource-part1 /mnt auto defaults,nofail,comment=cloudconfig 0 2\n/dev/disk/azure/scsi1/lun0-part1 /data xfs defaults 0 2\n'
        self.assertEqual(self.table(lines, boot_disk() + data_disk(1)), lines.replace('/dev/disk/azure/scsi1/lun0-part1', 'UUID=u-1'))
        self.clear()
        lines = '/dev/xvdb1 /mnt auto defaults,nofail,comment=cloudconfig 0 2\n/dev/xvdf1 /data xfs defaults 0 2\n'
        self.assertEqual(self.table(lines, boot_disk() + data_disk(1)), lines.replace('/dev/xvdf1', 'UUID=u-1'))

    def test_one_disk_for_two_names_is_given_to_neither(self):
        with self.assertRaises(MorphError) as caught:
            self.table('/dev/sdb1 /data xfs defaults 0 2\n/dev/sdc1 /logs xfs defaults 0 2\n', boot_disk() + data_disk(1))
        self.assertIn('another name may be it as well', caught.exception.message)

    def test_a_file_system_that_another_line_mounts_is_not_meant(self):
        lines = 'UUID=u-1 /logs xfs defaults 0 2\n/dev/disk/by-id/scsi-1-part1 /data xfs defaults 0 2\n'
        self.assertEqual(
            self.table(lines, boot_disk() + data_disk(1) + data_disk(2)), lines.replace('/dev/disk/by-id/scsi-1-part1', 'UUID=u-2')
        )

    def test_what_no_disk_has_keeps_no_start_waiting(self):
        lines = (
            '/dev/disk/by-id/scsi-gone-part7 none swap sw 0 0\n/dev/disk/by-id/scsi-other-part5 /other ext4\nUUID=gone /gone xfs defaults 0 0\n'
            '/dev/sr0 /media/cdrom iso9660 user,noauto 0 0\n.host:/ /mnt/hgfs fuse.vmhgfs-fuse allow_other 0 0\nshare /srv vboxsf defaults 0 0\n'
        )
        self.assertEqual(
            self.table(lines, boot_disk()),
            '/dev/disk/by-id/scsi-gone-part7 none swap sw,nofail 0 0\n/dev/disk/by-id/scsi-other-part5 /other ext4 defaults,nofail\n'
            'UUID=gone /gone xfs defaults,nofail 0 0\n/dev/sr0 /media/cdrom iso9660 user,noauto 0 0\n'
            '.host:/ /mnt/hgfs fuse.vmhgfs-fuse allow_other,nofail 0 0\nshare /srv vboxsf defaults,nofail 0 0\n',
        )
        for word in ('scsi-gone', 'scsi-other', 'UUID=gone', '/mnt/hgfs', '/srv'):
            self.assertTrue(any(word in one for one in self.warnings), word)

    def test_swap_areas_are_used_once_each(self):
        lines = '/dev/disk/by-id/scsi-a-part1 none swap sw 0 0\n/dev/disk/by-id/scsi-b-part1 none swap sw 0 0\n'
        text = self.table(lines, boot_disk() + data_disk(1, 'swap'))
        self.assertEqual(sorted(line.split()[0] for line in text.splitlines()), ['UUID=u-1', 'UUID=u-swap'])

    def test_a_root_that_is_mounted_read_only_is_told(self):
        morph = self.morph({'/etc/fstab': '/dev/sda2 / ext4 ro,noatime 0 1\n'}, boot_disk())
        fstab_names.by_uuid(morph)
        self.assertEqual(len([one for one in self.warnings if 'read-only' in one and 'cloud-init' in one]), 1)

    def test_encrypted_volumes_are_found_by_their_uuids(self):
        devices = boot_disk() + data_disk(1, 'crypto_LUKS')
        morph = self.morph({
            '/etc/fstab': ROOT_LINE + '/dev/mapper/secret /secret xfs defaults 0 2\n',
            '/etc/crypttab': '# x\nsecret /dev/disk/by-id/scsi-x-part1 none luks\nlost /dev/sdq7 none\ntmp /dev/sda1 /dev/urandom swap\n',
        }, devices)
        fstab_names.by_uuid(morph)
        self.assertEqual(
            morph.guest.read('/etc/crypttab'), '# x\nsecret UUID=u-1 none luks\nlost /dev/sdq7 none nofail\ntmp UUID=u-swap /dev/urandom swap\n')
        self.assertIn('/dev/mapper/secret /secret xfs defaults 0 2\n', morph.guest.read('/etc/fstab'))
        self.assertTrue(morph.rebuild_initramfs)

    def test_what_is_erased_at_each_start_is_never_a_guess(self):
        # Swap with a new key each time was on a disk that is not here; the partition without signature is a database's.
        raw = data_disk(1, '', PART_ENTRY_UUID='part-of-database')
        raw[1].properties.pop('UUID')
        table = 'scratch /dev/sdc1 /dev/urandom swap,cipher=aes\n'
        morph = self.morph({'/etc/fstab': ROOT_LINE, '/etc/crypttab': table}, boot_disk() + raw)
        fstab_names.by_uuid(morph)
        self.assertEqual(morph.guest.read('/etc/crypttab'), 'scratch /dev/sdc1 /dev/urandom swap,cipher=aes,nofail,noauto\n')
        self.assertTrue(any('/dev/sdc1' in one for one in self.warnings))
        self.clear()
        sizes = {'/var/log/dmesg': 'sd 0:0:2:0: [sdc] 41943040 512-byte logical blocks\n'}
        morph = self.morph(dict({'/etc/fstab': ROOT_LINE, '/etc/crypttab': table}, **sizes), boot_disk()[1:] + raw)
        fstab_names.by_uuid(morph)
        self.assertIn('PARTUUID=part-of-database', morph.guest.read('/etc/crypttab'))

    def test_a_list_of_blkid_that_the_disks_contradict_is_out_of_date(self):
        lines = '/dev/sdb1 /data ext4 defaults 0 2\n/dev/sdc1 /logs ext4 defaults 0 2\n'
        listed = {'/etc/blkid/blkid.tab': '<device UUID="u-2" TYPE="ext4">/dev/sdb1</device>\n<device UUID="u-1" TYPE="ext4">/dev/sdc1</device>\n'}
        devices = boot_disk() + data_disk(1, 'ext4', LAST_MOUNTED='/data') + data_disk(2, 'ext4', LAST_MOUNTED='/logs')
        self.assertEqual(self.table(lines, devices, listed), 'UUID=u-1 /data ext4 defaults 0 2\nUUID=u-2 /logs ext4 defaults 0 2\n')

    def test_a_file_system_that_a_unit_of_systemd_mounts_is_not_meant(self):
        line = '/dev/sdb1 /data xfs defaults 0 2\n'
        unit = {'/etc/systemd/system/srv.mount': '[Mount]\nWhat=/dev/disk/by-uuid/u-1\nWhere=/srv\nType=xfs\n'}
        self.assertEqual(self.table(line, boot_disk() + data_disk(1), unit), line.replace('defaults', 'defaults,nofail'))
        self.assertTrue(any('/dev/sdb1' in one for one in self.warnings))
        self.clear()
        # The same mount twice, in the table and in a unit.
        same = {'/etc/systemd/system/data.mount': unit['/etc/systemd/system/srv.mount'].replace('/srv', '/data')}
        self.assertEqual(self.table(line, boot_disk() + data_disk(1), same), line.replace('/dev/sdb1', 'UUID=u-1'))

    def test_what_was_mounted_elsewhere_is_not_taken_for_what_is_left(self):
        line = '/dev/sdb1 /data ext4 defaults 0 2\n'
        with self.assertRaises(MorphError) as caught:
            self.table(line, boot_disk() + data_disk(1, 'ext4', LAST_MOUNTED='/srv/archive'))
        self.assertEqual(caught.exception.code, 'osmorphing.disk-names-unclear')
        self.assertIn('UUID=u-1', caught.exception.message)
        self.assertIn('/srv/archive', caught.exception.message)
        self.clear()
        # As a rescue system mounts it.
        self.assertEqual(self.table(line, boot_disk() + data_disk(1, 'ext4', LAST_MOUNTED='/mnt/sysroot/data')), 'UUID=u-1 /data ext4 defaults 0 2\n')

    def test_boot_loaders_and_initial_ram_disks_name_no_place(self):
        menu = '\tlinux /boot/vmlinuz-1 root=%s ro resume=%s quiet\n'
        morph = self.morph({
            '/etc/fstab': '/dev/disk/by-id/scsi-x-part2 / ext4 defaults 0 1\n/dev/disk/by-id/scsi-x-part1 swap swap defaults 0 0\n',
            '/boot/grub/grub.cfg': menu % ('/dev/disk/by-id/scsi-x-part2', '/dev/disk/by-id/scsi-x-part1'),
            '/boot/grub/menu.lst': '\tkernel /boot/vmlinuz-1 root=/dev/sda2 resume=/dev/disk/by-path/pci-0000:00:10.0-scsi-0:0:9:0-part9\n',
            '/boot/loader/entries/a.conf': 'options root=/dev/mapper/mpatha2 resume=UUID=gone ro\n',
            '/etc/initramfs-tools/conf.d/resume': 'RESUME=/dev/sda1\n',
        }, boot_disk(), {'serialConsole': False})
        fstab_names.by_uuid(morph)
        kernel_command_line.apply(morph)
        read = morph.guest.read
        self.assertEqual(read('/boot/grub/grub.cfg'), menu % ('UUID=u-root', 'UUID=u-swap'))
        self.assertEqual(read('/boot/grub/menu.lst'), '\tkernel /boot/vmlinuz-1 root=UUID=u-root\n')
        self.assertEqual(read('/etc/initramfs-tools/conf.d/resume'), 'RESUME=UUID=u-swap\n')
        self.assertEqual(read('/boot/loader/entries/a.conf'), 'options root=UUID=u-root ro\n')
        self.assertEqual(self.warnings, [])

    def test_a_name_that_the_administrator_gave_to_the_roots_disk_becomes_a_uuid(self):
        settings = 'multipaths {\n  multipath {\n    wwid 36000c29f0000000000000000000000a1\n    alias rootalias\n  }\n}\n'
        menu, line = 'linux /boot/vmlinuz-1 root=%s ro\n', '%s / ext4 defaults 0 1\n'
        # A line that no pattern may be slow on.
        self.assertEqual(disk_names.root_aliases(self.guest('debian', {'/etc/multipath.conf': settings}), None, '/dev/mapper/' + '1' * 1000000 + 'x', []), set())
        self.clear()
        old, new, other = '/dev/mapper/rootalias-part2', 'UUID=u-root', '/dev/mapper/otheralias-part2'
        for table, before, after, told in (
            (old, old, new, []), (old, '/dev/disk/by-id/dm-name-rootalias-part2', new, []),
            ('/dev/mapper/rootaliasp2', '/dev/mapper/rootaliasp2', new, []), ('/dev/mapper/rootalias2', '/dev/mapper/rootalias2', new, []),
            # After an interrupted preparation, the table has it already.
            (new, old, new, []), (old, other, other, [other]), (new, '/dev/mapper/vg-gone', '/dev/mapper/vg-gone', ['/dev/mapper/vg-gone']),
            (new, '/dev/mapper/rootalias-part1', '/dev/mapper/rootalias-part1', ['/dev/mapper/rootalias-part1']),
        ):
            with self.subTest((table, before)):
                self.clear()
                del self.warnings[:]
                morph = self.morph({'/etc/fstab': line % table, '/etc/multipath.conf': settings, '/boot/grub2/grub.cfg': menu % before}, boot_disk(), {'serialConsole': False})
                fstab_names.by_uuid(morph)
                kernel_command_line.apply(morph)
                self.assertEqual((morph.guest.read('/etc/fstab'), morph.guest.read('/boot/grub2/grub.cfg')), (line % new, menu % after))
                self.assertEqual([one for one in self.warnings if 'multipath.conf' not in one], ['a kernel starts with root=%s, which no disk has' % name for name in told])
        # Other subvolumes are mounted by the same name.
        self.clear()
        morph = self.morph({'/etc/fstab': line % old + old + ' /var btrfs subvol=/@/var 0 0\n', '/etc/multipath.conf': settings}, boot_disk())
        self.assertEqual(morph.resolver.find(old), morph.root_device)
        fstab_names.by_uuid(morph)
        self.assertEqual(morph.guest.read('/etc/fstab'), line % new + new + ' /var btrfs subvol=/@/var 0 0\n')
        # A comment names nothing, and a logical volume is found.
        logical = device('/dev/dm-1', 'logical', content='ext4', uuid='u-root')
        logical.name = 'vg/root'
        for table, devices in ((old, boot_disk()), ('/dev/mapper/vg-root', [logical])):
            self.clear()
            morph = self.morph({'/etc/fstab': line % table, '/etc/multipath.conf': '#' + settings.replace('\n', '\n#') + '\n', '/boot/grub2/grub.cfg': menu % '/dev/mapper/vg-root'}, devices, {'serialConsole': False})
            del self.warnings[:]
            fstab_names.by_uuid(morph)
            kernel_command_line.apply(morph)
            self.assertEqual(morph.guest.read('/etc/fstab'), line % table)
            self.assertEqual(len(self.warnings), 1 if table == old else 0)

    def test_a_kernel_that_a_hypervisor_starts_finds_its_root_and_keeps_its_console(self):
        menu = 'multiboot2 /boot/xen.gz placeholder\nmodule2 /boot/vmlinuz-1 placeholder root=%s ro console=hvc0\nmodule2 --nounzip /boot/initrd.img-1\n'
        legacy = 'title Xen\nkernel /boot/xen.gz\nmodule /boot/vmlinuz-1 root=%s ro\nmodule /boot/initrd.img-1\n'
        morph = self.morph({'/etc/fstab': ROOT_LINE, '/boot/grub/grub.cfg': menu % '/dev/sda2', '/boot/grub/menu.lst': legacy % '/dev/sda2'}, boot_disk())
        kernel_command_line.apply(morph)
        self.assertEqual(morph.guest.read('/boot/grub/grub.cfg'), menu % 'UUID=u-root')
        self.assertEqual(morph.guest.read('/boot/grub/menu.lst'), legacy % 'UUID=u-root')

    def test_a_kernel_that_checks_itself_finds_its_own_file_system(self):
        devices = boot_disk() + [device('/dev/w03', 'partition', 3, content='xfs', uuid='u-boot')]
        menu = 'linux /vmlinuz root=UUID=u-root fips=1 boot=%s\n'
        for table, before, after, told in (
            ('UUID=u-boot /boot xfs defaults 0 0\n', '/dev/sda3', 'UUID=u-boot', 0), ('/dev/sda3 /boot xfs defaults 0 0\n', '/dev/disk/by-path/pci-0000:03:00.0-scsi-0:0:0:0-part3', 'UUID=u-boot', 0),
            ('UUID=u-boot /boot xfs defaults 0 0\n', 'LABEL=x', 'LABEL=x', 0), ('', '/dev/sda3', '/dev/sda3', 1),
        ):
            with self.subTest(table + before):
                self.clear()
                del self.warnings[:]
                morph = self.morph({'/etc/fstab': ROOT_LINE + table, '/boot/grub2/grub.cfg': menu % before}, devices, {'serialConsole': False})
                fstab_names.by_uuid(morph)
                kernel_command_line.apply(morph)
                self.assertEqual((morph.guest.read('/boot/grub2/grub.cfg'), len(self.warnings)), (menu % after, told))

    def test_other_files_that_name_disks_are_told_and_stay(self):
        files = {
            '/etc/sysconfig/rawdevices': '# /dev/raw/raw9 /dev/sdz\n/dev/raw/raw1 /dev/sdb1\n', '/etc/udev/rules.d/99-asm.rules': 'KERNEL=="sd?1", PROGRAM=="scsi_id -u /dev/$parent", RESULT=="36000c29a1b2c3d4e5f60718293a4b5c6", NAME="asm1"\n',
            '/etc/auto.data': 'data -fstype=ext4 :/dev/sdc1\n', '/etc/multipath.conf': 'devnode "^sd[a-z]"\nalias data\nwwid 36000c29a1b2c3d4e5f60718293a4b5c6\n', '/etc/rc.local': 'mount /dev/mapper/vg-data /data\nmount UUID=1 /x\n',
            '/etc/udev/rules.d/70-net.rules': 'SUBSYSTEM=="net", KERNEL=="eth*", NAME="eth0"\n'}
        morph = self.morph(dict(files, **{'/etc/fstab': 'UUID=u-root / ext4 defaults 0 1\n'}), boot_disk())
        self.assertEqual(fstab_names.by_uuid(morph), (False, []))
        self.assertEqual(sorted(one.split(' ')[0] for one in self.warnings), ['/etc/auto.data', '/etc/multipath.conf', '/etc/sysconfig/rawdevices', '/etc/udev/rules.d/99-asm.rules'])
        self.assertIn('(36000c29a1b2c3d4e5f60718293a4b5c6, sd?1)', ' '.join(self.warnings))
        self.assertEqual(dict((path, morph.guest.read(path)) for path in files), files)

    def test_the_root_of_another_installation_stays(self):
        menu = '\tlinux /boot/vmlinuz-1 root=/dev/sda2\n\tlinux /boot/vmlinuz-2 root=/dev/sda5\n'
        morph = self.morph({'/etc/fstab': ROOT_LINE, '/boot/grub/grub.cfg': menu}, boot_disk(), {'serialConsole': False})
        kernel_command_line.apply(morph)
        self.assertEqual(morph.guest.read('/boot/grub/grub.cfg'), menu.replace('/dev/sda2', 'UUID=u-root'))
        self.assertEqual([one for one in self.warnings if 'root=/dev/sda5' in one], self.warnings)

    def test_filters_of_lvm_accept_the_disks_of_the_destination(self):
        devices = boot_disk() + [device('/dev/w1', 'disk', disk=1, content='LVM2_member', uuid='pv')]
        for before, after in (
            ('\tfilter = [ "a|^/dev/sd.*|", "r|.*|" ]\n', '\tfilter = [ "a|^/dev/vd[a-z]+[0-9]*$|", "a|^/dev/sd.*|", "r|.*|" ]\n'),
            ('global_filter=["a|/dev/sda2$|","r|.*|"]\n', 'global_filter = [ "a|^/dev/vd[a-z]+[0-9]*$|", "a|/dev/sda2$|","r|.*|"]\n'),
            ('filter = [ "r|/dev/drbd.*|" ]\n', 'filter = [ "r|/dev/drbd.*|" ]\n'),
            ('filter = "r/.*/"\n', 'filter = [ "a|^/dev/vd[a-z]+[0-9]*$|", "r/.*/" ]\n'),
            ('# filter = [ "r|.*|" ]\n', '# filter = [ "r|.*|" ]\n'),
        ):
            with self.subTest(before):
                self.clear()
                files = ('/etc/lvm/lvm.conf', '/etc/lvm/lvmlocal.conf')
                morph = self.morph(dict({'/etc/fstab': ROOT_LINE}, **dict.fromkeys(files, 'devices {\n%s}\n' % before)), devices)
                fstab_names.by_uuid(morph)
                for path in files:
                    self.assertEqual(morph.guest.read(path), 'devices {\n%s}\n' % after)
                self.assertEqual(fstab_names._lvm_filters(morph.guest, morph), [])

    def test_filters_of_lvm_accept_disks_on_every_bus_that_may_be_used(self):
        devices = boot_disk() + [device('/dev/w1', 'disk', disk=1, content='LVM2_member', uuid='pv')]
        added = {'vd': '"a|^/dev/vd[a-z]+[0-9]*$|", ', 'sd': '"a|^/dev/sd[a-z]+[0-9]*$|", '}
        for buses, before, after in (
            (['scsi', 'virtio'], 'filter = [ "a|^/dev/sd|", "r|.*|" ]\n', 'filter = [ %s"a|^/dev/sd|", "r|.*|" ]\n' % added['vd']),
            (['virtio', 'scsi', 'ide'], 'filter = "r|.*|"\n', 'filter = [ %s%s"r|.*|" ]\n' % (added['vd'], added['sd'])),
            (['ide', 'scsi'], 'filter = [ "a|^/dev/sd|", "r|.*|" ]\n', None),
        ):
            with self.subTest((buses, before)):
                self.clear()
                morph = self.morph({'/etc/fstab': ROOT_LINE, '/etc/lvm/lvm.conf': before}, devices, {'diskBuses': buses})
                fstab_names.by_uuid(morph)
                self.assertEqual(morph.guest.read('/etc/lvm/lvm.conf'), after or before)
                self.assertEqual(fstab_names._lvm_filters(morph.guest, morph), [])

    def test_arrays_are_found_by_uuid_alone(self):
        morph = self.morph({
            '/etc/fstab': ROOT_LINE,
            '/etc/mdadm.conf': 'DEVICE /dev/sd[ab]1\nARRAY /dev/md0 devices=/dev/sda1,/dev/sdb1 UUID=1:2:3:4\nMAILADDR root\n',
        }, boot_disk())
        fstab_names.by_uuid(morph)
        self.assertEqual(morph.guest.read('/etc/mdadm.conf'), 'DEVICE partitions\nARRAY /dev/md0 UUID=1:2:3:4\nMAILADDR root\n')
        # A line may go on in the next ones.
        self.clear()
        morph = self.morph({
            '/etc/fstab': ROOT_LINE, '/etc/mdadm.conf': 'DEVICE /dev/sda1\n  /dev/sdb1\nARRAY /dev/md0 devices=/dev/sda1\n\tUUID=1:2:3:4\n\n  # own\nARRAY /dev/md1 devices=/dev/sdb1\nMAILADDR root\n'}, boot_disk())
        fstab_names.by_uuid(morph)
        self.assertEqual(morph.guest.read('/etc/mdadm.conf'), 'DEVICE partitions\nARRAY /dev/md0\n\tUUID=1:2:3:4\n\n  # own\nARRAY /dev/md1 devices=/dev/sdb1\nMAILADDR root\n')

    def test_units_of_systemd_name_no_place(self):
        morph = self.morph({
            '/etc/fstab': ROOT_LINE,
            '/etc/systemd/system/data.mount': '[Mount]\nWhat=/dev/disk/by-uuid/u-1\nWhere=/data\n',
            '/etc/systemd/system/dev-swap.swap': '[Swap]\nWhat=/dev/sda1\n',
            '/etc/systemd/system/app.service': '[Unit]\nRequires=dev-disk-by\\x2did-scsi\\x2d1.device\nAfter=dev-vg-data.device\n',
        }, boot_disk() + data_disk(1))
        fstab_names.by_uuid(morph)
        self.assertEqual(morph.guest.read('/etc/systemd/system/data.mount'), '[Mount]\nWhat=/dev/disk/by-uuid/u-1\nWhere=/data\n')
        self.assertEqual(morph.guest.read('/etc/systemd/system/dev-swap.swap'), '[Swap]\nWhat=/dev/disk/by-uuid/u-swap\n')
        self.assertEqual([one for one in self.warnings if 'app.service' in one], [
            '/etc/systemd/system/app.service waits for /dev/disk/by-id/scsi-1, which has another name on the destination'])

    def test_multipath_keeps_what_is_not_a_virtual_disk(self):
        morph = self.morph({
            '/etc/fstab': ROOT_LINE,
            '/etc/multipath/bindings': '# Multipath bindings\nmpatha 36000c29f0000000000000000000000a1\nmpathb 360a98000486e2f34576f2f51715a714d\n',
            '/etc/multipath/wwids': '/36000c29f0000000000000000000000a1/\n/360a98000486e2f34576f2f51715a714d/\n',
        }, boot_disk())
        leftovers.remove(morph)
        self.assertEqual(morph.guest.read('/etc/multipath/bindings'), '# Multipath bindings\nmpathb 360a98000486e2f34576f2f51715a714d\n')
        self.assertEqual(morph.guest.read('/etc/multipath/wwids'), '/360a98000486e2f34576f2f51715a714d/\n')

    def test_a_disk_that_the_guest_reaches_by_iscsi_is_not_taken_for_a_virtual_one(self):
        initiator = {'/etc/iscsi/nodes/iqn.2010-01.example:a/10.0.0.9,3260,1/default': 'x'}
        bindings = {'/etc/multipath/bindings': '# x\nmpathb 360a98000486e2f34576f2f51715a714d\nmpathc 36000c29f0000000000000000000000a1\n'}
        lun, wwid = '/dev/mapper/mpathb1 /data xfs defaults 0 2\n', '/dev/disk/by-id/scsi-360a98000486e2f34576f2f51715a714d-part1 /data xfs defaults 0 2\n'
        for line in (lun, wwid):
            with self.subTest(line):
                self.clear()
                self.assertEqual(self.table(line, boot_disk() + data_disk(1), dict(initiator, **bindings)), line)
                self.assertEqual(len(set(one for one in self.warnings if 'uses iSCSI' in one)), 1)
                self.warnings.clear()
        # Proof, a virtual disk's identifier, or no initiator: it is one of the disks here.
        for line, more, devices in (
            (lun.replace('xfs', 'ext4'), dict(initiator, **bindings), data_disk(1, 'ext4', LAST_MOUNTED='/data')),
            (lun.replace('mpathb', 'mpathc'), dict(initiator, **bindings), data_disk(1)),
            (lun, bindings, data_disk(1)),
        ):
            with self.subTest(line):
                self.clear()
                self.assertTrue(self.table(line, boot_disk() + devices, more).startswith('UUID=u-1 /data'))
        self.clear()
        line = '/dev/disk/by-path/ip-10.0.0.9:3260-iscsi-iqn.2010-01.example:a-lun-1-part1 /data xfs defaults 0 2\n'
        self.assertEqual(self.table(line, boot_disk() + data_disk(1)), line)

    def test_a_hibernated_guest_is_refused_before_anything_is_written(self):
        cli.refuse_hibernated(boot_disk())
        with self.assertRaises(MorphError) as caught:
            cli.refuse_hibernated(boot_disk() + data_disk(1, 'swsuspend'))
        self.assertEqual(caught.exception.code, 'osmorphing.hibernated')

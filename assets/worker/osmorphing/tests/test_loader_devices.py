"""The disks on which updates install the boot loader again."""

import os
import subprocess

from causeway_osmorphing import leftovers

from .test_boot import BootTest
from .test_disk_names import boot_disk, data_disk
from .trees import program

MAP = '# made by grub-install\n(fd0)\t/dev/fd0\n(hd0)\t%s\n'
ANSWERS = (
    'Name: grub-pc/hidden_timeout\nTemplate: grub-pc/hidden_timeout\nValue: true\nOwners: grub-pc\n\n'
    'Name: %s\nTemplate: grub-pc/install_devices\nValue: %s\nOwners: grub-pc\nFlags: seen\nVariables:\n RAW_CHOICES = /dev/sda\n\n'
    'Name: ucf/changeprompt\nTemplate: ucf/changeprompt\nOwners: ucf\n\n'
)
DEBCONF = '/var/cache/debconf/config.dat'
SUSE = '/etc/default/grub_installdevice'


class LoaderDevices(BootTest):
    def after(self, path, text, request=None, devices=None, more=None, release='debian'):
        """The file as it is afterwards; a second time changes nothing, and neither time more is told than the warnings that are kept."""
        self.clear()
        del self.warnings[:]
        guest = self.guest(release, dict({path: text}, **(more or {})))
        leftovers.remove(self.morph(guest, request, devices))
        told = list(self.warnings)
        found = guest.read(path)
        self.assertEqual((leftovers.remove(self.morph(guest, request, devices)), guest.read(path)), ((False, []), found))
        self.warnings[:] = told
        return found

    def test_the_list_of_grub_legacy_names_the_disks_of_the_destination(self):
        for old, request, new in (
            ('/dev/sda', {}, '/dev/vda'), ('/dev/hda', {'diskBuses': ['scsi']}, '/dev/sda'), ('/dev/disk/by-id/scsi-SVMware_Virtual_disk', {}, '/dev/vda'),
            ('/dev/xvda', {'hypervisor': 'hyperv'}, '/dev/sda'), ('/dev/sda', {'diskBuses': ['xen']}, '/dev/xvda'), ('/dev/mapper/vg-root', {}, '/dev/mapper/vg-root'),
        ):
            self.assertEqual(self.after('/boot/grub/device.map', MAP % old, request, release='sles'), MAP % new, old)
            self.assertEqual(self.warnings, [])

    def test_that_of_grub_2_goes(self):
        guest = self.guest('debian', {'/boot/grub/device.map': MAP % '/dev/sda', '/boot/grub/grub.cfg': ''})
        self.assertEqual(leftovers.remove(self.morph(guest)), (True, ['removed /boot/grub/device.map']))

    def test_of_several_disks_each_is_named_once_or_the_list_stays_and_that_is_told(self):
        two = boot_disk() + data_disk(1)
        both = '(hd0)\t/dev/sdb\n(hd1)\t/dev/sda\n'
        self.assertEqual(self.after('/boot/grub/device.map', both, devices=two), '(hd0)\t/dev/vda\n(hd1)\t/dev/vdb\n')
        self.assertEqual(self.warnings, [])
        # Three disks, of which nothing tells which the one is.
        three = two + data_disk(2)
        self.assertEqual(self.after('/boot/grub/device.map', '(hd0)\t/dev/sdb\n', devices=three), '(hd0)\t/dev/sdb\n')
        self.assertEqual(len(self.warnings), 1)
        self.assertIn('/boot/grub/device.map names /dev/sdb', self.warnings[0])
        # The table of file systems tells it.
        table = {'/etc/fstab': '/dev/sdc2 / ext4 defaults 0 1\n'}
        self.assertEqual(self.after('/boot/grub/device.map', '(hd0)\t/dev/sdc\n', devices=three, more=table), '(hd0)\t/dev/vda\n')
        self.assertEqual(self.warnings, [])

    def test_suse_installs_on_whole_disks_and_on_partitions(self):
        text = '%s\n%s\nactivate\ngeneric_mbr\n'
        found = self.after(SUSE, text % ('/dev/disk/by-id/ata-VMware_Virtual_0001-part2', '/dev/sda'), release='sles')
        self.assertEqual(found, text % ('/dev/disk/by-uuid/u-root', '/dev/vda'))
        self.assertEqual(self.warnings, [])
        # An extended partition has no content by which it could be found.
        self.assertEqual(self.after(SUSE, '/dev/sda4\n', release='sles'), '/dev/sda4\n')
        self.assertEqual(len(self.warnings), 1)

    def test_debian_remembers_the_disks_as_the_answer_to_a_question(self):
        for old, devices, new in (
            ('/dev/disk/by-id/ata-QEMU_HARDDISK_QM00001', None, '/dev/vda'), ('', None, ''), ('/dev/sda, /dev/sdb', boot_disk() + data_disk(1), '/dev/vda, /dev/vdb'),
            ('/dev/disk/by-id/scsi-1-part2', None, '/dev/disk/by-uuid/u-root'),
        ):
            self.assertEqual(self.after(DEBCONF, ANSWERS % ('grub-pc/install_devices', old), devices=devices), ANSWERS % ('grub-pc/install_devices', new))
            self.assertEqual(self.warnings, [])
        self.assertEqual(self.after(DEBCONF, ANSWERS % ('other/install_devices', '/dev/sda')), ANSWERS % ('other/install_devices', '/dev/sda'))

    def test_debconf_itself_reads_the_answer(self):
        if not program('debconf-communicate'):
            self.skipTest('debconf is not installed')
        self.after(DEBCONF, ANSWERS % ('grub-pc/install_devices', '/dev/disk/by-id/ata-VMware_1'))
        told = subprocess.run(
            [program('debconf-communicate'), 'grub-pc'], input=b'GET grub-pc/install_devices\n', stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=dict(os.environ, DEBCONF_DB_OVERRIDE='File{filename:%s readonly:true}' % (self.root + DEBCONF)),
        )
        self.assertEqual(told.stdout.decode(), '0 /dev/vda\n', told.stderr.decode())

    def test_lists_that_were_made_to_keep_the_worker_busy_are_read_in_one_pass(self):
        # Each took minutes when every line was compared with all others.
        for path, text in (
            (DEBCONF, 'Name: grub-pc/install_devices\n' * 60000),
            ('/boot/grub/device.map', ''.join('(hd%d) /dev/d%d\n' % (number % 1000, number) for number in range(30000))),
            (SUSE, ''.join('/dev/d%d\n' % number for number in range(30000))),
        ):
            self.assertEqual(self.after(path, text), text)

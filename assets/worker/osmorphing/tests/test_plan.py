from causeway_osmorphing import plan
from causeway_osmorphing.roots import Root

from .test_disk_names import ROOT_LINE, boot_disk, data_disk
from .trees import TreeTest, everything, kernel

TOOLS = {'/usr/sbin/update-initramfs': '', '/etc/initramfs-tools/initramfs.conf': 'MODULES=most\n'}


class Plan(TreeTest):
    def codes(self, files, devices, request=None, release='debian'):
        guest = self.guest(release, dict({'/etc/fstab': ROOT_LINE}, **files))
        before = everything(self.root)
        root = Root(next(one for one in devices if one.uuid == 'u-root'), '', guest.release)
        found = plan.findings(guest, devices, root, request or {})
        self.assertEqual(everything(self.root), before)
        return [one['code'] for one in found]

    def test_nothing_is_found_on_a_guest_that_goes_through(self):
        files = dict(TOOLS, **kernel('6.1.0-1', image='/boot/initrd.img-%s'))
        self.assertEqual(self.codes(files, boot_disk()), [])
        self.assertEqual(self.warnings, [])

    def test_everything_that_would_stop_it_is_found_at_once(self):
        files = dict(TOOLS, **kernel('6.1.0-1', modules=(), image='/boot/initrd.img-%s'))
        files['/etc/fstab'] = ROOT_LINE + '/dev/sdb1 /data xfs defaults 0 2\n/dev/sdc1 /logs xfs defaults 0 2\n'
        devices = boot_disk() + data_disk(1) + data_disk(2)
        devices[2].properties['HIBERNATED'] = '/swapfile'
        self.assertEqual(self.codes(files, devices), ['osmorphing.hibernated', 'osmorphing.disk-names-unclear', 'osmorphing.no-virtio'])

    def test_a_kernel_without_the_driver_of_the_cards_is_told(self):
        files = dict(TOOLS, **kernel('6.1.0-cardless', modules=('virtio_pci', 'virtio_blk'), image='/boot/initrd.img-%s'))
        self.assertEqual(self.codes(files, boot_disk()), [])
        self.assertEqual(self.warnings, ['the kernel 6.1.0-cardless has no driver for the destination\'s network cards (virtio_net); it has no network there'])

    def test_the_destination_decides_what_a_kernel_needs(self):
        files = dict(TOOLS, **kernel('6.1.0-1', image='/boot/initrd.img-%s'))
        self.assertEqual(self.codes(files, boot_disk(), {'hypervisor': 'hyperv'}), ['osmorphing.no-virtio'])
        self.clear()
        self.assertEqual(self.codes({}, boot_disk(), release='alpine'), [])

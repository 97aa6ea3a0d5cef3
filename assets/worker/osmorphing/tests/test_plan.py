"""What a preparation would do, told before it does it."""

import os
import random
import shutil
import stat

from causeway_osmorphing import plan
from causeway_osmorphing.confined import Confined, write_all
from causeway_osmorphing.guest_tree import GuestTree
from causeway_osmorphing.planned_files import PlannedFiles
from causeway_osmorphing.roots import Root
from causeway_osmorphing.steps import Morph, prepare
from causeway_osmorphing.undo_log import UndoLog

from .test_disk_names import ROOT_LINE, boot_disk, data_disk
from .trees import StandIns, TreeTest, everything, kernel

TOOLS = {'/usr/sbin/update-initramfs': '', '/etc/initramfs-tools/initramfs.conf': 'MODULES=most\n'}


class Plan(TreeTest):
    def codes(self, files, devices, request=None, release='debian'):
        guest = self.guest(release, dict({'/etc/fstab': ROOT_LINE}, **files))
        before = everything(self.root)
        root = Root(next(one for one in devices if one.uuid == 'u-root'), '', guest.release)
        undo_log = UndoLog(self.root + '-session')
        self.addCleanup(shutil.rmtree, undo_log.folder, True)
        self.told = plan.plan_of(guest, devices, root, {'/': root.device}, request or {}, undo_log)
        self.assertEqual(everything(self.root), before)
        self.assertFalse(os.path.exists(os.path.join(undo_log.folder, 'plan')))
        return [one['code'] for one in self.told['findings']]

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

    def test_a_file_system_without_room_for_packages_is_told(self):
        files = dict(TOOLS, **kernel('6.1.0-1', image='/boot/initrd.img-%s'))
        free, GuestTree.free_bytes = GuestTree.free_bytes, lambda guest, path: 20 << 20 if path in ('/', '/usr') else 1 << 30
        try:
            self.codes(files, boot_disk())
        finally:
            GuestTree.free_bytes = free
        self.assertEqual(self.warnings, ['/usr has 20 MiB free: cloud-init and what it needs may not fit'])

    def test_the_destination_decides_what_a_kernel_needs(self):
        files = dict(TOOLS, **kernel('6.1.0-1', image='/boot/initrd.img-%s'))
        self.assertEqual(self.codes(files, boot_disk(), {'hypervisor': 'hyperv'}), ['osmorphing.no-virtio'])
        self.clear()
        self.assertEqual(self.codes({}, boot_disk(), release='alpine'), [])

    def test_it_lists_what_the_preparation_then_changes(self):
        """Both on the same guests: what is planned is what is done, file by file."""
        network = 'auto ens3\niface ens3 inet static\n  address 192.0.2.5/24\n'
        debian = dict(TOOLS, **dict(kernel('6.1.0-1', image='/boot/initrd.img-%s'), **{
            '/etc/fstab': ROOT_LINE, '/etc/network/interfaces': network, '/boot/grub/grub.cfg': "menuentry 'x' {\n\tlinux /vmlinuz-6.1.0-1 root=/dev/sda1\n}\n",
            '/etc/default/grub': 'GRUB_CMDLINE_LINUX=""\n', '/etc/lvm/devices/system.devices': 'x', '/etc/initramfs-tools/conf.d/.keep': '',
            '/etc/udev/rules.d/70-persistent-net.rules': 'SUBSYSTEM=="net", ATTR{address}=="52:54:00:00:00:01", NAME="ens3"\n',
            '/var/lib/dhcp/dhclient.ens3.leases': 'lease {}\n', '/var/lib/cloud/instances/i-1/x': '', '/etc/vmware-tools/tools.conf': '',
            '/var/lib/dpkg/status': 'Package: cloud-init\nStatus: install ok installed\nVersion: 22\n\n'}))
        rocky = dict(kernel('5.14.0-1'), **{
            '/usr/bin/dracut': '', '/usr/bin/lsinitrd': '', '/etc/dracut.conf.d/.keep': '', '/usr/bin/cloud-init': '', '/etc/selinux/config': 'SELINUX=enforcing\n',
            '/etc/sysconfig/network-scripts/ifcfg-ens192': 'DEVICE=ens192\nHWADDR=52:54:00:00:00:01\nBOOTPROTO=none\nIPADDR=192.0.2.5\nONBOOT=yes\n',
            '/boot/loader/entries/x.conf': 'version 5.14.0-1\nlinux /vmlinuz-5.14.0-1\ninitrd /initramfs-5.14.0-1.img\noptions root=/dev/sda1\n'})
        nics = [{'macAddress': '52:54:00:aa:aa:aa', 'sourceMacAddress': '52:54:00:00:00:01'}]
        for release, files in (('debian', debian), ('rocky', rocky)):
            with self.subTest(release):
                self.clear()
                self.codes(files, boot_disk(), {'nics': nics}, release)
                planned = dict((one['path'], one['change']) for one in self.told['files'])
                before = everything(self.root)
                guest = StandIns(self.root)
                undo_log = UndoLog(self.root + '-session')
                root = Root(next(one for one in boot_disk() if one.uuid == 'u-root'), '', guest.release)
                done = prepare(Morph(guest, boot_disk(), root, {'/': root.device}, undo_log, {'nics': nics}))
                after = everything(self.root)
                images = [path for path in before if '/init' in path and path.startswith('/boot')]
                changed = dict((path, 'removed' if path not in after else 'changed' if path in before else 'added')
                               for path in set(before) | set(after) if before.get(path) != after.get(path) and path not in images and path != '/.autorelabel')
                self.assertEqual(planned, changed)
                self.assertEqual([one['step'] for one in self.told['changes']], [one['step'] for one in done if one['changed']])
                notes = [note for one in self.told['changes'] for note in one['notes']]
                self.assertTrue(any(note.startswith('rebuild /boot/init') for note in notes), notes)
                # A second plan has nothing left to tell.
                root = Root(root.device, '', guest.release)
                again = plan.plan_of(guest, boot_disk(), root, {'/': root.device}, {'nics': nics}, undo_log)
                self.assertEqual(([], []), (again['files'], again['changes']))

    def test_cards_have_their_addresses_only_at_the_deployment(self):
        nics = [{'sourceMacAddress': '52:54:00:00:00:01', 'addresses': ['192.0.2.5']}, {'sourceMacAddress': '52:54:00:00:00:02', 'addresses': []}]
        files = dict(TOOLS, **kernel('6.1.0-1', image='/boot/initrd.img-%s'))
        files['/etc/network/interfaces'] = 'auto eth1\niface eth1 inet static\n  address 192.0.2.5/24\nauto eth0\niface eth0 inet dhcp\n'
        files['/usr/lib/systemd/systemd'] = ''
        self.codes(files, boot_disk(), {'nics': nics, 'setDhcp': False})
        self.assertEqual(self.warnings, [])
        notes = [note for one in self.told['changes'] if one['step'] == 'configure-network' for note in one['notes']]
        self.assertEqual(notes[:3], [
            'eth1, eth0 are exchanged at each start, because the kernel gives them to other cards',
            '/etc/udev/rules.d/70-causeway-net.rules has NIC 1 keep the name eth1; its MAC address is set at the deployment',
            '/etc/udev/rules.d/70-causeway-net.rules has NIC 2 keep the name eth0; its MAC address is set at the deployment'])
        rules = next(one for one in self.told['files'] if one['path'] == '/etc/udev/rules.d/70-causeway-net.rules')
        self.assertIn('+SUBSYSTEM=="net", ACTION=="add", DRIVERS=="?*", ATTR{address}=="mac-address-of-nic-1", NAME="eth1"', rules['lines'])
        self.assertIn('/etc/causeway/network-names', [one['path'] for one in self.told['files']])
        # Which card is which is told as well.
        self.clear()
        del nics[0]['addresses'], nics[1]['addresses']
        self.codes(files, boot_disk(), {'nics': nics})
        self.assertEqual(self.warnings, ['nothing tells which network card is which of eth0, eth1; they are named in the order of the source\'s cards'])
        # Some platforms give them at the first boot, as a deployment tells then.
        self.clear()
        del self.warnings[:]
        self.codes(files, boot_disk(), {'nics': nics, 'macAddressesAtBoot': True})
        self.assertNotIn('mac-address-of', str(self.told['files']))
        self.assertTrue(any('assigns MAC addresses at the first boot' in one for one in self.warnings), self.warnings)
        # Images have no cards.
        self.clear()
        del self.warnings[:]
        self.codes(files, boot_disk(), {'nics': []})
        notes = [note for one in self.told['changes'] if one['step'] == 'configure-network' for note in one['notes']]
        self.assertIn('a deployment has /etc/udev/rules.d/70-causeway-net.rules keep the names of network cards', notes)
        self.assertEqual(self.warnings, [])

    def agents(self, files, request, release='debian'):
        self.clear()
        del self.warnings[:]
        self.codes(dict(TOOLS, **dict(kernel('6.1.0-1', image='/boot/initrd.img-%s'), **files)), boot_disk(), request, release)
        return [note for one in self.told['changes'] if one['step'] == 'install-agent' for note in one['notes']]

    def test_agents_of_the_destination_are_told(self):
        has = 'Package: %s\nStatus: install ok installed\nVersion: 22\n\n'
        both = 'install qemu-guest-agent, if the guest\'s package sources have it'
        own = 'install the agent of the destination platform'
        wanted = {'url': 'http://192.0.2.1/server-agent/amd64/deb', 'architecture': 'x86_64'}
        self.assertEqual(self.agents({}, {}), [both])
        self.assertEqual(self.agents({}, {'hypervisor': 'hyperv'}), [])
        self.assertEqual(self.agents({'/var/lib/dpkg/status': has % 'qemu-guest-agent'}, {}), [])
        # The package sources are not asked for it alone.
        self.assertEqual(self.agents({'/var/lib/dpkg/status': has % 'cloud-init'}, {}), [])
        self.assertEqual(self.agents({}, {'platformAgent': wanted}), [both, own])
        self.assertEqual(self.agents({}, {'local': True}), [both, own + ', if it has one'])
        self.assertEqual(self.agents({'/var/lib/dpkg/status': has % 'cloud-init'}, {'platformAgent': dict(wanted, architecture='aarch64')}), [])
        self.assertEqual(self.warnings, ['the destination\'s agent is not installed: it is for aarch64, the guest is x86_64'])
        self.assertEqual(self.agents({'/usr/bin/cloud-init': '', '/usr/bin/dracut': '', '/boot/initramfs-6.1.0-1.img': ''}, {'platformAgent': wanted}, 'rocky'), [])
        self.assertEqual([one for one in self.warnings if 'agent' in one], ['the destination\'s agent is not installed: deb is no RPM package, which this guest needs; install it by hand'])

    def test_locks_of_package_tools_that_go_are_told(self):
        stale = {'/var/lib/rpm/__db.001': 'x', '/var/lib/rpm/Packages': 'x', '/var/run/yum.pid': '1234\n', '/usr/bin/dracut': '', '/usr/bin/cloud-init': ''}
        self.codes(dict(kernel('3.10.0-1'), **stale), boot_disk(), release='centos7')
        self.assertEqual(self.told['changes'][0], {
            'step': 'settle-packages', 'title': 'Remove what interrupted package tools left', 'notes': ['remove /var/lib/rpm/__db.001', 'remove /var/run/yum.pid']})
        removed = [one['path'] for one in self.told['files'] if one['change'] == 'removed']
        self.assertIn('/var/lib/rpm/__db.001', removed)

    def test_what_is_doubtful_has_a_code(self):
        files = dict(TOOLS, **kernel('6.1.0-cardless', modules=('virtio_pci', 'virtio_blk'), image='/boot/initrd.img-%s'))
        files['/etc/nftables.conf'] = 'iif eth7 accept\n'
        files['/etc/network/interfaces'] = 'auto ens3\niface ens3 inet dhcp\n'
        self.codes(files, boot_disk())
        self.assertEqual([one['code'] for one in self.told['doubts']], ['osmorphing.doubtful-network', 'osmorphing.doubtful-boot'])


class Histories(TreeTest):
    """Files that are only planned behave as files that are written."""

    def test_any_history_gives_the_same_files(self):
        names = ['a', 'b', 'c']
        for seed in range(15):
            draw = random.Random(seed)
            self.clear()
            lower, twin, folder = (os.path.join(self.root, name) for name in ('lower', 'twin', 'written'))
            os.makedirs(folder)
            os.makedirs(lower)
            for _ in range(6):
                self.change(draw, Confined(lower), names)
            shutil.copytree(lower, twin, symlinks=True)
            planned, real = PlannedFiles(lower, folder), Confined(twin)
            for step in range(25):
                state = draw.getstate()
                told = []
                for files in (planned, real):
                    draw.setstate(state)
                    told.append(self.change(draw, files, names))
                self.assertEqual(told[0], told[1], (seed, step))
                self.assertEqual(self.listed(planned), self.listed(real), (seed, step))
            self.assertEqual([path for path, _ in planned.changes()], [path for path in sorted(set(self.listed(real, True)) | set(self.listed(Confined(lower), True)))
                             if self.listed(real, True).get(path) != self.listed(Confined(lower), True).get(path)], seed)

    @staticmethod
    def change(draw, files, names):
        path = '/' + '/'.join(draw.choice(names + ['..'] if depth else names) for depth in range(draw.randrange(1, 4)))
        other = draw.choice(('', '/', '../')) + '/'.join(draw.choice(names) for _ in range(draw.randrange(1, 3)))
        content = bytes(draw.choice(b'xyz') for _ in range(draw.randrange(3)))
        kind = draw.choice(('create', 'create', 'symlink', 'unlink', 'tree', 'folder', 'follow', 'rmdir'))
        try:
            if kind == 'create':
                files.create(path, lambda made: write_all(made, content), 0o644)
            elif kind == 'symlink':
                files.symlink(path, other)
            elif kind in ('unlink', 'follow'):
                files.unlink(path, kind == 'follow')
            elif kind == 'tree':
                files.remove_tree(path)
            elif kind == 'rmdir':
                files.remove_folder(path)
            else:
                files.make_folder(path)
            return kind
        except OSError:
            return 'refused'

    @staticmethod
    def listed(files, plain=False):
        found = {}
        for path, status in files.walk('/'):
            if stat.S_ISLNK(status.st_mode):
                found[path] = '→' + files.link_target(path)
            elif stat.S_ISREG(status.st_mode):
                found[path] = files.read_bytes(path, 99)
            elif not plain:
                found[path] = 'folder'
        return found

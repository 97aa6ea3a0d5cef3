import json
import os

from causeway_osmorphing import cli, cloud_init, hyperv_guest, hypervisor_tools, initramfs, leftovers, network_step
from causeway_osmorphing.block_devices import BlockDevice
from causeway_osmorphing.command import CommandFailed, Result, run
from causeway_osmorphing.network import exchange
from causeway_osmorphing.diff import diff_of, is_empty
from causeway_osmorphing.undo_log import UndoLog
from causeway_osmorphing.packages import package_manager
from causeway_osmorphing.protocol import MorphError
from causeway_osmorphing.roots import Root
from causeway_osmorphing.snapshot import snapshot_of
from causeway_osmorphing.steps import Morph, prepare

from .trees import TreeTest, everything, kernel

NICS = [{'macAddress': 'fa:16:3e:00:00:01', 'sourceMacAddress': '00:50:56:00:00:01'}]
CLOUD_INIT_UNITS = dict(
    ('/usr/lib/systemd/system/' + unit, '[Unit]\n[Install]\nWantedBy=cloud-init.target\n')
    for unit in ('cloud-init.service', 'cloud-init-local.service', 'cloud-config.service', 'cloud-final.service')
)


def device(path, kind, number=None, uuid='1', content='ext4', disk=0):
    made = BlockDevice(path, kind, disk=disk, number=number)
    made.properties = {'TYPE': content, 'UUID': uuid}
    return made


class Steps(TreeTest):
    def morph(self, guest, request=None, devices=None):
        devices = devices or [
            device('/dev/vdb', 'disk', content=''),
            device('/dev/vdb1', 'partition', 1),
            device('/dev/vdb2', 'partition', 2, 'swap-uuid', 'swap'),
        ]
        root = next(one for one in devices if one.content == 'ext4')
        undo_log = UndoLog(os.path.join(self.root, '..', os.path.basename(self.root) + '-session'))
        self.addCleanup(__import__('shutil').rmtree, undo_log.folder, True)
        return Morph(
            guest, devices, Root(root, '', guest.release), {'/': root}, undo_log, dict({'nics': NICS}, **(request or {}))
        )

    def rocky(self, more=None):
        files = {
            '/usr/bin/rpm': '',
            '/usr/bin/dnf': '',
            '/usr/bin/dracut': '',
            '/usr/bin/lsinitrd': '',
            '/usr/lib/systemd/systemd': '',
            '/etc/dracut.conf.d/.keep': '',
            '/etc/selinux/config': 'SELINUX=enforcing\n',
            '/etc/default/grub': 'GRUB_TIMEOUT=5\nGRUB_CMDLINE_LINUX="crashkernel=auto rhgb quiet"\n',
            '/boot/grub2/grub.cfg': 'linux ($root)/vmlinuz-1 root=/dev/sda1 ro\n',
            '/boot/loader/entries/a.conf': 'title Rocky\nlinux /vmlinuz-5.14.0-1\noptions root=UUID=1 ro quiet\n',
            '/etc/fstab': '/dev/sda1 / ext4 defaults 0 1\n/dev/sda2 none swap sw 0 0\n',
            '/etc/NetworkManager/system-connections/ens192.nmconnection': '[connection]\ntype=ethernet\ninterface-name=ens192\n[ipv4]\nmethod=manual\naddress1=10.0.0.5/24\n',
            '/etc/lvm/devices/system.devices': 'x',
            '/boot/grub2/device.map': '(hd0) /dev/disk/by-id/ata-VMware\n',
            '/boot/grub/device.map': '(hd0) /dev/sda\n',
            '/var/lib/NetworkManager/internal-1-ens192.lease': 'ADDRESS=10.0.0.5\n',
        }
        files.update(kernel('5.14.0-1'))
        files.update(kernel('5.14.0-2'))
        files.update(CLOUD_INIT_UNITS)
        files.update(more or {})
        return self.guest('rocky', files)

    def test_a_guest_of_the_rhel_family_goes_through_all_steps_and_a_second_time_changes_nothing(self):
        guest = self.rocky()
        before = snapshot_of(guest)
        prepare(self.morph(guest))
        self.assertEqual(self.warnings, [])
        self.assertIn('dnf -y --setopt=install_weak_deps=False install cloud-init qemu-guest-agent', guest.commands)
        self.assertEqual(
            [command for command in guest.commands if command.startswith('dracut')],
            [
                'dracut --force --add-drivers virtio virtio_blk virtio_net virtio_pci virtio_ring virtio_scsi /boot/initramfs-5.14.0-%d.img 5.14.0-%d'
                % (n, n)
                for n in (1, 2)
            ],
        )
        self.assertEqual(guest.read('/etc/fstab'), 'UUID=1 / ext4 defaults 0 1\nUUID=swap-uuid none swap sw 0 0\n')
        self.assertEqual(
            guest.read('/boot/grub2/grub.cfg'),
            'linux ($root)/vmlinuz-1 root=UUID=1 ro console=tty0 console=ttyS0,115200n8\n',
        )
        self.assertIn(
            'options root=UUID=1 ro quiet console=tty0 console=ttyS0,115200n8\n',
            guest.read('/boot/loader/entries/a.conf'),
        )
        self.assertIn(
            'GRUB_CMDLINE_LINUX="crashkernel=auto rhgb quiet console=tty0 console=ttyS0,115200n8"\n',
            guest.read('/etc/default/grub'),
        )
        self.assertIn(
            'ATTR{address}=="fa:16:3e:00:00:01", NAME="ens192"', guest.read('/etc/udev/rules.d/70-causeway-net.rules')
        )
        self.assertTrue(guest.exists('/.autorelabel'))
        self.assertFalse(guest.exists('/etc/lvm/devices/system.devices'))
        self.assertEqual((guest.exists('/boot/grub2/device.map'), guest.exists('/boot/grub/device.map')), (False, True))
        self.assertFalse(guest.exists('/var/lib/NetworkManager/internal-1-ens192.lease'))
        diff = diff_of(before, snapshot_of(guest), guest)
        self.assertEqual(diff['packages']['added'], {'cloud-init': '23.4-1', 'qemu-guest-agent': '23.4-1'})
        self.assertIn('cloud-init.service (cloud-init.target.wants)', diff['services']['enabled'])
        state = everything(self.root)
        again = prepare(self.morph(guest))
        self.assertEqual([step['step'] for step in again if step['changed']], [])
        self.assertEqual(everything(self.root), state)
        self.assertTrue(is_empty(diff_of(snapshot_of(guest), snapshot_of(guest))))

    def test_a_suse_guest_takes_zypper_and_the_names_of_its_own_images(self):
        files = {
            '/usr/bin/rpm': '',
            '/usr/bin/zypper': '',
            '/usr/bin/dracut': '',
            '/etc/dracut.conf.d/.keep': '',
            '/usr/lib/systemd/systemd': '',
            '/etc/sysconfig/network/ifcfg-eth0': "BOOTPROTO='static'\nIPADDR='10.0.0.5/24'\nSTARTMODE='auto'\n",
        }
        files.update(kernel('5.14.21-default', image='/boot/initrd-%s'))
        guest = self.guest('sles', files)
        prepare(self.morph(guest, {'setDhcp': False}))
        self.assertIn(
            'zypper --non-interactive install --no-recommends --auto-agree-with-licenses cloud-init qemu-guest-agent', guest.commands
        )
        # A key that comes from the network with the packages proves nothing.
        self.assertEqual([command for command in guest.commands if 'gpg' in command], [])
        self.assertTrue(
            any(command.endswith('/boot/initrd-5.14.21-default 5.14.21-default') for command in guest.commands)
        )
        self.assertIn("IPADDR='10.0.0.5/24'", guest.read('/etc/sysconfig/network/ifcfg-eth0'))
        self.assertIn('network: {config: disabled}', guest.read(cloud_init.NETWORK))
        self.assertIn('NAME="eth0"', guest.read('/etc/udev/rules.d/70-causeway-net.rules'))
        prepare(self.morph(guest, {'setDhcp': True}))
        self.assertFalse(guest.exists(cloud_init.NETWORK))

    def test_mkinitrd_of_old_suse_is_told_the_modules_in_its_settings(self):
        files = {
            '/usr/bin/rpm': '',
            '/usr/bin/zypper': '',
            '/sbin/mkinitrd': '',
            '/etc/sysconfig/kernel': 'INITRD_MODULES="piix ata_piix"\n',
        }
        files.update(kernel('3.0.101', image='/boot/initrd-%s'))
        guest = self.guest('sles', files)
        guest.packages['cloud-init'] = '1'
        prepare(self.morph(guest))
        self.assertEqual(
            guest.read('/etc/sysconfig/kernel'),
            'INITRD_MODULES="piix ata_piix virtio virtio_ring virtio_pci virtio_blk virtio_scsi virtio_net"\n',
        )

    def test_packages_come_from_the_cache_when_the_guest_has_no_way_out(self):
        guest = self.rocky()
        guest.reachable = False
        with self.assertRaises(MorphError) as caught:
            prepare(self.morph(guest))
        self.assertEqual(
            (caught.exception.code, caught.exception.details['step']),
            ('osmorphing.packages-unreachable', 'install-cloud-init'),
        )
        cache = os.path.join(self.root, 'cache-on-the-worker')
        os.mkdir(cache)
        open(os.path.join(cache, 'cloud-init.rpm'), 'w').close()
        prepare(self.morph(guest, {'packageCache': cache}))
        self.assertIn('rpm -U --replacepkgs --oldpackage /run/causeway-packages/cloud-init.rpm', guest.commands)
        self.assertEqual(guest.names('/run/causeway-packages'), [])

    def test_a_kernel_without_virtio_is_told_and_the_others_are_prepared(self):
        guest = self.rocky(kernel('5.14.0-3', modules=()))
        guest.packages['cloud-init'] = '1'
        prepare(self.morph(guest))
        self.assertEqual([warning for warning in self.warnings if '5.14.0-3' in warning], self.warnings)
        self.assertEqual(len(self.warnings), 1)

    def test_a_guest_for_hyper_v_gets_its_drivers_instead(self):
        hyperv = ('hv_vmbus', 'hv_storvsc', 'hv_netvsc')
        files = {'/usr/bin/rpm': '', '/usr/bin/dnf': '', '/usr/bin/dracut': '', '/etc/dracut.conf.d/.keep': ''}
        files.update(kernel('5.14.0-1', modules=hyperv))
        guest = self.guest('rocky', files)
        guest.packages['cloud-init'] = '1'
        prepare(self.morph(guest, {'hypervisor': 'hyperv'}))
        self.assertEqual(self.warnings, [])
        rules = guest.read('/etc/udev/rules.d/68-causeway-hyperv.rules')
        self.assertIn('DRIVERS=="hv_pci", ENV{NM_UNMANAGED}="1"', rules)
        self.assertIn('SYMLINK+="ptp_hyperv"', rules)
        self.assertIn(
            'dracut --force --add-drivers hv_netvsc hv_storvsc hv_vmbus /boot/initramfs-5.14.0-1.img 5.14.0-1',
            guest.commands,
        )
        self.assertIn('hv_storvsc', guest.read('/etc/dracut.conf.d/50-causeway-hyperv.conf'))
        self.assertEqual([step['step'] for step in prepare(self.morph(guest, {'hypervisor': 'hyperv'})) if step['changed']], [])
        with self.assertRaises(MorphError) as caught:
            prepare(self.morph(guest, {'hypervisor': 'kvm'}))
        self.assertEqual(caught.exception.code, 'osmorphing.no-virtio')

    def test_an_image_that_knows_hyper_v_alone_gets_the_drivers_of_virtio(self):
        virtio = ('virtio', 'virtio_ring', 'virtio_pci', 'virtio_blk', 'virtio_scsi', 'virtio_net')
        files = kernel('5.14.0-1', modules=virtio + ('hv_vmbus', 'hv_storvsc', 'hv_netvsc'))
        # As dracut makes it in host-only mode on Hyper-V.
        files['/boot/initramfs-5.14.0-1.img'] = ''.join(
            'usr/lib/modules/5.14.0-1/%s.ko.xz\n' % name for name in ('hv_vmbus', 'hv_storvsc', 'hv_netvsc')
        )
        guest = self.guest('rocky', dict(files, **{
            '/usr/bin/dracut': '', '/usr/bin/lsinitrd': '', '/etc/dracut.conf.d/.keep': ''}))
        initramfs.rebuild(self.morph(guest))
        image = guest.read('/boot/initramfs-5.14.0-1.img')
        for name in virtio:
            self.assertIn('%s.ko' % name, image)

    def test_disks_of_other_buses_get_their_drivers_and_those_are_looked_for_in_the_image(self):
        for bus, modules in (('ide', ('ata_piix', 'ahci')), ('usb', ('usb_storage', 'xhci_pci')), ('xen', ('xen_blkfront', 'xen_netfront'))):
            with self.subTest(bus):
                self.clear()
                files = kernel('5.14.0-1', ('virtio', 'virtio_pci', 'virtio_net', 'virtio_blk') + modules)
                guest = self.guest('rocky', dict(files, **{
                    '/usr/bin/dracut': '', '/usr/bin/lsinitrd': '', '/etc/dracut.conf.d/.keep': ''}))
                initramfs.rebuild(self.morph(guest, {'diskBuses': [bus, 'virtio']}))
                image = guest.read('/boot/initramfs-5.14.0-1.img')
                for name in modules + ('virtio_blk', 'virtio_net'):
                    self.assertIn('/%s.ko.xz' % name, image)
        self.clear()
        guest = self.guest('rocky', dict(kernel('5.14.0-1'), **{'/usr/bin/dracut': '', '/usr/bin/lsinitrd': ''}))
        with self.assertRaises(MorphError) as caught:
            initramfs.rebuild(self.morph(guest, {'diskBuses': ['ide']}))
        self.assertEqual(caught.exception.code, 'osmorphing.no-virtio')
        self.assertEqual(self.warnings, ['the kernel 5.14.0-1 has no drivers for ide disks; it can\'t boot on the destination'])

    def encrypted(self, crypttab):
        """A Debian guest whose root lies on an encrypted partition, and its devices."""
        guest = self.guest('debian', dict(kernel('6.1.0-1', image='/boot/initrd.img-%s'), **{
            '/usr/sbin/update-initramfs': '', '/usr/bin/lsinitramfs': '', '/etc/initramfs-tools/conf.d/.keep': '', '/etc/initramfs-tools/initramfs.conf': 'MODULES=dep\n', '/etc/crypttab': crypttab}))
        opened = device('/dev/mapper/system_crypt', 'decrypted', uuid='1')
        opened.name = 'luks-uuid'
        return guest, [device('/dev/vdb1', 'partition', 1, 'luks-uuid', 'crypto_LUKS'), device('/dev/vdc1', 'partition', 1, 'data-uuid', 'crypto_LUKS', disk=1), opened]

    def test_the_initial_ram_disk_is_told_to_unlock_what_the_root_lies_on_and_nothing_else(self):
        guest, devices = self.encrypted('# kept\nsystem_crypt UUID=luks-uuid none luks,discard\ndata UUID=data-uuid /etc/data.key luks\n')
        morph = self.morph(guest, devices=devices)
        self.assertEqual(initramfs.volumes_below([devices[2]], devices), ['luks-uuid'])
        notes = initramfs.unlock_at_boot(guest, morph.resolver, ['luks-uuid'], ('initramfs',))
        self.assertEqual(notes, ['the initial RAM disk unlocks the encrypted volume system_crypt'])
        told = '# kept\nsystem_crypt UUID=luks-uuid none luks,discard,initramfs\ndata UUID=data-uuid /etc/data.key luks\n'
        self.assertEqual(guest.read('/etc/crypttab'), told)
        self.assertEqual(initramfs.unlock_at_boot(guest, morph.resolver, ['luks-uuid'], ('initramfs',)), [])

    def test_an_initial_ram_disk_is_built_for_any_hardware(self):
        guest, devices = self.encrypted('')
        notes = initramfs.InitramfsTools.settle(guest, initramfs.drivers_for({}))
        self.assertEqual(notes[0], 'wrote /etc/initramfs-tools/conf.d/zz-causeway-modules, so that the initial RAM disk has the drivers of any hardware')
        self.assertIn('MODULES=most', guest.read('/etc/initramfs-tools/conf.d/zz-causeway-modules'))
        self.assertEqual(initramfs.InitramfsTools.settle(guest, initramfs.drivers_for({})), [])

    def test_an_image_that_cannot_unlock_the_root_is_refused(self):
        guest, devices = self.encrypted('system_crypt UUID=luks-uuid none luks\n')
        # There is no such volume here that the kernel could tell of: the root is it.
        self.addCleanup(setattr, initramfs, 'volumes_below', initramfs.volumes_below)
        initramfs.volumes_below = lambda roots, of: ['luks-uuid']
        with self.assertRaises(MorphError) as caught:
            initramfs.rebuild(self.morph(guest, devices=devices))
        self.assertIn('still lacks cryptsetup, which unlocks its root', caught.exception.message)

    def test_dracut_is_told_what_to_unlock_where_the_kernels_arguments_do_not_say_it(self):
        self.addCleanup(setattr, initramfs, 'volumes_below', initramfs.volumes_below)
        initramfs.volumes_below = lambda roots, of: ['luks-uuid']
        for arguments, option, table, told in (
            ('root=UUID=1 ro', True, '', 1), ('root=UUID=1 ro', True, 'etc/crypttab\n', 0), ('root=UUID=1 ro', True, 'etc/cmdline.d/90crypt.conf\n', 0),
            ('root=UUID=1 rd.luks.uuid=luks-luks-uuid', False, '', 0), ('root=UUID=1 rd.luks.options=discard', True, '', 1),
        ):
            with self.subTest(arguments + table):
                self.clear()
                del self.warnings[:]
                _, devices = self.encrypted('')
                self.clear()
                guest = self.guest('ubuntu', dict(kernel('7.0.0-1', image='/boot/initrd.img-%s'), **{
                    '/usr/bin/dracut': '', '/usr/bin/lsinitrd': '', '/etc/crypttab': 'system_crypt UUID=luks-uuid none luks\n', '/boot/grub/grub.cfg': 'linux /vmlinuz-7.0.0-1 %s\n' % arguments}))
                made = guest._image

                def image(path, version, table=table, made=made):
                    made(path, version)
                    with open(self.root + path, 'a') as file:
                        file.write('usr/sbin/cryptsetup\n' + table)

                guest._image = image
                initramfs.rebuild(self.morph(guest, devices=devices))
                self.assertEqual(guest.read('/etc/crypttab'), 'system_crypt UUID=luks-uuid none luks%s\n' % (',x-initrd.attach,force' if option else ''))
                self.assertEqual(len([one for one in self.warnings if 'unlocks the root' in one]), told)

    def test_an_image_with_the_program_but_without_the_entry_of_the_root_is_refused(self):
        self.addCleanup(setattr, initramfs, 'volumes_below', initramfs.volumes_below)
        initramfs.volumes_below = lambda roots, of: ['luks-uuid']
        # Debian's tools put the program into any image; the second table is that of another volume, the third an old one's.
        for table, unlocks in (
            (None, False), ('data UUID=data-uuid none luks\n', False), ('target=data,source=UUID=data-uuid,key=none\n', False),
            ('# of\nsystem_crypt UUID=luks-uuid none luks,discard,initramfs\n', True), ('target=system_crypt,source=UUID=luks-uuid,key=none,rootdev\n', True),
        ):
            self.clear()
            guest, devices = self.encrypted('system_crypt UUID=luks-uuid none luks\n')
            guest.has_cryptsetup, guest.unlocked = True, table
            if unlocks:
                self.assertIn('rebuilt /boot/initrd.img-6.1.0-1', initramfs.rebuild(self.morph(guest, devices=devices))[1])
                continue
            with self.assertRaises(MorphError) as caught:
                initramfs.rebuild(self.morph(guest, devices=devices))
            self.assertIn('still lacks the entry that unlocks volume luks-uuid', caught.exception.message)

    def test_the_table_of_an_image_is_read_from_where_its_parts_are_unpacked(self):
        """With a stand-in for Debian's program, which unpacks an image that begins with microcode into several folders."""
        programs = os.path.join(self.root, 'programs')
        os.mkdir(programs)
        with open(os.path.join(programs, 'unmkinitramfs'), 'w') as file:
            file.write('#!/bin/sh\nmkdir -p "$2/early" "$2/main/cryptroot"\necho "system_crypt UUID=luks-uuid none luks" > "$2/main/cryptroot/crypttab"\n')
        os.chmod(file.name, 0o755)
        result = run(['sh', '-c', initramfs.InitramfsTools.read_tables, 'sh', '/any'], env={'PATH': programs + ':' + os.environ['PATH']})
        self.assertEqual(initramfs.InitramfsTools.sources(result.out), ['UUID=luks-uuid'])

    def test_a_worker_that_is_older_than_the_guest_is_warned_of(self):
        def release(name, version):
            return {'ID': name, 'VERSION_ID': version}

        for guest, worker in (('ubuntu 22.04', 'ubuntu 24.04'), ('debian 13', 'ubuntu 22.04'), ('opensuse-tumbleweed ', 'opensuse-tumbleweed ')):
            cli.warn_of_older_worker(release(*guest.split(' ')), release(*worker.split(' ')))
        self.assertEqual(self.warnings, [])
        cli.warn_of_older_worker(release('ubuntu', '24.04'), release('ubuntu', '22.04'))
        self.assertEqual(self.warnings, ['the worker runs 22.04, which is older than the guest (24.04); choose a worker image with the same or a newer version'])

    def test_drivers_that_are_built_in_need_no_rebuilt_image(self):
        files = {'/usr/bin/rpm': '', '/usr/bin/dnf': '', '/usr/bin/dracut': ''}
        files.update(kernel('6.0', modules=()))
        files['/lib/modules/6.0/modules.builtin'] = (
            'kernel/drivers/block/virtio_blk.ko\nkernel/drivers/virtio/virtio_pci.ko\nkernel/drivers/net/virtio_net.ko\n'
        )
        guest = self.guest('rocky', files)
        guest.packages['cloud-init'] = '1'
        prepare(self.morph(guest))
        self.assertEqual([command for command in guest.commands if command.startswith('dracut')], [])

    def test_no_kernel_with_virtio_stops_the_preparation(self):
        files = {'/usr/bin/rpm': '', '/usr/bin/dnf': '', '/usr/bin/dracut': ''}
        files.update(kernel('5.14.0-1', modules=()))
        guest = self.guest('rocky', files)
        guest.packages['cloud-init'] = '1'
        with self.assertRaises(MorphError) as caught:
            prepare(self.morph(guest))
        self.assertEqual(caught.exception.code, 'osmorphing.no-virtio')

    def test_tools_of_the_source_go_without_a_dangling_alias_and_those_of_kvm_stay(self):
        units = '/usr/lib/systemd/system/'
        guest = self.rocky(
            {
                units + 'sshd.service': '',
                '/etc/vmware-tools/tools.conf': 'x',
                '/etc/systemd/system/vmtoolsd.service': '→' + units + 'open-vm-tools.service',
                '/etc/systemd/system/multi-user.target.wants/vmtoolsd.service': '→' + units + 'vmtoolsd.service',
                '/etc/systemd/system/multi-user.target.wants/sshd.service': '→' + units + 'sshd.service',
                '/etc/systemd/system/multi-user.target.wants/mine.service': '→/opt/not-here.service',
            }
        )
        guest.packages.update(
            {'open-vm-tools': '12', 'qemu-guest-agent': '8', 'hyperv-daemons': '0', 'WALinuxAgent': '2', 'kernel': '5'}
        )
        changed, _ = hypervisor_tools.remove_tools(guest, package_manager(guest))
        self.assertTrue(changed)
        self.assertEqual(sorted(guest.packages), ['kernel', 'qemu-guest-agent'])
        self.assertEqual(guest.names('/etc/systemd/system/multi-user.target.wants'), ['mine.service', 'sshd.service'])
        self.assertFalse(guest.present('/etc/systemd/system/vmtoolsd.service'))
        self.assertFalse(guest.exists('/etc/vmware-tools'))
        self.assertEqual(hypervisor_tools.remove_tools(guest, package_manager(guest)), (False, []))

    def test_what_else_is_of_the_old_machine_goes(self):
        xorg = 'Section "Device"\n\tDriver      "vmware"\nEndSection\nSection "InputDevice"\n\tDriver "vmmouse"\nEndSection\n'
        guest = self.rocky({
            '/usr/bin/kdumpctl': '', '/boot/initramfs-5.14.0-1kdump.img': 'old', '/etc/X11/xorg.conf': xorg, '/etc/blkid/blkid.tab': '', '/etc/lvm/cache/.cache': '',
            '/etc/yum.repos.d/vmware-tools.repo': '[vmware-tools]\nbaseurl=http://packages.vmware.com/tools/esx/5.1/rhel6/x86_64\nenabled=1\n',
            '/etc/yum.repos.d/own.repo': '[own]\nbaseurl=http://own/\nenabled=1\n', '/etc/cloud/cloud.cfg': 'users: []\nrepo_upgrade: security\n'})
        prepare(self.morph(guest))
        for path in ('/boot/initramfs-5.14.0-1kdump.img', '/etc/blkid/blkid.tab', '/etc/lvm/cache/.cache'):
            self.assertFalse(guest.exists(path), path)
        self.assertTrue(guest.exists('/boot/initramfs-5.14.0-1.img'))
        self.assertEqual(guest.read('/etc/X11/xorg.conf'), xorg.replace('"vmware"', '"vesa"'))
        self.assertIn('enabled=0', guest.read('/etc/yum.repos.d/vmware-tools.repo'))
        self.assertIn('enabled=1', guest.read('/etc/yum.repos.d/own.repo'))
        self.assertIn('\nrepo_upgrade: none\n', guest.read(cloud_init.OWN))
        self.assertNotIn('package_upgrade', guest.read(cloud_init.OWN))
        self.assertEqual([step['step'] for step in prepare(self.morph(guest)) if step['changed']], [])
        # Where the server has its driver for any screen, that is named.
        for folder in ('/usr/lib64', '/usr/lib/x86_64-linux-gnu'):
            self.clear()
            guest = self.rocky({'/etc/X11/xorg.conf.d/20-screen.conf': xorg, folder + '/xorg/modules/drivers/modesetting_drv.so': ''})
            prepare(self.morph(guest))
            self.assertEqual(guest.read('/etc/X11/xorg.conf.d/20-screen.conf'), xorg.replace('"vmware"', '"modesetting"'))
        # Without the service, nobody would make the image anew.
        self.clear()
        guest = self.rocky({'/boot/initramfs-5.14.0-1kdump.img': 'old'})
        prepare(self.morph(guest))
        self.assertTrue(guest.exists('/boot/initramfs-5.14.0-1kdump.img'))

    def test_sources_of_packages_that_are_switched_off_are_no_longer_asked(self):
        zypper = '[vmware-tools]\nname=x\nenabled=1\nautorefresh=1\nbaseurl=http://packages.vmware.com/tools/esx/5.1/sles11.2/x86_64\n'
        apt = '# deb http://packages.vmware.com/tools/esx/5.0/ubuntu x main\ndeb http://packages.vmware.com/tools/esx/5.1/ubuntu precise main\ndeb [arch=amd64] http://packages.vmware.com/tools/esx/5.1/ubuntu precise main\ndeb http://archive.ubuntu.com/ubuntu precise main\n'
        for release, path, text, after in (
            ('sles', '/etc/zypp/repos.d/vmware.repo', zypper, zypper.replace('enabled=1', 'enabled=0')),
            ('ubuntu', '/etc/apt/sources.list.d/vmware.list', apt, apt.replace('\ndeb http://packages', '\n# deb http://packages').replace('\ndeb [', '\n# deb [')),
        ):
            with self.subTest(path):
                self.clear()
                own = {path.replace('vmware.', 'own.'): text.replace('packages.vmware.com', 'packages.own.example')}
                guest = self.guest(release, dict(own, **{path: text}))
                changed, notes = hypervisor_tools.remove_tools(guest, package_manager(guest))
                self.assertEqual((changed, notes), (True, ['%s is no longer a source of packages' % path]))
                self.assertEqual((guest.read(path), {name: guest.read(name) for name in own}), (after, own))
                self.assertEqual(hypervisor_tools.remove_tools(guest, package_manager(guest)), (False, []))

    def test_an_image_for_a_crash_goes_where_suse_makes_it_anew(self):
        unit = '[Service]\nExecStart=%s/kdump/load.sh%s\n[Install]\nWantedBy=multi-user.target\n'
        started, path = '/etc/systemd/system/multi-user.target.wants/', '/usr/lib/systemd/system/'
        new = {path + 'kdump.service': unit % ('/usr/lib', ' --update'), started + 'kdump.service': '→' + path + 'kdump.service'}
        older = {
            path + 'kdump.service': unit % ('/lib', ''), started + 'kdump.service': '→x', path + 'kdump-rebuild-initrd.service': unit % ('/lib', ' --update'),
            started + 'kdump-rebuild-initrd.service': '→x'}
        script = {'/etc/init.d/boot.kdump': '', '/etc/init.d/boot.d/S04boot.kdump': '→../boot.kdump'}
        for files, goes, told in (
            (new, True, False), (older, True, False), (dict((name, text) for name, text in older.items() if 'rebuild' not in name), False, True), (script, False, True),
            # It does not start, so that nothing loads the old image either.
            ({path + 'kdump.service': new[path + 'kdump.service']}, False, False), ({'/etc/init.d/boot.kdump': ''}, False, False),
        ):
            for image in ('/boot/initrd-5.14.21-default-kdump', '/var/lib/kdump/initrd'):
                with self.subTest((sorted(files), image)):
                    self.clear()
                    del self.warnings[:]
                    guest = self.guest('sles', dict(files, **{image: 'old', '/boot/initrd-5.14.21-default': 'x', '/var/lib/kdump/kernel': '→/boot/vmlinuz'}))
                    morph = self.morph(guest)
                    del self.warnings[:]
                    notes = leftovers.remove(morph)[1]
                    self.assertEqual((guest.exists(image), notes), (not goes, ['removed %s, which kdump makes anew' % image] if goes else []))
                    self.assertEqual(self.warnings, ['%s is for a crash on the source\'s hardware, and no start of this guest makes it anew: run mkdumprd there' % image] if told else [])
                    self.assertTrue(guest.exists('/boot/initrd-5.14.21-default') and guest.is_link('/var/lib/kdump/kernel'))
        # Where it is a link, it leads to the image in /boot.
        self.clear()
        guest = self.guest('sles', dict(new, **{'/var/lib/kdump/initrd': '→/boot/initrd-5.14.21-default', '/boot/initrd-5.14.21-default': 'x'}))
        leftovers.remove(self.morph(guest))
        self.assertTrue(guest.is_link('/var/lib/kdump/initrd') and guest.exists('/boot/initrd-5.14.21-default'))

    def test_agents_that_were_registered_for_machines_elsewhere_stay(self):
        for registration, stays in (('{"ManagedInstanceID":"mi-0123","Region":"x"}', True), ('{"ManagedInstanceID":"i-0123"}', False), ('', False)):
            self.clear()
            guest = self.rocky({'/var/lib/amazon/ssm/registration': registration})
            guest.packages.update({'amazon-ssm-agent': '3', 'amazon-cloudwatch-agent': '1', 'ec2-net-utils': '2', 'VMwareTools': '10', 'kernel': '5'})
            hypervisor_tools.remove_tools(guest, package_manager(guest))
            self.assertEqual(sorted(guest.packages), (['amazon-cloudwatch-agent', 'amazon-ssm-agent'] if stays else []) + ['kernel'])

    def test_on_hyper_v_its_own_tools_stay(self):
        guest = self.rocky({'/etc/waagent.conf': 'x', '/etc/vmware-tools/tools.conf': 'x'})
        guest.packages.update({'open-vm-tools': '12', 'hyperv-daemons': '0', 'WALinuxAgent': '2', 'kernel': '5'})
        hypervisor_tools.remove_tools(guest, package_manager(guest), 'hyperv')
        self.assertEqual(sorted(guest.packages), ['WALinuxAgent', 'hyperv-daemons', 'kernel'])
        self.assertTrue(guest.exists('/etc/waagent.conf'))
        self.assertFalse(guest.exists('/etc/vmware-tools'))

    def test_on_hyper_v_chrony_follows_the_clock_of_the_host_where_every_kernel_has_it(self):
        hyperv = ('hv_vmbus', 'hv_storvsc', 'hv_netvsc')
        for modules, refclock in ((hyperv + ('hv_utils',), True), (hyperv, False)):
            with self.subTest(refclock):
                self.clear()
                files = {'/etc/chrony.conf': 'pool example.org\n', '/usr/lib/systemd/systemd-networkd': ''}
                files.update(kernel('5.14.0-1', modules=modules))
                guest = self.guest('rocky', files)
                notes = hyperv_guest.configure(guest)
                self.assertEqual('edited /etc/chrony.conf' in notes, refclock)
                self.assertEqual('refclock PHC /dev/ptp_hyperv' in guest.read('/etc/chrony.conf'), refclock)
                self.assertIn('Unmanaged=yes', guest.read('/etc/systemd/network/01-causeway-hyperv.network'))
                self.assertEqual(hyperv_guest.configure(guest), [])

    def test_cloud_init_looks_where_the_destination_has_its_metadata(self):
        text = cloud_init.settings_text({'datasources': ['Azure', 'NoCloud']})
        self.assertIn('datasource_list: [Azure, NoCloud]', text)
        self.assertIn('apply_network_config: false', text)
        self.assertNotIn('Azure', cloud_init.settings_text({}))

    def test_the_tools_of_vmware_that_came_without_a_package_are_removed_by_their_own_uninstaller(self):
        guest = self.rocky({'/usr/bin/vmware-uninstall-tools.pl': '', '/etc/vmware-tools/config': 'x'})
        self.assertEqual(hypervisor_tools.installed_tools(guest, guest.packages), {'vmware': ['tarball']})
        changed, notes = hypervisor_tools.remove_tools(guest, package_manager(guest))
        self.assertTrue(changed)
        self.assertIn('perl /usr/bin/vmware-uninstall-tools.pl force', guest.commands)
        self.assertIn('ran the uninstaller of the VMware tools', notes)
        self.assertFalse(guest.exists('/etc/vmware-tools'))

    def test_an_uninstaller_that_does_not_end_is_told_and_the_preparation_goes_on(self):
        guest = self.rocky({'/usr/bin/vmware-uninstall-tools.pl': '', '/etc/vmware-tools/config': 'x'})
        usual = guest.run

        def run(command, **options):
            if command[0] == 'perl':
                raise CommandFailed('osmorphing.command-failed', 'it took longer than 600 s')
            return usual(command, **options)
        guest.run = run
        changed, notes = hypervisor_tools.remove_tools(guest, package_manager(guest))
        self.assertTrue(changed)
        self.assertNotIn('ran the uninstaller of the VMware tools', notes)
        self.assertFalse(guest.exists('/etc/vmware-tools'))

    def test_tools_of_other_desktops_are_removed_by_theirs(self):
        guest = self.rocky({
            '/var/lib/VBoxGuestAdditions/config': "# x\nINSTALL_VER='7.0.20'\nINSTALL_DIR='/opt/VBoxGuestAdditions-7.0.20'\n", '/opt/VBoxGuestAdditions-7.0.20/uninstall.sh': '', '/usr/lib/parallels-tools/install': ''})
        self.assertEqual(hypervisor_tools.installed_tools(guest, {}), {'virtualbox': ['tarball'], 'parallels': ['tarball']})
        _, notes = hypervisor_tools.remove_tools(guest, package_manager(guest))
        self.assertEqual([one for one in guest.commands if 'rpm' not in one], ['sh /opt/VBoxGuestAdditions-7.0.20/uninstall.sh', '/usr/lib/parallels-tools/install -r'])
        self.assertEqual(notes, ['ran the uninstaller of the VirtualBox Guest Additions', 'ran the uninstaller of the Parallels tools'])
        # A folder that is told but gone has nothing to run.
        self.clear()
        guest = self.rocky({'/var/lib/VBoxGuestAdditions/config': 'INSTALL_DIR=/opt/gone; rm -rf /\n'})
        self.assertEqual(hypervisor_tools.remove_tools(guest, package_manager(guest)), (False, []))

    def test_agents_in_snaps_no_longer_start(self):
        wants = '/etc/systemd/system/multi-user.target.wants/'
        links = dict((wants + name, '→/etc/systemd/system/' + name) for name in (
            'snap.amazon-ssm-agent.amazon-ssm-agent.service', 'snap.oracle-cloud-agent.oracle-cloud-agent.service', 'snap.lxd.activate.service', 'snap-amazon\\x2dssm\\x2dagent-9881.mount'))
        for registration, left in (('', 2), ('{"ManagedInstanceID":"mi-0123"}', 3)):
            self.clear()
            guest = self.rocky(dict(links, **{'/var/lib/amazon/ssm/registration': registration}))
            hypervisor_tools.remove_tools(guest, package_manager(guest))
            self.assertEqual(len(guest.names(wants)), left)
            self.assertIn('snap.lxd.activate.service', guest.names(wants))
            self.assertEqual(hypervisor_tools.remove_tools(guest, package_manager(guest)), (False, []))

    def test_credentials_are_retained_when_that_is_asked_for(self):
        self.assertEqual(
            cloud_init.settings_text({'retainUserCredentials': True}).splitlines()[1:],
            [
                'datasource_list: [OpenStack, ConfigDrive, NoCloud]',
                'ssh_deletekeys: false',
                'ssh_pwauth: unchanged',
                'locale: false',
                'apt: {preserve_sources_list: true}',
                'preserve_hostname: true',
                'users: []',
                'disable_root: false',
                'allow_public_ssh_keys: false',
            ],
        )
        self.assertNotIn('users', cloud_init.settings_text({}))

    def test_a_package_manager_that_does_nothing_is_not_believed(self):
        guest = self.rocky()
        guest.packages.pop('cloud-init', None)
        guest._dnf = lambda args: Result(0, '', '')
        with self.assertRaises(MorphError) as caught:
            cloud_init.install(self.morph(guest))
        self.assertEqual(caught.exception.code, 'osmorphing.packages-unreachable')
        self.assertEqual(cloud_init.install(self.morph(guest, {'cloudInit': 'if-possible'})), (False, ['could not be installed']))

    def test_only_host_keys_of_kinds_that_the_guest_has_are_made(self):
        keys = {'/etc/ssh/ssh_host_ed25519_key': 'x', '/etc/ssh/ssh_host_ed25519_key.pub': 'x', '/etc/ssh/ssh_host_dsa_key': 'x'}
        guest = self.rocky(keys)
        cloud_init.configure(self.morph(guest))
        self.assertIn('\nssh_genkeytypes: [ed25519]\n', guest.read(cloud_init.OWN))
        self.assertNotIn('ssh_genkeytypes', cloud_init.settings_text({}))

    def test_what_switched_cloud_init_off_or_pinned_it_goes(self):
        guest = self.rocky(
            {
                '/etc/cloud/cloud-init.disabled': '',
                '/etc/cloud/cloud.cfg.d/99-installer.cfg': 'datasource_list: [None]\n',
                '/var/lib/cloud/instance': '→instances/i-1',
                '/var/lib/cloud/instances/i-1/x': '',
                '/var/lib/cloud/seed/nocloud/x': 'kept',
                '/etc/cloud/cloud.cfg.d/50-curtin-networking.cfg': 'network:\n  version: 2\n',
                '/boot/grub2/grub.cfg': 'linux /vmlinuz-1 root=UUID=1 cloud-init=disabled console=ttyS0\n',
            }
        )
        prepare(self.morph(guest))
        self.assertEqual(
            [
                path
                for path in (
                    '/etc/cloud/cloud-init.disabled',
                    '/etc/cloud/cloud.cfg.d/99-installer.cfg',
                    '/etc/cloud/cloud.cfg.d/50-curtin-networking.cfg',
                    '/var/lib/cloud/instance',
                    '/var/lib/cloud/instances/i-1',
                )
                if guest.present(path)
            ],
            [],
        )
        self.assertTrue(guest.exists('/var/lib/cloud/seed/nocloud/x'))
        self.assertEqual(guest.read('/boot/grub2/grub.cfg'), 'linux /vmlinuz-1 root=UUID=1 console=ttyS0\n')

    def test_what_ties_cloud_init_to_another_platforms_metadata_goes(self):
        menu = 'linux /vmlinuz-1 root=UUID=1 console=ttyS0%s\n'
        for identify, arguments, kept in (
            ('datasource: Azure\n', ' ci.ds=Azure ds=Ec2', False), ('policy: search,found=all\n', ' ds=nocloud;s=/x', True), ('datasource: ConfigDrive\n', '', True)):
            with self.subTest(identify):
                self.clear()
                guest = self.rocky({'/etc/cloud/ds-identify.cfg': identify, '/boot/grub2/grub.cfg': menu % arguments})
                guest.packages['cloud-init'] = '1'
                prepare(self.morph(guest))
                self.assertEqual(guest.exists('/etc/cloud/ds-identify.cfg'), kept)
                self.assertEqual(guest.read('/boot/grub2/grub.cfg'), menu % (arguments if kept else ''))

    def test_the_root_is_found_by_its_uuid_whatever_it_was_called(self):
        guest = self.rocky({'/etc/fstab': '/dev/sdb1 / ext4 defaults 0 1\n'})
        prepare(self.morph(guest))
        self.assertEqual(guest.read('/etc/fstab'), 'UUID=1 / ext4 defaults 0 1\n')
        self.assertEqual(self.warnings, [])

    def test_a_card_that_no_file_names_keeps_the_name_that_was_logged(self):
        guest = self.rocky({
            '/etc/NetworkManager/system-connections/ens192.nmconnection': '[connection]\ntype=ethernet\n[ipv4]\nmethod=auto\n',
            '/var/log/messages': 'Linux version 5\nvmxnet3 0000:0b:00.0 ens224: renamed from eth0\n',
            '/var/lib/NetworkManager/internal-1-ens192.lease': '',
            '/etc/nftables.conf': 'iif "ens224" accept\niif "ens161" drop # ens999\n',
        })
        network_step.apply(self.morph(guest))
        self.assertIn('ATTR{address}=="fa:16:3e:00:00:01", NAME="ens224"', guest.read('/etc/udev/rules.d/70-causeway-net.rules'))
        self.assertEqual(self.warnings, ['/etc/nftables.conf names the interface ens161, but no network card on the destination has that name'])

    def test_a_guest_that_configures_the_cards_of_its_cloud_alone_gets_dhcp_on_others(self):
        files = {
            '/usr/lib/systemd/systemd-networkd': '',
            '/usr/lib/systemd/network/80-ec2.network': '[Match]\nDriver=ena ixgbevf vif\n[Network]\nDHCP=yes\n',
        }
        guest = self.guest('rocky', files)
        network_step.apply(self.morph(guest))
        self.assertEqual(guest.read('/etc/systemd/network/95-causeway.network'), '[Match]\nName=en* eth*\n\n[Network]\nDHCP=yes\n')
        self.assertFalse(network_step.apply(self.morph(guest))[0])
        self.clear()
        guest = self.guest('rocky', files)
        network_step.apply(self.morph(guest, {'setDhcp': False}))
        self.assertTrue(guest.exists('/etc/systemd/network/95-causeway.network'))
        self.clear()
        guest = self.guest('rocky', dict(files, **{'/usr/sbin/NetworkManager': ''}))
        network_step.apply(self.morph(guest))
        self.assertFalse(guest.exists('/etc/systemd/network/95-causeway.network'))

    def test_cards_whose_names_the_kernel_exchanges_get_their_own_back_or_are_told(self):
        card = '[connection]\ntype=ethernet\ninterface-name=eth%d\n[ethernet]\nmac-address=00:50:56:00:00:0%d\n[ipv4]\nmethod=auto\n'
        folder = '/etc/NetworkManager/system-connections/'
        nics = [{'macAddress': 'fa:16:3e:00:00:0%d' % (index + 1), 'sourceMacAddress': '00:50:56:00:00:0%d' % (index + 1)} for index in range(2)]
        for given, told in ((nics, 0), ([dict(nic, macAddress=None) for nic in nics], 1)):
            self.clear()
            del self.warnings[:]
            guest = self.guest('rocky', {'/usr/lib/systemd/systemd': '', folder + 'a.nmconnection': card % (1, 1), folder + 'b.nmconnection': card % (0, 2)})
            network_step.apply(self.morph(guest, {'nics': given}))
            self.assertEqual(len([one for one in self.warnings if 'cannot be exchanged' in one]), told)
            self.assertEqual('fa:16:3e:00:00:01 eth1' in guest.read(exchange.SCRIPT, ''), not told)

    def test_a_name_that_nothing_tells_is_warned_of(self):
        guest = self.guest('debian', {'/etc/systemd/network/a.network': '[Match]\nMACAddress=00:50:56:00:00:01\n[Network]\nAddress=10.0.0.5/24\n'})
        network_step.apply(self.morph(guest))
        self.assertIn('NAME="eth0"', guest.read('/etc/udev/rules.d/70-causeway-net.rules'))
        self.assertEqual(len([one for one in self.warnings if 'firewall rules' in one]), 1)

    def test_a_uefi_guest_gets_the_fallback_loader_with_all_stages(self):
        guest = self.rocky(
            {
                '/boot/efi/EFI/rocky/shimx64.efi': 'shim',
                '/boot/efi/EFI/rocky/grubx64.efi': 'grub',
                '/boot/efi/EFI/rocky/mmx64.efi': 'mm',
            }
        )
        prepare(self.morph(guest))
        self.assertEqual(
            [(name, guest.read('/boot/efi/EFI/BOOT/' + name)) for name in guest.names('/boot/efi/EFI/BOOT')],
            [('BOOTX64.EFI', 'shim'), ('grubx64.efi', 'grub'), ('mmx64.efi', 'mm')],
        )

    def test_loaders_of_suse_are_known_by_their_own_names(self):
        esp = '/boot/efi/EFI/sles/'
        guest = self.rocky(dict((esp + name, name) for name in ('shim.efi', 'grub.efi', 'MokManager.efi', 'grub.cfg', 'boot.csv')))
        prepare(self.morph(guest))
        self.assertEqual(
            [(name, guest.read('/boot/efi/EFI/BOOT/' + name)) for name in guest.names('/boot/efi/EFI/BOOT')],
            [('BOOTX64.EFI', 'shim.efi'), ('MokManager.efi', 'MokManager.efi'), ('grub.cfg', 'grub.cfg'), ('grub.efi', 'grub.efi')],
        )

    def test_files_are_labelled_anew_only_where_labels_are_used(self):
        for setting, expected in (('enforcing', True), ('permissive', True), ('disabled', False)):
            with self.subTest(setting):
                guest = self.rocky({'/etc/selinux/config': 'SELINUXTYPE=targeted\nSELINUX=%s\n' % setting})
                prepare(self.morph(guest))
                self.assertEqual(guest.exists('/.autorelabel'), expected)
                self.clear()

    def test_an_agent_in_another_format_is_a_note_and_no_failure(self):
        guest = self.rocky()
        done = prepare(self.morph(guest, {'agent': {'url': 'http://127.0.0.1:9/agent.deb'}}))
        agent = next(step for step in done if step['step'] == 'install-agent')
        self.assertEqual((agent['changed'], agent['notes'][0]), (True, 'installed qemu-guest-agent 23.4-1'))
        self.assertEqual(self.warnings, agent['notes'][1:])
        self.assertIn('agent.deb is no RPM package', agent['notes'][1])

    def test_secrets_are_not_in_the_diff(self):
        path = '/etc/NetworkManager/system-connections/ens192.nmconnection'
        guest = self.rocky(
            {
                path: '[connection]\ntype=ethernet\ninterface-name=ens192\n[802-1x]\npassword=geheim\n[ipv4]\nmethod=manual\n',
                '/etc/shadow': 'root:$6$hash:1::::::\nlocked:!:1::::::\n',
                '/etc/passwd': 'root:x:0:0:root:/root:/bin/sh\nlocked:x:1:1::/:/bin/sh\n',
            }
        )
        before = snapshot_of(guest)
        prepare(self.morph(guest))
        text = json.dumps(diff_of(before, snapshot_of(guest), guest)) + json.dumps(before)
        self.assertNotIn('geheim', text)
        self.assertNotIn('$6$', text)
        self.assertEqual(before['users']['root']['password'], 'set')
        self.assertEqual(before['users']['locked']['password'], 'locked')

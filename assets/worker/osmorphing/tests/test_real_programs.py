"""What is written for programs, read by these programs themselves, where this computer has them."""

import os
import subprocess
import unittest

from causeway_osmorphing import boot_default, cloud_init, fstab_names, kernel_command_line, time_sources, user_scripts
from causeway_osmorphing.guest import Guest
from causeway_osmorphing.network import exchange
from causeway_osmorphing.package_archives import apt_options
from causeway_osmorphing.packages import package_manager

from . import test_boot
from .test_disk_names import boot_disk, data_disk, device
from .trees import RELEASES, bring_programs, can_isolate, kernel, program, tree

DPKG = ('sh', 'rm', 'tar', 'diff', 'dpkg', 'dpkg-deb', 'dpkg-split', 'ldconfig', 'start-stop-daemon')


class RealPrograms(test_boot.BootTest):
    def told(self, *args, **env):
        if not program(args[0]):
            self.skipTest('%s is not installed' % args[0])
        ended = subprocess.run([program(args[0])] + list(args[1:]), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(os.environ, LC_ALL='C', **env))
        self.assertEqual(ended.returncode, 0, ended.stdout.decode())
        return ended.stdout.decode()

    def test_grub_reads_its_environment_and_its_menu(self):
        kernels = dict(kernel('5.0'), **kernel('9.0', modules=('vmw_pvscsi',)))
        block = '# GRUB Environment Block\nsaved_entry=top\nkernelopts=root=/dev/sda2 ro\n'.ljust(1024, '#')
        menu = test_boot.Defaults.menu % '${saved_entry}'
        guest = self.guest('rocky', dict(kernels, **{'/boot/grub2/grub.cfg': menu.replace('root=x', 'root=/dev/sda2'), '/boot/grub2/grubenv': block, '/etc/fstab': '/dev/sda2 / ext4 defaults 0 1\n'}))
        morph = self.morph(guest)
        morph.unable_kernels = {'9.0'}
        kernel_command_line.apply(morph)
        self.assertEqual(self.told('grub-editenv', self.root + '/boot/grub2/grubenv', 'list'), 'saved_entry=more>old\nkernelopts=root=UUID=u-root ro console=tty0 console=ttyS0,115200n8\n')
        self.assertNotIn('/dev/sda2', guest.read('/boot/grub2/grub.cfg'))
        self.told('grub-script-check', self.root + '/boot/grub2/grub.cfg')
        self.assertFalse(boot_default.set_environment(guest, '/boot/grub2/grubenv', 'x', 'y' * 1024))

    def test_lvm_reads_its_filters(self):
        devices = boot_disk() + [device('/dev/w1', 'disk', disk=1, content='LVM2_member', uuid='pv')]
        for before, after in (
            ('\tfilter = [ "a|^/dev/sd.*|", "r|.*|" ]\n', 'filter=["a|^/dev/vd[a-z]+[0-9]*$|","a|^/dev/sd.*|","r|.*|"]\n'), ('filter = "r/.*/"\n', 'filter=["a|^/dev/vd[a-z]+[0-9]*$|","r/.*/"]\n'),
            ('\tglobal_filter=["a|/dev/sda2$|","r|.*|"]\n', None),
        ):
            self.clear()
            guest = self.guest('rocky', {'/etc/lvm/lvm.conf': 'devices {\n%s}\n' % before})
            fstab_names.by_uuid(self.morph(guest, devices=devices))
            read = self.told('lvm', 'lvmconfig', '--typeconfig', 'current', 'devices', LVM_SYSTEM_DIR=self.root + '/etc/lvm', LVM_SUPPRESS_FD_WARNINGS='1')
            self.assertIn(after or 'global_filter=["a|^/dev/vd[a-z]+[0-9]*$|","a|/dev/sda2$|","r|.*|"]\n', read)

    def test_mdadm_reads_its_arrays(self):
        before = 'DEVICE /dev/sd[ab]1\n  /dev/sdc1\nARRAY /dev/md0 devices=/dev/sda1,/dev/sdb1 UUID=3aaa0122:29827cfa:5331ad66:ca767371\nARRAY /dev/md/data devices=/dev/sdc1 metadata=1.2\n  UUID=7c1d9a5e:0f7b4d2c:8a3b6f10:55e4c2d9\nMAILADDR root\n'
        for path in ('/etc/mdadm/mdadm.conf', '/etc/mdadm.conf'):
            self.clear()
            guest = self.guest('debian', {path: before})
            self.assertEqual(fstab_names.by_uuid(self.morph(guest))[1], ['%s: arrays are found by their UUIDs' % path])
            self.assertNotIn('/dev/sd', guest.read(path))
            # It complains of what it does not know, and looks at no disk for that.
            ask = ('mdadm', '--detail', '--scan', '-c', self.root + path)
            self.assertNotIn('mdadm:', self.told(*ask))
            with open(self.root + path, 'a') as file:
                file.write('ARRAY /dev/md9 UUID=1:2\n')
            self.assertIn('mdadm: ', self.told(*ask))

    def test_mount_and_systemd_read_the_table_of_file_systems(self):
        devices = boot_disk() + data_disk(1, 'crypto_LUKS')
        guest = self.guest('debian', {
            '/etc/fstab': '# own\n/dev/sda2 / ext4 defaults 0 1\n/dev/sda1 none swap sw 0 0\n.host:/ /mnt/hgfs fuse.vmhgfs-fuse allow_other 0 0\nshare /srv/my\\040files vboxsf\n/dev/mapper/secret /secret xfs defaults 0 2\n',
            '/etc/crypttab': 'secret /dev/sdb1 none luks\nlost /dev/sdq7 none luks\n'})
        fstab_names.by_uuid(self.morph(guest, devices=devices))
        table, locks, units = self.root + '/etc/fstab', self.root + '/etc/crypttab', self.root + '/units'
        self.assertEqual([line.split() for line in self.told('findmnt', '--tab-file', table, '-n', '-r', '-o', 'SOURCE,TARGET,FSTYPE,OPTIONS').splitlines()], [
            ['UUID=u-root', '/', 'ext4', 'defaults'], ['UUID=u-swap', 'none', 'swap', 'sw'], ['.host:/', '/mnt/hgfs', 'fuse.vmhgfs-fuse', 'allow_other,nofail'],
            ['share', '/srv/my\\x20files', 'vboxsf', 'defaults,nofail'], ['/dev/mapper/secret', '/secret', 'xfs', 'defaults']])
        # The disks are not here, so that it only tells of the lines' form.
        verified = subprocess.run([program('findmnt'), '--verify', '--tab-file', table], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(os.environ, LC_ALL='C')).stdout.decode()
        self.assertIn('0 parse errors', verified)
        generators = '/usr/lib/systemd/system-generators'
        for name in ('systemd-fstab-generator', 'systemd-cryptsetup-generator'):
            if not os.path.exists('%s/%s' % (generators, name)):
                self.skipTest('%s is not installed' % name)
            os.makedirs(units, exist_ok=True)
            subprocess.check_call(['%s/%s' % (generators, name)] + [units] * 3, env=dict(os.environ, SYSTEMD_FSTAB=table, SYSTEMD_CRYPTTAB=locks, SYSTEMD_LOG_LEVEL='err', SYSTEMD_IN_INITRD='0'))
        required = sorted(os.listdir(units + '/local-fs.target.requires'))
        self.assertEqual([name for name in required if name.endswith('.mount')], ['-.mount', 'secret.mount'])
        with open(units + '/systemd-cryptsetup@secret.service') as file:
            self.assertIn("'/dev/disk/by-uuid/u-1'", file.read())
        waited = os.listdir(units + '/cryptsetup.target.requires')
        self.assertEqual([name for name in waited if name.startswith('systemd-cryptsetup@')], ['systemd-cryptsetup@secret.service'])

    def test_chrony_reads_what_is_left_of_its_settings(self):
        text = 'server 169.254.169.123 prefer iburst\npool a.example iburst\nrefclock PHC /dev/ptp_hyperv poll 3 dpoll -2 offset 0\nmakestep 1 3\nsourcedir %s/etc/chrony/sources.d\n' % self.root
        guest = self.guest('debian', {'/etc/chrony/chrony.conf': text, '/etc/chrony/sources.d/a.sources': 'server metadata.google.internal iburst\nserver b.example\n'})
        ask = ('chronyd', '-p', '-f', self.root + '/etc/chrony/chrony.conf')
        self.assertIn('ptp_hyperv', self.told(*ask))
        self.assertEqual(len(time_sources.remove(guest)), 2)
        self.assertEqual([line.split(' ')[:2] for line in self.told(*ask).splitlines() if not line.startswith('sourcedir')], [['pool', 'a.example'], ['makestep', '1']])

    def test_cloud_init_finds_the_sources_of_its_new_platform(self):
        identify = next((path for path in ('/usr/lib/cloud-init/ds-identify', program('ds-identify')) if path and os.path.exists(path)), None)
        if identify is None:
            self.skipTest('cloud-init, whose program tells its data source at each start, is not installed')
        guest = self.guest('debian', {
            '/etc/cloud/ds-identify.cfg': 'datasource: Ec2\n', '/etc/cloud/cloud.cfg': 'users: []\n', '/proc/cmdline': 'root=UUID=x\n', '/run/.keep': '', '/sys/class/block/.keep': '',
            '/sys/class/dmi/id/product_name': 'Some Cloud\n', '/var/lib/cloud/seed/nocloud/meta-data': '', '/var/lib/cloud/seed/nocloud/user-data': ''})
        for sources in ('[ Ec2, None ]', '[ NoCloud, None ]'):
            self.told('sh', identify, '--force', PATH_ROOT=self.root)
            self.assertEqual(guest.read('/run/cloud-init/cloud.cfg'), 'datasource_list: %s\n' % sources)
            cloud_init.configure(self.morph(guest))

    def test_systemd_reads_the_units_that_are_installed(self):
        guest = self.guest('debian', dict(kernel('6.1.0-1'), **{'/usr/lib/systemd/systemd': ''}))
        exchange.configure(guest, {0: 'eth1', 1: 'eth0'}, {0: '02:00:00:00:00:01', 1: '02:00:00:00:00:02'})
        user_scripts.install_first_boot(self.morph(guest, {'scripts': {'firstBoot': [{'name': 'x', 'content': 'true'}]}}))
        for unit in (exchange.UNIT, user_scripts.UNIT):
            path = self.root + '/etc/systemd/system/' + unit
            self.assertNotIn(unit, self.told('systemd-analyze', 'verify', '--man=no', path), unit)
            with open(path, 'a') as file:
                file.write('Nonsense=1\n')
            self.assertIn(unit, self.told('systemd-analyze', 'verify', '--man=no', path))

    def test_apt_reads_its_archives(self):
        guest = self.guest('ubuntu', {'/etc/apt/sources.list.d/ubuntu.sources': 'Types: deb\nURIs: http://archive.ubuntu.com/ubuntu\nSuites: oracular oracular-security\nComponents: main\nSigned-By: /usr/share/keyrings/a.gpg\n'})
        options = [word.replace('=/run', '=%s/run' % self.root) for word in apt_options(guest)]
        listed = self.told('apt-get', 'update', '--print-uris', *options)
        self.assertEqual([line.split(' ')[0] for line in listed.splitlines() if 'InRelease' in line], ["'http://old-releases.ubuntu.com/ubuntu/dists/%s/InRelease'" % name for name in ('oracular', 'oracular-security')])

    @unittest.skipUnless(can_isolate() and all(program(name) for name in DPKG), 'needs root and dpkg')
    def test_dpkg_finishes_what_it_was_interrupted_in(self):
        info = '/var/lib/dpkg/info/half.'
        tree(self.root, {
            '/etc/os-release': RELEASES['debian'], '/etc/fstab': '', '/proc/.keep': '', '/sys/.keep': '', '/dev/.keep': '', '/tmp/.keep': '', '/var/lib/dpkg/available': '', '/var/lib/dpkg/updates/.keep': '',
            '/var/lib/dpkg/triggers/.keep': '', '/var/log/.keep': '', info + 'list': '/.\n', info + 'postinst': '#!/bin/sh\necho "$1" > /configured\n',
            '/var/lib/dpkg/status': 'Package: half\nStatus: install ok half-configured\nMaintainer: x <x@example>\nArchitecture: all\nVersion: 1\nDescription: x\n\n'})
        os.chmod(self.root + info + 'postinst', 0o755)
        bring_programs(self.root, DPKG)
        manager = package_manager(Guest(self.root))
        self.assertTrue(manager.is_interrupted())
        manager.repair()
        self.assertEqual((self.warnings, manager.is_interrupted(), manager.installed()), ([], False, {'half': '1'}))
        with open(self.root + '/configured') as file:
            self.assertEqual(file.read(), 'configure\n')

"""What is written for programs, read by these programs themselves, where this computer has them."""

import os
import subprocess
import unittest

from causeway_osmorphing import boot_default, fstab_names, kernel_command_line, user_scripts
from causeway_osmorphing.guest import Guest
from causeway_osmorphing.network import exchange
from causeway_osmorphing.package_archives import apt_options
from causeway_osmorphing.packages import package_manager

from . import test_boot
from .test_disk_names import boot_disk, device
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

"""The agents of the destination in guests of each family."""

import os
import shutil
import subprocess

from causeway_osmorphing import agent
from causeway_osmorphing.command import CommandFailed, Result

from .test_boot import BootTest
from .trees import ELF_X86_64, program

SPEC = '''Name: platform-agent
Version: 1.0
Release: 2
Summary: x
License: x
BuildArch: noarch
%%description
x
%%install
mkdir -p %%{buildroot}/usr/lib/systemd/system
printf '[Service]\\nExecStart=/bin/true\\n[Install]\\nWantedBy=multi-user.target\\n' > %%{buildroot}/usr/lib/systemd/system/platform-agent.service
%%files
/usr/lib/systemd/system/platform-agent.service
'''


class Hypervisors(BootTest):
    def installed(self, request=None, release='rocky', there=None, refused=False, reached=True):
        self.clear()
        guest = self.guest(release, {'/usr/bin/rpm': '', '/usr/bin/dnf': '', '/bin/sh': ELF_X86_64})
        guest.packages.update(there or {})
        if refused:
            guest._dnf = lambda args: Result(1, '', 'No match for argument')
        morph = self.morph(guest, request)
        morph.manager.reached = [] if reached else None
        return agent.install(morph), guest

    def test_it_comes_where_the_sources_have_answered(self):
        (changed, notes), guest = self.installed()
        self.assertEqual((changed, notes[0], guest.packages), (True, 'installed qemu-guest-agent 23.4-1', {'qemu-guest-agent': '23.4-1'}))

    def test_nothing_waits_for_sources_that_were_not_asked_and_a_refusal_is_no_failure(self):
        for more in ({'reached': False}, {'refused': True}):
            (changed, notes), guest = self.installed(**more)
            self.assertEqual((changed, notes[0], guest.packages), (False, 'the hypervisor\'s agent (qemu-guest-agent) is not installed', {}))
            self.assertEqual((self.warnings, [one for one in guest.commands if one.startswith('dnf')] == []), ([], 'reached' in more))

    def test_hypervisors_that_have_another_agent_get_none(self):
        for request in ({'hypervisor': 'hyperv'}, {'diskBuses': ['xen']}):
            (changed, notes), guest = self.installed(request)
            self.assertEqual((changed, notes, guest.packages), (False, ['no agent was given'], {}))

    def test_of_a_cache_only_its_own_files_are_taken(self):
        cache = os.path.join(self.root, '..', os.path.basename(self.root) + '-cache')
        os.makedirs(cache)
        self.addCleanup(shutil.rmtree, cache)
        for name in ('cloud-init-1.rpm', 'qemu-guest-agent-8.rpm'):
            open(os.path.join(cache, name), 'w').close()
        _, guest = self.installed({'packageCache': cache}, reached=False)
        self.assertIn('rpm -U --replacepkgs --oldpackage /run/causeway-packages/qemu-guest-agent-8.rpm', guest.commands)
        self.assertEqual(guest.names('/run/causeway-packages'), [])


class Platforms(BootTest):
    def package(self):
        """Built by rpm's own program."""
        if not program('rpmbuild'):
            self.skipTest('rpmbuild is not installed')
        folder = os.path.join(self.root, '..', os.path.basename(self.root) + '-build')
        os.makedirs(folder)
        self.addCleanup(shutil.rmtree, folder)
        with open(folder + '/a.spec', 'w') as file:
            file.write(SPEC.replace('%%', '%'))
        built = subprocess.run([program('rpmbuild'), '-bb', '--define', '_topdir %s' % os.path.realpath(folder), folder + '/a.spec'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(built.returncode, 0, built.stdout.decode())
        return os.path.realpath(folder + '/RPMS/noarch/platform-agent-1.0-2.noarch.rpm')

    def test_a_package_for_rpm_is_read_by_rpm_and_its_service_starts(self):
        path = self.package()
        for release in ('rocky', 'sles'):
            self.clear()
            guest = self.guest(release, {'/usr/bin/rpm': '', '/usr/lib/systemd/systemd': '', '/usr/lib/systemd/system/platform-agent.service': '[Install]\nWantedBy=multi-user.target\n'})

            def rpm(args, guest=guest):
                real = [guest.root + word if word.startswith('/run/') else word for word in args[1:]]
                if args[1] == '-qp' or args[1] == '-ql':
                    ended = subprocess.run([program('rpm')] + (real if args[1] == '-qp' else ['-qlp', path]), stdout=subprocess.PIPE)
                    return Result(ended.returncode, ended.stdout.decode(), '')
                if args[1] == '-U':
                    guest.packages['platform-agent'] = '1.0-2'
                return Result(0, ''.join('%s|%s\n' % pair for pair in guest.packages.items()), '')

            guest._rpm = rpm
            request = {'agent': {'path': path}}
            self.assertEqual(agent.install(self.morph(guest, request)), (True, ['the hypervisor\'s agent (qemu-guest-agent) is not installed', 'installed platform-agent 1.0-2']))
            self.assertTrue(guest.is_link('/etc/systemd/system/multi-user.target.wants/platform-agent.service'))
            self.assertEqual(agent.install(self.morph(guest, request))[1][-1], 'platform-agent 1.0-2 is installed already')
            self.assertEqual((self.warnings, guest.names('/run/causeway-packages')), ([], []))

    def test_what_is_no_package_and_what_lacks_something_is_told_and_no_failure(self):
        def lacking(args):
            if args[1] == '-U':
                raise CommandFailed('osmorphing.command-failed', 'libfoo is needed by platform-agent')
            return Result(0, 'platform-agent|1.0-2' if args[1] == '-qp' else '', '')

        for content, told in ((b'<html>', 'is no RPM package'), (b'\xed\xab\xee\xdb...', 'libfoo is needed')):
            self.clear()
            del self.warnings[:]
            guest = self.guest('rocky', {'/usr/bin/rpm': ''})
            guest._rpm = lacking
            path = os.path.join(self.root, 'given')
            with open(path, 'wb') as file:
                file.write(content)
            self.assertEqual(agent.install(self.morph(guest, {'agent': {'path': path}}))[0], False)
            self.assertIn(told, self.warnings[0])

"""Package databases as a live replica finds them."""

import os

from causeway_osmorphing.command import CommandFailed, Result
from causeway_osmorphing.package_archives import apt_options, disabled_repositories, yum_options
from causeway_osmorphing.packages import package_manager
from causeway_osmorphing.protocol import MorphError

from .trees import asked_for, TreeTest, tree

STATUS = 'Package: a\nStatus: install ok installed\nVersion: 1\n\nPackage: b\nStatus: install ok %s\nVersion: 2\n'


class Databases(TreeTest):
    def test_what_dpkg_was_interrupted_in_is_finished_first(self):
        for state, updates, wanted in (('half-configured', {}, True), ('triggers-pending', {}, True), ('installed', {'/var/lib/dpkg/updates/0001': ''}, True),
                                       ('installed', {'/var/lib/dpkg/updates/tmp.i': ''}, False), ('config-files', {}, False)):
            with self.subTest(state=state, updates=updates):
                self.clear()
                guest = self.guest('debian', dict({'/var/lib/dpkg/status': STATUS % state}, **updates))
                self.assertEqual(bool(package_manager(guest).repair()), wanted)
                self.assertEqual(any(command.endswith('--configure -a') for command in guest.commands), wanted)
        guest._dpkg = lambda args: Result(1, '', 'Errors were encountered while processing: b')
        guest.write('/var/lib/dpkg/status', STATUS % 'half-installed')
        package_manager(guest).repair()
        self.assertEqual(len([one for one in self.warnings if 'processing: b' in one]), 1)

    def test_locks_of_programs_that_are_gone_are_taken_away(self):
        files = dict(('/var/lib/rpm/' + name, 'x') for name in ('__db.001', '__db.002', 'Packages', '__db.txt'))
        guest = self.guest('centos7', dict(files, **{'/var/run/yum.pid': '1'}))
        self.assertEqual(sorted(package_manager(guest).settle()), ['removed /var/lib/rpm/__db.001', 'removed /var/lib/rpm/__db.002', 'removed /var/run/yum.pid'])
        self.assertEqual(guest.names('/var/lib/rpm'), ['Packages', '__db.txt'])
        self.assertEqual(package_manager(guest).settle(), [])
        # Nothing is kept of them: they are no settings.
        self.assertFalse(guest.exists('/var/lib/causeway/original'))
        self.clear()
        guest = self.guest('rocky', {'/run/yum.pid': '1'})
        os.makedirs(guest.root + '/var')
        os.symlink('../run', guest.root + '/var/run')
        self.assertEqual(package_manager(guest).settle(), [])

    def test_a_package_that_would_take_something_vital_along_stays(self):
        # On Ubuntu, the packages of the edition depend on the source's tools: without these, a later autoremove takes half of the system.
        for along, stays in (('ubuntu-server', True), ('linux-image-6.8.0-generic', True), ('sudo', True), ('libvmtools', False)):
            with self.subTest(along):
                self.clear()
                guest = self.guest('debian', {})
                guest._apt_get = lambda args: Result(0, 'Remv %s [1]\nPurg open-vm-tools [1]\n' % along if '-s' in args else '', '')
                removed, kept = package_manager(guest).remove(['open-vm-tools'])
                self.assertEqual((removed, kept), ([], ['open-vm-tools (would take %s along)' % along]) if stays else ([along, 'open-vm-tools'], []))
                self.assertEqual(any(command.endswith('-y purge open-vm-tools') and ' -s ' not in command for command in guest.commands), not stays)

    def test_a_database_that_does_not_answer_is_told(self):
        guest = self.guest('rocky', {'/usr/bin/rpm': ''})

        def slow(args):
            raise CommandFailed('osmorphing.command-failed', '`rpm -qa` took longer than 180 s')

        guest._rpm = slow
        self.assertEqual(package_manager(guest).installed(), {})
        self.assertEqual(len(self.warnings), 1)


    def test_a_full_disk_is_no_fault_of_the_sources(self):
        for release, program, said, code in (
            ('debian', 'apt_get', 'E: Write error - write (28: No space left on device)', 'osmorphing.no-space'), ('debian', 'apt_get', "E: You don't have enough free space in /var/cache/apt/archives/.", 'osmorphing.no-space'),
            ('rocky', 'dnf', 'Error: Transaction test error:\n  installing package a needs 12MB more space on the / filesystem', 'osmorphing.no-space'),
            ('sles', 'zypper', 'No provider of cloud-init found', 'osmorphing.packages-unreachable'),
        ):
            self.clear()
            guest = self.guest(release, {'/usr/bin/rpm': '', '/usr/bin/dnf': ''})
            setattr(guest, '_' + program, lambda args, said=said: Result(100, '', said))
            with self.assertRaises(MorphError) as caught:
                package_manager(guest).install(['cloud-init'])
            self.assertEqual(caught.exception.code, code, said)
        guest.free_bytes = lambda path: 1 << 20
        with self.assertRaises(MorphError) as caught:
            package_manager(guest).install(['cloud-init'])
        self.assertEqual(caught.exception.code, 'osmorphing.no-space')


class Together(TreeTest):
    """What a guest can do without comes in the same run of its tools, and never keeps the other from coming."""

    def made(self, dnf):
        self.clear()
        guest = self.guest('rocky', {'/usr/bin/rpm': '', '/usr/bin/dnf': ''})
        guest._dnf = lambda args: dnf(guest, asked_for(args))
        return guest, package_manager(guest)

    def test_one_run_brings_both(self):
        guest, manager = self.made(lambda guest, names: guest.packages.update((name, '1') for name in names) or Result(0, '', ''))
        manager.install(['cloud-init'], ['qemu-guest-agent'])
        self.assertEqual((manager.brought, manager.reached, len([one for one in guest.commands if one.startswith('dnf')])), (['qemu-guest-agent'], [], 1))

    def test_one_that_is_not_there_is_left_out(self):
        def dnf(guest, names):
            if 'qemu-guest-agent' in names:
                return Result(1, '', 'Error: Unable to find a match: qemu-guest-agent')
            guest.packages.update((name, '1') for name in names)
            return Result(0, '', '')

        guest, manager = self.made(dnf)
        manager.install(['cloud-init'], ['qemu-guest-agent'])
        self.assertEqual((manager.brought, guest.packages, self.warnings), ([], {'cloud-init': '1'}, []))

    def test_one_that_cannot_be_set_up_is_no_failure(self):
        def dnf(guest, names):
            guest.packages['cloud-init'] = '1'
            return Result(1, '', 'qemu-guest-agent: scriptlet failed')

        guest, manager = self.made(dnf)
        manager.install(['cloud-init'], ['qemu-guest-agent'])
        self.assertEqual((manager.brought, len([one for one in guest.commands if one.startswith('dnf')])), ([], 1))

    def test_one_that_there_is_no_room_for_is_left_out(self):
        def dnf(guest, names):
            if len(names) > 1:
                return Result(1, '', 'installing package x needs 12MB more space on the / filesystem')
            guest.packages.update((name, '1') for name in names)
            return Result(0, '', '')

        guest, manager = self.made(dnf)
        manager.install(['cloud-init'], ['qemu-guest-agent'])
        self.assertEqual(guest.packages, {'cloud-init': '1'})

    def test_a_tool_that_leaves_out_what_it_does_not_find_is_asked_again_with_other_sources_too(self):
        """As yum does, which calls that a success."""
        guest, manager = self.made(None)
        guest._dnf = lambda args: self.yum(guest, args)
        manager.other_sources = lambda: iter([['--enablerepo=extras']])
        manager.install(['cloud-init'], ['qemu-guest-agent'])
        self.assertEqual((sorted(guest.packages), manager.reached), (['cloud-init', 'qemu-guest-agent'], ['--enablerepo=extras']))

    @staticmethod
    def yum(guest, args):
        there = ['qemu-guest-agent'] + (['cloud-init'] if '--enablerepo=extras' in args else [])
        found = [name for name in asked_for(args) if name in there]
        guest.packages.update((name, '1') for name in found)
        return Result(0, '', '') if found else Result(1, '', 'Error: Nothing to do')

    def test_whatever_keeps_it_from_coming_the_other_comes_alone(self):
        """Tools name what a package lacks, and not always the package."""
        for said in ('E: Unable to correct problems, you have held broken packages.', 'E: Failed to fetch http://x/liburing2_2.3-3_amd64.deb  404  Not Found'):
            self.clear()
            guest = self.guest('debian')

            def apt_get(args, guest=guest, said=said):
                if 'qemu-guest-agent' in args:
                    return Result(100, ' qemu-guest-agent : Depends: liburing2', said)
                if 'install' in args:
                    tree(guest.root, {'/var/lib/dpkg/status': 'Package: cloud-init\nStatus: install ok installed\nVersion: 1\n'})
                return Result(0, '', '')

            guest._apt_get = apt_get
            manager = package_manager(guest)
            manager.install(['cloud-init'], ['qemu-guest-agent'])
            self.assertEqual((manager.brought, list(manager.installed())), ([], ['cloud-init']))

    def test_a_tool_that_does_not_end_is_not_waited_for_twice(self):
        guest, manager = self.made(None)

        def slow(args):
            raise CommandFailed('osmorphing.command-failed', '`%s` took longer than 3600 s' % ' '.join(args), {'output': ''})

        guest._dnf = slow
        with self.assertRaises(MorphError):
            manager.install(['cloud-init'], ['qemu-guest-agent'])
        self.assertEqual(len([one for one in guest.commands if one.startswith('dnf')]), 1)

    def test_sources_that_do_not_answer_are_asked_once(self):
        guest, manager = self.made(lambda guest, names: Result(1, '', 'Cannot download repomd.xml'))
        with self.assertRaises(MorphError) as caught:
            manager.install(['cloud-init'], ['qemu-guest-agent'])
        self.assertEqual((caught.exception.code, len([one for one in guest.commands if one.startswith('dnf')])), ('osmorphing.packages-unreachable', 1))


class Archives(TreeTest):
    def test_a_release_that_is_no_longer_maintained_is_installed_from_its_archive(self):
        guest = self.guest('centos7', {'/usr/bin/rpm': '', '/usr/bin/yum': '', '/etc/pki/rpm-gpg/RPM-GPG-KEY-CentOS-7': '', '/etc/pki/rpm-gpg/RPM-GPG-KEY-EPEL-7': ''})

        def yum(args):
            if not any(word.startswith('--setopt=reposdir=') for word in args):
                return Result(1, '', 'Could not retrieve mirrorlist')
            guest.packages[args[-1]] = '19.4'
            return Result(0, '', '')

        guest._yum = yum
        package_manager(guest).install(['cloud-init'])
        self.assertEqual(guest.packages, {'cloud-init': '19.4'})
        text = guest.read('/run/causeway-repositories/archive.repo')
        self.assertIn('/7.9.2009/os/$basearch/\n', text)
        self.assertEqual((text.count('gpgcheck=1'), text.count('EPEL')), (3, 0))
        # Without the distribution's key, nothing is tried.
        os.unlink(guest.root + '/etc/pki/rpm-gpg/RPM-GPG-KEY-CentOS-7')
        guest.packages.clear()
        del guest.commands[:]
        with self.assertRaises(MorphError) as caught:
            package_manager(guest).install(['cloud-init'])
        self.assertEqual((caught.exception.code, len(guest.commands)), ('osmorphing.packages-unreachable', 1))

    def test_a_registered_suse_gets_the_module_that_has_cloud_init(self):
        files = {'/usr/bin/rpm': '', '/usr/bin/zypper': '', '/usr/sbin/SUSEConnect': '', '/etc/zypp/credentials.d/SCCcredentials': 'x'}
        for code in (0, 1):
            self.clear()
            guest = self.guest('sles', files)
            guest._SUSEConnect = lambda args, code=code: Result(code, '', '')
            guest._zypper = lambda args: Result(0 if 'refresh' in args or any('public-cloud' in command for command in guest.commands) else 104, '', 'No provider of cloud-init found')
            if code == 0:
                package_manager(guest).install(['cloud-init'])
            else:
                with self.assertRaises(MorphError):
                    package_manager(guest).install(['cloud-init'])
            self.assertEqual([command for command in guest.commands if 'SUSEConnect' in command], ['SUSEConnect -p sle-module-public-cloud/15.5/x86_64'])
        self.clear()
        self.assertEqual(list(package_manager(self.guest('tumbleweed', files)).other_sources()), [])

    def test_what_the_archive_does_not_have_either_is_told_as_before(self):
        guest = self.guest('debian', {'/etc/apt/sources.list': 'deb http://ftp.de.debian.org/debian stretch main\n'})
        said = ['404  Not Found']
        guest._apt_get = lambda args: Result(100, '', 'E: archive' if any('sourceparts' in word for word in args) else 'E: own ' + said[0])
        for tries, runs in (('404  Not Found', 4), ('Temporary failure resolving', 2)):
            said[0] = tries
            del guest.commands[:]
            with self.assertRaises(MorphError) as caught:
                package_manager(guest).install(['cloud-init'])
            self.assertEqual((caught.exception.code, len(guest.commands)), ('osmorphing.packages-unreachable', runs))
            self.assertIn('E: own', caught.exception.message)

    def test_sources_of_the_distribution_alone_lead_to_its_archive(self):
        guest = self.guest('debian', {
            '/etc/apt/sources.list': 'deb http://deb.debian.org/debian buster main\ndeb-src http://deb.debian.org/debian buster main\n# deb http://ftp.debian.org/debian x main\n'
            'deb http://security.debian.org/debian-security buster/updates main\ndeb http://deb.debian.org/debian buster-updates main\ndeb http://mirror.example/debian buster main\n'})
        self.assertIn('Dir::Etc::sourceparts=-', apt_options(guest))
        self.assertEqual(guest.read('/run/causeway-sources.list'), (
            'deb http://archive.debian.org/debian buster main\ndeb http://archive.debian.org/debian-security buster/updates main\n'))
        self.clear()
        self.assertIsNone(apt_options(self.guest('debian', {'/etc/apt/sources.list': 'deb http://mirror.example/debian buster main\n'})))
        self.clear()
        self.assertIsNone(yum_options(self.guest('rocky')))

    def test_sources_in_blocks_lead_there_as_well_with_the_keys_that_they_name(self):
        guest = self.guest('ubuntu', {'/etc/apt/sources.list.d/ubuntu.sources': (
            '# of the installer\nTypes: deb\nURIs: http://de.archive.ubuntu.com/ubuntu/\nSuites: oracular oracular-updates\nComponents: main universe\nSigned-By: /usr/share/keyrings/ubuntu-archive-keyring.gpg\n\n'
            'Types: deb deb-src\nURIs: http://ports.ubuntu.com/ubuntu-ports\nSuites: oracular\nComponents: main\nSigned-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n x\n\n'
            'Enabled: no\nTypes: deb\nURIs: http://archive.ubuntu.com/ubuntu\nSuites: oracular-proposed\nComponents: main\n\nTypes: deb-src\nURIs: http://archive.ubuntu.com/ubuntu\nSuites: x\nComponents: main\n')})
        self.assertIsNotNone(apt_options(guest))
        signed = 'deb [signed-by=/usr/share/keyrings/ubuntu-archive-keyring.gpg] http://old-releases.ubuntu.com/ubuntu/ oracular%s main universe\n'
        self.assertEqual(guest.read('/run/causeway-sources.list'), signed % '' + signed % '-updates' + 'deb http://old-releases.ubuntu.com/ubuntu oracular main\n')
        # Each address stands for a line with each suite.
        self.clear()
        many = {'/etc/apt/sources.list.d/a.sources': 'Types: deb\nURIs:%s\nSuites:%s\nComponents:%s\n' % (' http://archive.ubuntu.com/ubuntu' * 20000, ' x' * 200000, ' main' * 100000)}
        self.assertIsNotNone(apt_options(self.guest('ubuntu', many)))
        self.assertLess(len(guest.read('/run/causeway-sources.list')), 1 << 20)

    def test_a_repository_of_the_distribution_that_is_switched_off_is_used_once(self):
        text = '[%s]\nname = x\nbaseurl=http://x/\nenabled = %d\ngpgcheck = %d\n\n'
        for release, sections, used in (
            ('ID="rhel"\nVERSION_ID="7.9"\n', (('rhel-7-server-rpms', 1, 1), ('rhel-7-server-rh-common-rpms', 0, 1), ('rhel-7-server-rh-common-debug-rpms', 0, 1), ('rhel-7-server-eus-rpms', 0, 1), ('rhel-7-server-supplementary-rpms', 0, 1)), ['rhel-7-server-rh-common-rpms']),
            ('ID="rhel"\nVERSION_ID="9.4"\n', (('rhel-9-for-x86_64-baseos-rpms', 1, 1), ('rhel-9-for-x86_64-appstream-rpms', 0, 1), ('rhel-9-for-x86_64-appstream-source-rpms', 0, 1), ('rhel-9-for-x86_64-highavailability-rpms', 0, 1)), ['rhel-9-for-x86_64-appstream-rpms']),
            ('ID="rhel"\nVERSION_ID="8.6"\n', (('rhui-rhel-8-for-x86_64-appstream-rhui-rpms', 0, 1), ('rhel-8-for-x86_64-appstream-rhui-rpms', 0, 1)), ['rhui-rhel-8-for-x86_64-appstream-rhui-rpms', 'rhel-8-for-x86_64-appstream-rhui-rpms']),
            ('ID="ol"\nVERSION_ID="7.9"\n', (('ol7_latest', 1, 1), ('ol7_addons', 0, 1), ('ol7_developer', 0, 1), ('ol7_UEKR6', 0, 1)), ['ol7_addons']),
            ('ID="rocky"\nVERSION_ID="9.4"\n', (('baseos', 1, 1), ('appstream', 0, 0), ('extras,*', 0, 1)), []),
            ('ID="fedora"\nVERSION_ID="41"\n', (('fedora', 0, 1),), []),
        ):
            with self.subTest(release):
                self.clear()
                guest = self.guest('rocky', {'/usr/bin/rpm': '', '/usr/bin/dnf': '', '/etc/os-release': release, '/etc/yum.repos.d/a.repo': ''.join(text % one for one in sections)})
                self.assertEqual(disabled_repositories(guest), used)
                guest._dnf = lambda args: Result(0 if any(word.startswith('--enablerepo') for word in args) else 1, '', 'No match for argument: cloud-init')
                if used:
                    package_manager(guest).install(['cloud-init'])
                    self.assertEqual(guest.commands[-1], 'dnf -y --setopt=install_weak_deps=False %s install cloud-init' % ' '.join('--enablerepo=' + name for name in used))
                else:
                    self.assertRaises(MorphError, package_manager(guest).install, ['cloud-init'])
                self.assertEqual(guest.read('/etc/yum.repos.d/a.repo'), ''.join(text % one for one in sections))

    def test_each_release_of_centos_has_its_place_in_the_archive(self):
        keys = {'/etc/pki/rpm-gpg/RPM-GPG-KEY-centosofficial': '', '/etc/pki/rpm-gpg/RPM-GPG-KEY-CentOS-6': '', '/etc/pki/rpm-gpg/RPM-GPG-KEY-CentOS-7': ''}
        for release, more, place in (
            ('VERSION_ID="8"\nPRETTY_NAME="CentOS Linux 8"', {}, '/8.5.2111/AppStream/$basearch/os\n'), ('VERSION_ID="8"\nPRETTY_NAME="CentOS Stream 8"', {}, '/8-stream/BaseOS/$basearch/os\n'),
            ('VERSION_ID="9"\nPRETTY_NAME="CentOS Stream 9"', {}, None), ('VERSION_ID="7"\nPRETTY_NAME="CentOS Linux 7"', {'/lib/ld-linux-aarch64.so.1': ''}, '/altarch/7.9.2009/os/$basearch\n'),
            ('VERSION_ID="6.10"\nPRETTY_NAME="CentOS release 6.10"', {}, '/6.10/os/$basearch\n'),
        ):
            with self.subTest(release):
                self.clear()
                guest = self.guest('centos7', dict(keys, **dict(more, **{'/etc/os-release': 'ID="centos"\n' + release + '\n'})))
                self.assertEqual(yum_options(guest) is not None, place is not None)
                self.assertIn(place or '', guest.read('/run/causeway-repositories/archive.repo', '').replace('os/\n', 'os\n').replace('$basearch/\n', '$basearch\n'))

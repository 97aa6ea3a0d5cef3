"""The guest's packages, managed with its own tools."""

import os
import re

from . import package_archives, protocol
from .command import CommandFailed
from .protocol import Cancelled, MorphError

_UNREACHABLE = 'osmorphing.packages-unreachable'
# How package tools say that there is no room, and with how much room no package fits.
_NO_ROOM = re.compile(r'No space left on device|enough free space|more space needed|needs \d+ ?[KMG]i?B (?:more )?(?:space )?on|Disk Requirements', re.IGNORECASE)
_LITTLE = 4 << 20
# How they say that there is no way to the guest's sources.
_NO_WAY = re.compile(
    r'Could not resolve|failure resolving|Could not connect|onnection (?:timed out|refused|failed)|Network is unreachable|No route to host'
    r'|Cannot download|Could not retrieve mirrorlist|Failed to (?:download|synchronize)|Curl error|imeout was reached|Timeout exceeded', re.IGNORECASE,
)
_LENT = '/run/causeway-packages'
# Enough for the database of a system with thousands of packages.
_LARGEST_DATABASE = 64 << 20


def package_manager(guest, request=None):
    """The package manager of the guest's family."""
    kinds = {'debian': Apt, 'redhat': Dnf, 'suse': Zypper}
    return kinds[guest.family](guest, request or {})


class PackageManager(object):
    """What all have in common. `request`: httpProxy?, packageCache? (a folder on the worker with package files)."""

    ending = ''

    def __init__(self, guest, request):
        self.guest = guest
        proxy = request.get('httpProxy')
        self.env = {'http_proxy': proxy, 'https_proxy': proxy} if proxy else {}
        self.cache = request.get('packageCache')
        # The options with which packages were installed from the guest's sources in this run; None if they were not needed.
        self.reached = None
        # Packages that came along with those that were asked for.
        self.brought = []

    def settle(self):
        """Takes away what programs left that ran when the replica was taken, and that no program finishes. Writes files alone.
        Returns notes."""
        return []

    def repair(self):
        """Finishes what the package tools were interrupted in. Returns notes."""
        return []

    def is_interrupted(self):
        """Whether `repair` has something to do."""
        return False

    def cached_files(self):
        """Package files of the given cache that are for this guest."""
        if not self.cache:
            return []
        found = []
        for folder, _, names in os.walk(self.cache):
            found += [os.path.join(folder, name) for name in names if name.endswith(self.ending)]
        return sorted(found)

    def lend(self, files):
        """Copies package files to the guest's /run, which disappears with the mounts."""
        lent = []
        for path in files:
            target = '%s/%s' % (_LENT, os.path.basename(path))
            if not self.guest.is_file(target):
                self.guest.bring(path, target)
            lent.append(target)
        return lent

    def return_lent(self):
        if self.guest.present(_LENT):
            self.guest.files.remove_tree(_LENT)

    def install(self, names, also=()):
        """Installs packages from the given cache if there is one, from the guest's repositories otherwise. `also`: those that the guest can
        do without. They come in the same run of its tools, each of which reads all that its sources have.

        Raises osmorphing.packages-unreachable when neither has `names`."""
        files = self.cached_files()
        if self.cache and not files:
            protocol.warn('the package cache has no %s file; using the guest\'s repositories' % self.ending)
        try:
            if files:
                self.install_files(files)
            else:
                self.refresh()
                self._install_or_from_archive(names, list(also))
            self.brought += [name for name in also if name in self.installed()]
        finally:
            self.return_lent()

    def _install_or_from_archive(self, names, also):
        try:
            self._install_with(names, also, ())
            self.reached = []
            return
        except MorphError as error:
            if error.code != _UNREACHABLE:
                raise
            refused = error
        for options in self.other_sources():
            protocol.warn_once('the guest\'s package sources do not have %s; trying others of its distribution' % ', '.join(names))
            try:
                self.refresh(options)
                self._install_with(names, also, options)
                self.reached = options
                return
            except Cancelled:
                raise
            except MorphError as error:
                protocol.log('they do not have it either: %s' % error.message[-300:])
        raise refused

    def _install_with(self, names, also, options):
        """What the guest can do without is no reason to fail. Some tools leave out what they do not find, and call that a success."""
        if also:
            try:
                self.install_from_repositories(names + also, options)
            except Cancelled:
                raise
            except MorphError as error:
                # A tool that did not end, or reached nothing, would take as long once more.
                if 'exitCode' not in error.details or _NO_WAY.search(error.details.get('output', '')):
                    raise
                protocol.log('%s could not be installed together with %s: %s' % (', '.join(also), ', '.join(names), error.message[-300:]))
            present = self.installed()
            if all(name in present for name in names):
                return
        self.install_from_repositories(names, options)

    def install_if_there(self, name):
        """A package that the guest can do without: from the given cache, or from sources that answered in this run. Returns whether it is there now."""
        files = [path for path in self.cached_files() if os.path.basename(path).startswith(name + ('_' if self.ending == '.deb' else '-'))]
        try:
            if files:
                self.install_files(files)
            elif self.reached is not None:
                self.install_from_repositories([name], self.reached)
        except Cancelled:
            raise
        except MorphError as error:
            protocol.log('%s was not installed: %s' % (name, error.message[-300:]))
        finally:
            self.return_lent()
        return name in self.installed()

    def other_sources(self):
        """Options with which the package tools use other sources of the distribution, in the order in which they are tried."""
        return iter(())

    def unreachable(self, error):
        said = error.message + error.details.get('output', '')
        full = next((place for place in ('/', '/usr', '/var') if self.guest.is_folder(place) and self.guest.free_bytes(place) < _LITTLE), None)
        if full or _NO_ROOM.search(said):
            # The sources are not to blame.
            return MorphError('osmorphing.no-space', '%s has %d MiB free, which is not enough for packages: %s' % (full or '/', self.guest.free_bytes(full or '/') >> 20, error.message[-300:]), error.details)
        return MorphError(_UNREACHABLE, error.message, error.details)


class Apt(PackageManager):
    ending = '.deb'

    def _run(self, args, timeout=1800, check=True):
        env = dict(
            self.env,
            DEBIAN_FRONTEND='noninteractive',
            DEBIAN_PRIORITY='critical',
            NEEDRESTART_SUSPEND='1',
            GRUB_DISABLE_OS_PROBER='true',
            UCF_FORCE_CONFFOLD='1',
        )
        return self.guest.run(args, timeout=timeout, check=check, env=env, shown=True)

    def installed(self):
        """Name → version, read from the database without running a guest program."""
        found = {}
        for block in self.guest.read('/var/lib/dpkg/status', '', _LARGEST_DATABASE).split('\n\n'):
            fields = dict(re.findall(r'^(Package|Status|Version): (.*)$', block, re.MULTILINE))
            if fields.get('Status', '').endswith(' installed'):
                found[fields.get('Package', '')] = fields.get('Version', '')
        return found

    def is_interrupted(self):
        states = re.findall(r'^Status: \S+ \S+ (\S+)$', self.guest.read('/var/lib/dpkg/status', '', _LARGEST_DATABASE), re.MULTILINE)
        interrupted = set(states) & set(('half-installed', 'half-configured', 'unpacked', 'triggers-awaited', 'triggers-pending'))
        # Changes that are not in the database yet have numbers for names.
        return bool(interrupted) or any(name.isdigit() for name in self.guest.names('/var/lib/dpkg/updates'))

    def repair(self):
        if not self.is_interrupted():
            return []
        result = self._run(['dpkg', '--force-confdef', '--force-confold', '--configure', '-a'], timeout=3600, check=False)
        if result.code != 0:
            protocol.warn('packages were being installed when the replica was taken, and the guest\'s tools cannot finish that: %s' % (result.err or result.out).strip()[-300:])
        return ['finished the installation of packages that was interrupted']

    # What apt said of the guest's sources.
    _refused = ''

    def other_sources(self):
        # Nothing of the release is there any more. Without a network, the archive cannot be reached either.
        options = package_archives.apt_options(self.guest) if re.search(r'404|Release file', self._refused) else None
        if options is not None:
            yield options

    def refresh(self, options=()):
        try:
            self._run(
                [
                    'apt-get',
                    '-q',
                ]
                + list(options)
                + [
                    '-o',
                    'Acquire::Retries=2',
                    '-o',
                    'Acquire::http::Timeout=30',
                    '-o',
                    'APT::Update::Error-Mode=any',
                    'update',
                ]
            )
        except CommandFailed as error:
            self._refused = error.message + error.details.get('output', '')
            # One of many sources may be long gone; only missing packages matter.
            protocol.warn('not all of the guest\'s package sources could be read: %s' % error.message[-300:])

    def install_from_repositories(self, names, options=()):
        # Downloads disappear with the mounts.
        archives = '/run/causeway-archives'
        self.guest.make_folder(archives + '/partial')
        try:
            self._run(
                [
                    'apt-get',
                    '-q',
                    '-y',
                ]
                + list(options)
                + [
                    '--no-install-recommends',
                    '-o',
                    'Dir::Cache::archives=' + archives,
                    '-o',
                    'Dpkg::Options::=--force-confdef',
                    '-o',
                    'Dpkg::Options::=--force-confold',
                    '-o',
                    # A guest that is not prepared to its end is never started, and unmounting writes everything: dpkg need not wait for each file.
                    'Dpkg::Options::=--force-unsafe-io',
                    '-o',
                    'Acquire::Retries=2',
                    'install',
                ]
                + names,
                timeout=3600,
            )
        except CommandFailed as error:
            raise self.unreachable(error)

    def install_files(self, files):
        self._run(
            ['dpkg', '--force-confdef', '--force-confold', '--force-unsafe-io', '--skip-same-version', '-i'] + self.lend(files),
            timeout=3600,
        )

    def remove(self, names):
        """Removes packages with their settings. Returns those that would have taken something vital along, and stay."""
        removed, kept = [], []
        for name in names:
            planned = self._run(['apt-get', '-s', '-y', 'purge', name], check=False).out
            taken = re.findall(r'^(?:Remv|Purg) (\S+)', planned, re.MULTILINE)
            vital = [
                one
                for one in taken
                if re.match(
                    r'(linux-image|linux-modules|initramfs-tools|openssh-server|systemd|netplan|ifupdown|network-manager|cloud-init|grub|python3$|sudo$|ubuntu-(server|standard|minimal)$)',
                    one,
                )
            ]
            if vital or not taken:
                kept.append('%s (would take %s along)' % (name, ', '.join(vital)) if vital else name)
                continue
            self._run(['apt-get', '-q', '-y', 'purge', name])
            removed += taken
        return removed, kept


class RpmBased(PackageManager):
    ending = '.rpm'

    def settle(self):
        """Old databases have locks in files, whose holders are gone: every program would wait for them without end."""
        notes = []
        stale = [path for path in self.guest.find('/var/lib/rpm') if re.match(r'__db\.\d+$', path.rsplit('/', 1)[1])]
        # On older systems these are on the disk, and the number in them may be that of another program now.
        stale += [path for path in ('/var/run/yum.pid', '/var/run/zypp.pid') if self.guest.is_file(path) and not self.guest.is_link('/var/run')]
        for path in stale:
            self.guest.forget(path)
            notes.append('removed ' + path)
        return notes

    def installed(self):
        if not self.guest.has_program('rpm'):
            return {}
        try:
            told = self.guest.run(['rpm', '-qa', '--qf', '%{NAME}|%{VERSION}-%{RELEASE}\\n'], check=False, timeout=180)
        except CommandFailed as error:
            protocol.warn_once('the guest\'s package database does not answer: %s' % error.message[-200:])
            return {}
        rows = [line.split('|') for line in told.out.splitlines() if '|' in line]
        return dict((row[0], row[1]) for row in rows)

    def install_files(self, files):
        self.guest.run(
            ['rpm', '-U', '--replacepkgs', '--oldpackage'] + self.lend(files), timeout=3600, env=self.env, shown=True
        )

    def remove(self, names):
        """Removes packages; those that others need stay and are returned."""
        result = self.guest.run(['rpm', '-e'] + names, check=False, timeout=1200, shown=True)
        if result.code == 0:
            return names, []
        removed, kept = [], []
        for name in names:
            one = self.guest.run(['rpm', '-e', name], check=False, timeout=1200)
            (removed if one.code == 0 else kept).append(name)
        return removed, kept


class Dnf(RpmBased):
    @property
    def program(self):
        return 'dnf' if self.guest.has_program('dnf') else 'yum'

    def other_sources(self):
        disabled = package_archives.disabled_repositories(self.guest)
        if disabled:
            yield ['--enablerepo=' + name for name in disabled]
        options = package_archives.yum_options(self.guest)
        if options is not None:
            yield options

    def refresh(self, options=()):
        """The guest's repositories are read when it installs; a separate round would only cost time."""

    def install_from_repositories(self, names, options=()):
        # Yum has no weak dependencies, and that of RHEL 5 not even the option.
        few = ['--setopt=install_weak_deps=False'] if self.program == 'dnf' else []
        try:
            self.guest.run(
                [self.program, '-y'] + few + list(options) + ['install'] + names,
                timeout=3600,
                env=self.env,
                shown=True,
            )
        except CommandFailed as error:
            raise self.unreachable(error)


class Zypper(RpmBased):
    def other_sources(self):
        """Up to release 15, SUSE has cloud-init in a module of its own, which a registered system may use."""
        guest = self.guest
        if guest.release.get('ID') not in ('sles', 'sles_sap') or guest.major > 15 or not guest.has_program('SUSEConnect') or not guest.is_file('/etc/zypp/credentials.d/SCCcredentials'):
            return
        version = guest.release.get('VERSION_ID', '') if guest.major >= 15 else str(guest.major)
        processor = 'aarch64' if guest.exists('/lib/ld-linux-aarch64.so.1') else 'x86_64'
        enabled = guest.run(
            ['SUSEConnect', '-p', 'sle-module-public-cloud/%s/%s' % (version, processor)], check=False, timeout=600, env=self.env, shown=True
        )
        if enabled.code == 0:
            yield []

    def refresh(self, options=()):
        try:
            self.guest.run(
                # Only keys that the guest already trusts: a key from the network proves nothing.
                ['zypper', '--non-interactive', 'refresh'],
                timeout=1800,
                env=self.env,
                shown=True,
            )
        except CommandFailed as error:
            protocol.warn('not all of the guest\'s package sources could be read: %s' % error.message[-300:])

    def install_from_repositories(self, names, options=()):
        try:
            self.guest.run(
                ['zypper', '--non-interactive', 'install', '--no-recommends', '--auto-agree-with-licenses'] + names,
                timeout=3600,
                env=self.env,
                shown=True,
            )
        except CommandFailed as error:
            raise self.unreachable(error)

"""The mounted guest: its files, tools and facts."""

import re

from .command import CommandFailed, Result, run
from .enclosure import Enclosure
from .guest_tree import GuestTree
from .own_command_line import arguments_of
from .roots import read_release

FAMILIES = {
    'debian': ('debian', 'ubuntu', 'linuxmint', 'raspbian', 'devuan', 'kali'),
    'redhat': ('rhel', 'centos', 'almalinux', 'rocky', 'ol', 'fedora', 'amzn', 'scientific', 'cloudlinux', 'eurolinux'),
    'suse': ('sles', 'sles_sap', 'sled', 'opensuse', 'opensuse-leap', 'opensuse-tumbleweed', 'suse', 'sl-micro'),
}


def family_of(release):
    """debian, redhat, suse, or an empty text if unknown."""
    own = release.get('ID', '').lower()
    for family, ids in FAMILIES.items():
        if own in ids:
            return family
    # A derivative names the distributions it is like; only those with the same package tools count.
    for like in release.get('ID_LIKE', '').lower().split():
        for family, ids in FAMILIES.items():
            if like in ids:
                return family
    return ''


def _names_of(devices):
    """Path below /dev → device, as the guest's own device manager would name them by their content."""
    found = {}
    for device in devices:
        for key, folder in (('UUID', 'by-uuid'), ('LABEL', 'by-label'), ('PART_ENTRY_UUID', 'by-partuuid'), ('PART_ENTRY_NAME', 'by-partlabel')):
            value = device.properties.get(key, '')
            if value not in ('', '.', '..') and len(value) < 200:
                plain = re.sub(r'[^A-Za-z0-9#+.:=@_-]', lambda odd: ''.join('\\x%02x' % one for one in odd.group().encode('utf-8', 'surrogateescape')), value)
                found['disk/%s/%s' % (folder, plain)] = device.path
    return found


class Guest(GuestTree):
    """A guest that is mounted at `root`."""

    def __init__(self, root, devices=(), runs=True):
        """`devices`: its block devices, which its own programs may open. `runs`: whether they are run at all."""
        GuestTree.__init__(self, root)
        self.runs = runs
        self.enclosure = Enclosure(self.root, [device.path for device in devices], _names_of(devices))
        self.release = read_release(self)
        self.family = family_of(self.release)
        self._modules = {}

    def run(
        self, args, timeout=300, check=True, env=None, shown=False, text_input=None, code='osmorphing.command-failed'
    ):
        """Runs one of the guest's programs in the guest."""
        if not self.runs:
            if check:
                raise CommandFailed(code, '%s: programs of the guest are not run here' % args[0])
            return Result(127, '', '')
        if self.enclosure.command_line is None:
            self.enclosure.command_line = (arguments_of(self) + '\n').encode('utf-8', 'surrogateescape')
        return run(
            list(args),
            timeout=timeout,
            check=check,
            env=env,
            shown=shown,
            text_input=text_input,
            code=code,
            enclosure=self.enclosure,
        )

    def has_program(self, name):
        return any(
            self.exists('%s/%s' % (folder, name))
            for folder in ('/usr/sbin', '/usr/bin', '/sbin', '/bin', '/usr/local/bin')
        )

    @property
    def major(self):
        """The first number of its version; 0 when it has none (rolling releases)."""
        digits = self.release.get('VERSION_ID', '').split('.')[0]
        return int(digits) if digits.isdigit() else 0

    @property
    def has_systemd(self):
        return self.exists('/usr/lib/systemd/systemd') or self.exists('/lib/systemd/systemd')

    def module_paths(self, version, folders=('',)):
        """Paths of a kernel's modules, all or those below some of its folders. Thousands of files are looked at once, until `forget_modules`."""
        top = '/lib/modules/%s' % version
        if version not in self._modules:
            self._modules[version] = [path for path, _ in self.walk(top) if '.ko' in path.rsplit('/', 1)[1]]
        return [path for path in self._modules[version] if path.startswith(tuple(('%s/%s' % (top, folder)).rstrip('/') + '/' for folder in folders))]

    def forget_modules(self):
        """For whatever may have come or gone since."""
        self._modules = {}

    def kernels(self):
        """Kernel versions that can boot: those with modules and an image."""
        found = []
        folders = set(self.names('/lib/modules')) | set(self.names('/usr/lib/modules'))
        for version in sorted(folders):
            images = (
                '/boot/vmlinuz-' + version,
                '/boot/vmlinux-' + version,
                '/boot/Image-' + version,
                '/lib/modules/%s/vmlinuz' % version,
            )
            if any(self.exists(path) for path in images):
                found.append(version)
        return found

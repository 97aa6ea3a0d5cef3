"""Where an operating system is installed."""

import os
import re

from . import bitlocker, fstab, hibernation, protocol
from .command import run
from .guest_tree import GuestTree
from .protocol import MorphError

_READ_ONLY = {
    'ext2': 'ro,nodev',
    'ext3': 'ro,nodev,noload',
    'ext4': 'ro,nodev,noload',
    'xfs': 'ro,nodev,norecovery,nouuid',
    'btrfs': 'ro,nodev',
}
_RELEASE_FILES = (
    '/etc/os-release',
    '/usr/lib/os-release',
    '/etc/redhat-release',
    '/etc/SuSE-release',
    '/etc/debian_version',
)
# Snapshots of the system that tools keep in subvolumes.
_SNAPSHOT = re.compile(r'(^|/)(\.?snapshots|timeshift-btrfs|@?snapshots)/')


class Root(object):
    """A file system (with a btrfs subvolume, if any) that holds an installation. `encrypted`: name → UUID of the
    encrypted volumes that it opens by itself."""

    def __init__(self, device, subvolume, release, encrypted=None):
        self.device = device
        self.subvolume = subvolume
        self.release = release
        self.encrypted = encrypted or {}

    @property
    def id(self):
        """The same on every worker."""
        base = 'UUID=%s' % self.device.uuid
        return '%s,subvol=%s' % (base, self.subvolume) if self.subvolume else base

    def describe(self):
        told = dict(
            self.device.describe(),
            id=self.id,
            distribution=self.release.get('ID', ''),
            version=self.release.get('VERSION_ID', ''),
            name=self.release.get('PRETTY_NAME', ''),
        )
        if self.subvolume:
            told['subvolume'] = self.subvolume
        return told


def read_release(tree):
    """os-release as a dictionary; for systems older than that file, what their own release files say."""
    for path in ('/etc/os-release', '/usr/lib/os-release'):
        text = tree.read(path, '')
        if text:
            found = {}
            for line in text.splitlines():
                key, separator, value = line.strip().partition('=')
                if separator and not key.startswith('#'):
                    found[key] = value.strip().strip('"\'')
            return found
    redhat = tree.read('/etc/redhat-release', '').strip()
    if redhat:
        number = re.search(r'(\d+(?:\.\d+)?)', redhat)
        name = 'centos' if 'CentOS' in redhat else 'ol' if 'Oracle' in redhat else 'rhel'
        return {'ID': name, 'VERSION_ID': number.group(1) if number else '', 'PRETTY_NAME': redhat}
    suse = tree.read('/etc/SuSE-release', '').strip()
    if suse:
        number = re.search(r'VERSION\s*=\s*(\S+)', suse)
        return {
            'ID': 'opensuse' if 'openSUSE' in suse else 'sles',
            'VERSION_ID': number.group(1) if number else '',
            'PRETTY_NAME': suse.splitlines()[0],
        }
    debian = tree.read('/etc/debian_version', '').strip()
    return {'ID': 'debian', 'VERSION_ID': debian, 'PRETTY_NAME': 'Debian %s' % debian} if debian else {}


def is_root(tree):
    """Whether a tree is an installation: it has a release file and /etc/fstab."""
    return tree.is_file('/etc/fstab') and any(tree.present(path) for path in _RELEASE_FILES)


def is_root_without_table(tree):
    """Whether a tree is an installation whose file systems are found by the types of their partitions. Trees of containers
    and of initial RAM disks have no table either, but no kernel, and no account of this machine."""
    return (
        not tree.present('/etc/fstab')
        and any(tree.present(path) for path in _RELEASE_FILES)
        and tree.is_file('/etc/passwd')
        and any(tree.is_file(path) for path in ('/usr/lib/systemd/systemd', '/lib/systemd/systemd', '/sbin/init'))
        and bool(tree.names('/usr/lib/modules') or tree.names('/lib/modules'))
        and not tree.present('/.dockerenv')
    )


def mount_options(device, devices, extra=()):
    """Options that every mount of a device needs: a btrfs of several devices names them all."""
    options = list(extra)
    if device.content == 'btrfs':
        options += [
            'device=%s' % other.path
            for other in devices
            if other.content == 'btrfs' and other.uuid == device.uuid and other.path != device.path
        ]
    if device.content == 'xfs':
        # The worker may have mounted a copy of the same file system: clones share their identity.
        options.append('nouuid')
    return options


def find_roots(devices, undo_log):
    """All installations, btrfs snapshots not among them."""
    roots, without_table = [], []
    point = os.path.join(undo_log.folder, 'look')
    os.makedirs(point, exist_ok=True)
    seen, offsets, newer = set(), set(), None
    for device in devices:
        if device.content not in _READ_ONLY or (device.content, device.uuid) in seen:
            continue
        seen.add((device.content, device.uuid))
        options = mount_options(device, devices, _READ_ONLY[device.content].split(','))
        if device.content == 'btrfs':
            options.append('subvolid=5')
        undo_log.will('unmount', path=point)
        result = run(
            ['mount', '-t', device.content, '-o', ','.join(options), device.path, point], check=False, timeout=120
        )
        if result.code != 0:
            protocol.warn('%s (%s) cannot be mounted: %s' % (device.path, device.content, result.err.strip()[-300:]))
            told = newer_than_worker(device)
            newer = too_old(device, told) if told else newer
            continue
        try:
            for subvolume in _subvolumes(point) if device.content == 'btrfs' else ['']:
                tree = _subvolume(point, subvolume)
                if tree is None:
                    continue
                asleep = hibernation.hibernated_file(tree)
                if asleep:
                    device.properties['HIBERNATED'] = asleep
                if is_root(tree) or is_root_without_table(tree):
                    offsets.update(hibernation.resume_offsets(tree))
                    found = roots if is_root(tree) else without_table
                    found.append(Root(device, subvolume, read_release(tree), fstab.encrypted_names(tree, devices, device)))
        finally:
            run(['umount', point], timeout=120)
    for device in devices:
        if device.content in _READ_ONLY and 'HIBERNATED' not in device.properties and any(hibernation.is_image_at(device.path, offset) for offset in offsets):
            device.properties['HIBERNATED'] = 'the swap file that resume_offset= names'
    if newer and not roots and not without_table:
        raise newer
    return roots or without_table


_UNKNOWN = re.compile(r'(unknown|unsupported|incompatible)[^\n]*features?|features?[^\n]*(unknown|unsupported)', re.IGNORECASE)


def newer_than_worker(device):
    """What the kernel said of features that it does not know, after a mount failed; None if that was not why. The program tells
    only that something is invalid."""
    names = set(os.path.basename(path) for path in (device.path, os.path.realpath(device.path)))
    log = run(['dmesg', '--notime'], check=False, timeout=30).out.splitlines()[-40:]
    return next((line for line in log if _UNKNOWN.search(line) and any(re.search(r'(?<![\w-])%s(?![\w-])' % re.escape(name), line) for name in names)), None)


def too_old(device, told):
    return MorphError(
        'osmorphing.worker-too-old', '%s (%s): %s' % (device.path, device.content, told.strip()[-400:]), {'device': device.path, 'content': device.content}
    )


def _subvolume(point, path):
    """The tree of a subvolume; None for a name that mount would read differently."""
    if not path:
        return GuestTree(point)
    if not re.match(r'^[^\x00-\x1f,\\]+$', path):
        return None
    real = GuestTree(point).folder_on_worker(path)
    return GuestTree(real) if real == os.path.join(os.path.realpath(point), path) else None


def _subvolumes(point):
    """Paths of the subvolumes that may be a root: the top, the default one, and all that is not a snapshot."""
    paths = ['']
    listed = run(['btrfs', 'subvolume', 'list', point], check=False, timeout=120)
    for line in listed.out.splitlines():
        found = re.search(r'\spath (.+)$', line)
        if found:
            paths.append(found.group(1).replace('<FS_TREE>/', ''))
    default = run(['btrfs', 'subvolume', 'get-default', point], check=False, timeout=60)
    found = re.search(r'\spath (.+)$', default.out.strip())
    chosen = found.group(1).replace('<FS_TREE>/', '') if found else None
    return [path for path in paths if path == chosen or not _SNAPSHOT.search(path + '/')]


def choose_root(roots, pinned, devices, locked):
    """The one root, or the pinned one (its id, its UUID or its device). Raises when there is none, or more than one."""
    if pinned:
        wanted = pinned.strip()
        fitting = [root for root in roots if wanted in (root.id, root.device.uuid, root.device.path)]
        if len(fitting) == 1:
            return fitting[0]
        told = ', '.join(root.id for root in (fitting or roots)) or 'none'
        raise MorphError(
            'osmorphing.root-not-found' if not fitting else 'osmorphing.several-roots',
            'asked for %s, found %s' % (wanted, told),
            {'candidates': [root.describe() for root in roots]},
        )
    if not roots:
        if not locked:
            refuse_unreadable(devices)
        seen = ['%s (%s)' % (device.path, device.content or 'nothing known') for device in devices]
        code = 'osmorphing.locked' if locked else 'osmorphing.root-not-found'
        told = (
            'no key for %s; ' % ', '.join('%s (%s)' % (device.path, device.uuid) for device in locked) if locked else ''
        )
        raise MorphError(
            code, told + 'looked at ' + ', '.join(seen), {'devices': [device.describe() for device in devices]}
        )
    if len(roots) > 1:
        told = '; '.join('%s: %s' % (root.id, root.release.get('PRETTY_NAME', 'unknown system')) for root in roots)
        raise MorphError('osmorphing.several-roots', told, {'candidates': [root.describe() for root in roots]})
    return roots[0]


# File systems that a Linux can have its root on, and that workers' kernels or their distributions' installers do not have.
_UNREADABLE = {'zfs_member': 'ZFS', 'reiserfs': 'ReiserFS', 'reiser4': 'Reiser4', 'jfs': 'JFS', 'f2fs': 'F2FS', 'nilfs2': 'NILFS2', 'bcachefs': 'bcachefs', 'ufs': 'UFS'}


def refuse_unreadable(devices):
    """Explains that the installation may be on a file system that is never mounted here."""
    found = ['%s (%s)' % (device.path, _UNREADABLE[device.content]) for device in devices if device.content in _UNREADABLE]
    if found:
        raise MorphError(
            'osmorphing.not-supported',
            'no installation was found on file systems that can be read (ext2 to ext4, XFS, Btrfs), and these cannot: %s; give the guest the drivers of the destination on the source, '
            'and deploy it without OSMorphing' % ', '.join(found),
            {'devices': [device.describe() for device in devices]},
        )


def refuse_foreign(devices):
    """Explains when the disks have Windows, or an encrypted Windows volume, instead of Linux."""
    opened = bitlocker.opened_from(devices)
    for device in devices:
        if device.content in ('ntfs', 'BitLocker') and device.path not in opened:
            raise MorphError(
                'osmorphing.not-supported',
                '%s holds %s; no Linux installation was found' % (device.path, device.content),
                {'otherSystem': 'windows'},
            )

"""Mounts the guest as it would mount itself, with what its own tools need to run in it."""

import os
import shutil

from . import fstab, protocol
from .command import run
from .guest_tree import GuestTree
from .journal import mounts_below
from .protocol import MorphError
from .roots import mount_options

# File systems below these belong to the system; others (data, home folders) are left alone.
_SYSTEM = ('/boot', '/efi', '/usr', '/var', '/opt', '/etc', '/root')
_NOT_NEEDED = ('/var/lib/docker', '/var/lib/containers', '/var/lib/libvirt', '/var/lib/mysql', '/var/lib/pgsql')
_KINDS = ('ext2', 'ext3', 'ext4', 'xfs', 'btrfs', 'vfat', 'msdos', 'auto')


def mount_guest(root, devices, journal, read_only=False):
    """Mounts root and the system's other file systems. Gives the tree and {mount point: device}."""
    point = os.path.join(journal.folder, 'guest')
    os.makedirs(point, exist_ok=True)
    extra = ['subvol=/' + root.subvolume] if root.device.content == 'btrfs' else []
    if not read_only:
        check_file_system(root.device)
    journal.will('unmount', path=point)
    _mount(root.device, devices, point, extra, read_only)
    tree = GuestTree(point)
    mounted = {'/': root.device}
    resolver = fstab.resolver_for(tree, devices)
    entries = fstab.parse(tree.read('/etc/fstab', ''))
    for entry in sorted(entries, key=lambda one: one.point.rstrip('/').count('/')):
        if not _needed(entry):
            continue
        device = resolver.find(entry.spec)
        if device is None:
            _missing(entry, 'no device has %s' % entry.spec)
            continue
        target = tree.real(entry.point)
        if not os.path.isdir(target):
            _missing(entry, 'there is no folder %s' % entry.point)
            continue
        options = [option for option in entry.options if option.startswith(('subvol=', 'subvolid='))]
        if not read_only and device.content != 'btrfs':
            check_file_system(device)
        try:
            _mount(device, devices, target, options, read_only)
            mounted[entry.point] = device
        except MorphError as error:
            _missing(entry, error.message)
    return tree, mounted


def _needed(entry):
    if entry.kind not in _KINDS or entry.point == '/' or 'noauto' in entry.options or 'bind' in entry.options:
        return False
    inside = any(entry.point == folder or entry.point.startswith(folder + '/') for folder in _SYSTEM)
    return inside and not entry.point.startswith(_NOT_NEEDED)


def _missing(entry, why):
    """A guest without its /usr can't be prepared; one without its EFI system partition can, but people should know."""
    message = '%s cannot be mounted: %s' % (entry.point, why)
    if 'nofail' in entry.options or entry.point in ('/boot/efi', '/efi') or entry.point.startswith('/boot/grub2/'):
        protocol.warn(message)
        return
    raise MorphError('osmorphing.mount-failed', message, {'mountPoint': entry.point, 'device': entry.spec})


def _mount(device, devices, point, extra, read_only):
    options = mount_options(device, devices, extra)
    if read_only:
        options += {'ext3': ['ro', 'noload'], 'ext4': ['ro', 'noload'], 'xfs': ['ro', 'norecovery']}.get(
            device.content, ['ro']
        )
    else:
        options.append('rw')
    kind = device.content or 'auto'
    run(['mount', '-t', kind, '-o', ','.join(options), device.path, point], timeout=300, code='osmorphing.mount-failed')


def check_file_system(device):
    """Replays the journal and repairs what is safe to repair: a live snapshot is as after a power cut."""
    if device.content in ('ext2', 'ext3', 'ext4'):
        result = run(['e2fsck', '-p', device.path], check=False, timeout=3600)
        if result.code not in (0, 1, 2, 127):
            raise MorphError(
                'osmorphing.file-system-damaged', '%s: %s' % (device.path, (result.out + result.err).strip()[-600:])
            )
        if result.code in (1, 2):
            protocol.log('repaired %s: %s' % (device.path, result.out.strip()[-300:]))
    # Mounting replays the log of the others.


def mount_system(tree, journal):
    """What the guest's tools expect below their root. /run is a fresh one: with the worker's, they would take the
    worker's
    service manager for the guest's."""
    root = tree.root
    for folder in ('dev', 'proc', 'sys', 'run'):
        path = tree.real('/' + folder)
        if not path.startswith(root + '/'):
            raise MorphError('osmorphing.mount-failed', '/%s of the guest is no folder of its own' % folder)
        if not os.path.isdir(path):
            journal.will('remove-folder', path=path)
            os.mkdir(path)
        journal.will('unmount', path=path)
    run(['mount', '--bind', '/dev', root + '/dev'], code='osmorphing.mount-failed')
    if os.path.isdir('/dev/pts'):
        run(['mount', '--bind', '/dev/pts', root + '/dev/pts'], code='osmorphing.mount-failed')
    run(['mount', '-t', 'proc', 'proc', root + '/proc'], code='osmorphing.mount-failed')
    run(['mount', '--bind', '/sys', root + '/sys'], code='osmorphing.mount-failed')
    run(['mount', '-t', 'tmpfs', '-o', 'mode=755,size=256m', 'tmpfs', root + '/run'], code='osmorphing.mount-failed')
    # Logical volumes and device names come from here, when the worker has a device manager.
    for folder in ('/run/udev', '/run/lvm'):
        if os.path.isdir(folder):
            os.mkdir(root + folder)
            run(['mount', '--bind', folder, root + folder], code='osmorphing.mount-failed')
    os.makedirs(root + '/run/lock')
    lend_resolver(tree, journal)


def lend_resolver(tree, journal):
    """Gives the guest the worker's name servers without touching its own file: by a file in its fresh /run when its
    resolv.conf leads there, by a mount on top of it otherwise."""
    servers = os.path.join(journal.folder, 'resolv.conf')
    source = (
        '/run/systemd/resolve/resolv.conf' if os.path.isfile('/run/systemd/resolve/resolv.conf') else '/etc/resolv.conf'
    )
    try:
        shutil.copyfile(source, servers)
    except OSError:
        with open(servers, 'w'):
            pass
    path = tree.real('/etc/resolv.conf')
    if path.startswith(tree.root + '/run/'):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copyfile(servers, path)
        return
    if not os.path.isdir(os.path.dirname(path)):
        # A link that leads nowhere. The file appears where it points to, and goes again with its folders.
        missing, here = [], os.path.dirname(path)
        while not os.path.isdir(here):
            missing.append(here)
            here = os.path.dirname(here)
        for folder in reversed(missing):
            journal.will('remove-folder', path=folder)
            os.mkdir(folder)
    if not os.path.exists(path):
        journal.will('remove-file', path=path)
        with open(path, 'w'):
            pass
    journal.will('unmount', path=path)
    run(['mount', '--bind', servers, path], code='osmorphing.mount-failed')


def is_mounted(journal):
    return os.path.join(journal.folder, 'guest') in mounts_below(journal.folder)

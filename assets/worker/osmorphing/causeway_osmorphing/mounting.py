"""Mounts the guest as it mounts itself, with what its own tools need to run."""

import os
import re

from . import fstab, protocol
from .command import run
from .confined import pieces_of
from .guest_tree import GuestTree
from .undo_log import mounts_below
from .protocol import MorphError
from .roots import mount_options, newer_than_worker, too_old

# File systems below these belong to the system; others (data, home folders) are left alone.
_SYSTEM = ('/boot', '/efi', '/usr', '/var', '/opt', '/etc', '/root')
_NOT_NEEDED = ('/var/lib/docker', '/var/lib/containers', '/var/lib/libvirt', '/var/lib/mysql', '/var/lib/pgsql')
# A larger file is not a table of file systems.
_LONGEST_TABLE = 1 << 18
_SERVERS = '/run/causeway-resolv.conf'
# Types of the partitions that hold boot loaders and their kernels, in GPT and in MBR.
_ESP = ('c12a7328-f81f-11d2-ba4b-00a0c93ec93b', '0xef')
_EXTENDED_BOOT = ('bc13c2ff-59e6-4262-a352-b275fd6f7172', '0xea')
_CONTENTS = ('ext2', 'ext3', 'ext4', 'xfs', 'btrfs', 'vfat')
_KINDS = ('ext2', 'ext3', 'ext4', 'xfs', 'btrfs', 'vfat', 'msdos', 'auto')


def mount_guest(root, devices, undo_log, read_only=False):
    """Mounts root and the system's other file systems. Returns the tree and {mount point: device}."""
    point = os.path.join(undo_log.folder, 'guest')
    os.makedirs(point, exist_ok=True)
    extra = ['subvol=/' + root.subvolume] if root.device.content == 'btrfs' else []
    if not read_only:
        check_file_system(root.device)
    undo_log.will('unmount', path=point)
    _mount(root.device, devices, point, extra, read_only)
    if not read_only and root.device.content == 'btrfs':
        make_writable(point, undo_log)
    tree = GuestTree(point)
    mounted = {'/': root.device}
    resolver = fstab.resolver_for(tree, devices, root.device)
    entries = fstab.parse(tree.read('/etc/fstab', '', _LONGEST_TABLE))
    for entry in sorted(entries, key=lambda one: one.point.rstrip('/').count('/')):
        if not _needed(entry):
            continue
        device = resolver.find(entry.spec)
        if device is None:
            _missing(entry, fstab.why_unknown(entry.spec, resolver))
            continue
        if device.content not in _CONTENTS:
            _missing(entry, '%s holds %s' % (entry.spec, device.content or 'nothing known'))
            continue
        target = tree.folder_on_worker(entry.point)
        if target is None:
            _missing(entry, 'there is no folder %s' % entry.point)
            continue
        options = [option for option in entry.options if option.startswith(('subvol=', 'subvolid='))]
        if not read_only and device.content != 'btrfs':
            check_file_system(device)
        try:
            _mount(device, devices, target, options, read_only)
            mounted[entry.point] = device
        except MorphError as error:
            optional = 'nofail' in entry.options and error.code == 'osmorphing.worker-too-old'
            if error.code != 'osmorphing.mount-failed' and not optional:
                raise
            _missing(entry, error.message)
    for entry in entries:
        if entry.kind == 'overlay' and entry.point == '/etc':
            mount_layers(tree, entry, read_only)
    for device, point in boot_partitions(tree, root.device, devices, entries, mounted, resolver):
        if not tree.is_folder(point):
            if read_only:
                continue
            undo_log.will('remove-folder', path=point, root=tree.root)
            tree.make_folder(point)
        target = tree.folder_on_worker(point)
        undo_log.will('unmount', path=target)
        try:
            _mount(device, devices, target, [], read_only)
            mounted[point] = device
        except MorphError as error:
            if error.code != 'osmorphing.mount-failed':
                raise
            protocol.warn('the boot loader\'s partition %s cannot be mounted: %s' % (device.path, error.message))
    return tree, mounted


def boot_partitions(tree, root, devices, entries, mounted, resolver):
    """(device, folder) of the boot loader's partitions that are not mounted yet, because /etc/fstab does not name them or
    leaves their mounting to others. They are found by their types, as the firmware and systemd find them."""
    found, points = [], set(mounted)
    for types, contents, folders in ((_EXTENDED_BOOT, _CONTENTS, ('/boot',)), (_ESP, ('vfat',), ('/efi', '/boot/efi', '/boot'))):
        fitting = [device for device in devices if device.kind == 'partition' and device.properties.get('PART_ENTRY_TYPE', '').lower() in types]
        fitting = [device for device in fitting if device.content in contents]
        if any(device.path == one.path for device in mounted.values() for one in fitting):
            continue
        # Another disk may be a copy of a whole system.
        beside = [device for device in fitting if device.disk == root.disk] or fitting
        if len(beside) != 1:
            if beside:
                protocol.warn('none of the boot loader\'s partitions %s is used: they are of one type' % ', '.join(device.path for device in beside))
            continue
        named = [entry.point for entry in entries if entry.point.startswith(('/boot', '/efi')) and _is(resolver.find(entry.spec), beside[0])]
        empty = [folder for folder in folders if folder not in points and tree.is_folder(folder) and not tree.names(folder)]
        point = next((one for one in named if one not in points and (tree.is_folder(one) or not tree.present(one))), None)
        point = point or next(iter(empty), None) or (None if tree.present('/efi') else '/efi')
        if point is None or (point == '/efi' and types is _EXTENDED_BOOT):
            continue
        points.add(point)
        found.append((beside[0], point))
    return found


def _is(device, other):
    return device is not None and device.path == other.path


def mount_layers(tree, entry, read_only):
    """A folder of settings that consists of layers: what is written below the topmost one has no effect in the guest."""
    layers = {}
    for name in ('lowerdir', 'upperdir', 'workdir'):
        # The initial RAM disk mounts it, where the root is at /sysroot.
        parts = [re.sub(r'^/sysroot(?=/)', '', part) for part in (entry.option(name) or '').split(':') if part]
        layers[name] = [tree.folder_on_worker(part) for part in parts]
    every = layers['lowerdir'] + layers['upperdir'] + layers['workdir']
    if not layers['lowerdir'] or len(layers['upperdir']) != 1 or len(layers['workdir']) != 1 or not all(re.match(r'^[\w./@+-]+$', path or '') for path in every):
        raise MorphError('osmorphing.mount-failed', '/etc consists of layers that are not all on the disks: %s' % ','.join(entry.options), {'mountPoint': '/etc'})
    options = ['nodev', 'lowerdir=' + ':'.join((layers['upperdir'] if read_only else []) + layers['lowerdir'])]
    options += ['ro'] if read_only else ['upperdir=' + layers['upperdir'][0], 'workdir=' + layers['workdir'][0]]
    run(['mount', '-t', 'overlay', '-o', ','.join(options), 'overlay', tree.folder_on_worker('/etc')], timeout=120, code='osmorphing.mount-failed')


def make_writable(point, undo_log):
    """Systems that change by whole snapshots have the present one read-only. It is so again after the preparation."""
    if run(['btrfs', 'property', 'get', '-t', 'subvol', point, 'ro'], check=False, timeout=60).out.strip() != 'ro=true':
        return
    undo_log.will('make-read-only', path=point)
    run(['btrfs', 'property', 'set', '-t', 'subvol', point, 'ro', 'false'], timeout=60, code='osmorphing.mount-failed')
    protocol.log('the root is a read-only snapshot, which is writable during the preparation')


def _needed(entry):
    if entry.kind not in _KINDS or entry.point == '/' or 'noauto' in entry.options or 'bind' in entry.options:
        return False
    inside = any(entry.point == folder or entry.point.startswith(folder + '/') for folder in _SYSTEM)
    return inside and not entry.point.startswith(_NOT_NEEDED)


def _missing(entry, why):
    """A guest without /usr cannot be prepared; one without its EFI system partition can, with a warning."""
    message = '%s cannot be mounted: %s' % (entry.point, why)
    if 'nofail' in entry.options or entry.point in ('/boot/efi', '/efi') or entry.point.startswith('/boot/grub2/'):
        protocol.warn(message)
        return
    raise MorphError('osmorphing.mount-failed', message, {'mountPoint': entry.point, 'device': entry.spec})


def _mount(device, devices, point, extra, read_only):
    options = mount_options(device, devices, extra)
    if read_only:
        options += {'ext3': ['ro', 'noload'], 'ext4': ['ro', 'noload'], 'xfs': ['ro', 'norecovery'], 'btrfs': ['ro', 'nologreplay']}.get(
            device.content, ['ro']
        )
    else:
        options.append('rw')
    # Its device nodes have the numbers of another machine's devices.
    options.append('nodev')
    kind = device.content or 'auto'
    result = run(['mount', '-t', kind, '-o', ','.join(options), device.path, point], timeout=300, check=False, code='osmorphing.mount-failed')
    if result.code == 0:
        return
    newer = newer_than_worker(device)
    if newer:
        raise too_old(device, newer)
    raise MorphError('osmorphing.mount-failed', '%s (%s): %s' % (device.path, kind, (result.err or result.out).strip()[-600:]))


# What e2fsck says of a file system that is newer than it.
_UNKNOWN_FEATURES = re.compile(r'[^\n]*(?:unsupported (?:read-only )?feature|newer version of e2fsck)[^\n]*', re.IGNORECASE)


def check_file_system(device):
    """Replays the journal and repairs what is safe to repair: a live snapshot looks like a disk after a power cut."""
    if device.content in ('ext2', 'ext3', 'ext4'):
        result = run(['e2fsck', '-p', device.path], check=False, timeout=3600)
        unknown = _UNKNOWN_FEATURES.search(result.out + result.err)
        if unknown:
            raise too_old(device, unknown.group(0))
        if result.code not in (0, 1, 2, 127):
            raise MorphError(
                'osmorphing.file-system-damaged', '%s: %s' % (device.path, (result.out + result.err).strip()[-600:])
            )
        if result.code in (1, 2):
            protocol.log('repaired %s: %s' % (device.path, result.out.strip()[-300:]))
    # Mounting replays the log of the others.


def mount_system(tree, undo_log):
    """The folders that the guest's tools expect below their root. /run is a fresh one: with the worker's, they would mistake
    the worker's service manager for the guest's. What is in the others comes with each program that runs in the guest."""
    for name in ('/dev', '/proc', '/sys', '/run'):
        if not tree.present(name):
            undo_log.will('remove-folder', path=name, root=tree.root)
            tree.make_folder(name)
        if tree.is_link(name) or not tree.is_folder(name):
            raise MorphError('osmorphing.mount-failed', '%s of the guest is not a folder' % name)
    target = tree.folder_on_worker('/run')
    undo_log.will('unmount', path=target)
    run(['mount', '-t', 'tmpfs', '-o', 'nosuid,nodev,mode=755,size=256m', 'tmpfs', target], code='osmorphing.mount-failed')
    tree.make_folder('/run/lock')
    lend_resolver(tree, undo_log)


def lend_resolver(tree, undo_log):
    """Lends the guest the worker's name servers without touching its own file: by a file in its fresh /run when its
    resolv.conf leads there, by a mount on top of it otherwise."""
    source = next(
        (path for path in ('/run/systemd/resolve/resolv.conf', '/etc/resolv.conf') if os.path.isfile(path)), os.devnull
    )
    tree.bring(source, _SERVERS)
    for _ in range(8):
        try:
            folder = tree.folder_of('/etc/resolv.conf')
            break
        except FileNotFoundError as error:
            # A broken link. The file is created at its target and removed later, with its folders.
            if not _make_folders(tree, undo_log, error.filename):
                folder = None
                break
    if folder is None:
        protocol.warn('/etc/resolv.conf of the guest is a broken link; its programs have no name servers')
        return
    if folder == '/run' or folder.startswith('/run/'):
        tree.bring(source, '/etc/resolv.conf')
        return
    if not tree.exists('/etc/resolv.conf'):
        undo_log.will('remove-file', path=tree.place_of('/etc/resolv.conf'), root=tree.root)
        tree.bring(os.devnull, '/etc/resolv.conf')
    if not tree.is_file('/etc/resolv.conf'):
        protocol.warn('/etc/resolv.conf of the guest is not a file; its programs have no name servers')
        return
    path = tree.root + tree.place_of('/etc/resolv.conf')
    undo_log.will('unmount', path=path)
    run(['mount', '--bind', tree.root + _SERVERS, path], code='osmorphing.mount-failed')


def _make_folders(tree, undo_log, path):
    """Returns whether it is a folder then."""
    walked = ''
    for piece in pieces_of(path):
        walked += '/' + piece
        if tree.is_folder(walked):
            continue
        if tree.present(walked):
            return False
        undo_log.will('remove-folder', path=walked, root=tree.root)
        tree.make_folder(walked)
    return True


def is_mounted(undo_log):
    return os.path.join(undo_log.folder, 'guest') in mounts_below(undo_log.folder)

"""The guest's NTFS volumes: whether they can be written safely, and how they are mounted."""

import os
import stat

from .. import protocol
from ..command import run
from ..undo_log import wait_for_release
from ..protocol import MorphError
from .tree import WindowsTree

_HIBERNATED = 14
_UNCLEAN = 15
_MEMORY = 'hiberfil.sys'
# What dmsetup is in; both families have it for nearly everything that is about disks.
_MAPPER = 'dmsetup'
_FAST_RESTART = 'Fast restart mode detected'


def is_ntfs(device):
    return device.content == 'ntfs'


def ensure_tools(undo_log, with_keys=False, install=True, with_mapper=False):
    """ntfs-3g and hivex, from the worker's own package sources when it lacks them; and the device that FUSE needs. `with_keys`:
    also what opens encrypted volumes. `with_mapper`: also what opens those that need no key, if it can be had."""
    needed = {'ntfs-3g': _has('ntfs-3g'), 'python3-hivex': _has_hivex(), 'cryptsetup': _has('cryptsetup') or not with_keys, _MAPPER: _has('dmsetup') or not with_mapper}
    missing = sorted(name for name, there in needed.items() if not there)
    if missing:
        if install:
            _install(missing)
        if not _has('ntfs-3g') or not _has_hivex() or with_keys and not _has('cryptsetup'):
            raise MorphError('osmorphing.worker-tools', 'the worker has no %s' % ', '.join(missing), {'missing': missing})
    if not os.path.exists('/dev/fuse'):
        run(['modprobe', 'fuse'], check=False, timeout=60)
    if not os.path.exists('/dev/fuse'):
        undo_log.will('remove-file', path='/dev/fuse')
        os.mknod('/dev/fuse', 0o600 | stat.S_IFCHR, os.makedev(10, 229))


def _has(program):
    return any(os.path.exists('%s/%s' % (folder, program)) for folder in ('/usr/bin', '/bin', '/usr/sbin', '/sbin'))


def _has_hivex():
    try:
        import hivex

        return bool(hivex)
    except ImportError:
        return False


def _install(missing):
    protocol.log('installing %s on the worker' % ', '.join(missing))
    quiet = {'DEBIAN_FRONTEND': 'noninteractive'}
    if _has('apt-get'):
        run(['apt-get', '-q', 'update'], check=False, timeout=600, env=quiet)
        run(['apt-get', '-q', '-y', 'install', '--no-install-recommends'] + missing, check=False, timeout=900, env=quiet)
    elif _has('dnf'):
        run(['dnf', '-q', '-y', 'install', 'ntfsprogs'] + ['device-mapper' if one == _MAPPER else one for one in missing], check=False, timeout=900)


def is_unclean(device, session):
    """Whether the newest changes to the volume are only in its journal, as after a power cut. Raises when Windows left it in a
    state in which it must not be written."""
    result = _probe(device)
    if result.code == 0:
        return False
    if result.code not in (_HIBERNATED, _UNCLEAN):
        told = (result.err + result.out).strip()[-300:]
        raise MorphError('osmorphing.file-system-damaged', '%s: %s' % (device.path, told or 'it cannot be mounted'))
    # The program takes the journal of a Windows that was running (since 8.1) for one of a hibernated Windows.
    refuse_hibernated(device, session)
    return True


def _probe(device):
    return run(['ntfs-3g.probe', '--readwrite', device.path], check=False, timeout=300)


def refuse_hibernated(device, session):
    """Looks for what Windows leaves when it hibernates."""
    point = os.path.join(session.folder, 'look')
    mount(device, point, session.undo_log, read_only=True)
    try:
        tree = WindowsTree(point)
        if tree.is_file(_MEMORY):
            head = tree.head(_MEMORY, 4096)
            # A volume of another Windows than the hibernated one has an empty file.
            if head[:4].lower() == b'hibr' or len(head) < 4096:
                raise MorphError('osmorphing.hibernated', '%s holds a hibernated Windows' % device.path)
    finally:
        session.undo_log.undo_last()
        session.undo_log.undo_last()


def recover(device):
    """Does what Windows does with the journal at its next start."""
    result = run(['ntfsrecover', device.path], check=False, timeout=1800)
    if _FAST_RESTART in result.out + result.err:
        # Changes beside the journal are in the memory of a hibernated Windows alone, and this one is not.
        result = run(['ntfsrecover', '--kill-fast-restart', device.path], check=False, timeout=1800)
    if result.code == 127:
        raise MorphError('osmorphing.worker-tools', 'the worker has no ntfsrecover (packages ntfs-3g, ntfsprogs)', {'missing': ['ntfsrecover']})
    if result.code != 0 or _probe(device).code != 0:
        told = (result.out + result.err).strip()[-600:]
        raise MorphError('osmorphing.not-shut-down', 'the journal of %s cannot be replayed: %s' % (device.path, told))
    protocol.log('the journal of %s was replayed' % device.path)


def mount(device, point, undo_log, read_only=False):
    """Refuses names that Windows refuses. Never falls back to another mode."""
    os.makedirs(point, exist_ok=True)
    options = ['ro'] if read_only else ['rw', 'norecover', 'windows_names']
    # The driver of an earlier mount may end only after the unmount.
    undo_log.will('wait-for-release', device=device.path)
    wait_for_release({'device': device.path})
    undo_log.will('unmount', path=point)
    run(
        ['ntfs-3g', '-o', ','.join(options + ['streams_interface=none']), device.path, point],
        timeout=300,
        code='osmorphing.mount-failed',
    )
    if not read_only and os.statvfs(point).f_flag & os.ST_RDONLY:
        raise MorphError('osmorphing.hibernated', '%s can only be read' % device.path)

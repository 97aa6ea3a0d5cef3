"""The guest's NTFS volumes: whether they can be written safely, and how they are mounted."""

import os
import stat

from .. import protocol
from ..command import run
from ..undo_log import wait_for_release
from ..protocol import MorphError

_HIBERNATED = 14
_UNCLEAN = 15


def is_ntfs(device):
    return device.content == 'ntfs'


def refuse_encrypted(devices):
    locked = [device for device in devices if device.content == 'BitLocker']
    if locked:
        raise MorphError(
            'osmorphing.locked',
            '%s is encrypted with BitLocker; decrypt it on the source (manage-bde -off)' % locked[0].path,
        )


def ensure_tools(undo_log):
    """ntfs-3g and hivex, from the worker's own package sources when it lacks them; and the device that FUSE needs."""
    needed = {'ntfs-3g': _has('ntfs-3g'), 'python3-hivex': _has_hivex()}
    missing = sorted(name for name, there in needed.items() if not there)
    if missing:
        _install(missing)
        if not _has('ntfs-3g') or not _has_hivex():
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
        run(['dnf', '-q', '-y', 'install'] + missing, check=False, timeout=900)


def check_writable(device):
    """Raises when Windows left the volume in a state in which it must not be written."""
    result = run(['ntfs-3g.probe', '--readwrite', device.path], check=False, timeout=300)
    if result.code == _HIBERNATED:
        raise MorphError('osmorphing.hibernated', '%s holds a hibernated Windows' % device.path)
    if result.code == _UNCLEAN:
        raise MorphError('osmorphing.not-shut-down', '%s was not unmounted by Windows' % device.path)
    if result.code != 0:
        told = (result.err + result.out).strip()[-300:]
        raise MorphError('osmorphing.file-system-damaged', '%s: %s' % (device.path, told or 'it cannot be mounted'))


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

"""Changes to the worker, so that this process, or a later one after a crash, can undo them."""

import errno
import json
import os
import shutil
import time

from . import device_mapper, protocol
from .command import CleaningUp, run
from .confined import Confined
from .enclosure import plain


class UndoLog(object):
    """A file of undo entries. An entry is written before the change it undoes, so that none is missing."""

    def __init__(self, folder):
        self.folder = folder
        self.path = os.path.join(folder, 'journal.json')
        os.makedirs(folder, mode=0o700, exist_ok=True)

    def entries(self):
        try:
            with open(self.path) as file:
                return json.load(file)
        except (OSError, ValueError):
            return []

    def will(self, undo, **fields):
        """Records how to undo the next change."""
        entry = dict(fields, undo=undo)
        self._write(self.entries() + [entry])

    def _write(self, entries):
        partial = self.path + '.partial'
        with open(partial, 'w') as file:
            json.dump(entries, file)
            file.flush()
            os.fsync(file.fileno())
        os.rename(partial, self.path)

    def undo_last(self):
        """Undoes the last change. Returns what could not be undone, as a sentence."""
        with CleaningUp():
            entries = self.entries()
            problem = _undo(entries[-1])
            if problem is None:
                self._write(entries[:-1])
            return problem

    def undo_all(self):
        """Undoes everything, last change first. Returns what could not be undone, as sentences."""
        left = []
        with CleaningUp():
            entries = self.entries()
            while entries:
                entry = entries[-1]
                problem = _undo(entry)
                if problem:
                    left.append(problem)
                    protocol.warn(problem)
                entries.pop()
                self._write(entries)
        return left


def mounts_below(folder):
    """Mount points at or below a folder, deepest last."""
    found = []
    with open('/proc/self/mountinfo', 'rb') as file:
        for line in file:
            point = os.fsdecode(plain(line.split(b' ')[4]))
            if point == folder or point.startswith(folder.rstrip('/') + '/'):
                found.append(point)
    return found


def _undo(entry):
    undo = entry['undo']
    try:
        return _UNDO[undo](entry)
    except Exception as error:  # whatever it is, the rest has to be undone too
        return 'cannot undo %s: %s' % (json.dumps(entry, sort_keys=True), error)


def _unmount(entry):
    """Unmounts a folder and everything below it; ends processes that use it."""
    folder = entry['path']
    for attempt in range(40):
        points = mounts_below(folder)
        if not points:
            return None
        if attempt in (1, 10):
            end_processes_in(folder)
        result = run(['umount', points[-1]], timeout=120, check=False)
        if result.code != 0 and attempt > 0:
            time.sleep(0.1 if attempt < 20 else 0.5)
    return '%s is still mounted' % ', '.join(mounts_below(folder))


def end_processes_in(folder):
    """Ends processes whose root or working folder is below `folder` (a package's script may have started a daemon)."""
    prefix = folder.rstrip('/')
    for name in os.listdir('/proc'):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        for link in ('root', 'cwd'):
            try:
                target = os.readlink('/proc/%s/%s' % (name, link))
            except OSError:
                continue
            if target == prefix or target.startswith(prefix + '/'):
                protocol.log('ending process %s, which still runs in the guest' % name)
                try:
                    os.kill(int(name), 9)
                except OSError:
                    pass
                break
    time.sleep(0.05)


def _expect(args, gone):
    """Repeats a command until `gone()`."""
    return _repeat(lambda: run(args, timeout=120, check=False), gone, ' '.join(args))


def _repeat(attempt, gone, what):
    result = None
    for _ in range(20):
        if gone():
            return None
        result = attempt()
        if result.code != 0:
            time.sleep(0.25)
    return None if gone() else '`%s`: %s' % (what, result.err.strip()[-300:])


def _deactivate(entry):
    from .logical_volumes import deactivate

    return deactivate(entry['group'], entry['devices'])


def _close_luks(entry):
    return _expect(['cryptsetup', 'close', entry['name']], lambda: not os.path.exists('/dev/mapper/' + entry['name']))


def _remove_mapping(entry):
    name = entry['name']
    return _repeat(lambda: device_mapper.remove(name), lambda: not device_mapper.is_there(name), 'dmsetup remove %s' % name)


def _stop_array(entry):
    state = '/sys/block/%s/md/array_state' % os.path.basename(entry['path'])

    def gone():
        try:
            with open(state) as file:
                return file.read().strip() in ('clear', 'inactive')
        except OSError:
            return True

    return _expect(['mdadm', '--stop', entry['path']], gone)


def _make_read_only(entry):
    if entry['path'] in mounts_below(entry['path']):
        run(['btrfs', 'property', 'set', '-t', 'subvol', entry['path'], 'ro', 'true'], timeout=60)


def _allow_writes(entry):
    if os.path.exists(entry['device']):
        run(['blockdev', '--setrw', entry['device']], check=False, timeout=60)


def _drop_partitions(entry):
    run(['partx', '--delete', entry['device']], check=False, timeout=60)
    for node in entry['nodes']:
        if os.path.exists(node) and not os.path.exists('/sys/dev/block/%s' % entry['nodes'][node]):
            os.unlink(node)
    return None


def wait_for_release(entry):
    """Waits until no user-space driver has a device open: it still writes after the unmount."""
    for _ in range(200):
        try:
            handle = os.open(entry['device'], os.O_RDWR | os.O_EXCL)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno != errno.EBUSY:
                return None
            time.sleep(0.05)
            continue
        os.fsync(handle)
        os.close(handle)
        return None
    return '%s is still in use' % entry['device']


def _remove_folder(entry):
    if 'root' in entry:
        _in_guest(Confined(entry['root']).remove_folder, entry)
    elif os.path.isdir(entry['path']):
        os.rmdir(entry['path'])


def _in_guest(remove, entry):
    """A file or folder in the guest, whose programs may have replaced parts of its path by links."""
    try:
        remove(entry['path'])
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ENOTEMPTY, errno.ELOOP):
            raise


def _remove_file(entry):
    if 'root' in entry:
        _in_guest(Confined(entry['root']).unlink, entry)
    elif os.path.lexists(entry['path']):
        os.unlink(entry['path'])


def _remove_tree(entry):
    if os.path.isdir(entry['path']) and not mounts_below(entry['path']):
        shutil.rmtree(entry['path'], ignore_errors=True)


_UNDO = {
    'unmount': _unmount,
    'wait-for-release': wait_for_release,
    'deactivate': _deactivate,
    'close-luks': _close_luks,
    'remove-mapping': _remove_mapping,
    'stop-array': _stop_array,
    'make-read-only': _make_read_only,
    'allow-writes': _allow_writes,
    'drop-partitions': _drop_partitions,
    'remove-folder': _remove_folder,
    'remove-file': _remove_file,
    'remove-tree': _remove_tree,
}

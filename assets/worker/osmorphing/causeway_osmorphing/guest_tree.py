"""The guest's files. Symbolic links are resolved as in the guest: none leads to the worker's files."""

import errno
import hashlib
import os
import stat

from .confined import Confined, label_of, write_all

# Originals of changed files, kept once: a second preparation must not mistake the first one's result for the
# original.
BACKUP = '/var/lib/causeway/original'
# No settings are longer, and no program reads longer lines.
_LARGEST_TEXT = 2 << 20
_LARGEST_COPY = 1 << 30
_PIECE = 1 << 20


class GuestTree(object):
    """Files below `root`, named as inside the guest."""

    def __init__(self, root):
        self.files = Confined(root)
        self.root = self.files.root
        self.changed = []

    def _status(self, path, follow=True):
        try:
            return self.files.stat(path, follow)
        except OSError:
            return None

    def _is(self, path, kind, follow=True):
        status = self._status(path, follow)
        return status is not None and kind(status.st_mode)

    def exists(self, path):
        return self._status(path) is not None

    def present(self, path):
        """Whether the name exists, even as a broken link."""
        return self._status(path, follow=False) is not None

    def is_folder(self, path):
        return self._is(path, stat.S_ISDIR)

    def is_file(self, path):
        return self._is(path, stat.S_ISREG)

    def is_link(self, path):
        return self._is(path, stat.S_ISLNK, follow=False)

    def link_target(self, path):
        return self.files.link_target(path)

    def read(self, path, default=None, limit=_LARGEST_TEXT):
        """The text of a file; `default` (or an error) when there is none, or when it is larger than `limit` bytes."""
        try:
            return self.files.read_bytes(path, limit).decode('utf-8', 'surrogateescape')
        except (OSError, ValueError):
            if default is None:
                raise
            return default

    def head(self, path, count):
        """The first bytes of a file."""
        handle, _ = self.files.open_file(path)
        with os.fdopen(handle, 'rb') as file:
            return file.read(count)

    def part(self, path, offset, count):
        """Up to that many bytes of a file from an offset on."""
        handle, _ = self.files.open_file(path)
        with os.fdopen(handle, 'rb') as file:
            file.seek(offset)
            return file.read(count)

    def tail(self, path, count):
        """The last bytes of a file."""
        handle, status = self.files.open_file(path)
        with os.fdopen(handle, 'rb') as file:
            file.seek(max(0, status.st_size - count))
            return file.read(count)

    def names(self, folder):
        """Sorted names in a folder; none when there is no such folder."""
        try:
            return [name for name, _ in self.files.entries(folder)]
        except OSError:
            return []

    def find(self, folder, ending=''):
        """Paths of plain files (or links) right in a folder."""
        paths = ['%s/%s' % (folder.rstrip('/'), name) for name in self.names(folder) if name.endswith(ending)]
        return [path for path in paths if self.is_file(path)]

    def walk(self, folder):
        """Path and status of everything below a folder; nothing when there is no such folder."""
        return self.files.walk(folder)

    def digest(self, path, limit=_LARGEST_COPY):
        """SHA-256 in hex; an empty text for a file of more than `limit` bytes."""
        handle, status = self.files.open_file(path)
        digest = hashlib.sha256()
        with os.fdopen(handle, 'rb') as file:
            if status.st_size > limit:
                return ''
            for piece in iter(lambda: file.read(_PIECE), b''):
                digest.update(piece)
        return digest.hexdigest()

    def folder_on_worker(self, path):
        """The worker's path of a folder of the guest, without any link in it; None when there is no such folder."""
        try:
            handle = self.files.folder(path)
        except OSError:
            return None
        try:
            return os.readlink('/proc/self/fd/%d' % handle)
        finally:
            os.close(handle)

    def folder_of(self, path):
        """The guest's path of the folder that a file is in, after all links. Raises FileNotFoundError with the folder that
        is missing."""
        return self._placed(path)[0]

    def place_of(self, path):
        """The guest's path of a file, existing or not, with all links resolved."""
        folder, name = self._placed(path)
        return folder.rstrip('/') + '/' + name

    def _placed(self, path):
        handle, name = self.files.place(path)
        try:
            return os.readlink('/proc/self/fd/%d' % handle)[len(self.root):] or '/', name
        finally:
            os.close(handle)

    def real_size(self, path):
        return self.files.stat(path).st_size

    def free_bytes(self, path):
        """Free space at a file or folder."""
        handle = self.files.node(path)
        try:
            free = os.statvfs('/proc/self/fd/%d' % handle)
            return free.f_bavail * free.f_frsize
        finally:
            os.close(handle)

    def free_inodes(self, path):
        """How many more files can be made at a folder; None where the file system does not count them."""
        handle = self.files.node(path)
        try:
            room = os.statvfs('/proc/self/fd/%d' % handle)
            return room.f_favail if room.f_files else None
        finally:
            os.close(handle)

    def make_folder(self, path, mode=0o755):
        self.files.make_folder(path, mode)

    def write(self, path, text, mode=None):
        """Writes a text file; owner, mode and security label stay. Returns whether anything
        changed."""
        content = text.encode('utf-8', 'surrogateescape')
        status = self._status(path)
        if status is None or not stat.S_ISREG(status.st_mode):
            self.files.create(path, lambda handle: write_all(handle, content), 0o644 if mode is None else mode)
            self.changed.append(path)
            return True
        before = stat.S_IMODE(status.st_mode)
        if self.read(path) == text and mode in (None, before):
            return False
        self.back_up(path)
        handle, status = self.files.open_file(path)
        label = label_of(handle)
        os.close(handle)
        self.files.create(
            path, lambda made: write_all(made, content), before if mode is None else mode, (status.st_uid, status.st_gid), label
        )
        self.changed.append(path)
        return True

    def copy(self, source, target):
        """Copies a file of the guest, with its mode and owner."""
        handle, status = self.files.open_file(source)
        with os.fdopen(handle, 'rb') as file:
            if status.st_size > _LARGEST_COPY:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), source)
            times = (status.st_atime_ns, status.st_mtime_ns)

            def fill(made):
                for piece in iter(lambda: file.read(_PIECE), b''):
                    write_all(made, piece)
                os.utime(made, ns=times)

            # A file system without owners (the EFI system partition) keeps its own.
            owned = status.st_uid or status.st_gid
            self.files.create(target, fill, stat.S_IMODE(status.st_mode), (status.st_uid, status.st_gid) if owned else None)

    def bring(self, source, target, mode=0o644):
        """Copies a file of the worker into the guest, where it does not count as a change of the guest."""
        with open(source, 'rb') as file:

            def fill(made):
                for piece in iter(lambda: file.read(_PIECE), b''):
                    write_all(made, piece)

            self.files.create(target, fill, mode)

    def back_up(self, path):
        """Keeps the original of a file inside the guest, unless it is kept already."""
        kept = BACKUP + '/' + path.strip('/')
        if not self.is_file(path) or self.present(kept):
            return
        if not self.is_folder(BACKUP):
            self.files.make_folder('/var/lib/causeway', 0o700)
            self.files.make_folder(BACKUP, 0o700)
        self.copy(path, kept)

    def remove(self, path):
        """Removes a file or link; its content is kept as an original. Returns whether there was one."""
        status = self._status(path, follow=False)
        if status is None:
            return False
        if stat.S_ISDIR(status.st_mode):
            self.files.remove_tree(path)
        else:
            if stat.S_ISREG(status.st_mode):
                self.back_up(path)
            self.files.unlink(path)
        self.changed.append(path)
        return True

    def forget(self, path):
        """Removes a file without keeping its original, also through a link."""
        self.files.unlink(path, follow=True)
        self.changed.append(path)

    def link(self, path, target):
        """Makes a symbolic link. Returns whether anything changed."""
        if self.is_link(path) and self.link_target(path) == target:
            return False
        if self.present(path):
            self.files.unlink(path)
        self.files.symlink(path, target)
        self.changed.append(path)
        return True

"""The files of a Windows installation: names are compared without regard to case, and what is changed is remembered."""

import hashlib
import os
import stat

from ..confined import Confined, write_all

# Originals of changed files, kept once.
BACKUP = 'Windows/Causeway/original'
_LARGEST = 1 << 30
_PIECE = 1 << 20


class WindowsTree(object):
    """Files below `root`, named with forward slashes from the top of the volume. Links on the volume are resolved inside
    it."""

    def __init__(self, root, originals=BACKUP):
        self.files = Confined(root)
        self._originals = originals
        self.root = self.files.root
        self._changes = {}

    def spelt(self, path):
        """The path with the names as spelled on the volume. Parts that don't exist are kept as they are."""
        done = ''
        for part in path.replace('\\', '/').split('/'):
            if not part or part == '.':
                continue
            if part == '..':
                raise ValueError('a path leads out of the guest: %s' % path)
            done += '/' + self._entry(done or '/', part)
        return done or '/'

    def _entry(self, folder, name):
        try:
            self.files.stat(folder + '/' + name, follow=False)
            return name
        except OSError:
            pass
        return next((one for one in self.names(folder, spelt=True) if one.lower() == name.lower()), name)

    def _is(self, path, kind):
        try:
            return kind(self.files.stat(self.spelt(path)).st_mode)
        except OSError:
            return False

    def is_file(self, path):
        return self._is(path, stat.S_ISREG)

    def is_folder(self, path):
        return self._is(path, stat.S_ISDIR)

    def names(self, path, spelt=False):
        try:
            return [name for name, _ in self.files.entries(path if spelt else self.spelt(path))]
        except OSError:
            return []

    def read(self, path, limit=_LARGEST):
        return self.files.read_bytes(self.spelt(path), limit)

    def head(self, path, count):
        """The first bytes of a file."""
        handle, _ = self.files.open_file(self.spelt(path))
        with os.fdopen(handle, 'rb') as file:
            return file.read(count)

    def make_folder(self, path):
        self.files.make_folder(self.spelt(path))

    def write(self, path, content):
        """Writes a file; the original is kept. Returns whether anything changed."""
        old = self.state(path)
        if old is not None and old['size'] == len(content) and old['sha256'] == hashlib.sha256(content).hexdigest():
            return False
        if old is not None:
            self.back_up(path)
            # Into the same file: a new one would not have its access rights.
            handle = self.files.open_file(self.spelt(path), os.O_RDWR)[0]
            with os.fdopen(handle, 'r+b') as file:
                file.write(content)
                file.truncate()
                file.flush()
                os.fsync(file.fileno())
        else:
            self.files.create(self.spelt(path), lambda handle: write_all(handle, content), 0o644)
        self.changed(path, old)
        return True

    def back_up(self, path):
        kept = self.spelt(self._originals + '/' + path)
        if self.is_file(kept):
            return
        handle, status = self.files.open_file(self.spelt(path))
        with os.fdopen(handle, 'rb') as file:

            def fill(made):
                for piece in iter(lambda: file.read(_PIECE), b''):
                    write_all(made, piece)

            self.files.create(kept, fill, stat.S_IMODE(status.st_mode))

    def changed(self, path, before):
        """Records that a file changed; `before` is its former state, or None."""
        self._changes.setdefault(self.spelt(path), before)

    def state(self, path):
        return self._state(self.spelt(path))

    def diff(self):
        """In the form of the guest's diff."""
        found = {'added': [], 'removed': [], 'changed': []}
        for path, before in sorted(self._changes.items()):
            after = self._state(path)
            if before == after:
                continue
            if before is None:
                found['added'].append(dict(after, path=path))
            elif after is None:
                found['removed'].append(dict(before, path=path))
            else:
                found['changed'].append({'path': path, 'before': before, 'after': after})
        return found

    def _state(self, spelt):
        try:
            handle, status = self.files.open_file(spelt)
        except OSError:
            return None
        digest = hashlib.sha256()
        with os.fdopen(handle, 'rb') as file:
            for piece in iter(lambda: file.read(_PIECE), b''):
                digest.update(piece)
        # Access rights are Windows' own; what ntfs-3g shows of them says nothing.
        return {'kind': 'file', 'mode': '', 'owner': '', 'size': status.st_size, 'sha256': digest.hexdigest()}

"""The files of a Windows installation: names are compared without regard to case, and what is changed is remembered."""

import hashlib
import os
import shutil

# Originals of what is changed, once and for all.
BACKUP = 'Windows/Causeway/original'


class WindowsTree(object):
    """Files below `root`, named with forward slashes from the top of the volume."""

    def __init__(self, root):
        self.root = os.path.realpath(root)
        self._changes = {}

    def real(self, path):
        """The worker's path. Parts that don't exist are kept as they are."""
        here = self.root
        for part in path.replace('\\', '/').split('/'):
            if not part or part == '.':
                continue
            if part == '..':
                raise ValueError('a path leads out of the guest: %s' % path)
            here = _entry(here, part)
        return here

    def is_file(self, path):
        return os.path.isfile(self.real(path))

    def is_folder(self, path):
        return os.path.isdir(self.real(path))

    def names(self, path):
        try:
            return sorted(os.listdir(self.real(path)))
        except OSError:
            return []

    def read(self, path):
        with open(self.real(path), 'rb') as file:
            return file.read()

    def write(self, path, content):
        """Makes a file have this content; an original is kept. Gives whether that changed anything."""
        real = self.real(path)
        old = _state(real)
        if old is not None and old['size'] == len(content) and old['sha256'] == hashlib.sha256(content).hexdigest():
            return False
        if old is not None:
            self.back_up(path)
        os.makedirs(os.path.dirname(real), exist_ok=True)
        # Into the same file, if there is one: a new one would not have its access rights.
        with open(real, 'r+b' if old is not None else 'wb') as file:
            file.write(content)
            file.truncate()
            file.flush()
            os.fsync(file.fileno())
        self.changed(path, old)
        return True

    def back_up(self, path):
        kept = self.real(BACKUP + '/' + path)
        if os.path.exists(kept):
            return
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        shutil.copyfile(self.real(path), kept + '.partial')
        os.rename(kept + '.partial', kept)

    def changed(self, path, before):
        """Remembers that a file is not as it was; `before` is its state then, or None."""
        real = self.real(path)
        told = real[len(self.root) :]
        self._changes.setdefault(told, before)

    def state(self, path):
        return _state(self.real(path))

    def diff(self):
        """In the form of the guest's diff."""
        found = {'added': [], 'removed': [], 'changed': []}
        for path, before in sorted(self._changes.items()):
            after = _state(self.root + path)
            if before == after:
                continue
            if before is None:
                found['added'].append(dict(after, path=path))
            elif after is None:
                found['removed'].append(dict(before, path=path))
            else:
                found['changed'].append({'path': path, 'before': before, 'after': after})
        return found


def _entry(folder, name):
    exact = os.path.join(folder, name)
    if os.path.lexists(exact):
        return exact
    try:
        return next((os.path.join(folder, one) for one in os.listdir(folder) if one.lower() == name.lower()), exact)
    except OSError:
        return exact


def _state(real):
    if not os.path.isfile(real):
        return None
    digest = hashlib.sha256()
    with open(real, 'rb') as file:
        for piece in iter(lambda: file.read(1 << 20), b''):
            digest.update(piece)
    # Access rights are Windows' own; what ntfs-3g shows of them says nothing.
    return {'kind': 'file', 'mode': '', 'owner': '', 'size': os.path.getsize(real), 'sha256': digest.hexdigest()}

"""Files that can be changed without changing them: what is written goes to a folder of the worker, and is read from there."""

import errno
import os
import stat

from .confined import Confined, pieces_of

_LINKS = 40
_COMPONENTS = 512


def _error(code, path):
    return OSError(code, os.strerror(code), path)


class PlannedFiles(Confined):
    """Files below `root`, which is only read. `folder`: an empty one, for what would be written. Links are resolved here, over both."""

    def __init__(self, root, folder):
        Confined.__init__(self, root)
        self._written = Confined(folder)
        self._lower = Confined(root)
        # Paths of `root`, without links in them, that would be gone.
        self._gone = set()

    def node(self, path, follow=True):
        place = self._resolve(path, follow)
        layer = self._layer(place)
        if layer is None:
            raise _error(errno.ENOENT, path)
        return layer.node(place, False)

    def place_of(self, path, follow=True):
        """The path without any link in it, existing or not. Raises when the folder does not exist."""
        return self._resolve(path, follow, missing=True)

    def _layer(self, place):
        """Who has this path, which has no links in it; None for nobody. Folders that both have are those of `root`."""
        written = self._has(self._written, place)
        if not self._is_gone(place) and self._has(self._lower, place):
            return self._lower if not written or self._is_folder(self._lower, place) and self._is_folder(self._written, place) else self._written
        return self._written if written else None

    def _is_gone(self, place):
        pieces = pieces_of(place)
        return any('/' + '/'.join(pieces[:count]) in self._gone for count in range(1, len(pieces) + 1))

    @staticmethod
    def _has(layer, place):
        try:
            layer.stat(place, False)
            return True
        except OSError:
            return False

    @staticmethod
    def _is_folder(layer, place):
        try:
            return stat.S_ISDIR(layer.stat(place, False).st_mode)
        except OSError:
            return False

    def _resolve(self, path, follow, missing=False):
        if '\0' in path:
            raise _error(errno.ENOENT, path)
        waiting = list(reversed(pieces_of(path)))
        must_be_folder = path.endswith('/')
        found, links = [], 0
        while waiting:
            if len(waiting) > _COMPONENTS or len(found) > _COMPONENTS:
                raise _error(errno.ENAMETOOLONG, path)
            piece = waiting.pop()
            if piece == '..':
                if found:
                    found.pop()
                continue
            here = '/' + '/'.join(found + [piece])
            layer = self._layer(here)
            if layer is None:
                if waiting or not missing:
                    raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), '/' + '/'.join(found) if waiting and not found else here)
                found.append(piece)
                continue
            mode = layer.stat(here, False).st_mode
            if stat.S_ISLNK(mode) and (waiting or follow or must_be_folder):
                links += 1
                if links > _LINKS:
                    raise _error(errno.ELOOP, path)
                target = layer.link_target(here)
                if target.startswith('/'):
                    found = []
                waiting.extend(reversed(pieces_of(target)))
                continue
            if waiting and not stat.S_ISDIR(mode):
                raise _error(errno.ENOTDIR, path)
            found.append(piece)
        return '/' + '/'.join(found)

    def entries(self, path):
        place = self._resolve(path, True)
        if not any(self._is_folder(layer, place) for layer in (self._lower, self._written)):
            raise _error(errno.ENOTDIR if self._layer(place) else errno.ENOENT, path)
        found = {}
        if not self._is_gone(place) and self._is_folder(self._lower, place):
            inside = place.rstrip('/') + '/'
            found.update((name, status) for name, status in self._lower.entries(place) if inside + name not in self._gone)
        if self._is_folder(self._written, place):
            for name, status in self._written.entries(place):
                if name not in found or not (stat.S_ISDIR(status.st_mode) and stat.S_ISDIR(found[name].st_mode)):
                    found[name] = status
        return sorted(found.items())

    def make_folder(self, path, mode=0o755):
        try:
            os.close(self.folder(path))
            return False
        except FileNotFoundError:
            pass
        place = self._new_place(path)
        if self._layer(place):
            raise _error(errno.EEXIST, path)
        self._written.make_folder(place, mode)
        return True

    def place(self, path, make=False, follow=True):
        place = self._new_place(path, follow, make)
        above, name = os.path.split(place)
        return self.node(above), name

    def _new_place(self, path, follow=True, make=True):
        """Where a path is, or would be; its folder exists then."""
        for _ in range(_LINKS + 1):
            pieces = pieces_of(path)
            if not pieces or pieces[-1] == '..':
                raise _error(errno.EISDIR, path)
            if len(pieces) > _COMPONENTS:
                raise _error(errno.ENAMETOOLONG, path)
            above = '/'.join(pieces[:-1])
            os.close(self.folder(above, make))
            place = self._resolve(above + '/' + pieces[-1], False, missing=True)
            layer = self._layer(place)
            if not follow or layer is None or not stat.S_ISLNK(layer.stat(place, False).st_mode):
                return place
            target = layer.link_target(place)
            path = target if target.startswith('/') else above + '/' + target
        raise _error(errno.ELOOP, path)

    def create(self, path, fill, mode, owner=None, label=None):
        place = self._new_place(path)
        if any(self._is_folder(layer, place) for layer in [self._layer(place)] if layer):
            raise _error(errno.EISDIR, path)
        self._written.create(place, fill, mode)

    def symlink(self, path, target):
        place = self._new_place(path, False)
        if self._layer(place):
            raise _error(errno.EEXIST, path)
        self._written.make_folder(os.path.dirname(place))
        self._written.symlink(place, target)

    def unlink(self, path, follow=False):
        self._remove(path, follow, lambda place: self._written.unlink(place), folders=False)

    def remove_folder(self, path):
        if self.entries(path):
            raise _error(errno.ENOTEMPTY, path)
        self._remove(path, False, lambda place: self._written.remove_folder(place), folders=True)

    def remove_tree(self, path):
        self._remove(path, False, lambda place: self._written.remove_tree(place), folders=True)

    def _remove(self, path, follow, remove, folders):
        place = self._new_place(path, follow, make=False)
        layer = self._layer(place)
        if layer is None:
            raise _error(errno.ENOENT, path)
        if self._is_folder(layer, place) != folders:
            raise _error(errno.ENOTDIR if folders else errno.EISDIR, path)
        if self._has(self._written, place):
            remove(place)
        if self._has(self._lower, place):
            self._gone.add(place)

    def set_label(self, path, label):
        """Labels are not part of a plan."""

    def is_bare(self, path):
        return False

    def changes(self):
        """(path, added | changed | removed) of all files and links, sorted."""
        found = {}
        for place in self._gone:
            if not self._is_folder(self._lower, place):
                found[place] = 'removed'
            else:
                found.update((path, 'removed') for path, status in self._lower.walk(place) if not stat.S_ISDIR(status.st_mode))
        for path, status in self._written.walk('/'):
            if stat.S_ISDIR(status.st_mode):
                continue
            before = self._has(self._lower, path) and not self._is_folder(self._lower, path)
            if not before:
                found[path] = 'added'
            elif self._same(path):
                found.pop(path, None)
            else:
                found[path] = 'changed'
        return sorted(found.items())

    def _same(self, path):
        one, other = self._lower.stat(path, False), self._written.stat(path, False)
        if stat.S_IFMT(one.st_mode) != stat.S_IFMT(other.st_mode):
            return False
        if stat.S_ISLNK(one.st_mode):
            return self._lower.link_target(path) == self._written.link_target(path)
        if one.st_size != other.st_size or stat.S_IMODE(one.st_mode) != stat.S_IMODE(other.st_mode):
            return False
        return self._lower.read_bytes(path, one.st_size) == self._written.read_bytes(path, other.st_size)

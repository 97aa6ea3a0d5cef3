"""The guest's files. Its symbolic links are resolved as the guest would: an absolute one never leads to the
worker's files."""

import os
import shutil
import stat
import tempfile

# Originals of what is changed, once and for all: a second preparation must not take the first one's result for
# original.
BACKUP = '/var/lib/causeway/original'


class GuestTree(object):
    """Files below `root`, named as inside the guest."""

    def __init__(self, root):
        self.root = os.path.realpath(root)
        self.changed = []

    def real(self, path, follow_last=True):
        """The worker's path of a guest's path. Parts that don't exist are kept as they are."""
        parts = [part for part in path.split('/') if part not in ('', '.')]
        done = []
        links = 0
        while parts:
            part = parts.pop(0)
            if part == '..':
                done = done[:-1]
                continue
            here = os.path.join(self.root, *(done + [part]))
            if os.path.islink(here) and (parts or follow_last) and links < 40:
                links += 1
                target = os.readlink(here)
                if target.startswith('/'):
                    done = []
                parts = [piece for piece in target.split('/') if piece not in ('', '.')] + parts
                continue
            done.append(part)
        return os.path.join(self.root, *done) if done else self.root

    def exists(self, path):
        return os.path.exists(self.real(path))

    def present(self, path):
        """Whether the name is there, be it a link that leads nowhere."""
        return os.path.lexists(self.real(path, follow_last=False))

    def is_folder(self, path):
        return os.path.isdir(self.real(path))

    def is_file(self, path):
        return os.path.isfile(self.real(path))

    def is_link(self, path):
        return os.path.islink(self.real(path, follow_last=False))

    def link_target(self, path):
        return os.readlink(self.real(path, follow_last=False))

    def read(self, path, default=None):
        """The text of a file; `default` (or an error) when there is none."""
        try:
            with open(self.real(path), encoding='utf-8', errors='surrogateescape') as file:
                return file.read()
        except (OSError, ValueError):
            if default is None:
                raise
            return default

    def names(self, folder):
        """Sorted names in a folder; none when there is no such folder."""
        try:
            return sorted(os.listdir(self.real(folder)))
        except OSError:
            return []

    def find(self, folder, ending=''):
        """Paths of plain files (or links) right in a folder."""
        paths = ['%s/%s' % (folder.rstrip('/'), name) for name in self.names(folder) if name.endswith(ending)]
        return [path for path in paths if self.is_file(path)]

    def make_folder(self, path, mode=0o755):
        real = self.real(path)
        if not os.path.isdir(real):
            os.makedirs(real, mode=mode)

    def write(self, path, text, mode=None):
        """Makes a file have this text, with the owner, mode and security label it had. Gives whether that changed
        anything."""
        real = self.real(path)
        old = self.read(path, '') if os.path.isfile(real) else None
        if old == text and (mode is None or stat.S_IMODE(os.stat(real).st_mode) == mode):
            return False
        if old is not None:
            self.back_up(path)
        folder = os.path.dirname(real)
        if not os.path.isdir(folder):
            os.makedirs(folder)
        handle, partial = tempfile.mkstemp(dir=folder, prefix='.causeway-')
        try:
            with os.fdopen(handle, 'w', encoding='utf-8', errors='surrogateescape') as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            if old is not None:
                before = os.stat(real)
                os.chown(partial, before.st_uid, before.st_gid)
                os.chmod(partial, stat.S_IMODE(before.st_mode) if mode is None else mode)
                _copy_label(real, partial)
            else:
                os.chmod(partial, 0o644 if mode is None else mode)
            os.rename(partial, real)
        except BaseException:
            if os.path.exists(partial):
                os.unlink(partial)
            raise
        self.changed.append(path)
        return True

    def back_up(self, path):
        """Keeps the original of a file inside the guest, unless it is kept already."""
        real = self.real(path)
        kept = self.real(BACKUP + '/' + path.strip('/'))
        if not os.path.isfile(real) or os.path.lexists(kept):
            return
        if not os.path.isdir(self.real(BACKUP)):
            os.makedirs(self.real(BACKUP), mode=0o700)
            os.chmod(self.real('/var/lib/causeway'), 0o700)
        if not os.path.isdir(os.path.dirname(kept)):
            os.makedirs(os.path.dirname(kept))
        shutil.copy2(real, kept)
        before = os.stat(real)
        os.chown(kept, before.st_uid, before.st_gid)

    def remove(self, path):
        """Removes a file or link; its content is kept as an original. Gives whether there was one."""
        real = self.real(path, follow_last=False)
        if not os.path.lexists(real):
            return False
        if os.path.isdir(real) and not os.path.islink(real):
            shutil.rmtree(real)
        else:
            if not os.path.islink(real):
                self.back_up(path)
            os.unlink(real)
        self.changed.append(path)
        return True

    def forget(self, path):
        """Removes a file that is no original worth keeping."""
        os.unlink(self.real(path))
        self.changed.append(path)

    def real_size(self, path):
        return os.path.getsize(self.real(path))

    def link(self, path, target):
        """Makes a symbolic link. Gives whether that changed anything."""
        real = self.real(path, follow_last=False)
        if os.path.islink(real) and os.readlink(real) == target:
            return False
        if os.path.lexists(real):
            os.unlink(real)
        if not os.path.isdir(os.path.dirname(real)):
            os.makedirs(os.path.dirname(real))
        os.symlink(target, real)
        self.changed.append(path)
        return True


def _copy_label(source, target):
    try:
        os.setxattr(target, 'security.selinux', os.getxattr(source, 'security.selinux'))
    except (OSError, AttributeError):
        pass

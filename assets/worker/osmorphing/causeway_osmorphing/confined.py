"""File access that cannot leave a folder. Symbolic links are resolved as if the folder were the root, by the kernel
where it can (openat2) and component by component otherwise. Only plain files are ever opened."""

import ctypes
import errno
import os
import platform
import stat

_RESOLVE_NO_MAGICLINKS = 0x02
_RESOLVE_IN_ROOT = 0x10
# The same number on all architectures with a unified system call table.
_OPENAT2 = dict((machine, 437) for machine in (
    'x86_64', 'i386', 'i486', 'i586', 'i686', 'aarch64', 'armv6l', 'armv7l', 'armv8l', 'ppc64', 'ppc64le', 's390x', 'riscv64', 'loongarch64',
))
_LINKS = 40
_COMPONENTS = 512
_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
_NODE = os.O_PATH | os.O_CLOEXEC


class _How(ctypes.Structure):
    _fields_ = [('flags', ctypes.c_uint64), ('mode', ctypes.c_uint64), ('resolve', ctypes.c_uint64)]


def _load():
    number = _OPENAT2.get(platform.machine())
    if number is None or not hasattr(os, 'O_PATH'):
        return None
    try:
        syscall = ctypes.CDLL(None, use_errno=True).syscall
    except (OSError, AttributeError):
        return None
    syscall.restype = ctypes.c_long

    def openat2(folder, path, flags):
        how = _How(flags, 0, _RESOLVE_IN_ROOT | _RESOLVE_NO_MAGICLINKS)
        name = os.fsencode(path)
        found = syscall(
            ctypes.c_long(number), ctypes.c_int(folder), ctypes.c_char_p(name), ctypes.byref(how), ctypes.c_size_t(ctypes.sizeof(how))
        )
        if found < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code), path)
        return found

    return openat2


_openat2 = _load()


def has_openat2():
    """Whether the kernel resolves paths itself."""
    if _openat2 is None:
        return False
    top = os.open('/', _FOLDER)
    try:
        os.close(_openat2(top, '.', _NODE))
        return True
    except OSError:
        return False
    finally:
        os.close(top)


def pieces_of(path):
    return [piece for piece in path.split('/') if piece not in ('', '.')]


def _error(code, path):
    return OSError(code, os.strerror(code), path)


class Confined(object):
    """Files below `root`. Every method raises OSError as the call of the same name does; a path that would leave the
    folder is resolved inside it."""

    # False: resolve every path here instead of in the kernel.
    use_kernel = has_openat2()

    def __init__(self, root):
        self.root = os.path.realpath(root)

    def node(self, path, follow=True):
        """A descriptor of whatever is at a path, without opening it. The caller closes it."""
        if '\0' in path:
            raise _error(errno.ENOENT, path)
        top = os.open(self.root, _FOLDER)
        try:
            if self.use_kernel:
                for _ in range(64):
                    try:
                        return _openat2(top, path.lstrip('/') or '.', _NODE | (0 if follow else os.O_NOFOLLOW))
                    except OSError as error:
                        # Something above was renamed meanwhile, and the path goes up.
                        if error.errno != errno.EAGAIN:
                            raise
            return _walk(top, path, follow)
        finally:
            os.close(top)

    def stat(self, path, follow=True):
        handle = self.node(path, follow)
        try:
            return os.fstat(handle)
        finally:
            os.close(handle)

    def link_target(self, path):
        handle = self.node(path, False)
        try:
            return os.readlink('', dir_fd=handle)
        except FileNotFoundError:
            raise _error(errno.EINVAL, path)
        finally:
            os.close(handle)

    def open_file(self, path, flags=os.O_RDONLY):
        """A plain file, opened for reading (or as `flags` say), and its status. Raises for folders, devices, pipes and sockets."""
        handle = self.node(path)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise _error(errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.EINVAL, path)
            return os.open('/proc/self/fd/%d' % handle, flags | os.O_CLOEXEC | os.O_NONBLOCK), status
        finally:
            os.close(handle)

    def read_bytes(self, path, limit):
        """The content of a plain file. Raises EFBIG for more than `limit` bytes."""
        handle, status = self.open_file(path)
        with os.fdopen(handle, 'rb') as file:
            content = b'' if status.st_size > limit else file.read(limit + 1)
            if status.st_size > limit or len(content) > limit:
                raise _error(errno.EFBIG, path)
            return content

    def folder(self, path, make=False):
        """A descriptor of a folder, for use as `dir_fd`. The caller closes it."""
        try:
            handle = self.node(path)
        except FileNotFoundError:
            if not make:
                raise
            self.make_folder(path)
            handle = self.node(path)
        if not stat.S_ISDIR(os.fstat(handle).st_mode):
            os.close(handle)
            raise _error(errno.ENOTDIR, path)
        return handle

    def entries(self, path):
        """Names right in a folder, sorted, each with its own status."""
        handle = self.folder(path)
        try:
            opened = os.open('/proc/self/fd/%d' % handle, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                found = []
                for name in sorted(os.listdir(opened)):
                    try:
                        found.append((name, os.stat(name, dir_fd=opened, follow_symlinks=False)))
                    except FileNotFoundError:
                        continue
                return found
            finally:
                os.close(opened)
        finally:
            os.close(handle)

    def place(self, path, make=False, follow=True):
        """Where to create, replace or remove `path`: a descriptor of its folder, and the name in it. With `follow`, a
        link is followed to its target, existing or not. `make`: missing folders are made. The caller closes it."""
        for _ in range(_LINKS + 1):
            pieces = pieces_of(path)
            if not pieces or pieces[-1] == '..':
                raise _error(errno.EISDIR, path)
            if len(pieces) > _COMPONENTS:
                raise _error(errno.ENAMETOOLONG, path)
            above, name = '/'.join(pieces[:-1]), pieces[-1]
            handle = self.folder(above, make)
            if not follow:
                return handle, name
            try:
                target = os.readlink(name, dir_fd=handle)
            except OSError as error:
                if error.errno in (errno.EINVAL, errno.ENOENT):
                    return handle, name
                os.close(handle)
                raise
            os.close(handle)
            path = target if target.startswith('/') else above + '/' + target
        raise _error(errno.ELOOP, path)

    def make_folder(self, path, mode=0o755):
        """Makes a folder with all above it. Returns whether it was made."""
        try:
            os.close(self.folder(path))
            return False
        except FileNotFoundError:
            pass
        handle, name = self.place(path, make=True)
        try:
            os.mkdir(name, mode, dir_fd=handle)
            return True
        finally:
            os.close(handle)

    def create(self, path, fill, mode, owner=None, label=None):
        """Replaces a file atomically: `fill` writes its content to a descriptor. A link at `path` is followed."""
        handle, name = self.place(path, make=True)
        partial = '.causeway-' + os.urandom(8).hex()
        try:
            made = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=handle)
            try:
                try:
                    fill(made)
                    if owner is not None:
                        os.fchown(made, *owner)
                    os.fchmod(made, mode)
                    if label is not None:
                        _set_label(made, label)
                    os.fsync(made)
                finally:
                    os.close(made)
                os.rename(partial, name, src_dir_fd=handle, dst_dir_fd=handle)
            except BaseException:
                os.unlink(partial, dir_fd=handle)
                raise
        finally:
            os.close(handle)

    def set_label(self, path, label):
        """Sets the security label of a file, folder or link itself."""
        handle = self.node(path, False)
        try:
            os.setxattr('/proc/self/fd/%d' % handle, 'security.selinux', label)
        finally:
            os.close(handle)

    def is_bare(self, path):
        """Whether there is a file or folder without a security label, where the file system has labels."""
        try:
            handle = self.node(path, False)
        except OSError:
            return False
        try:
            os.getxattr('/proc/self/fd/%d' % handle, 'security.selinux')
        except OSError as error:
            return error.errno == errno.ENODATA
        finally:
            os.close(handle)
        return False

    def unlink(self, path, follow=False):
        """Removes a file or link itself, or with `follow` what a link leads to."""
        handle, name = self.place(path, follow=follow)
        try:
            os.unlink(name, dir_fd=handle)
        finally:
            os.close(handle)

    def remove_folder(self, path):
        """Removes an empty folder itself."""
        handle, name = self.place(path, follow=False)
        try:
            os.rmdir(name, dir_fd=handle)
        finally:
            os.close(handle)

    def remove_tree(self, path):
        handle, name = self.place(path, follow=False)
        try:
            _remove_tree(handle, name, 0)
        finally:
            os.close(handle)

    def symlink(self, path, target):
        handle, name = self.place(path, make=True, follow=False)
        try:
            os.symlink(target, name, dir_fd=handle)
        finally:
            os.close(handle)

    def walk(self, top, most=200000, deepest=64):
        """Path and status of everything below a folder, links not followed. Raises EFBIG beyond the limits."""
        waiting = [(top, 0)]
        count = 0
        while waiting:
            path, depth = waiting.pop()
            try:
                entries = self.entries(path)
            except (FileNotFoundError, NotADirectoryError):
                continue
            count += len(entries)
            if count > most or depth > deepest:
                raise _error(errno.EFBIG, path)
            for name, status in entries:
                inner = '%s/%s' % (path.rstrip('/'), name)
                yield inner, status
                if stat.S_ISDIR(status.st_mode):
                    waiting.append((inner, depth + 1))


def _walk(top, path, follow):
    """The same without help of the kernel: one component at a time, never through a link."""
    parts = _parts(path)
    folders = [os.dup(top)]
    links = 0
    try:
        while parts:
            if len(parts) > _COMPONENTS or len(folders) > _COMPONENTS:
                raise _error(errno.ENAMETOOLONG, path)
            part = parts.pop()
            if part == '.':
                continue
            if part == '..':
                # Not through "..": the folder may have been moved.
                if len(folders) > 1:
                    os.close(folders.pop())
                continue
            handle = os.open(part, _NODE | os.O_NOFOLLOW, dir_fd=folders[-1])
            mode = os.fstat(handle).st_mode
            if stat.S_ISLNK(mode) and (parts or follow):
                try:
                    target = os.readlink('', dir_fd=handle)
                finally:
                    os.close(handle)
                links += 1
                if links > _LINKS:
                    raise _error(errno.ELOOP, path)
                if target.startswith('/'):
                    while len(folders) > 1:
                        os.close(folders.pop())
                parts.extend(_parts(target))
                continue
            folders.append(handle)
            if parts and not stat.S_ISDIR(mode):
                raise _error(errno.ENOTDIR, path)
        return folders.pop()
    finally:
        for folder in folders:
            os.close(folder)


def _parts(path):
    """Components, the first one last. What is before a slash has to be a folder, also at the end."""
    return list(reversed([piece for piece in (path + '.' if path.endswith('/') else path).split('/') if piece != '']))


def _remove_tree(folder, name, depth):
    if depth > 200:
        raise _error(errno.ENAMETOOLONG, name)
    handle = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        for inner in os.listdir(handle):
            if stat.S_ISDIR(os.stat(inner, dir_fd=handle, follow_symlinks=False).st_mode):
                _remove_tree(handle, inner, depth + 1)
            else:
                os.unlink(inner, dir_fd=handle)
    finally:
        os.close(handle)
    os.rmdir(name, dir_fd=folder)


def write_all(handle, content):
    view = memoryview(content)
    while len(view):
        view = view[os.write(handle, view):]


def label_of(handle):
    """The security label of an open file; None when it has none."""
    try:
        return os.getxattr(handle, 'security.selinux')
    except (OSError, AttributeError):
        return None


def _set_label(handle, label):
    try:
        os.setxattr(handle, 'security.selinux', label)
    except (OSError, AttributeError):
        pass

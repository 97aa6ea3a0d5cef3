"""Runs the guest's programs isolated from the worker: with their own mount, process and host name spaces, only
the devices that they need, and no capability that would let root escape."""

import ctypes
import errno
import os
import signal
import stat

from .confined import Confined, write_all

_CLONE_NEWNS, _CLONE_NEWUTS, _CLONE_NEWIPC, _CLONE_NEWPID = 0x00020000, 0x04000000, 0x08000000, 0x20000000
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT = 1, 2, 4, 8, 32
_BIND, _MOVE, _REC, _PRIVATE = 4096, 8192, 16384, 1 << 18
_DETACH = 2
_PIVOT_ROOT = {'x86_64': 155, 'i386': 217, 'i686': 217, 'armv7l': 218, 'ppc64le': 203, 's390x': 217}
_PIVOT_ROOT_GENERIC = 41
_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP = 1, 24
_CAPABILITY_VERSION_3 = 0x20080522
# What package managers and builders of RAM disks need, and no more: neither mounting nor modules, raw input and output,
# tracing, the clock, or opening files by handle (CAP_DAC_READ_SEARCH), which would lead out of any root.
_KEPT = (
    0,   # CAP_CHOWN
    1,   # CAP_DAC_OVERRIDE
    3,   # CAP_FOWNER
    4,   # CAP_FSETID
    5,   # CAP_KILL
    6,   # CAP_SETGID
    7,   # CAP_SETUID
    8,   # CAP_SETPCAP
    18,  # CAP_SYS_CHROOT
    27,  # CAP_MKNOD: nodes can be made, but opened on none of the mounts
    29,  # CAP_AUDIT_WRITE
    31,  # CAP_SETFCAP
)
_NODES = ('null', 'zero', 'full', 'random', 'urandom', 'tty')
_READ_ONLY_PROC = ('sys', 'irq', 'bus', 'fs', 'acpi', 'scsi', 'sysrq-trigger')
_HIDDEN_PROC = ('kcore', 'keys', 'key-users', 'timer_list', 'sched_debug', 'kmsg')
# On the file system that the program's own devices are on; gone before it starts.
_COMMAND_LINE = '/dev/causeway-command-line'
FAILED = 'cannot isolate the guest: '
FAILED_CODE = 125

_libc = ctypes.CDLL(None, use_errno=True)


class _CapabilityHeader(ctypes.Structure):
    _fields_ = [('version', ctypes.c_uint32), ('pid', ctypes.c_int)]


class _CapabilityData(ctypes.Structure):
    _fields_ = [('effective', ctypes.c_uint32), ('permitted', ctypes.c_uint32), ('inheritable', ctypes.c_uint32)]


def _check(result, what):
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, '%s: %s' % (what, os.strerror(code)))


def _mount(source, target, kind, flags, options=''):
    _check(
        _libc.mount(os.fsencode(source), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), options.encode()),
        'mount %s' % target,
    )


class Enclosure(object):
    """Around the guest mounted at `root`. `devices`: paths of block devices of the guest itself, and `names`: further
    names for them, {path below /dev: path of the device}."""

    def __init__(self, root, devices=(), names=None):
        self.files = Confined(root)
        self.devices = sorted(set(devices))
        self.names = names or {}
        # What /proc/cmdline says inside, as bytes; that of the worker where it is None.
        self.command_line = None

    def enter(self):
        """For a fresh child process that runs a program next: it returns as that program's process, inside. Two others
        stay above it: the first one ends as the program ends, and with the second one ends all that it has started."""
        try:
            _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            _check(_libc.unshare(_CLONE_NEWNS | _CLONE_NEWUTS | _CLONE_NEWIPC | _CLONE_NEWPID), 'unshare')
            first = os.fork()
            if first > 0:
                _wait_as(first)
            _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            self._build()
            program = os.fork()
            if program > 0:
                _wait_as(program)
            _drop_rights()
        except BaseException as error:
            os.write(2, ('%s%s\n' % (FAILED, error)).encode('utf-8', 'replace'))
            os._exit(FAILED_CODE)

    def _build(self):
        # Mounts from here on are private.
        _mount('none', '/', '', _REC | _PRIVATE)
        root = self.files.root
        _mount(root, root, '', _BIND | _REC)
        for mount in _mounts_at(root):
            _mount('none', mount, '', _REMOUNT | _BIND | _NODEV | _flags_of(mount))
        self._on('/dev', 'tmpfs', _NOSUID | _NODEV | _NOEXEC, 'mode=755,size=1m')
        self._devices()
        self._on('/proc', 'proc', _NOSUID | _NODEV | _NOEXEC)
        self._proc()
        with _Handle(self.files, '/sys') as target:
            _mount('/sys', target, '', _BIND)
        with _Handle(self.files, '/sys') as target:
            _mount('none', target, '', _REMOUNT | _BIND | _RDONLY | _NOSUID | _NODEV | _NOEXEC)
        if os.path.isdir('/run/udev/data') and _is_folder(self.files, '/run'):
            self.files.make_folder('/run/udev/data')
            self._bind_read_only('/run/udev/data', '/run/udev/data')
        _enter_root(root)

    def _on(self, path, kind, flags, options=''):
        with _Handle(self.files, path) as target:
            _mount(kind, target, kind, flags, options)

    def _bind_read_only(self, source, path):
        with _Handle(self.files, path) as target:
            _mount(source, target, '', _BIND)
        with _Handle(self.files, path) as target:
            _mount('none', target, '', _REMOUNT | _BIND | _RDONLY | _NOSUID | _NODEV | _NOEXEC)

    def _devices(self):
        """Binds the worker's nodes; no other node can be opened."""
        files = self.files
        for folder in ('pts', 'shm', 'mapper'):
            files.make_folder('/dev/' + folder)
        self._on('/dev/pts', 'devpts', _NOSUID | _NOEXEC, 'newinstance,ptmxmode=0666,mode=620,gid=5')
        self._on('/dev/shm', 'tmpfs', _NOSUID | _NODEV | _NOEXEC, 'mode=1777,size=64m')
        for name, target in (
            ('ptmx', 'pts/ptmx'), ('fd', '/proc/self/fd'), ('stdin', '/proc/self/fd/0'), ('stdout', '/proc/self/fd/1'), ('stderr', '/proc/self/fd/2'),
        ):
            files.symlink('/dev/' + name, target)
        for path in ['/dev/' + name for name in _NODES] + self.devices:
            real = os.path.realpath(path)
            if not real.startswith('/dev/') or not os.path.exists(real):
                continue
            if not _exists(files, real):
                files.make_folder(os.path.dirname(real))
                files.create(real, lambda _: None, 0o600)
                with _Handle(files, real) as target:
                    _mount(real, target, '', _BIND)
            if real != path and path.startswith('/dev/') and not _exists(files, path):
                files.symlink(path, real)
        for name, path in sorted(self.names.items()):
            if not _exists(files, '/dev/' + name):
                files.symlink('/dev/' + name, os.path.realpath(path))

    def _proc(self):
        for name in _READ_ONLY_PROC:
            path = '/proc/' + name
            if not _exists(self.files, path):
                continue
            with _Handle(self.files, path) as target:
                _mount(target, target, '', _BIND)
            with _Handle(self.files, path) as target:
                _mount('none', target, '', _REMOUNT | _BIND | _RDONLY | _NOSUID | _NODEV | _NOEXEC)
        for name in _HIDDEN_PROC:
            if _exists(self.files, '/proc/' + name):
                with _Handle(self.files, '/proc/' + name) as target:
                    _mount('/dev/null', target, '', _BIND)
        if self.command_line is not None:
            self.files.create(_COMMAND_LINE, lambda made: write_all(made, self.command_line), 0o444)
            with _Handle(self.files, _COMMAND_LINE) as source:
                self._bind_read_only(source, '/proc/cmdline')
            self.files.unlink(_COMMAND_LINE)


class _Handle(object):
    """A path for mount(2) that leads exactly to a path of the guest, regardless of links."""

    def __init__(self, files, path):
        self.handle = files.node(path)

    def __enter__(self):
        return '/proc/self/fd/%d' % self.handle

    def __exit__(self, *_):
        os.close(self.handle)


def _exists(files, path):
    try:
        files.stat(path, follow=False)
        return True
    except OSError:
        return False


def _is_folder(files, path):
    try:
        return stat.S_ISDIR(files.stat(path).st_mode)
    except OSError:
        return False


def _mounts_at(root):
    """Mount points at and below a folder, each once."""
    found = []
    with open('/proc/self/mountinfo', 'rb') as file:
        for line in file:
            point = os.fsdecode(plain(line.split(b' ')[4]))
            if (point == root or point.startswith(root.rstrip('/') + '/')) and point not in found:
                found.append(point)
    return found


def plain(field):
    """A field of mountinfo without its escapes."""
    parts = field.split(b'\\')
    return parts[0] + b''.join(bytes((int(part[:3], 8),)) + part[3:] for part in parts[1:])


def _flags_of(point):
    now = os.statvfs(point).f_flag
    pairs = ((os.ST_RDONLY, _RDONLY), (os.ST_NOSUID, _NOSUID), (os.ST_NOEXEC, _NOEXEC), (os.ST_NOATIME, 1024), (os.ST_NODIRATIME, 2048), (os.ST_RELATIME, 1 << 21))
    return sum(flag for shown, flag in pairs if now & shown)


def _enter_root(root):
    """The guest's root becomes the root, and the worker's is no longer mounted at all."""
    os.chdir(root)
    number = _PIVOT_ROOT.get(os.uname().machine, _PIVOT_ROOT_GENERIC)
    if _libc.syscall(ctypes.c_long(number), b'.', b'.') == 0:
        # The old root lies on the new one now.
        _check(_libc.umount2(b'.', _DETACH), 'umount')
    elif ctypes.get_errno() == errno.EINVAL:
        # A worker that runs from its initial RAM disk has a root that cannot be exchanged, only covered.
        _mount('.', '/', '', _MOVE)
        os.chroot('.')
    else:
        _check(-1, 'pivot_root')
    os.chdir('/')


def _drop_rights():
    for number in range(64):
        if number not in _KEPT and _libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0) < 0:
            if ctypes.get_errno() == errno.EINVAL:
                break
            _check(-1, 'drop capability %d' % number)
    mask = sum(1 << number for number in _KEPT)
    header = _CapabilityHeader(_CAPABILITY_VERSION_3, 0)
    data = (_CapabilityData * 2)(_CapabilityData(mask, mask, 0), _CapabilityData(0, 0, 0))
    _check(_libc.capset(ctypes.byref(header), data), 'capset')


def _wait_as(child):
    """Ends with the child's exit status. Keeps no descriptors open and reaps all descendants."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    os.closerange(3, 4096)
    while True:
        try:
            ended, status = os.wait()
        except ChildProcessError:
            os._exit(FAILED_CODE)
        if ended == child:
            os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))

"""Guests as folders. Their package tools and RAM disk tools are stand-ins that record what they are asked for and
do the
least of it: these trees prove what is asked and written, not that a distribution's own tools then do their work."""

import ctypes
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from causeway_osmorphing import protocol
from causeway_osmorphing.command import PATH, CommandFailed, Result
from causeway_osmorphing.guest import Guest

ELF_X86_64 = b'\x7fELF\x02\x01\x01' + b'\0' * 11 + b'\x3e\x00' + b'\0' * 44

RELEASES = {
    'debian': 'ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Debian GNU/Linux 12"\n',
    'ubuntu': 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="23.10"\nPRETTY_NAME="Ubuntu 23.10"\n',
    'rocky': 'ID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.4"\nPRETTY_NAME="Rocky Linux 9.4"\n',
    'centos7': 'ID="centos"\nID_LIKE="rhel fedora"\nVERSION_ID="7"\nPRETTY_NAME="CentOS Linux 7"\n',
    'sles': 'ID="sles"\nID_LIKE="suse"\nVERSION_ID="15.5"\nPRETTY_NAME="SUSE Linux Enterprise Server 15 SP5"\n',
    'tumbleweed': 'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\nVERSION_ID="20260101"\nPRETTY_NAME="openSUSE Tumbleweed"\n',
    'alpine': 'ID=alpine\nVERSION_ID=3.20\nPRETTY_NAME="Alpine Linux v3.20"\n',
}


class StandIns(Guest):
    """A guest whose programs are played by this class."""

    def __init__(self, root):
        Guest.__init__(self, root)
        self.commands = []
        self.packages = {}
        self.reachable = True
        # Of the images that Debian's tool makes: whether they have cryptsetup, and the table of what they unlock.
        self.has_cryptsetup = False
        self.unlocked = None

    def run(
        self, args, timeout=300, check=True, env=None, shown=False, text_input=None, code='osmorphing.command-failed'
    ):
        args = list(args)
        self.commands.append(' '.join(args))
        play = getattr(self, '_' + re.sub(r'\W', '_', os.path.basename(args[0])), None)
        result = play(args) if play else Result(0, '', '')
        if check and result.code != 0:
            output = (result.err.strip() or result.out.strip())[-4000:]
            raise CommandFailed(code, '`%s` ended with %s: %s' % (' '.join(args)[:200], result.code, output[-600:]), {'exitCode': result.code, 'output': output})
        return result

    def _rpm(self, args):
        if args[1] == '-qa':
            return Result(0, ''.join('%s|%s\n' % pair for pair in sorted(self.packages.items())), '')
        if args[1] == '-e':
            for name in args[2:]:
                self.packages.pop(name, None)
        if args[1] == '-U':
            self.packages['cloud-init'] = 'from-a-file'
        return Result(0, '', '')

    def _dnf(self, args):
        if not self.reachable:
            return Result(1, '', 'Cannot download repomd.xml')
        self.packages.update((name, '23.4-1') for name in asked_for(args))
        return Result(0, '', '')

    _yum = _dnf
    _zypper = _dnf

    def _dracut(self, args):
        self._image(args[-2], args[-1])
        return Result(0, '', '')

    def _mkinitrd(self, args):
        image = args[args.index('-i') + 1] if '-i' in args else args[-2]
        self._image(image, image.split('initrd-')[1].replace('.img', ''))
        return Result(0, '', '')

    def _update_initramfs(self, args):
        image = '/boot/initrd.img-' + args[-1]
        self._image(image, args[-1])
        with open(self.root + image, 'a') as file:
            file.write('usr/sbin/cryptsetup\n' if self.has_cryptsetup else '')
            file.write('cryptroot/crypttab\n' if self.unlocked is not None else '')
        return Result(0, '', '')

    def _sh(self, args):
        return Result(0, self.unlocked or '', '') if any('unmkinitramfs' in one for one in args) else Result(0, '', '')

    def _image(self, image, version):
        wanted = (
            ''.join(self.read('/etc/dracut.conf.d/50-causeway-%s.conf' % kind, '') for kind in ('virtio', 'hyperv'))
            + self.read('/etc/initramfs-tools/modules', '')
            + ' '.join(self.commands[-1:])
        )
        modules = [
            path.rsplit('/', 1)[1]
            for path, _ in sorted(self.walk('/lib/modules/%s/kernel' % version))
            if path.rsplit('/', 1)[1].startswith(('virtio.', 'virtio_ring.')) or re.search(r'\b%s\b' % path.rsplit('/', 1)[1].split('.')[0].replace('-', '_'), wanted)
        ]
        with open(self.root + image, 'w') as file:
            file.write(''.join('usr/lib/modules/%s/%s\n' % (version, name) for name in modules))

    def _lsinitrd(self, args):
        return Result(0, self.read(args[1]), '')

    _lsinitramfs = _lsinitrd

    def _sshd(self, args):
        return Result(255, '', 'not here')


def asked_for(args):
    """What a command of a package tool is to install."""
    return [word for word in args[args.index('install') + 1 :] if not word.startswith('-')] if 'install' in args else []


def tree(root, files):
    """Makes files from {path: text}; a text that starts with → is a link."""
    for path, text in files.items():
        real = os.path.join(root, path.lstrip('/'))
        if not os.path.isdir(os.path.dirname(real)):
            os.makedirs(os.path.dirname(real))
        if isinstance(text, str) and text.startswith('→'):
            os.symlink(text[1:], real)
            continue
        with open(real, 'wb') as file:
            file.write(text if isinstance(text, bytes) else text.encode())


def kernel(
    version,
    modules=('virtio', 'virtio_ring', 'virtio_pci', 'virtio_blk', 'virtio_scsi', 'virtio_net'),
    image='/boot/initramfs-%s.img',
):
    files = {
        '/boot/vmlinuz-' + version: 'kernel',
        '/lib/modules/%s/modules.builtin' % version: 'kernel/fs/ext4/ext4.ko\n',
        image % version: '',
    }
    files.update(('/lib/modules/%s/kernel/virtio/%s.ko.xz' % (version, name), '') for name in modules)
    return files


def can_isolate():
    """Whether this process may give a program name spaces of its own."""
    if os.geteuid() != 0:
        return False
    child = os.fork()
    if child == 0:
        os._exit(0 if ctypes.CDLL(None).unshare(0x00020000 | 0x20000000) == 0 else 1)
    return os.waitpid(child, 0)[1] == 0


def program(name):
    """Where this computer has it; None if it has not."""
    return shutil.which(name, path=PATH)


def bring_program(root, path, to=None):
    """Copies a program of this computer with its libraries into a tree, where it is run as the guest's."""
    libraries = subprocess.run(['ldd', path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode().split()
    for one in [path] + [word for word in libraries if word.startswith('/') and os.path.exists(word)]:
        target = root + (to if to and one == path else one)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.exists(target):
            shutil.copy2(one, target)


def bring_programs(root, names):
    for name in names:
        bring_program(root, os.path.realpath(program(name)), '/usr/bin/' + name)
    os.symlink('usr/bin', root + '/bin')


def everything(root):
    """Path → content of a whole tree, but for the originals that are kept."""
    found = {}
    for here, folders, names in os.walk(root):
        for name in names + [one for one in folders if os.path.islink(os.path.join(here, one))]:
            real = os.path.join(here, name)
            path = real[len(root) :]
            if path.startswith('/var/lib/causeway/original'):
                continue
            if os.path.islink(real):
                found[path] = '→' + os.readlink(real)
            else:
                with open(real, errors='surrogateescape') as file:
                    found[path] = file.read()
    return found


class TreeTest(unittest.TestCase):
    """Each test has a folder for a guest, and hears the warnings."""

    maxDiff = None

    def setUp(self):
        self.root = os.path.realpath(tempfile.mkdtemp(prefix='causeway-guest-'))
        self.addCleanup(shutil.rmtree, self.root, True)
        self.warnings = []
        protocol._told.clear()
        del protocol.warned[:]
        protocol.about('disks')
        self._emit = protocol.emit
        protocol.emit = lambda kind, **fields: self.warnings.append(fields['message']) if kind == 'warning' else None
        self.addCleanup(setattr, protocol, 'emit', self._emit)

    def clear(self):
        shutil.rmtree(self.root)
        os.mkdir(self.root)

    def guest(self, release='debian', files=None):
        tree(
            self.root,
            {'/etc/os-release': RELEASES[release], '/etc/fstab': 'UUID=1 / ext4 defaults 0 1\n', '/bin/sh': ELF_X86_64},
        )
        tree(self.root, files or {})
        return StandIns(self.root)

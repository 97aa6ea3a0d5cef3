"""Drivers of the destination's virtual hardware in the initial RAM disk of every installed kernel."""

import os
import re

from . import protocol
from .protocol import MorphError


class Drivers(object):
    """What a platform's virtual hardware needs; without one of the modules for disks no disk is found."""

    def __init__(self, platform, modules, disk):
        self.platform = platform
        self.modules = modules
        self.disk = disk


VIRTIO = Drivers(
    'virtio',
    ('virtio', 'virtio_ring', 'virtio_pci', 'virtio_blk', 'virtio_scsi', 'virtio_net'),
    ('virtio_blk', 'virtio_scsi'),
)
HYPERV = Drivers('hyperv', ('hv_vmbus', 'hv_storvsc', 'hv_netvsc'), ('hv_storvsc',))
_IMAGES = ('/boot/initrd.img-%s', '/boot/initramfs-%s.img', '/boot/initrd-%s', '/boot/initrd-%s.img')


def rebuild(morph):
    """Raises osmorphing.no-virtio when no kernel has the drivers, osmorphing.initramfs when an image lacks them
    afterwards."""
    guest = morph.guest
    drivers = HYPERV if morph.request.get('hypervisor') == 'hyperv' else VIRTIO
    kernels = guest.kernels()
    if not kernels:
        raise MorphError(
            'osmorphing.initramfs', 'no kernel with modules in /lib/modules and an image in /boot was found'
        )
    tool = tool_of(guest)
    if tool is None:
        raise MorphError('osmorphing.initramfs', 'the guest has none of update-initramfs, dracut and mkinitrd')
    able = [
        version
        for version in kernels
        if set(drivers.disk) & (modules_of(guest, version, drivers) | builtin_of(guest, version, drivers))
    ]
    for version in sorted(set(kernels) - set(able)):
        protocol.warn(
            'the kernel %s has no drivers for %s disks; it can\'t boot on the destination' % (version, drivers.platform)
        )
    if not able:
        raise MorphError(
            'osmorphing.no-virtio', 'none of the kernels %s has %s' % (', '.join(kernels), ' or '.join(drivers.disk))
        )
    notes = tool.settle(guest, drivers)
    done = []
    for version in able:
        protocol.check_cancelled()
        image = image_of(guest, version, tool)
        lacking = lacking_in(guest, version, image, tool, drivers)
        if not notes and lacking == []:
            continue
        check_room(guest, image)
        tool.build(guest, version, image, drivers)
        lacking = lacking_in(guest, version, image, tool, drivers)
        if lacking:
            raise MorphError('osmorphing.initramfs', '%s still lacks %s' % (image, ', '.join(lacking)))
        done.append('rebuilt %s' % image)
    return bool(notes or done), notes + done or ['every kernel has the drivers already']


def modules_of(guest, version, drivers):
    """Which of the drivers a kernel has as files."""
    found = set()
    for _, _, names in os.walk(guest.real('/lib/modules/' + version)):
        found.update(_modules_in(names))
    return found & set(drivers.modules)


def builtin_of(guest, version, drivers):
    text = guest.read('/lib/modules/%s/modules.builtin' % version, '')
    return set(_modules_in(text.split())) & set(drivers.modules)


def _modules_in(paths):
    for path in paths:
        match = re.search(r'(?:^|/)([\w-]+)\.ko(\.\w+)?$', path)
        if match:
            yield match.group(1).replace('-', '_')


def image_of(guest, version, tool):
    for pattern in _IMAGES:
        if guest.exists(pattern % version):
            return pattern % version
    return tool.image % version


def lacking_in(guest, version, image, tool, drivers):
    """Drivers that the kernel has as files but the image has not; None when that can't be told."""
    if not guest.exists(image):
        return sorted(modules_of(guest, version, drivers))
    listed = tool.contents(guest, image)
    if listed is None:
        return None
    return sorted(modules_of(guest, version, drivers) - set(_modules_in(listed.split())))


def check_room(guest, image):
    """An image is written beside the old one before it takes its place."""
    real = guest.real(image)
    free = os.statvfs(os.path.dirname(real))
    needed = int(os.path.getsize(real) * 1.3) if os.path.exists(real) else 40 << 20
    if free.f_bavail * free.f_frsize < needed:
        raise MorphError(
            'osmorphing.no-space',
            '%s has %d MiB free, a new %s needs about %d MiB'
            % (os.path.dirname(image), free.f_bavail * free.f_frsize >> 20, os.path.basename(image), needed >> 20),
        )


class InitramfsTools(object):
    """Debian and Ubuntu."""

    image = '/boot/initrd.img-%s'

    @staticmethod
    def settle(guest, drivers):
        path = '/etc/initramfs-tools/modules'
        text = guest.read(path, '')
        present = set(line.split()[0] for line in text.splitlines() if line.split() and not line.startswith('#'))
        missing = [name for name in drivers.modules if name not in present]
        if not missing:
            return []
        before = text if text.endswith('\n') or not text else text + '\n'
        guest.write(
            path,
            before
            + '# Drivers of the platform that this machine was moved to.\n'
            + ''.join(name + '\n' for name in missing),
        )
        return ['added %s to %s' % (', '.join(missing), path)]

    @staticmethod
    def build(guest, version, image, drivers):
        action = '-u' if guest.exists(image) else '-c'
        guest.run(['update-initramfs', action, '-k', version], timeout=1800, shown=True, code='osmorphing.initramfs')

    @staticmethod
    def contents(guest, image):
        result = guest.run(['lsinitramfs', image], check=False, timeout=300)
        return result.out if result.code == 0 else None


class Dracut(object):
    """RHEL 6 and later with its likes, SLES 12 and later, openSUSE."""

    image = '/boot/initramfs-%s.img'
    folder = '/etc/dracut.conf.d'

    @classmethod
    def settle(cls, guest, drivers):
        names = ' '.join(name for name in drivers.modules if name not in ('virtio', 'virtio_ring'))
        conf = '%s/50-causeway-%s.conf' % (cls.folder, drivers.platform)
        text = '# Drivers of the platform that this machine was moved to.\nadd_drivers+=" %s "\n' % names
        if guest.is_folder(cls.folder):
            return ['wrote ' + conf] if guest.write(conf, text) else []
        return []

    @staticmethod
    def build(guest, version, image, drivers):
        names = ' '.join(sorted(modules_of(guest, version, drivers)))
        args = ['dracut', '--force'] + (['--add-drivers', names] if names else []) + [image, version]
        guest.run(args, timeout=1800, shown=True, code='osmorphing.initramfs')

    @staticmethod
    def contents(guest, image):
        result = guest.run(['lsinitrd', image], check=False, timeout=300)
        return result.out if result.code == 0 else None


class MkinitrdSuse(object):
    """SLES 11."""

    image = '/boot/initrd-%s'

    @staticmethod
    def settle(guest, drivers):
        path = '/etc/sysconfig/kernel'
        text = guest.read(path, '')
        found = re.search(r'^INITRD_MODULES="([^"]*)"', text, re.MULTILINE)
        present = found.group(1).split() if found else []
        missing = [name for name in drivers.modules if name not in present]
        if not missing:
            return []
        line = 'INITRD_MODULES="%s"' % ' '.join(present + missing)
        guest.write(path, text[: found.start()] + line + text[found.end() :] if found else text + line + '\n')
        return ['added %s to %s' % (', '.join(missing), path)]

    @staticmethod
    def build(guest, version, image, drivers):
        kernel = '/boot/vmlinuz-' + version
        guest.run(
            ['mkinitrd', '-m', ' '.join(drivers.modules), '-k', kernel, '-i', image],
            timeout=1800,
            shown=True,
            code='osmorphing.initramfs',
        )

    @staticmethod
    def contents(guest, image):
        result = guest.run(['lsinitrd', image], check=False, timeout=300)
        return result.out if result.code == 0 else None


class MkinitrdRedHat(MkinitrdSuse):
    """RHEL 5 and its likes."""

    image = '/boot/initrd-%s.img'

    @staticmethod
    def settle(guest, drivers):
        return []

    @staticmethod
    def build(guest, version, image, drivers):
        args = (
            ['mkinitrd', '-f']
            + ['--with=' + name for name in drivers.modules if name in modules_of(guest, version, drivers)]
            + [image, version]
        )
        guest.run(args, timeout=1800, shown=True, code='osmorphing.initramfs')


def tool_of(guest):
    if guest.has_program('update-initramfs') and guest.is_folder('/etc/initramfs-tools'):
        return InitramfsTools
    if guest.has_program('dracut'):
        return Dracut
    if guest.has_program('mkinitrd'):
        return MkinitrdSuse if guest.family == 'suse' else MkinitrdRedHat
    return None

"""The programs that build initial RAM disks, by family."""

import re

from . import protocol
from .image_builder import Tool
from .kernel_drivers import file_systems, modules_of
from .old_mkinitrd import MkinitrdRedHat, MkinitrdSuse


class InitramfsTools(Tool):
    """Debian and Ubuntu up to 25.04."""

    image = '/boot/initrd.img-%s'
    unlocking = ('initramfs',)
    # Whether it writes nowhere else.
    one_place = True
    # Whether what puts layers together are programs in the image.
    has_programs = True

    @staticmethod
    def is_told_by_arguments(arguments):
        return False

    @staticmethod
    def settle(guest, drivers):
        return InitramfsTools._for_any_hardware(guest) + InitramfsTools.include(guest, drivers.modules)

    @staticmethod
    def include(guest, names):
        """Modules that every image has to have. Returns notes."""
        path = '/etc/initramfs-tools/modules'
        text = guest.read(path, '')
        present = set(line.split()[0] for line in text.splitlines() if line.split() and not line.startswith('#'))
        missing = [name for name in names if name not in present]
        if not missing:
            return []
        before = text if text.endswith('\n') or not text else text + '\n'
        guest.write(
            path,
            before
            + '# What this machine needs on the platform that it was moved to.\n'
            + ''.join(name + '\n' for name in missing),
        )
        return ['added %s to %s' % (', '.join(missing), path)]

    @staticmethod
    def _for_any_hardware(guest):
        """An image for only the hardware it is built on would be for the worker."""
        folder = '/etc/initramfs-tools'
        own = folder + '/conf.d/zz-causeway-modules'
        files = [folder + '/initramfs.conf'] + ['%s/conf.d/%s' % (folder, name) for name in sorted(guest.names(folder + '/conf.d'))]
        values = re.findall(r'^\s*MODULES=["\']?(\w+)', '\n'.join(guest.read(path, '') for path in files), re.MULTILINE)
        if not values or values[-1] != 'dep' or not guest.is_folder(folder + '/conf.d'):
            return []
        guest.write(own, '# This machine was moved: the image is built where other hardware is.\nMODULES=most\n')
        return ['wrote %s, so that the initial RAM disk has the drivers of any hardware' % own]

    @staticmethod
    def build(guest, version, image, drivers, root, below, is_copied=False):
        action = '-u' if guest.exists(image) else '-c'
        # A hook would write the boot entry anew, with what it believes the kernel is started with. The image is copied to where the entry
        # has it instead.
        env = {'KERNEL_INSTALL_BYPASS': '1'} if is_copied else None
        guest.run(['update-initramfs', action, '-k', version], env=env, timeout=1800, shown=True, code='osmorphing.initramfs')

    @staticmethod
    def contents(guest, image):
        result = guest.run(['lsinitramfs', image], check=False, timeout=300)
        return result.out if result.code == 0 else None

    # Debian 10 and later put a crypttab into the image, earlier versions a settings file.
    tables = ('cryptroot/crypttab', 'conf/conf.d/cryptroot')
    # Images that begin with the processor's microcode are unpacked into several folders.
    read_tables = '''
folder=$(mktemp -d /var/tmp/causeway-image.XXXXXX) || exit 1
trap 'rm -rf "$folder"' EXIT
if command -v unmkinitramfs > /dev/null; then unmkinitramfs "$1" "$folder" >&2 || exit 1
else (cd "$folder" && zcat "$1" | cpio -id --quiet --no-absolute-filenames 'cryptroot/*' 'conf/conf.d/*') >&2 || exit 1
fi
for table in cryptroot/crypttab conf/conf.d/cryptroot; do
  for part in "$folder" "$folder"/main; do [ ! -f "$part/$table" ] || cat "$part/$table"; done
done
'''

    @classmethod
    def unlocked(cls, guest, image, listed):
        """The devices that an image unlocks, as it calls them; None if unknown."""
        if 'cryptopts=' in guest.read('/boot/grub/grub.cfg', ''):
            return None
        if not any(line.lstrip('./') in cls.tables for line in listed.splitlines()):
            return []
        result = guest.run(['sh', '-c', cls.read_tables, 'sh', image], check=False, timeout=600)
        if result.code != 0:
            protocol.warn('%s cannot be unpacked, so it is unknown whether it unlocks the root' % image)
            return None
        return cls.sources(result.out)

    @staticmethod
    def sources(tables):
        found = []
        for line in tables.splitlines():
            fields = line.split()
            if line.startswith('target='):
                found += re.findall(r',source=([^,\s]+)', line)
            elif len(fields) >= 2 and not fields[0].startswith('#'):
                found.append(fields[1])
        return found


class Dracut(Tool):
    """RHEL 6 and later with its likes, SLES 12 and later, openSUSE, Ubuntu 25.10 and later."""

    image = '/boot/initramfs-%s.img'
    one_place = False
    has_programs = True
    folder = '/etc/dracut.conf.d'
    # Otherwise it takes the volumes that it finds below the mounted root, which it sees in part. Old versions know the second one alone.
    unlocking = ('x-initrd.attach', 'force')

    @staticmethod
    def is_told_by_arguments(arguments):
        return any(re.match(r'^(rd[._]luks[._](uuid|name)|luks[._](uuid|name)|rd\.auto)(=|$)|^rd_LUKS_UUID=', word) for word in arguments.split())

    @staticmethod
    def may_unlock(listed):
        names = listed.split()
        return any(name.endswith('etc/crypttab') or ('etc/cmdline.d/' in name and ('crypt' in name or 'luks' in name)) for name in names)

    @staticmethod
    def unlocked(guest, image, listed):
        """The kernel's command line says what to unlock."""
        return None

    @classmethod
    def settle(cls, guest, drivers):
        if not any(modules_of(guest, version, drivers) for version in guest.kernels()):
            return []
        names = ' '.join(name for name in drivers.modules if name not in ('virtio', 'virtio_ring'))
        conf = '%s/50-causeway-%s.conf' % (cls.folder, drivers.platform)
        text = '# Drivers of the platform that this machine was moved to.\nadd_drivers+=" %s "\n' % names
        # It reads that folder also where its package did not make it.
        return ['wrote ' + conf] if guest.write(conf, text) else []

    # Layers below a root → its modules. It looks for them on the devices of the worker, which it sees in part.
    _LAYERS = {'logical': 'lvm', 'raid': 'mdraid', 'decrypted': 'crypt'}

    @classmethod
    def build(cls, guest, version, image, drivers, root, below, is_copied=False):
        names = sorted(modules_of(guest, version, drivers) & set(drivers.modules)) + file_systems(guest, version, below.types)
        names += [name for name in below.modules(guest, version)[0] if name not in names]
        layers = [cls._LAYERS[kind] for kind in below.kinds]
        args = ['dracut', '--force'] + (['--add', ' '.join(layers)] if layers else []) + (['--add-drivers', ' '.join(names)] if names else []) + [image, version]
        guest.run(args, timeout=1800, shown=True, code='osmorphing.initramfs')

    @staticmethod
    def contents(guest, image):
        result = guest.run(['lsinitrd', image], check=False, timeout=300)
        return result.out if result.code == 0 else None


def tool_of(guest):
    # Where Debian's family builds with dracut, that may have a program of the old name, and settings of the other tool may be left.
    by_dracut = guest.has_program('dracut') and not guest.has_program('mkinitramfs')
    if guest.has_program('update-initramfs') and guest.is_folder('/etc/initramfs-tools') and not by_dracut:
        return InitramfsTools
    if guest.has_program('dracut'):
        return Dracut
    if guest.has_program('mkinitrd'):
        return MkinitrdSuse if guest.family == 'suse' else MkinitrdRedHat
    return None

"""Drivers of the destination's virtual hardware in the initial RAM disk of every installed kernel."""

import os
import re

from . import boot_entries, fstab, protocol
from .confined import write_all
from .protocol import MorphError


class Drivers(object):
    """What a platform's virtual hardware needs; each bus needs one of its disk modules."""

    def __init__(self, platform, modules, disks):
        self.platform = platform
        self.modules = modules
        self.disks = disks

    def lacking_bus(self, present):
        """Name of a bus whose disks a kernel with these modules can't use; None when it can use all."""
        return next((bus for bus, modules in sorted(self.disks.items()) if not set(modules) & present), None)


_VIRTIO = ('virtio', 'virtio_ring', 'virtio_pci', 'virtio_blk', 'virtio_scsi', 'virtio_net')
# Bus → modules, and those of which one drives its disks. Which controller stands for a bus depends on the machine type.
_BUSES = {
    'virtio': ((), ('virtio_blk',)),
    'scsi': ((), ('virtio_scsi',)),
    'ide': (('ata_piix', 'ahci', 'ata_generic', 'sd_mod'), ('ata_piix', 'ahci', 'piix', 'ata_generic')),
    # A kernel that has the driver gives up the emulated disks, so that the initial RAM disk needs it.
    'xen': (('xen_blkfront', 'xen_netfront'), ('xen_blkfront',)),
    'usb': (('usb_storage', 'uas', 'xhci_pci', 'xhci_hcd', 'ehci_pci', 'ehci_hcd', 'uhci_hcd', 'sd_mod'), ('usb_storage',)),
}
HYPERV = Drivers('hyperv', ('hv_vmbus', 'hv_storvsc', 'hv_netvsc'), {'hyperv': ('hv_storvsc',)})


def drivers_for(request):
    """Of the hypervisor and the disk buses that the request names; without buses, either one of VirtIO."""
    if request.get('hypervisor') == 'hyperv':
        return HYPERV
    buses = [bus for bus in request.get('diskBuses') or [] if bus in _BUSES]
    if not buses:
        return Drivers('virtio', _VIRTIO, {'virtio': ('virtio_blk', 'virtio_scsi')})
    modules = list(_VIRTIO)
    for bus in buses:
        modules += [name for name in _BUSES[bus][0] if name not in modules]
    return Drivers('virtio', tuple(modules), dict((bus, _BUSES[bus][1]) for bus in buses))


_IMAGES = ('/boot/initrd.img-%s', '/boot/initramfs-%s.img', '/boot/initrd-%s', '/boot/initrd-%s.img')


def rebuild(morph):
    """Raises osmorphing.no-virtio when no kernel has the drivers, osmorphing.initramfs when an image lacks them
    afterwards."""
    guest = morph.guest
    drivers = drivers_for(morph.request)
    kernels, able, tool = able_kernels(guest, drivers)
    morph.unable_kernels = set(kernels) - set(able)
    entries, unified = boot_entries.entries_of(guest), boot_entries.unified_kernels(guest)
    notes = tool.settle(guest, drivers)
    encrypted = volumes_below([morph.root_device] + morph.mounted_at(('/usr',)), morph.devices)
    if encrypted and tool is InitramfsTools:
        notes += unlock_at_boot(guest, morph.resolver, encrypted)
    done = []
    for version in able:
        first = True
        for image in targets_of(guest, version, tool, entries, unified):
            protocol.check_cancelled()
            before = contents_of(guest, image, tool)
            lacking = lacking_in(guest, version, image, before, drivers)
            if not notes and not morph.rebuild_initramfs and lacking == []:
                first = False
                continue
            if first or not tool.one_place:
                check_room(guest, image)
                tool.build(guest, version, image, drivers, morph.root_device)
            elif not copy_image(guest, tool.image % version, image):
                continue
            first = False
            after = contents_of(guest, image, tool)
            lacking = lacking_in(guest, version, image, after, drivers)
            if encrypted and after is not None:
                lacking = (lacking or []) + lacking_to_unlock(guest, image, tool, after, morph.resolver, encrypted)
            if lacking:
                raise MorphError('osmorphing.initramfs', '%s still lacks %s' % (image, ', '.join(lacking)))
            done.append('rebuilt %s' % image)
    check_unified(guest, able, tool, entries, unified, drivers)
    return bool(notes or done), notes + done or ['every kernel has the drivers already']


def targets_of(guest, version, tool, entries, unified=()):
    """The images of a kernel: those that the boot entries name, or the usual one where none does; none if the kernel is started
    as one file with its image. A tool that writes to one place alone begins with that."""
    named = boot_entries.images_of(entries, version)
    if not named:
        image = image_of(guest, version, tool)
        return [] if not guest.exists(image) and any(one.version == version for one in unified) else [image]
    usual = tool.image % version
    return [usual] + [image for image in named if image != usual] if tool.one_place else named


def copy_image(guest, source, image):
    """Puts a new image where a boot entry names it. Returns whether that was not done already, by the guest's own tools."""
    if guest.digest(source) == guest.digest(image):
        return False
    check_room(guest, image, guest.real_size(source))
    guest.copy(source, image)
    guest.changed.append(image)
    return True


_UNPACKED = '/run/causeway-initial-ram-disk'


def check_unified(guest, able, tool, entries, kernels, drivers):
    """Kernels that are one file with their initial RAM disk cannot be changed without breaking their signature. Raises
    osmorphing.initramfs when the guest has no other kernel that finds the destination's disks."""
    lacking = {}
    fit = any(entry.version in able and entry.images and not entry.hypervisor for entry in entries)
    for unified in kernels:
        present = _modules_of_unified(guest, unified, tool)
        if present is None:
            protocol.warn('%s cannot be examined: it is unknown whether it has drivers for the destination\'s disks' % unified.path)
            fit = True
            continue
        bus = drivers.lacking_bus(present | builtin_of(guest, unified.version, drivers))
        if bus:
            lacking[unified.path] = bus
        else:
            fit = True
    for path, bus in sorted(lacking.items()):
        message = '%s, a kernel and its initial RAM disk in one file, has no drivers for %s disks' % (path, bus)
        if not fit:
            raise MorphError('osmorphing.initramfs', message + '; build it for any hardware on the source (dracut: hostonly="no")')
        protocol.warn(message + '; it can\'t boot on the destination')


def _modules_of_unified(guest, unified, tool):
    """Names of the drivers in it; None if unknown."""
    image = unified.image(guest) if unified.version in guest.known_kernels else None
    if image is None:
        return None
    try:
        guest.files.create(_UNPACKED, lambda made: write_all(made, image), 0o600)
    except OSError:
        return None
    try:
        listed = tool.contents(guest, _UNPACKED)
    finally:
        guest.files.unlink(_UNPACKED)
    return None if listed is None else set(_modules_in(listed.split()))


def able_kernels(guest, drivers):
    """(all kernels, those that find the destination's disks, the tool that builds their images). Writes nothing. Raises
    osmorphing.no-virtio when no kernel has the drivers."""
    kernels = guest.kernels()
    if not kernels:
        raise MorphError(
            'osmorphing.initramfs', 'no kernel with modules in /lib/modules and an image in /boot was found'
        )
    tool = tool_of(guest)
    if tool is None:
        raise MorphError('osmorphing.initramfs', 'the guest has none of update-initramfs, dracut and mkinitrd')
    lacking = dict(
        (version, drivers.lacking_bus(modules_of(guest, version, drivers) | builtin_of(guest, version, drivers)))
        for version in kernels
    )
    able = [version for version in kernels if lacking[version] is None]
    for version in sorted(set(kernels) - set(able)):
        protocol.warn(
            'the kernel %s has no drivers for %s disks; it can\'t boot on the destination' % (version, lacking[version])
        )
    if not able:
        wanted = sorted(set(name for modules in drivers.disks.values() for name in modules))
        raise MorphError('osmorphing.no-virtio', 'none of the kernels %s has %s' % (', '.join(kernels), ' or '.join(wanted)))
    return kernels, able, tool


def modules_of(guest, version, drivers):
    """Which of the drivers a kernel has as files."""
    found = set()
    for path, _ in guest.walk('/lib/modules/' + version):
        found.update(_modules_in([path]))
    return found & _of_interest(drivers)


def _of_interest(drivers):
    return set(drivers.modules) | set(name for modules in drivers.disks.values() for name in modules)


def builtin_of(guest, version, drivers):
    text = guest.read('/lib/modules/%s/modules.builtin' % version, '')
    if text:
        return set(_modules_in(text.split())) & _of_interest(drivers)
    # Kernels before 2.6.33 have no such list.
    config = set(re.findall(r'^CONFIG_(\w+)=y$', guest.read('/boot/config-' + version, ''), re.MULTILINE))
    return set(name for name, option in _OPTIONS.items() if option in config) & _of_interest(drivers)


# Where the option of a driver is called otherwise than the driver.
_OPTIONS = dict(
    [(name, name.upper()) for name in ('virtio', 'virtio_ring', 'virtio_pci', 'virtio_net', 'ata_piix', 'ata_generic', 'usb_storage')],
    virtio_blk='VIRTIO_BLK', virtio_scsi='SCSI_VIRTIO', ahci='SATA_AHCI', piix='BLK_DEV_PIIX', sd_mod='BLK_DEV_SD', hv_vmbus='HYPERV', hv_storvsc='HYPERV_STORAGE', hv_netvsc='HYPERV_NET',
    ehci_hcd='USB_EHCI_HCD', uhci_hcd='USB_UHCI_HCD', xhci_hcd='USB_XHCI_HCD', xhci_pci='USB_XHCI_PCI', uas='USB_UAS',
)


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


def contents_of(guest, image, tool):
    """Names of the files in an image; empty when there is no image, None when they can't be listed."""
    return tool.contents(guest, image) if guest.exists(image) else ''


def lacking_in(guest, version, image, listed, drivers):
    """Drivers that the kernel has as files but the image has not; None if unknown."""
    if listed is None:
        return None
    return sorted((modules_of(guest, version, drivers) & set(drivers.modules)) - set(_modules_in(listed.split())))


def lacking_to_unlock(guest, image, tool, listed, resolver, encrypted):
    """What an image lacks to unlock these volumes. The program alone proves nothing: Debian's tools
    put it into every image where it is installed."""
    lacking = [] if 'cryptsetup' in listed else ['cryptsetup, which unlocks its root']
    entries = tool.unlocked(guest, image, listed)
    if entries is None:
        return lacking
    found = set(device.uuid for device in map(resolver.find, entries) if device is not None)
    return lacking + ['the entry that unlocks volume %s, where its root is' % uuid for uuid in encrypted if uuid not in found]


def volumes_below(roots, devices):
    """UUIDs of the opened encrypted volumes that these devices lie on, as the worker's kernel knows them."""
    by_name = dict((_kernel_name(device), device) for device in devices if device.kind == 'decrypted')
    found, seen = [], set()
    waiting = [_kernel_name(device) for device in roots]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in by_name:
            found.append(by_name[name].name)
        try:
            waiting += os.listdir('/sys/class/block/%s/slaves' % name)
        except OSError:
            continue
    return found


def _kernel_name(device):
    """Such as dm-2. A worker without a device manager has nodes below /dev/mapper instead of links."""
    try:
        number = os.stat(device.path).st_rdev
    except OSError:
        return os.path.basename(device.path)
    return os.path.basename(os.path.realpath('/sys/dev/block/%d:%d' % (os.major(number), os.minor(number))))


def unlock_at_boot(guest, resolver, encrypted):
    """The tools ask the device mapper what the root lies on. That is the worker's, which a guest's programs never reach,
    so the guest says it itself: with this option, the initial RAM disk unlocks the volume whatever the tools find."""
    path = '/etc/crypttab'
    lines = guest.read(path, '').splitlines()
    notes = []
    for index, name, spec, _, options in list(fstab.crypttab(guest)):
        device = resolver.find(spec)
        if device is None or device.uuid not in encrypted or 'initramfs' in options:
            continue
        fields = lines[index].split()
        fields += ['none'] * (3 - len(fields))
        lines[index] = ' '.join(fields[:3] + [','.join(fields[3:4] + ['initramfs'])] + fields[4:])
        notes.append('the initial RAM disk unlocks the encrypted volume %s' % name)
    if notes:
        guest.write(path, '\n'.join(lines) + '\n')
    return notes


def check_room(guest, image, size=None):
    """Writes the image beside the old one, then replaces that."""
    free = guest.free_bytes(os.path.dirname(image))
    needed = size or (int(guest.real_size(image) * 1.3) if guest.exists(image) else 40 << 20)
    if free < needed:
        raise MorphError(
            'osmorphing.no-space',
            '%s has %d MiB free, a new %s needs about %d MiB'
            % (os.path.dirname(image), free >> 20, os.path.basename(image), needed >> 20),
        )


class InitramfsTools(object):
    """Debian and Ubuntu."""

    image = '/boot/initrd.img-%s'
    # Whether it writes nowhere else.
    one_place = True

    @staticmethod
    def settle(guest, drivers):
        path = '/etc/initramfs-tools/modules'
        text = guest.read(path, '')
        present = set(line.split()[0] for line in text.splitlines() if line.split() and not line.startswith('#'))
        missing = [name for name in drivers.modules if name not in present]
        notes = InitramfsTools._for_any_hardware(guest)
        if not missing:
            return notes
        before = text if text.endswith('\n') or not text else text + '\n'
        guest.write(
            path,
            before
            + '# Drivers of the platform that this machine was moved to.\n'
            + ''.join(name + '\n' for name in missing),
        )
        return notes + ['added %s to %s' % (', '.join(missing), path)]

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
    def build(guest, version, image, drivers, root):
        action = '-u' if guest.exists(image) else '-c'
        guest.run(['update-initramfs', action, '-k', version], timeout=1800, shown=True, code='osmorphing.initramfs')

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


class Dracut(object):
    """RHEL 6 and later with its likes, SLES 12 and later, openSUSE."""

    image = '/boot/initramfs-%s.img'
    one_place = False
    folder = '/etc/dracut.conf.d'

    @staticmethod
    def unlocked(guest, image, listed):
        """The kernel's command line says what to unlock."""
        return None

    @classmethod
    def settle(cls, guest, drivers):
        names = ' '.join(name for name in drivers.modules if name not in ('virtio', 'virtio_ring'))
        conf = '%s/50-causeway-%s.conf' % (cls.folder, drivers.platform)
        text = '# Drivers of the platform that this machine was moved to.\nadd_drivers+=" %s "\n' % names
        if guest.is_folder(cls.folder):
            return ['wrote ' + conf] if guest.write(conf, text) else []
        return []

    @staticmethod
    def build(guest, version, image, drivers, root):
        names = ' '.join(sorted(modules_of(guest, version, drivers) & set(drivers.modules)))
        args = ['dracut', '--force'] + (['--add-drivers', names] if names else []) + [image, version]
        guest.run(args, timeout=1800, shown=True, code='osmorphing.initramfs')

    @staticmethod
    def contents(guest, image):
        result = guest.run(['lsinitrd', image], check=False, timeout=300)
        return result.out if result.code == 0 else None


class MkinitrdSuse(object):
    """SLES 11."""

    image = '/boot/initrd-%s'
    one_place = False

    @staticmethod
    def unlocked(guest, image, listed):
        return None

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
    def build(guest, version, image, drivers, root):
        kernel = '/boot/vmlinuz-' + version
        # It would look for the root that /etc/fstab names, which the worker's devices have other names for.
        place = ['-d', '/dev/disk/by-uuid/' + root.uuid] if root.uuid else []
        guest.run(
            ['mkinitrd', '-m', ' '.join(drivers.modules), '-k', kernel, '-i', image] + place,
            env={'rootdev': place[1]} if place else None,
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

    _CARDS = r'vmxnet\w*|pcnet32|e1000e?|8139too|8139cp|tulip|hv_netvsc|netvsc|xen_vnif|xennet|xen-vnif|netfront|ne2k-pci'
    _DISKS = r'mptspi|mptbase|mptsas|BusLogic|pvscsi|vmw_pvscsi|hv_storvsc|storvsc|hv_blkvsc|blkvsc|xen_vbd|xenblk|xen-vbd|xen_blkfront'

    @classmethod
    def settle(cls, guest, drivers):
        """Aliases name the drivers of the old hardware; and its program that notices new hardware asks at each start, and
        takes the configuration of cards away whose hardware is gone."""
        notes = []
        for path in ['/etc/modprobe.conf', '/etc/modules.conf'] + guest.find('/etc/modprobe.d'):
            text = guest.read(path, '')
            card = 'hv_netvsc' if drivers.platform == 'hyperv' else 'virtio_net'
            disk = next(name for modules in drivers.disks.values() for name in modules)
            new = re.sub(r'^(alias[ \t]+eth\d+[ \t]+)(?:%s)[ \t]*$' % cls._CARDS, r'\g<1>' + card, text, flags=re.MULTILINE)
            new = re.sub(r'^(alias[ \t]+scsi_hostadapter\d*[ \t]+)(?:%s)[ \t]*$' % cls._DISKS, r'\g<1>' + disk, new, flags=re.MULTILINE)
            if new != text and guest.write(path, new):
                notes.append('%s names the drivers of the destination' % path)
        started = [path for level in '2345' for path in guest.find('/etc/rc.d/rc%s.d' % level) if re.search(r'/S\d\dkudzu$', path)]
        for path in started:
            guest.remove(path)
        return notes + (['kudzu no longer starts'] if started else [])

    @staticmethod
    def build(guest, version, image, drivers, root):
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

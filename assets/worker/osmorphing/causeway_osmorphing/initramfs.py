"""Drivers of the destination's virtual hardware in the initial RAM disk of every installed kernel."""

from . import boot_entries, fstab, protocol
from .confined import write_all
from .image_room import check_room, make_room
from .initramfs_tools import InitramfsTools, tool_of
from .kernel_drivers import builtin_of, drivers_for, file_systems, is_for_xen_alone, modules_in, modules_of
from .own_command_line import arguments_of
from .protocol import MorphError
from .ram_disk_image import names_in
from .root_stack import lacking_below, stack_below, volumes_below

_IMAGES = ('/boot/initrd.img-%s', '/boot/initramfs-%s.img', '/boot/initrd-%s', '/boot/initrd-%s.img')


def rebuild(morph):
    """Raises osmorphing.no-virtio when no kernel has the drivers, osmorphing.initramfs when an image lacks them
    afterwards."""
    guest = morph.guest
    guest.forget_modules()
    drivers = drivers_for(morph.request)
    kernels, able, tool = able_kernels(guest, drivers)
    morph.unable_kernels = set(kernels) - set(able) | halfway_able(guest, able, drivers)
    entries, unified = boot_entries.entries_of(guest), boot_entries.unified_kernels(guest)
    notes = tool.settle(guest, drivers)
    encrypted = volumes_below([morph.root_device] + morph.mounted_at(('/usr',)), morph.devices)
    by_table = bool(encrypted) and not tool.is_told_by_arguments(arguments_of(guest))
    if by_table and tool.unlocking:
        notes += unlock_at_boot(guest, morph.resolver, encrypted, tool.unlocking)
    below = stack_below([morph.root_device] + morph.mounted_at(('/usr',)), morph.devices)
    done = []
    for version in able:
        first = True
        targets = targets_of(guest, version, tool, entries, unified)
        for image in targets:
            protocol.check_cancelled()
            # What is in an image takes its tools seconds to tell: of one that is built anyway, nobody asks.
            is_due = bool(notes) or morph.rebuild_initramfs
            if morph.planned or not is_due:
                lacking = lacking_of(guest, version, image, contents_of(guest, image, tool), drivers, tool, below)
                if lacking == [] and not is_due:
                    first = False
                    continue
                notes += include_lacking(guest, version, tool, below, lacking)
            if morph.planned:
                check_room(guest, image)
                done.append('rebuilt %s' % image)
                continue
            is_built = first or not tool.one_place
            if not is_built and not copy_image(guest, tool.image % version, image):
                continue
            first = False
            while True:
                if is_built:
                    make_room(guest, image)
                    tool.build(guest, version, image, drivers, morph.root_device, below, len(targets) > 1)
                after = contents_of(guest, image, tool)
                lacking = lacking_of(guest, version, image, after, drivers, tool, below)
                # Once more with what the tool left out. It is asked for each name only once.
                added = include_lacking(guest, version, tool, below, lacking) if is_built else []
                if not added:
                    break
                notes += added
            if lacking is None:
                protocol.warn('the guest\'s tools do not list what is in %s: it is unknown whether it has the drivers of the destination' % image)
            if encrypted and after is not None:
                lacking = (lacking or []) + lacking_to_unlock(guest, image, tool, after, morph.resolver, encrypted)
            if by_table and after and not tool.may_unlock(after):
                protocol.warn('%s has no table of encrypted volumes, and the kernel\'s arguments name none (rd.luks.uuid=): it is unknown whether it unlocks the root' % image)
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
    make_room(guest, image, guest.real_size(source))
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
        listed = _listed(guest, _UNPACKED, tool)
    finally:
        guest.files.unlink(_UNPACKED)
    return None if listed is None else set(modules_in(listed.split()))


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
    present = dict((version, modules_of(guest, version, drivers) | builtin_of(guest, version, drivers)) for version in kernels)
    lacking = dict((version, drivers.lacking_bus(present[version])) for version in kernels)
    for_xen = [version for version in kernels if 'xen' not in drivers.disks and is_for_xen_alone(guest, version)]
    able = [version for version in kernels if lacking[version] is None and version not in for_xen]
    for version in able:
        if drivers.card not in present[version]:
            protocol.warn_once('the kernel %s has no driver for the destination\'s network cards (%s); it has no network there' % (version, drivers.card))
    for version in sorted(set(kernels) - set(able)):
        why = 'starts on Xen alone' if version in for_xen else 'has no drivers for %s disks' % lacking[version]
        protocol.warn('the kernel %s %s; it can\'t boot on the destination' % (version, why))
    if not able:
        wanted = sorted(set(name for modules in drivers.disks.values() for name in modules))
        told = 'none of the kernels %s has %s' % (', '.join(kernels), ' or '.join(wanted) + drivers.told_of_pci(present.values()))
        if for_xen:
            told = 'of the kernels %s, %s start on Xen alone, and no other has %s' % (', '.join(kernels), ', '.join(for_xen), ' or '.join(wanted))
        raise MorphError('osmorphing.no-virtio', told)
    return kernels, able, tool


def halfway_able(guest, able, drivers):
    """Kernels that drive only one of the controllers that an IDE disk may be behind, where another kernel drives both: which one it is
    depends on the machine's type, so that they are not started by default."""
    if 'ide' not in drivers.disks:
        return set()
    present = dict((version, modules_of(guest, version, drivers) | builtin_of(guest, version, drivers)) for version in able)
    whole = set(version for version in able if 'ahci' in present[version] and present[version] & {'ata_piix', 'piix'})
    return set(able) - whole if whole else set()


def image_of(guest, version, tool):
    for pattern in _IMAGES:
        if guest.exists(pattern % version):
            return pattern % version
    return tool.image % version


def contents_of(guest, image, tool):
    """Names of the files in an image; empty when there is no image, None when they can't be listed."""
    return _listed(guest, image, tool) if guest.exists(image) else ''


def _listed(guest, image, tool):
    listed = tool.contents(guest, image)
    return names_in(guest, image) if listed is None else listed


def lacking_in(guest, version, image, listed, drivers):
    """Drivers that the kernel has as files but the image has not; None if unknown."""
    if listed is None:
        return None
    return sorted((modules_of(guest, version, drivers) & set(drivers.modules)) - set(modules_in(listed.split())))


def lacking_of(guest, version, image, listed, drivers, tool, below):
    """As `lacking_in`, with what an image lacks to reach and to mount the root."""
    lacking = lacking_in(guest, version, image, listed, drivers)
    if listed and tool.has_programs:
        lacking = (lacking or []) + lacking_below(guest, version, listed, below)
    return lacking


def include_lacking(guest, version, tool, below, lacking):
    """Asks the tool that looks for what the root needs on the worker for what it did not find. Returns notes."""
    if tool is not InitramfsTools or not lacking:
        return []
    return tool.include(guest, [name for name in file_systems(guest, version, below.types) + below.modules(guest, version)[0] if name in lacking])


def lacking_to_unlock(guest, image, tool, listed, resolver, encrypted):
    """What an image lacks to unlock these volumes. The program alone proves nothing: Debian's tools
    put it into every image where it is installed."""
    lacking = [] if 'cryptsetup' in listed else ['cryptsetup, which unlocks its root']
    entries = tool.unlocked(guest, image, listed)
    if entries is None:
        return lacking
    found = set(device.uuid for device in map(resolver.find, entries) if device is not None)
    return lacking + ['the entry that unlocks volume %s, where its root is' % uuid for uuid in encrypted if uuid not in found]


def unlock_at_boot(guest, resolver, encrypted, wanted):
    """The tools ask the device mapper what the root lies on. That is the worker's, which a guest's programs never reach,
    so the guest says it itself: with this option, the initial RAM disk unlocks the volume whatever the tools find."""
    path = '/etc/crypttab'
    lines = guest.read(path, '').splitlines()
    notes = []
    for index, name, spec, _, options in list(fstab.crypttab(guest)):
        device = resolver.find(spec)
        missing = [option for option in wanted if option not in options]
        if device is None or device.uuid not in encrypted or not missing:
            continue
        fields = lines[index].split()
        fields += ['none'] * (3 - len(fields))
        lines[index] = ' '.join(fields[:3] + [','.join(fields[3:4] + missing)] + fields[4:])
        notes.append('the initial RAM disk unlocks the encrypted volume %s' % name)
    if notes:
        guest.write(path, '\n'.join(lines) + '\n')
    return notes

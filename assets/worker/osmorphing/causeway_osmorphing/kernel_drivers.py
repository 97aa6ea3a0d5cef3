"""Drivers of a platform's virtual hardware, and which of them a kernel has."""

import re


class Drivers(object):
    """What a platform's virtual hardware needs; each bus needs one of its disk modules."""

    def __init__(self, platform, modules, disks):
        self.platform = platform
        self.modules = modules
        self.disks = disks
        # The driver of its network cards.
        self.card = 'hv_netvsc' if platform == 'hyperv' else 'xen_netfront' if 'xen' in disks else 'virtio_net'

    def lacking_bus(self, present):
        """Name of a bus whose disks a kernel with these modules can't use; None when it can use all."""
        return next((bus for bus, modules in sorted(self.disks.items()) if not set(modules) & present or (bus in _ON_PCI and _PCI not in present)), None)

    def told_of_pci(self, kernels):
        """For a message, where kernels have the drivers of disks, but not that of what these hang on."""
        lacking = any(_PCI not in present and present.intersection(self.disks[bus]) for present in kernels for bus in self.disks if bus in _ON_PCI)
        return ' with %s' % _PCI if lacking else ''


# Without it, a kernel finds none of the devices that the others drive.
_PCI = 'virtio_pci'
_ON_PCI = ('virtio', 'scsi')
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


def modules_of(guest, version, drivers):
    """Which of the drivers a kernel has as files."""
    return set(modules_in(guest.module_paths(version))) & _of_interest(drivers)


def file_systems(guest, version, types):
    """Modules of a kernel for these file systems; nothing where they are built in."""
    there = set(modules_in(guest.module_paths(version, ['kernel/fs']))) if types else ()
    return [name for name in types if name in there]


def _of_interest(drivers):
    return set(drivers.modules) | set(name for modules in drivers.disks.values() for name in modules)


def builtin_of(guest, version, drivers):
    text = guest.read('/lib/modules/%s/modules.builtin' % version, '')
    if text:
        return set(modules_in(text.split())) & _of_interest(drivers)
    # Kernels before 2.6.33 have no such list.
    config = guest.read('/boot/config-' + version, '')
    if not config:
        # Nothing tells: only what drives disks is asked for.
        return {_PCI} & _of_interest(drivers)
    config = set(re.findall(r'^CONFIG_(\w+)=y$', config, re.MULTILINE))
    return set(name for name, option in _OPTIONS.items() if option in config) & _of_interest(drivers)


def is_for_xen_alone(guest, version):
    """Whether a kernel starts on no hardware at all: the separate kernels that distributions had for Xen before Linux knew it itself."""
    config = guest.read('/boot/config-' + version, '')
    if config:
        return bool(re.search(r'^CONFIG_X86_(?:64_)?XEN=y$', config, re.MULTILINE))
    return bool(re.search(r'[-.\d](?:el5)?xen$', version))


# Where the option of a driver is called otherwise than the driver.
_OPTIONS = dict(
    [(name, name.upper()) for name in ('virtio', 'virtio_ring', 'virtio_pci', 'virtio_net', 'ata_piix', 'ata_generic', 'usb_storage')],
    virtio_blk='VIRTIO_BLK', virtio_scsi='SCSI_VIRTIO', ahci='SATA_AHCI', piix='BLK_DEV_PIIX', sd_mod='BLK_DEV_SD', hv_vmbus='HYPERV', hv_storvsc='HYPERV_STORAGE', hv_netvsc='HYPERV_NET',
    ehci_hcd='USB_EHCI_HCD', uhci_hcd='USB_UHCI_HCD', xhci_hcd='USB_XHCI_HCD', xhci_pci='USB_XHCI_PCI', uas='USB_UAS', xen_blkfront='XEN_BLKDEV_FRONTEND', xen_netfront='XEN_NETDEV_FRONTEND',
)


def modules_in(paths):
    for path in paths:
        match = re.search(r'(?:^|/)([\w-]+)\.ko(\.\w+)?$', path)
        if match:
            yield match.group(1).replace('-', '_')

"""From attached disks to everything that can hold a file system."""

from .block_devices import open_disks, partitions_of
from .logical_volumes import activate_groups
from .luks import open_encrypted
from .software_raid import assemble_arrays


def open_layers(paths, keys, journal, names=None):
    """All block devices of the guest. Layers may be stacked in any order (LUKS in LVM on RAID…), so it looks again
    until
    nothing new turns up. `names`: how encrypted volumes are called, by UUID."""
    devices = open_disks(paths, journal)
    for _ in range(6):
        new = assemble_arrays(devices, journal)
        for array in list(new):
            new.extend(partitions_of(array, journal))
        new.extend(open_encrypted(devices, keys, journal, names or {}))
        new.extend(activate_groups(devices, journal))
        if not new:
            break
        devices.extend(new)
    return devices

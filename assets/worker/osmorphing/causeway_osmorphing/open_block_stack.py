"""Finds everything on the attached disks that can hold a file system."""

from .bitlocker import open_volumes
from .block_devices import open_disks, partitions_of
from .logical_volumes import activate_groups
from .luks import open_encrypted
from .software_raid import assemble_arrays


def open_block_stack(paths, keys, undo_log, names=None):
    """All block devices of the guest. Layers may be stacked in any order (LUKS in LVM on RAID…), so it looks again
    until
    nothing new turns up. `names`: how encrypted volumes are called, by UUID."""
    devices = open_disks(paths, undo_log)
    for _ in range(6):
        new = assemble_arrays(devices, undo_log)
        for array in list(new):
            new.extend(partitions_of(array, undo_log))
        new.extend(open_encrypted(devices, keys, undo_log, names or {}))
        new.extend(open_volumes(devices, keys, undo_log))
        new.extend(activate_groups(devices, undo_log))
        if not new:
            break
        devices.extend(new)
    return devices

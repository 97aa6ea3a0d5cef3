"""Finds everything on the attached disks that can hold a file system."""

from .bitlocker import open_volumes
from .block_devices import forbid_writes, open_disks, partitions_of
from .logical_volumes import activate_groups
from .luks import open_encrypted
from .software_raid import assemble_arrays


def open_block_stack(paths, keys, undo_log, names=None, read_only=False):
    """All block devices of the guest. Layers may be stacked in any order (LUKS in LVM on RAID…), so it looks again
    until
    nothing new turns up. `names`: how encrypted volumes are called, by UUID. With `read_only`, nothing can be written to any of
    them from then on."""
    devices = open_disks(paths, undo_log)
    if read_only:
        for device in devices:
            forbid_writes(device, undo_log)
    for _ in range(6):
        new = assemble_arrays(devices, undo_log, read_only)
        for array in list(new):
            new.extend(partitions_of(array, undo_log))
        new.extend(open_encrypted(devices, keys, undo_log, names or {}, read_only))
        new.extend(open_volumes(devices, keys, undo_log, read_only))
        new.extend(activate_groups(devices, undo_log, read_only))
        if not new:
            break
        devices.extend(new)
    return devices

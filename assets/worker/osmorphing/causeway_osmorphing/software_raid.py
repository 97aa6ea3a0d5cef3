"""Linux md arrays."""

import glob
import os

from . import protocol
from .block_devices import BlockDevice, device_number
from .command import run


def assemble_arrays(devices, undo_log, read_only=False):
    """Starts the arrays whose members are among `devices` and that don't run yet. Returns the new ones."""
    members = {}
    for device in devices:
        if device.content == 'linux_raid_member' and device.uuid:
            members.setdefault(device.uuid, []).append(device)
    known = set(device.name for device in devices if device.kind == 'raid')
    found = []
    for uuid, parts in sorted(members.items()):
        if uuid in known:
            continue
        path = _running_array(parts)
        if path is None:
            path = _free_name()
            undo_log.will('stop-array', path=path)
            result = run(
                ['mdadm', '--assemble', '--run', '--config=/dev/null', '--homehost=any'] + (['--readonly'] if read_only else []) + [path]
                + [part.path for part in parts],
                check=False,
                timeout=120,
            )
            if result.code != 0 and not os.path.exists(path):
                protocol.warn('the array %s cannot be started: %s' % (uuid, result.err.strip()[-300:]))
                continue
            if 'degraded' in result.err or 'out of' in result.err:
                protocol.warn('the array %s runs without all of its members: %s' % (uuid, result.err.strip()[-200:]))
        else:
            undo_log.will('stop-array', path=path)
        found.append(BlockDevice(path, 'raid', disk=parts[0].disk, name=uuid).probe())
    return found


def _running_array(parts):
    numbers = set(device_number(part.path) for part in parts)
    for slaves in glob.glob('/sys/block/md*/slaves'):
        for name in os.listdir(slaves):
            with open(os.path.join(slaves, name, 'dev')) as file:
                if file.read().strip() in numbers:
                    return '/dev/' + slaves.split('/')[3]
    return None


def _free_name():
    number = 100
    while os.path.exists('/sys/block/md%d' % number) or os.path.exists('/dev/md%d' % number):
        number += 1
    return '/dev/md%d' % number

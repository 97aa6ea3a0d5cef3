"""LVM, restricted to the attached disks: the worker's own volume groups stay invisible and unchanged."""

import os

from . import protocol
from .block_devices import BlockDevice
from .command import run
from .protocol import MorphError


def _config(devices, others=False, read_only=()):
    """Settings that let LVM see just `devices`, or everything but them. `read_only`: groups whose volumes can only be read."""
    rules = ['"%s|^%s$|"' % ('r' if others else 'a', path) for path in devices]
    rules.append('"a|.*|"' if others else '"r|.*|"')
    filters = ', '.join(rules)
    # Without a device manager, LVM must create the nodes itself.
    activation = ([] if os.path.exists('/run/udev/control') else ['udev_sync=0 udev_rules=0']) + ['read_only_volume_list=["%s"]' % name for name in read_only]
    return (
        'devices { filter=[%s] global_filter=[%s] use_devicesfile=0 hints="none" write_cache_state=0 } '
        'global { use_lvmetad=0 }%s' % (filters, filters, ' activation { %s }' % ' '.join(activation) if activation else '')
    )


def _report(command, fields, devices, others=False):
    args = [command, '--config', _config(devices, others), '--noheadings', '--separator', '|', '-o', ','.join(fields)]
    result = run(args, check=False, timeout=120)
    rows = [line.strip().split('|') for line in result.out.splitlines() if line.strip()]
    return [dict(zip(fields, (cell.strip() for cell in row))) for row in rows if len(row) == len(fields)]


def activate_groups(devices, undo_log, read_only=False):
    """Activates the volume groups on `devices`. Returns the logical volumes that are new.

    Raises osmorphing.duplicate-volume-groups when a name is there twice, among the guest's or the worker's."""
    physical = sorted(device.path for device in devices if device.content == 'LVM2_member')
    if not physical:
        return []
    if run(['lvm', 'version'], check=False).code == 127:
        protocol.warn('the worker has no LVM tools; %s are not searched' % ', '.join(physical))
        return []
    groups = _report('pvs', ['vg_name', 'vg_uuid', 'pv_name'], physical)
    by_name = {}
    for row in groups:
        if row['vg_name']:
            by_name.setdefault(row['vg_name'], {}).setdefault(row['vg_uuid'], []).append(row['pv_name'])
    own = _report('vgs', ['vg_name', 'vg_uuid'], physical, others=True)
    for row in own:
        if row['vg_name'] in by_name and row['vg_uuid'] not in by_name[row['vg_name']]:
            by_name[row['vg_name']].setdefault(row['vg_uuid'], []).append('the worker')
    twice = dict((name, found) for name, found in by_name.items() if len(found) > 1)
    if twice:
        told = '; '.join(
            '%s: %s' % (name, ', '.join('%s on %s' % (uuid, '+'.join(where)) for uuid, where in sorted(found.items())))
            for name, found in sorted(twice.items())
        )
        raise MorphError('osmorphing.duplicate-volume-groups', told, {'groups': sorted(twice)})
    by_path = dict((device.path, device) for device in devices)
    known = set(device.path for device in devices)
    found = []
    for name in sorted(by_name):
        below = sorted(path for paths in by_name[name].values() for path in paths)
        if not any(device.kind == 'logical' and device.name.startswith(name + '/') for device in devices):
            undo_log.will('deactivate', group=name, devices=physical)
            result = run(
                ['vgchange', '--config', _config(physical, read_only=[name] if read_only else ()), '--activate', 'y', '--ignoreactivationskip', name],
                check=False,
                timeout=120,
            )
            if result.code != 0:
                protocol.warn('the volume group %s cannot be activated completely: %s' % (name, result.err.strip()[-300:]))
            run(['vgmknodes', '--config', _config(physical), name], check=False)
        for row in _report('lvs', ['vg_name', 'lv_name', 'lv_dm_path'], physical):
            path = row['lv_dm_path']
            if row['vg_name'] != name or path in known or not os.path.exists(path):
                continue
            disk = min((by_path[part].disk for part in below if part in by_path), default=None)
            device = BlockDevice(path, 'logical', disk=disk, name='%s/%s' % (name, row['lv_name']))
            found.append(device.probe())
            known.add(path)
    return found


def deactivate(group, devices):
    """Deactivates a volume group; a sentence when it can't be."""
    present = [path for path in devices if os.path.exists(path)]
    last = ''
    for _ in range(10):
        active = [
            row
            for row in _report('lvs', ['vg_name', 'lv_name', 'lv_active'], present)
            if row['vg_name'] == group and row['lv_active']
        ]
        if not active:
            return None
        result = run(['vgchange', '--config', _config(present), '--activate', 'n', group], check=False, timeout=120)
        last = result.err.strip()[-300:]
    return 'the volume group %s is still active: %s' % (group, last)

"""Lines of /etc/fstab that name a disk by where it sat on the old platform."""

from . import fstab, protocol


def by_uuid(morph):
    """Replaces names such as /dev/sda1 by UUIDs, where what is on the device proves the mapping. Gives (changed,
    notes)."""
    guest = morph.guest
    text = guest.read('/etc/fstab', '')
    lines = text.splitlines()
    resolver = fstab.Resolver(morph.devices)
    entries = [entry for entry in fstab.parse(text) if fstab.device_position(entry.spec) is not None]
    root = next((entry for entry in entries if entry.point == '/'), None)
    anchored = (
        root is None or resolver.find(root.spec) is not None and resolver.find(root.spec).path == morph.root_device.path
    )
    if not anchored:
        protocol.warn(
            '%s is not the first disk\'s root here; names of disks in /etc/fstab stay as they are' % root.spec
        )
        return False, []
    notes = []
    for entry in entries:
        device = resolver.find(entry.spec)
        if device is None or not device.uuid or not _fits(entry.kind, device.content):
            protocol.warn('/etc/fstab names %s for %s, and what that is here is not clear' % (entry.spec, entry.point))
            continue
        lines[entry.line] = lines[entry.line].replace(entry.spec, 'UUID=' + device.uuid, 1)
        notes.append('%s is found by its UUID' % entry.point)
    if notes:
        guest.write('/etc/fstab', '\n'.join(lines) + '\n')
    return bool(notes), notes


def _fits(kind, content):
    same = {'ext2': 'ext', 'ext3': 'ext', 'ext4': 'ext', 'msdos': 'vfat', 'swsuspend': 'swap'}
    return kind == 'auto' or same.get(kind, kind) == same.get(content, content)

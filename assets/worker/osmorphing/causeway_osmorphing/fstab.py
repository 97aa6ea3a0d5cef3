"""The guest's /etc/fstab, and the device that each line means."""

import re

from . import disk_names

# Prefixes of disk names of all buses; the letter counts the disks of one bus.
_NAMED = re.compile(r'^/dev/(?:sd|vd|hd|xvd)([a-z])(\d+)?$')
_NAMED_P = re.compile(r'^/dev/(?:nvme(\d+)n1|mmcblk(\d+))(?:p(\d+))?$')
_SPACES = {'040': ' ', '011': '\t', '012': '\n', '134': '\\'}


class Entry(object):
    """One line. `line` is its index among all lines of the file."""

    def __init__(self, line, spec, point, kind, options):
        self.line = line
        self.spec = spec
        self.point = point
        self.kind = kind
        self.options = options

    def option(self, name):
        """The value of `name=value`, or None."""
        for option in self.options:
            if option.startswith(name + '='):
                return option[len(name) + 1 :]
        return None


def parse(text):
    """Entries of file systems; comments, swap lines without a mount point and broken lines included as far as they
    have one."""
    entries = []
    for index, line in enumerate(text.splitlines()):
        fields = line.split()
        if not fields or fields[0].startswith('#') or len(fields) < 3:
            continue
        options = fields[3].split(',') if len(fields) > 3 else ['defaults']
        entries.append(Entry(index, _plain(fields[0]), _plain(fields[1]), fields[2], options))
    return entries


def _plain(field):
    return re.sub(r'\\(040|011|012|134)', lambda found: _SPACES[found.group(1)], field)


def device_position(name):
    """(disk index, partition number or None) for a kernel's disk name such as /dev/sdb1; None for other names."""
    found = _NAMED.match(name)
    if found:
        return ord(found.group(1)) - ord('a'), int(found.group(2)) if found.group(2) else None
    found = _NAMED_P.match(name)
    if found:
        return int(found.group(1) or found.group(2) or 0), int(found.group(3)) if found.group(3) else None
    return None


class Resolver(object):
    """Finds the device that a line means, by what is on the devices."""

    def __init__(self, devices, encrypted_names=None, array_names=None, places=None):
        """`places`: meanings of the names that go by the place of a disk; without them the order of the disks decides."""
        self.devices = devices
        self.places = places
        self.encrypted_names = encrypted_names or {}
        self.array_names = array_names or {}
        # Names of the root's multipath device that no disk has here, and the device that they mean.
        self.root_aliases = set()
        self.root = None

    def find(self, spec):
        """The device of a first field; None when there is none, or when it is no device at all."""
        if spec in self.root_aliases:
            return self.root
        tag, separator, value = spec.partition('=')
        value = value.strip('"')
        if separator and tag in ('UUID', 'LABEL', 'PARTUUID', 'PARTLABEL'):
            return self._by_tag(tag, value)
        if not spec.startswith('/dev/'):
            return None
        for folder, tag in (
            ('by-uuid', 'UUID'),
            ('by-label', 'LABEL'),
            ('by-partuuid', 'PARTUUID'),
            ('by-partlabel', 'PARTLABEL'),
        ):
            prefix = '/dev/disk/%s/' % folder
            if spec.startswith(prefix):
                return self._by_tag(tag, spec[len(prefix) :].replace('\\x20', ' '))
        content = re.match(r'^/dev/disk/by-id/dm-name-(.+)$', spec)
        if content:
            return self.find('/dev/mapper/' + content.group(1))
        return (
            self._by_logical_name(spec)
            or self._by_encrypted_name(spec)
            or self._by_array_name(spec)
            or (self.places.find(spec) if self.places else self._by_position(spec))
        )

    def _by_tag(self, tag, value):
        key = {'PARTUUID': 'PART_ENTRY_UUID', 'PARTLABEL': 'PART_ENTRY_NAME'}.get(tag, tag)
        # An encrypted container or RAID member has a UUID, but is no file system.
        for device in self.devices:
            if device.properties.get(key, '').lower() == value.lower() and device.content not in (
                'linux_raid_member',
                'LVM2_member',
            ):
                return device
        return None

    def _by_logical_name(self, spec):
        for device in self.devices:
            if device.kind != 'logical':
                continue
            group, _, volume = device.name.partition('/')
            mapper = '/dev/mapper/%s-%s' % (group.replace('-', '--'), volume.replace('-', '--'))
            if spec in (mapper, '/dev/%s/%s' % (group, volume)):
                return device
        return None

    def _by_encrypted_name(self, spec):
        uuid = (
            self.encrypted_names.get(spec.replace('/dev/mapper/', '', 1)) if spec.startswith('/dev/mapper/') else None
        )
        return next((device for device in self.devices if device.kind == 'decrypted' and device.name == uuid), None)

    def _by_array_name(self, spec):
        uuid = self.array_names.get(spec)
        return next((device for device in self.devices if device.kind == 'raid' and device.name == uuid), None)

    def _by_position(self, spec):
        position = device_position(spec)
        if position is None:
            return None
        for device in self.devices:
            if device.kind in ('disk', 'partition') and (device.disk, device.number) == position:
                return device
        return None


def crypttab(tree):
    """(line number, name, device, key, options) of each line of /etc/crypttab."""
    for index, line in enumerate(tree.read('/etc/crypttab', '').splitlines()):
        fields = line.split()
        if len(fields) >= 2 and not fields[0].startswith('#'):
            yield index, fields[0], fields[1], (fields[2:3] or ['none'])[0], (fields[3:4] or [''])[0].split(',')


def is_headerless(key, options):
    """Whether the device has no identity of its own: it gets a new key at each boot, which erases it, or is plain dm-crypt."""
    return key.endswith('random') or 'plain' in options


def encrypted_names(tree, devices, root=None):
    """Name → UUID of the encrypted volumes that the guest opens by itself."""
    found = {}
    resolver = Resolver(devices, array_names=_array_names(tree, devices), places=places_of(tree, devices, root))
    for _, name, spec, _, _ in crypttab(tree):
        device = resolver.find(spec)
        if device is not None:
            found[name] = device.uuid
    return found


def places_of(tree, devices, root, arguments=()):
    """Meanings of all names that go by the place of a disk. `arguments`: of the kernel."""
    uses, claimed = [], {}
    plain = Resolver(devices, array_names=_array_names(tree, devices), places=_Nowhere())
    for entry in parse(tree.read('/etc/fstab', '')):
        if disk_names.is_by_place(entry.spec):
            uses.append(disk_names.Use(entry.spec, entry.kind, entry.point if entry.kind != 'swap' else None))
            continue
        device = plain.find(entry.spec)
        if device is not None and 'bind' not in entry.options:
            claimed[device.path] = entry.point
    for path in tree.find('/etc/systemd/system', '.mount'):
        settings = dict(re.findall(r'^(What|Where)=(\S+)[ \t]*$', tree.read(path, ''), re.MULTILINE))
        device = plain.find(settings.get('What', ''))
        if device is not None and 'Where' in settings:
            claimed.setdefault(device.path, settings['Where'])
    for _, _, spec, key, options in crypttab(tree):
        if disk_names.is_by_place(spec):
            uses.append(disk_names.Use(spec, 'random' if is_headerless(key, options) else 'crypt'))
    for name, value in set(arguments):
        if name == 'resume' and disk_names.is_by_place(value):
            uses.append(disk_names.Use(value, 'swap'))
    roots = {}
    for name, value in sorted(set(arguments)):
        if name == 'root' and disk_names.is_by_place(value) and root is not None:
            use = disk_names.Use(value, None, '/')
            if use.number == root.number:
                roots.setdefault(use.style, []).append(use)
    # Of several names of one kind, all but one belong to other installations.
    uses += [found[0] for found in roots.values() if len(found) == 1]
    return disk_names.DiskNames(tree, devices, root, uses, claimed) if root is not None else None


class _Nowhere(object):
    """Leaves names by place without a meaning."""

    def find(self, spec):
        return None


def _array_names(tree, devices):
    found = {}
    for path in ('/etc/mdadm/mdadm.conf', '/etc/mdadm.conf'):
        for line in tree.read(path, '').splitlines():
            fields = line.split()
            if len(fields) < 2 or fields[0].upper() != 'ARRAY':
                continue
            uuid = next((field[5:] for field in fields if field.upper().startswith('UUID=')), '').lower()
            for device in devices:
                # mdadm writes the same number in groups of eight.
                if device.kind == 'raid' and device.name.replace('-', '').lower() == uuid.replace(':', ''):
                    found[fields[1]] = device.name
    return found


def resolver_for(tree, devices, root=None, arguments=()):
    """A resolver that knows the names which the guest itself gives to encrypted volumes and arrays. With the device of
    the root file system, it also knows what names by the place of a disk mean."""
    places = places_of(tree, devices, root, arguments)
    resolver = Resolver(devices, encrypted_names(tree, devices, root), _array_names(tree, devices), places)
    if root is not None:
        spec = next((entry.spec for entry in parse(tree.read('/etc/fstab', '')) if entry.point == '/'), '')
        resolver.root, resolver.root_aliases = root, set(name for name in disk_names.root_aliases(tree, root, spec, arguments) if resolver.find(name) is None)
    return resolver


def why_unknown(spec, resolver):
    """Why a name leads to no device, as text."""
    if not disk_names.is_by_place(spec):
        return 'none of the disks has %s' % spec
    choices = resolver.places.choices(spec) if resolver.places else []
    told = 'may be %s here' % ' or '.join('UUID=%s' % device.uuid for device in choices) if choices else 'is none of the disks here'
    return '%s %s; write UUID=… (see blkid) into /etc/fstab on the source and execute the replica again' % (spec, told)

"""Names by the position of a disk on the old platform: /dev/sdb1, by-id, by-path, multipath, names of the clouds. Which
device a name means here follows from the content of the devices; if two are possible, the name stays unclear."""

import os
import re

# These names come from the content of a device, so they mean the same everywhere.
_BY_CONTENT = re.compile(r'^/dev/disk/by-id/(dm-name-|dm-uuid-(?!.*mpath-)|md-|lvm-)')
_KERNEL = re.compile(r'^/dev/((?:sd|vd|hd|xvd)[a-z]+)(\d+)?$')
_KERNEL_P = re.compile(r'^/dev/(nvme\d+n\d+|mmcblk\d+)(?:p(\d+))?$')
_LINK = re.compile(r'^/dev/disk/(by-(?:id|path))/(.+?)(?:-part(\d+))?$')
_MULTIPATH = re.compile(r'^/dev/mapper/(mpath[a-z]+|[23][0-9a-f]{16}(?:[0-9a-f]{16})?)(?:-part|_part|p)?(\d+)?$')
_CLOUD = re.compile(r'^/dev/(disk/(?:azure|cloud)/.+?|oracleoci/oraclevd[a-z]+?)(?:-part(\d+)|(\d+))?$')
_SAME = {'ext2': 'ext', 'ext3': 'ext', 'ext4': 'ext', 'msdos': 'vfat', 'swsuspend': 'swap'}
_LOGS = ('/var/log/dmesg', '/var/log/boot.msg', '/var/log/kern.log', '/var/log/syslog', '/var/log/messages')
_LOG_PART = 4 << 20
# Lists of multipath devices: a name or identifier each.
MULTIPATH_BINDINGS = ('/etc/multipath/bindings', '/var/lib/multipath/bindings')
_MULTIPATH_SETTINGS = '/etc/multipath.conf'
# Identifiers that hypervisors give their disks.
VIRTUAL_DISK = re.compile(r'(?<![0-9A-Za-z])(?:0x)?(?:3?6000c29|3?60022480|0?QEMU|[01]ATA|0?VMware|SQEMU|SVMware|SMsft)', re.IGNORECASE)
# Disks that the guest itself reaches over its network: they have the same names on the destination.
_NETWORK_PATH = re.compile(r'^/dev/disk/by-path/(?:[\w.:-]+-)?ip-.+-(?:iscsi|nvme)-')
_ASSIGNED = re.compile(r'^/dev/disk/by-id/(?:scsi-3|wwn-0x|dm-uuid-(?:part\d+-)?mpath-3)([0-9a-f]{16,32})(?:-part\d+)?$')
_GIB_SECTORS = 1 << 21


def parts_of(spec):
    """(style, disk, partition number or None) of a name that goes by the place of a disk; None for other names. Two names
    of one style with different disks mean different disks."""
    if _BY_CONTENT.match(spec) or _NETWORK_PATH.match(spec):
        return None
    found = _KERNEL.match(spec) or _KERNEL_P.match(spec)
    if found:
        return 'kernel', found.group(1), _number(found.group(2))
    found = _LINK.match(spec)
    if found:
        folder, name, number = found.groups()
        multipath = re.match(r'^dm-uuid-part(\d+)-(mpath-.+)$', name)
        if multipath:
            return folder + '/dm', multipath.group(2), int(multipath.group(1))
        return '%s/%s' % (folder, name.split('-')[0]), name.replace('dm-uuid-mpath-', 'mpath-'), _number(number)
    found = _MULTIPATH.match(spec)
    if found:
        return 'multipath', found.group(1), _number(found.group(2))
    found = _CLOUD.match(spec)
    if found:
        name = re.sub(r'^disk/cloud/azure_', 'disk/azure/', found.group(1))
        return 'cloud', name, _number(found.group(2) or found.group(3))
    return None


def _number(text):
    return int(text) if text else None


_BUS_LETTERS = {'virtio': 'vd', 'scsi': 'sd', 'usb': 'sd', 'ide': 'sd', 'xen': 'xvd'}


def kernel_letters(request):
    """With which the kernel's names of the destination's disks begin."""
    return every_letters(request)[0]


def every_letters(request):
    """The same of each bus that a disk may be on, that of the boot disk first."""
    found = ['sd'] if request.get('hypervisor') == 'hyperv' else [_BUS_LETTERS.get(bus, 'sd') for bus in request.get('diskBuses') or ['virtio']]
    return sorted(set(found), key=found.index)


def is_by_place(spec):
    return parts_of(spec) is not None


def fits(kind, content):
    """Whether a file system type of /etc/fstab can be what is on a device."""
    return (kind == 'auto' and content not in ('', 'swap', 'crypto_LUKS', 'LVM2_member', 'linux_raid_member')) or _SAME.get(
        kind, kind
    ) == _SAME.get(content, content)


class Use(object):
    """A place where the guest uses a name. `point`: where it is mounted, or None."""

    def __init__(self, spec, kind, point=None):
        self.spec = spec
        self.style, self.disk, self.number = parts_of(spec)
        self.kind = kind
        self.point = point


class DiskNames(object):
    """What the names by position mean, as far as certain."""

    def __init__(self, tree, devices, root, uses, claimed):
        """`root`: device of the root file system. `claimed`: path → mount point of devices that the guest finds by their
        content already."""
        self.tree = tree
        self.root = root
        self.claimed = claimed
        self.uses = uses
        self.disks = {}
        for device in devices:
            if device.kind in ('disk', 'partition'):
                self.disks.setdefault(device.disk, {})[device.number] = device
        self._luns = _own_luns(tree)
        self._sizes = _kernel_sizes(tree) if any(use.style == 'kernel' for use in uses) else {}
        self._known = self._up_to_date(_known_uuids(tree))
        self._solve()

    def find(self, spec):
        """The device that a name means for certain, or None."""
        parts = parts_of(spec)
        index = self.certain.get(parts[:2]) if parts else None
        return None if index is None else self.disks[index].get(parts[2])

    def mounted_elsewhere(self, spec):
        """Where the only device that a name may mean was mounted last, if that speaks against it; else None."""
        parts = parts_of(spec)
        return self.disputed.get(parts[:2]) if parts else None

    def is_contested(self, spec):
        """Whether another name may mean the only device that this one may mean."""
        parts = parts_of(spec)
        return bool(parts) and parts[:2] in self.contested

    def may_be_lun(self, spec):
        """Whether a name may mean a disk that the guest reaches over its network, where only proof makes it one of these disks."""
        if self._luns is None or not is_by_place(spec):
            return False
        style, name, _ = parts_of(spec)
        if style == 'multipath':
            identity = self._luns.get(name, name)
            return bool(re.match(r'^3[0-9a-f]{16,32}$', identity)) and not VIRTUAL_DISK.search(identity)
        assigned = _ASSIGNED.match(spec)
        return bool(assigned) and not VIRTUAL_DISK.search('3' + assigned.group(1))

    def choices(self, spec):
        """The devices that a name may mean."""
        parts = parts_of(spec)
        found = [self.disks[index].get(parts[2]) for index in self.possible.get(parts[:2], [])] if parts else []
        return [device for device in found if device is not None]

    def _up_to_date(self, known):
        """The list of UUIDs without what the disks contradict: it may be from before a disk was exchanged."""
        for use in self.uses:
            for parts in self.disks.values():
                device = parts.get(use.number)
                if device is None or not device.uuid or known.get(use.spec) != device.uuid:
                    continue
                size, own = self._sizes.get(use.disk), _sectors(parts.get(None))
                if (use.point and _was_elsewhere(use, device)) or (size and own and not _same_size(size, own)):
                    del known[use.spec]
        return known

    def _solve(self):
        tokens = {}
        for use in self.uses:
            tokens.setdefault((use.style, use.disk), []).append(use)
        self.certain, self.possible, self.disputed = {}, {}, {}
        for token, uses in tokens.items():
            self.possible[token] = [index for index in sorted(self.disks) if all(self._may_be(use, index) for use in uses)]
        found = True
        while found:
            found = False
            for token in sorted(tokens):
                if token in self.certain:
                    continue
                taken = set(index for other, index in self.certain.items() if other[0] == token[0])
                if any(use.point == '/' for use in tokens[token]):
                    # An old name of the root's disk may be left in some file, beside its present one.
                    taken = set()
                left = [index for index in self.possible[token] if index not in taken]
                proven = [index for index in left if any(self._proves(use, index) for use in tokens[token])]
                self.possible[token] = left
                if len(proven) == 1:
                    self.certain[token] = proven[0]
                    found = True
            if not found:
                found = self._eliminate(tokens)
        self.contested = set(token for token in tokens if token not in self.certain and self._rivals(token, tokens))
        for token, uses in tokens.items():
            # Any swap area will do, as long as each is used once.
            left = self.possible[token]
            if token not in self.certain and left and all(use.kind == 'swap' and not self.may_be_lun(use.spec) for use in uses):
                taken = set(index for other, index in self.certain.items() if other[0] == token[0])
                free = [index for index in left if index not in taken]
                if free:
                    self.certain[token] = free[0]

    def _eliminate(self, tokens):
        """Takes what is left for one name alone. Returns whether there was any."""
        for token in sorted(tokens):
            left = self.possible[token]
            # What a cloud mounts if it is there (its temporary disk) has to be proven, and above all what is erased at each start.
            vague = all(use.kind in ('auto', 'random') or self.may_be_lun(use.spec) for use in tokens[token])
            if token not in self.certain and len(left) == 1 and not vague and not self._rivals(token, tokens):
                devices = [(use, self.disks[left[0]][use.number]) for use in tokens[token]]
                elsewhere = [last_mounted(device) for use, device in devices if use.point and _was_elsewhere(use, device)]
                if elsewhere:
                    self.disputed[token] = elsewhere[0]
                    continue
                self.certain[token] = left[0]
                return True
        return False

    def _rivals(self, token, tokens):
        """Other names of the style that can only mean the same disk: one of them means a disk that isn't here."""
        left = self.possible[token]
        return [
            other
            for other in tokens
            if other != token and other[0] == token[0] and other not in self.certain and len(left) == 1 and self.possible[other] == left
            and not all(use.kind in ('auto', 'swap') or use.point == '/' or self.may_be_lun(use.spec) for use in tokens[other])
        ]

    def _may_be(self, use, index):
        device = self.disks[index].get(use.number)
        if device is None or not self._content_fits(use, device):
            return False
        if use.style == 'cloud' and use.disk.endswith('resource'):
            # The temporary disk of a cloud is never replicated.
            return False
        if use.style == 'cloud' and use.disk.endswith('/root') and self.root.disk is not None and index != self.root.disk:
            return False
        if use.point == '/':
            return device.path == self.root.path
        if use.point is not None and device.path == self.root.path and device.content != 'btrfs':
            return False
        claimed = self.claimed.get(device.path)
        if claimed not in (None, use.point) and device.content != 'btrfs':
            return False
        known = self._known.get(use.spec)
        if known and device.uuid:
            return known == device.uuid
        size, own = self._sizes.get(use.disk), _sectors(self.disks[index].get(None))
        if size and own and not _same_size(size, own):
            return False
        last = last_mounted(device)
        return not (use.point and last and last != use.point and last in self._points())

    def _points(self):
        return set(use.point for use in self.uses if use.point) | set(self.claimed.values())

    def _content_fits(self, use, device):
        if use.kind is None:
            return True
        if use.kind == 'crypt':
            return device.content == 'crypto_LUKS'
        if use.kind == 'random':
            # A new key at each boot: the device has no content.
            return device.content in ('', 'swap')
        return fits(use.kind, device.content)

    def _proves(self, use, index):
        device = self.disks[index][use.number]
        if use.point == '/' or self._known.get(use.spec):
            return True
        if use.style == 'kernel' and self._sizes.get(use.disk) and _sectors(self.disks[index].get(None)):
            return True
        if not use.point:
            return False
        if last_mounted(device) == use.point:
            return True
        name = _plain(use.point)
        return bool(name) and name in (_plain(device.properties.get('LABEL', '')), _plain(device.properties.get('PART_ENTRY_NAME', '')))


def _was_elsewhere(use, device):
    """Whether it was mounted at another place last. A rescue system mounts all below a folder of its own."""
    last = last_mounted(device)
    return bool(last) and device.content != 'btrfs' and not last.rstrip('/').endswith(use.point.rstrip('/'))


def _same_size(size, own):
    """Whether a disk of `own` sectors can be one that had `size`: some clouds round up."""
    return own in (size, -(-size // _GIB_SECTORS) * _GIB_SECTORS)


def _plain(text):
    return re.sub(r'[^a-z0-9]', '', text.lower())


def last_mounted(device):
    """Where an ext file system was mounted last, as its superblock says; empty if that isn't known."""
    if device.content not in ('ext2', 'ext3', 'ext4'):
        return ''
    if 'LAST_MOUNTED' not in device.properties:
        # Read once: a mount on the worker writes another path there.
        device.properties['LAST_MOUNTED'] = _read_last_mounted(device.path)
    return device.properties['LAST_MOUNTED']


def _read_last_mounted(path):
    try:
        with open(path, 'rb') as file:
            file.seek(1024 + 0x88)
            point = file.read(64).split(b'\0')[0].decode('utf-8', 'replace')
    except OSError:
        return ''
    worker = re.match(r'^/run/causeway-osmorphing/[^/]+/guest(/.*)?$', point)
    return (worker.group(1) or '/') if worker else point


def _sectors(device):
    if device is None:
        return None
    if 'SECTORS' not in device.properties:
        try:
            with open(device.path, 'rb') as file:
                device.properties['SECTORS'] = str(file.seek(0, os.SEEK_END) // 512)
        except OSError:
            device.properties['SECTORS'] = ''
    return int(device.properties['SECTORS'] or 0) or None


# No name is longer, and on longer ones the pattern below would be slow.
_LONGEST_SPEC = 255


def root_aliases(tree, root, table_spec, arguments):
    """Names that the administrator gave to the root's multipath device; they mean no other disk. `table_spec`: of the root in
    /etc/fstab. `arguments`: (name, value) of the kernel."""
    texts = [tree.read(path, '') for path in [_MULTIPATH_SETTINGS] + tree.find('/etc/multipath/conf.d', '.conf')]
    texts = [re.sub(r'^\s*[#!].*$', '', text, flags=re.MULTILINE) for text in texts]
    aliases = set(name for text in texts for name in re.findall(r'\balias\s+"?([\w.:+-]+)', text))
    aliases.update(line.split()[0] for path in MULTIPATH_BINDINGS for line in tree.read(path, '').splitlines() if len(line.split()) == 2 and not line.startswith('#'))

    def is_alias(spec):
        if len(spec) > _LONGEST_SPEC:
            return False
        found = re.match(r'^/dev/(?:mapper/|disk/by-id/dm-name-)(.+?)(?:(?:-part|_part|p)?(\d+))?$', spec)
        names = [spec.split('/')[-1].replace('dm-name-', '', 1)] + ([found.group(1)] if found and _number(found.group(2)) == root.number else [])
        return bool(found) and any(name in aliases for name in names)

    specs = [table_spec] if is_alias(table_spec) else [value for name, value in arguments if name == 'root' and is_alias(value)]
    names = set(re.sub(r'^/dev/(?:mapper/|disk/by-id/dm-name-)', '', spec) for spec in specs)
    # Of several, all but one belong to other installations.
    return set(folder + name for name in names for folder in ('/dev/mapper/', '/dev/disk/by-id/dm-name-')) if len(names) == 1 else set()


def _own_luns(tree):
    """Multipath name → identifier, of a guest that reaches disks by iSCSI; None for others."""
    if not any(tree.names(folder) for folder in ('/etc/iscsi/nodes', '/var/lib/iscsi/nodes', '/var/lib/open-iscsi/nodes')):
        return None
    found = {}
    for path in MULTIPATH_BINDINGS:
        for line in tree.read(path, '').splitlines():
            fields = line.split()
            if len(fields) == 2 and not fields[0].startswith('#'):
                found.setdefault(fields[0], fields[1])
    return found


def _kernel_sizes(tree):
    """Disk name → sectors, as the kernel logged it at the last start. Names that had several sizes tell nothing."""
    texts = [_end_of(tree, path) for path in _LOGS]
    if getattr(tree, 'run', None) and tree.is_folder('/var/log/journal'):
        command = ['journalctl', '-D', '/var/log/journal', '-o', 'cat', '--no-pager', '-n', '50000', '_TRANSPORT=kernel']
        texts.append(tree.run(command, check=False, timeout=120).out)
    found = {}
    for text in texts:
        for name, sectors in re.findall(r'\[((?:sd|vd|hd)[a-z]+)\] (\d+) 512-byte', text):
            found.setdefault(name, set()).add(int(sectors))
    return dict((name, sizes.pop()) for name, sizes in found.items() if len(sizes) == 1)


def _end_of(tree, path):
    if not tree.is_file(path):
        return ''
    return tree.tail(path, _LOG_PART).decode('utf-8', 'replace')


def _known_uuids(tree):
    """Kernel name → UUID, from the list that blkid of old systems keeps."""
    text = tree.read('/etc/blkid/blkid.tab', '') or tree.read('/etc/blkid.tab', '')
    return dict((name, uuid) for uuid, name in re.findall(r'<device [^>]*?UUID="([^"]+)"[^>]*>(/dev/\S+?)</device>', text))

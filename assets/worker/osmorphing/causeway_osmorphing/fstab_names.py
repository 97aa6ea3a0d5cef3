"""Disk names in the files by which the guest mounts, unlocks and assembles: UUIDs where what is on the disks proves what a
name means. What cannot work on the destination is reported and made optional, so that no boot waits for it."""

import re

from . import disk_names, fstab, other_disk_names, protocol
from .protocol import MorphError

# File systems that the hypervisor of the source serves.
_SHARED = ('vmhgfs', 'fuse.vmhgfs-fuse', 'vboxsf', 'prl_fs')
_REMOTE = ('nfs', 'nfs4', 'cifs', 'smbfs', 'ceph', 'glusterfs', 'fuse.sshfs', 'fuse.glusterfs', 'ocfs2', 'gfs2')
_TAGS = ('UUID=', 'LABEL=', 'PARTUUID=', 'PARTLABEL=', '/dev/disk/by-uuid/', '/dev/disk/by-label/', '/dev/disk/by-partuuid/',
         '/dev/disk/by-partlabel/')
# What old systems remember of their disks' names; they make them anew.
_CACHES = ('/etc/blkid/blkid.tab', '/etc/blkid.tab', '/etc/lvm/.cache', '/etc/lvm/cache/.cache')
_ADVICE = 'write UUID=… (see blkid) into the file on the source, execute the replica again, and deploy again'


def by_uuid(morph):
    """Returns (changed, notes). Raises osmorphing.disk-names-unclear for a name that the guest can't start without and that may
    mean several of its disks."""
    guest = morph.guest
    notes = _fstab(guest, morph.resolver) + _crypttab(guest, morph.resolver) + _units(guest, morph.resolver)
    notes += _resume(guest, morph.resolver) + _lvm_filters(guest, morph) + _raid(guest)
    for path in _CACHES:
        if guest.is_file(path):
            guest.forget(path)
            notes.append('removed ' + path)
    other_disk_names.tell(guest)
    if notes:
        # The initial RAM disk has copies of most of these files.
        morph.rebuild_initramfs = True
    return bool(notes), notes


def check_names(guest, resolver):
    """Raises osmorphing.disk-names-unclear as `by_uuid` would. Writes nothing."""
    for entry in fstab.parse(guest.read('/etc/fstab', '')):
        is_other = entry.kind in _SHARED + _REMOTE or '_netdev' in entry.options or 'bind' in entry.options or entry.point == '/'
        if is_other or not disk_names.is_by_place(entry.spec) or uuid_for(entry.spec, resolver) or (resolver.places and resolver.places.may_be_lun(entry.spec)):
            continue
        what = 'the swap area %s' % entry.spec if entry.kind == 'swap' else entry.point
        _refuse_unclear('/etc/fstab', entry.spec, what, resolver, any(option in ('nofail', 'noauto') for option in entry.options))


def uuid_for(spec, resolver):
    """`UUID=…` (or `PARTUUID=…` for a device without content) that a name by place can be replaced by; None when its meaning
    isn't certain."""
    device = resolver.places.find(spec) if resolver.places else None
    if device is None:
        return None
    if device.uuid:
        return 'UUID=' + device.uuid
    number = device.properties.get('PART_ENTRY_UUID')
    return 'PARTUUID=' + number if number else None


def _fstab(guest, resolver):
    text = guest.read('/etc/fstab', '')
    lines = text.splitlines()
    notes = []
    for entry in fstab.parse(text):
        if entry.point == '/' and 'ro' in entry.options:
            protocol.warn(
                '/etc/fstab mounts / read-only (ro): cloud-init can\'t keep its state there and fails at each start. '
                'Write rw instead of ro, or switch cloud-init off on the destination'
            )
        optional = any(option in ('nofail', 'noauto') for option in entry.options)
        if entry.kind in _SHARED or entry.spec.startswith('.host:/'):
            if not optional:
                _set_optional(lines, entry)
                notes.append('%s got the option nofail' % entry.point)
            protocol.warn('%s is a folder shared by the source hypervisor (%s); it does not exist on the destination' % (entry.point, entry.kind))
            continue
        if entry.kind in _REMOTE or '_netdev' in entry.options or 'bind' in entry.options:
            continue
        shown = 'the swap area %s' % entry.spec if entry.kind == 'swap' else entry.point
        if entry.spec in resolver.root_aliases or disk_names.is_by_place(entry.spec):
            # The file comes from the root itself, so this is the root's name.
            root = resolver.places.root.uuid if entry.point == '/' or entry.spec in resolver.root_aliases else None
            uuid = 'UUID=' + root if root else uuid_for(entry.spec, resolver)
            if uuid:
                lines[entry.line] = lines[entry.line].replace(entry.spec, uuid, 1)
                notes.append('%s is found by its UUID' % shown)
                continue
            if _is_left_to_network('/etc/fstab', entry.spec, shown, resolver):
                continue
            _refuse_unclear('/etc/fstab', entry.spec, shown, resolver, optional)
        elif not _lacks(guest, entry.spec, resolver):
            continue
        if optional or entry.point == '/':
            if disk_names.is_by_place(entry.spec) and 'noauto' not in entry.options and entry.point != '/':
                protocol.warn('/etc/fstab names %s for %s, but that device cannot be identified: it is not mounted on the destination' % (entry.spec, shown))
            continue
        _set_optional(lines, entry)
        notes.append('%s got the option nofail' % shown)
        protocol.warn('/etc/fstab names %s for %s, but no disk has it: it is not mounted on the destination' % (entry.spec, shown))
    if notes:
        guest.write('/etc/fstab', '\n'.join(lines) + '\n')
    return notes


def _set_optional(lines, entry):
    fields = re.split(r'(\s+)', lines[entry.line].strip())
    if len(fields) < 7:
        fields = fields[:5] + [' ', 'defaults'] + fields[7:]
    fields[6] += ',nofail'
    lines[entry.line] = ''.join(fields)


def _lacks(guest, spec, resolver):
    """Whether a name by content leads to no device of the guest, and to none that is still locked."""
    if not spec.startswith(_TAGS + ('/dev/mapper/',)) and not re.match(r'^/dev/(?!md|disk/|loop|zd|sr|cdrom|fd|dvd|drbd|nbd|rbd|ram|zram|shm)[\w.+-]+/[\w.+-]+$', spec):
        return False
    if resolver.find(spec) is not None:
        return False
    opened = set(device.name for device in resolver.devices if device.kind == 'decrypted')
    if any(device.content == 'crypto_LUKS' and device.uuid not in opened for device in resolver.devices):
        return False
    names = set('/dev/mapper/' + name for _, name, _, _, _ in fstab.crypttab(guest))
    return spec not in names


def _is_left_to_network(path, spec, what, resolver):
    if not resolver.places or not resolver.places.may_be_lun(spec):
        return False
    protocol.warn('%s names %s for %s, which is left as it is: the guest uses iSCSI, and the name is not that of a virtual disk' % (path, spec, what))
    return True


def _refuse_unclear(path, spec, what, resolver, optional):
    choices = resolver.places.choices(spec) if resolver.places else []
    elsewhere = resolver.places.mounted_elsewhere(spec) if resolver.places else None
    if not choices or (len(choices) == 1 and not elsewhere and not resolver.places.is_contested(spec)):
        return
    shown = ' or '.join('UUID=%s' % device.uuid for device in choices)
    told = '%s names %s for %s, which may be %s here: nothing tells them apart' % (path, spec, what, shown)
    if len(choices) == 1:
        told = '%s names %s for %s, which may be %s here, but %s' % (
            path, spec, what, shown, 'that was mounted at %s last' % elsewhere if elsewhere else 'another name may be it as well')
    if optional:
        protocol.warn(told)
        return
    raise MorphError('osmorphing.disk-names-unclear', '%s; %s' % (told, _ADVICE), {'name': spec, 'file': path})


def _crypttab(guest, resolver):
    lines = guest.read('/etc/crypttab', '').splitlines()
    notes = []
    for index, name, spec, key, options in list(fstab.crypttab(guest)):
        if key.startswith('/dev/') and disk_names.is_by_place(key.split(':')[0]):
            protocol.warn('/etc/crypttab reads the key of %s from %s, which has another name on the destination' % (name, key))
        if not disk_names.is_by_place(spec):
            continue
        optional = 'nofail' in options or 'noauto' in options
        uuid = uuid_for(spec, resolver)
        if uuid:
            lines[index] = lines[index].replace(spec, uuid, 1)
            notes.append('the encrypted volume %s is found by its UUID' % name)
            continue
        if not fstab.is_headerless(key, options) and _is_left_to_network('/etc/crypttab', spec, name, resolver):
            continue
        _refuse_unclear('/etc/crypttab', spec, name, resolver, optional)
        # A new key at each boot erases the device, and on the destination the name may belong to another disk.
        wanted = ['nofail', 'noauto'] if fstab.is_headerless(key, options) else ['nofail']
        if 'noauto' not in options and (not optional or 'noauto' in wanted):
            fields = lines[index].split()
            fields += ['none'] * (3 - len(fields))
            added = [option for option in wanted if option not in options]
            lines[index] = ' '.join(fields[:3] + [','.join(fields[3:4] + added)] + fields[4:])
            notes.append('the encrypted volume %s got the option %s' % (name, ','.join(added)))
            protocol.warn('/etc/crypttab names %s for %s, but no disk matches: it is not unlocked on the destination' % (spec, name))
    if notes:
        guest.write('/etc/crypttab', '\n'.join(lines) + '\n')
    return notes


def _units(guest, resolver):
    """Mounts and swap areas defined by systemd units instead of /etc/fstab."""
    notes = []
    for path in guest.find('/etc/systemd/system'):
        text = guest.read(path, '') if not guest.is_link(path) else ''
        if path.endswith(('.mount', '.swap')):
            found = re.search(r'^What=(/dev/\S+)[ \t]*$', text, re.MULTILINE)
            if found and disk_names.is_by_place(found.group(1)):
                uuid = uuid_for(found.group(1), resolver)
                if uuid:
                    tag, value = uuid.split('=')
                    guest.write(path, text[: found.start(1)] + '/dev/disk/by-%s/%s' % (tag.lower(), value) + text[found.end(1) :])
                    notes.append('%s finds its file system by UUID' % path)
                else:
                    protocol.warn('%s names %s, which cannot be identified' % (path, found.group(1)))
        for unit in sorted(set(re.findall(r'(?<![\w\\-])dev-[\w\\:.-]+?\.(?:device|swap)\b', text))):
            spec = '/' + re.sub(r'\\x([0-9a-f]{2})', lambda code: chr(int(code.group(1), 16)), unit.rsplit('.', 1)[0].replace('-', '/'))
            if disk_names.is_by_place(spec):
                protocol.warn('%s waits for %s, which has another name on the destination' % (path, spec))
    return notes


def _resume(guest, resolver):
    """Where Debian's initial RAM disk looks for a hibernated system."""
    path = '/etc/initramfs-tools/conf.d/resume'
    text = guest.read(path, '')
    found = re.search(r'^\s*RESUME=["\']?([^"\'\s]+)', text, re.MULTILINE)
    if not found or found.group(1) in ('none', 'auto'):
        return []
    new = resume_device(found.group(1), resolver)
    if new == found.group(1):
        return []
    guest.write(path, text[: found.start(1)] + (new or 'none') + text[found.end(1) :])
    return ['%s: RESUME=%s' % (path, new or 'none')]


def resume_device(spec, resolver):
    """The name to use: the same, a UUID, or None when there is no such swap area."""
    if disk_names.is_by_place(spec):
        return uuid_for(spec, resolver)
    if spec.startswith(_TAGS) and resolver.find(spec) is None:
        opened = set(device.name for device in resolver.devices if device.kind == 'decrypted')
        locked = any(device.content == 'crypto_LUKS' and device.uuid not in opened for device in resolver.devices)
        return spec if locked else None
    return spec


def _lvm_filters(guest, morph):
    """Filters that would hide the guest's volume groups, because they use the old disk names."""
    members = [device for device in morph.devices if device.content == 'LVM2_member' and device.kind in ('disk', 'partition')]
    names = dict(
        (letters, ['/dev/%s%s%s' % (letters, chr(ord('a') + min(device.disk or 0, 25)), device.number or '') for device in members])
        for letters in disk_names.every_letters(morph.request)
    )
    return [note for path in _LVM_SETTINGS for note in _lvm_filter(guest, path, names)]


# The second one goes before the first.
_LVM_SETTINGS = ('/etc/lvm/lvm.conf', '/etc/lvm/lvmlocal.conf')


def _lvm_filter(guest, path, names):
    """`names`: of the guest's own disks, by the letters that each bus would give them."""
    text = guest.read(path, '')
    notes = []

    def opened(found):
        rules = re.findall(r'"([^"]*)"|\'([^\']*)\'', found.group(3))
        rules = [double or single for double, single in rules]
        lacking = [letters for letters, own in names.items() if not all(_is_accepted(name, rules) for name in own)]
        if not lacking:
            return found.group(0)
        notes.append('%s: %s accepts the disks of the destination' % (path, found.group(2)))
        protocol.warn('%s in %s excluded the guest\'s own disks by their new names; it now accepts %s' % (found.group(2), path, ' and '.join('/dev/%s*' % one for one in lacking)))
        added = ''.join('"a|^/dev/%s[a-z]+[0-9]*$|", ' % one for one in lacking)
        return '%s%s = [ %s%s' % (found.group(1), found.group(2), added, found.group(3).strip().lstrip('[').strip())

    new = re.sub(r'^([ \t]*)((?:global_)?filter)[ \t]*=[ \t]*(\[[^\]]*(?:\][^"\'\n]*["\'][^\]]*)*\]|"[^"\n]*")', opened, text, flags=re.MULTILINE)
    if new != text:
        guest.write(path, re.sub(r'(= \[ (?:"a\|\^/dev/\w{2,3}\[a-z\]\+\[0-9\]\*\$\|", )+"[^"\n]*"[ \t]*)$', r'\1 ]', new, flags=re.MULTILINE))
    return notes


def _is_accepted(name, rules):
    for rule in rules:
        if len(rule) < 3 or rule[0] not in 'ar':
            continue
        closing = {'(': ')', '[': ']', '{': '}'}.get(rule[1], rule[1])
        pattern = rule[2:].rstrip()
        pattern = pattern[: -len(closing)] if pattern.endswith(closing) else pattern
        try:
            if re.search(pattern, name):
                return rule[0] == 'a'
        except re.error:
            return False
    return True


# Lines that begin with a space belong to the one before.
_CONTINUED = r'(?:\n[ \t]+(?!#)\S[^\n]*)*'


def _raid(guest):
    """Arrays are found by their UUIDs; a list of disks makes mdadm ignore all others."""
    notes = []
    for path in ('/etc/mdadm/mdadm.conf', '/etc/mdadm.conf'):
        text = guest.read(path, '')
        new = re.sub(r'^([ \t]*)DEVICE[ \t]+(?=\S*/dev/)[^\n]*' + _CONTINUED, r'\1DEVICE partitions', text, flags=re.MULTILINE | re.IGNORECASE)
        new = re.sub(
            r'^([ \t]*ARRAY[ \t][^\n]*' + _CONTINUED + ')',
            lambda found: re.sub(r'\s+devices=\S+', '', found.group(1), flags=re.IGNORECASE) if re.search(r'\buuid=', found.group(1), re.IGNORECASE) else found.group(1),
            new, flags=re.MULTILINE | re.IGNORECASE)
        if new != text and guest.write(path, new):
            notes.append('%s: arrays are found by their UUIDs' % path)
    return notes

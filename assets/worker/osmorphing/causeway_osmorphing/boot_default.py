"""The entry that a boot loader starts by itself: never one whose kernel can't find the destination's disks."""

import fnmatch
import re

from . import boot_entries, protocol

_ENV_SIZE = 1024
_NUMBER = re.compile(r'^[0-9]{1,6}$')
_SYSLINUX = ('/boot/extlinux/extlinux.conf', '/boot/syslinux/syslinux.cfg', '/extlinux.conf')
_SETTING = re.compile(r'^([ \t]*set default=)(["\']?)([^"\'\n]*)\2[ \t]*$', re.MULTILINE)


def choose(morph):
    """Returns notes. Nothing changes where the loader's own choice can start."""
    guest = morph.guest
    entries = boot_entries.entries_of(guest)
    able = [version for version in guest.kernels() if version not in morph.unable_kernels]

    def starts(entry):
        return entry.version in able and not entry.hypervisor and entry.kernel is not None

    def fails(entry):
        # What isn't known (a memory test, another system) stays.
        return entry.version in morph.unable_kernels

    if not morph.unable_kernels:
        return []
    notes = []
    for path in boot_entries.grub_files(guest):
        notes += _grub(guest, path, entries, starts, fails)
    for path in boot_entries.legacy_files(guest):
        notes += _legacy(guest, path, entries, starts, fails)
    for path in _SYSLINUX:
        notes += _syslinux(guest, path, entries, starts, fails)
    for path in ('/boot/loader/loader.conf', '/boot/efi/loader/loader.conf', '/efi/loader/loader.conf'):
        notes += _loader(guest, path, entries, starts, fails)
    return notes + _later_kernels(guest)


def _later_kernels(guest):
    """Which of a distribution's kernels its tools make the default when they install a newer one: never that for Xen."""
    path = '/etc/sysconfig/kernel'
    text = guest.read(path, '')
    new = re.sub(r'^(DEFAULTKERNEL=)(["\']?)kernel-xen\2[ \t]*$', r'\1\2kernel\2', text, flags=re.MULTILINE)
    return ['%s: updates make no kernel for Xen the default' % path] if new != text and guest.write(path, new) else []


def _best(entries, starts):
    """The newest entry that starts; an entry for rescue only when there is no other."""
    fitting = [entry for entry in entries if starts(entry)]
    usual = [entry for entry in fitting if not re.search(r'recovery|rescue|failsafe|single|debug|kdump', entry.title + entry.place, re.IGNORECASE)]
    return max(usual or fitting, key=lambda entry: boot_entries.order_of(entry.version), default=None)


def _tell(path, old, new):
    told = 'the boot loader started %s, which can\'t boot on the destination, or not on each type of machine; it now starts %s' % (old.version or old.title or old.place, new.version)
    protocol.warn_once(told)
    return ['%s starts %s' % (path, new.version)]


def _tell_no_other(path, current):
    protocol.warn_once('%s starts %s, which can\'t boot on the destination, and has no entry of another kernel' % (path, current.version or current.title or current.place))
    return []


def _grub(guest, path, entries, starts, fails):
    text = guest.read(path, '')
    settings = _SETTING.findall(text)
    if not settings:
        return []
    specified = 'blscfg' in text
    own = [entry for entry in entries if entry.file == path]
    listed = [entry for entry in entries if entry.file.endswith('.conf') and '/loader/entries/' in entry.file] if specified else []
    # GRUB reads the specification's entries where its file has the command, which is before all others as it is installed.
    offered = listed + own
    if not offered:
        return []
    literal = [value for _, _, value in settings if '$' not in value]
    saved = any('saved_entry' in value for _, _, value in settings)
    environments = [name for name in environment_files(guest) if guest.is_file(name)]
    kept = next((value for name in environments for value in re.findall(r'^saved_entry=(.*)$', guest.read(name, ''), re.MULTILINE) if value), '')
    wanted = kept if saved and kept else (literal[-1] if literal else '0')
    current = _meant(wanted, offered, listed) or offered[0]
    if not fails(current):
        return []
    best = _best(listed, starts) or _best(own, starts)
    if best is None:
        return _tell_no_other(path, current)
    # A title with signs of the menu's language cannot stand in it.
    place = best.place if re.match(r'^[^"$`\\\n]+$', best.place) else best.numbers
    changed = False
    if saved:
        for name in environments:
            changed = set_environment(guest, name, 'saved_entry', place) or changed
    if not changed:
        # Nothing is kept, or it cannot be: the menu itself says so.
        new = _SETTING.sub(lambda found: '%s"%s"' % (found.group(1), place) if 'next_entry' not in found.group(3) else found.group(0), text)
        changed = guest.write(path, new)
        _set_default_grub(guest, place)
    return _tell(path, current, best) if changed else []


def _meant(wanted, offered, listed):
    """The entry that GRUB's setting means: an id, a title, numbers, or a path of those."""
    for entry in offered:
        if wanted in (entry.place, entry.title, entry.numbers) or entry.place.split('>')[-1] == wanted:
            return entry
    if _NUMBER.match(wanted):
        # A submenu has a number, too, and starts its first entry.
        number = int(wanted)
        if number < len(listed):
            return listed[number]
        return next((entry for entry in offered if entry.numbers and entry.numbers.split('>')[0] == str(number - len(listed))), None)
    return None


def environment_files(guest):
    vendors = ['%s/%s/grubenv' % (efi, name) for efi in ('/boot/efi/EFI', '/efi/EFI') for name in guest.names(efi)]
    return [path for path in ['/boot/grub2/grubenv', '/boot/grub/grubenv'] + vendors if not guest.is_link(path) or not path.startswith(('/boot/efi', '/efi'))]


def set_environment(guest, path, key, value):
    """Sets a value in GRUB's environment block, which has a fixed size and is padded with number signs. Returns whether anything
    changed."""
    text = guest.read(path, '')
    line = '%s=%s\n' % (key, value)
    found = re.search(r'^%s=.*\n' % re.escape(key), text, re.MULTILINE)
    body = (text[: found.start()] + line + text[found.end() :] if found else text.rstrip('#') + line).rstrip('#')
    if '\n' in value or not text.startswith('# GRUB Environment Block') or len(body.encode('utf-8', 'surrogateescape')) > _ENV_SIZE:
        return False
    return guest.write(path, body + '#' * (_ENV_SIZE - len(body.encode('utf-8', 'surrogateescape'))))


def _set_default_grub(guest, place):
    """So that the guest's own tools write the same."""
    path = '/etc/default/grub'
    text = guest.read(path, '')
    if re.search(r'^GRUB_DEFAULT=', text, re.MULTILINE):
        guest.write(path, re.sub(r'^GRUB_DEFAULT=.*$', lambda _: 'GRUB_DEFAULT="%s"' % place, text, flags=re.MULTILINE))


def _legacy(guest, path, entries, starts, fails):
    own = [entry for entry in entries if entry.file == path]
    text = guest.read(path, '') if own else ''
    found = re.search(r'^([ \t]*default[ \t=]+)(\S+)[ \t]*$', text, re.MULTILINE)
    number = int(found.group(2)) if found and _NUMBER.match(found.group(2)) else 0
    if not own or number >= len(own) or not fails(own[number]):
        return []
    best = _best(own, starts)
    if best is None:
        return _tell_no_other(path, own[number])
    new = text[: found.start(2)] + best.place + text[found.end(2) :] if found else 'default %s\n%s' % (best.place, text)
    return _tell(path, own[number], best) if guest.write(path, new) else []


def _syslinux(guest, path, entries, starts, fails):
    """The label that it names, or else the first one; a menu may mark another."""
    own = [entry for entry in entries if entry.file == path]
    text = guest.read(path, '') if own else ''
    found = re.search(r'^([ \t]*(?:default|ontimeout)[ \t]+)(\S+)[ \t]*$', text, re.MULTILINE | re.IGNORECASE)
    wanted = _marked(text) or (found.group(2) if found else '')
    current = next((entry for entry in own if entry.place.lower() == wanted.lower()), own[0] if own else None)
    if current is None or not fails(current):
        return []
    best = _best(own, starts)
    if best is None:
        return _tell_no_other(path, current)
    # A menu's own program stands where the default would: then the label is marked instead.
    new = re.sub(r'^[ \t]*menu[ \t]+default[ \t]*\n', '', text, flags=re.MULTILINE | re.IGNORECASE)
    found = re.search(r'^([ \t]*(?:default|ontimeout)[ \t]+)(\S+)[ \t]*$', new, re.MULTILINE | re.IGNORECASE)
    if found and '.c32' not in found.group(2):
        new = new[: found.start(2)] + best.place + new[found.end(2) :]
    else:
        new = re.sub(r'^([ \t]*label[ \t]+%s[ \t]*\n)' % re.escape(best.place), r'\g<1>\tmenu default\n', new, count=1, flags=re.MULTILINE | re.IGNORECASE)
    return _tell(path, current, best) if new != text and guest.write(path, new) else []


def _marked(text):
    label, marked = '', ''
    for line in text.splitlines():
        words = line.lower().split()
        label = line.split()[1] if words[:1] == ['label'] and len(words) > 1 else label
        marked = label if words == ['menu', 'default'] else marked
    return marked


def _loader(guest, path, entries, starts, fails):
    """systemd-boot: a pattern of names, or else the newest."""
    folder = path.rsplit('/', 1)[0] + '/entries/'
    own = [entry for entry in entries if entry.file.startswith(folder)]
    # Without that file it starts the newest. GRUB reads such entries without that loader.
    if not own or not (guest.is_file(path) or guest.is_folder(path[: -len('/loader/loader.conf')] + '/EFI/systemd')):
        return []
    text = guest.read(path, '')
    found = re.search(r'^default[ \t]+(\S+)[ \t]*$', text, re.MULTILINE)
    pattern = found.group(1) if found and not found.group(1).startswith('@') else '*'
    current = next((entry for entry in own if fnmatch.fnmatch(entry.place + '.conf', pattern) or fnmatch.fnmatch(entry.place, pattern)), own[0])
    if not fails(current):
        return []
    best = _best(own, starts)
    if best is None:
        return _tell_no_other(path, current)
    line = 'default %s.conf' % best.place
    new = text[: found.start()] + line + text[found.end() :] if found else text.rstrip('\n') + ('\n' if text.strip() else '') + line + '\n'
    return _tell(path, current, best) if guest.write(path, new) else []

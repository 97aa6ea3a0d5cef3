"""The disks on which the boot loader's package installs it again when it is updated. Names that the source gave them would make these
updates fail, months after the move. The guest starts without any of this."""

import re

from . import disk_names, protocol

# Of GRUB legacy, which finds disks by this list alone.
_MAPS = ('/boot/grub/device.map', '/etc/grub.map')
# Of SUSE: a line for each device, or a word for something else.
_SUSE = '/etc/default/grub_installdevice'
_DEBCONF = '/var/cache/debconf/config.dat'
_ANSWERS = ('grub-pc/install_devices', 'grub-efi/install_devices')
_LARGEST_DATABASE = 64 << 20


def name_anew(morph):
    """Returns notes."""
    return _maps(morph) + _suse(morph) + _debconf(morph)


def _maps(morph):
    notes = []
    for path in _MAPS:
        text = morph.guest.read(path, '') if morph.guest.is_file(path) else ''
        named = dict((spec, int(number)) for number, spec in re.findall(r'^[ \t]*\(hd(\d{1,3})\)[ \t]+(/dev/\S+)', text, re.MULTILINE))
        new = _new_names(morph, named)
        _tell_unknown(path, new)
        text = re.sub(r'^([ \t]*\(hd\d+\)[ \t]+)(/dev/\S+)', lambda found: found.group(1) + (new[found.group(2)] or found.group(2)), text, flags=re.MULTILINE)
        if named and morph.guest.write(path, text):
            notes.append('%s names the disks as the destination does' % path)
    return notes


def _suse(morph):
    text = morph.guest.read(_SUSE, '') if morph.guest.is_file(_SUSE) else ''
    named = re.findall(r'^/dev/\S+', text, re.MULTILINE)
    new = _new_names(morph, dict.fromkeys(named))
    _tell_unknown(_SUSE, new)
    text = re.sub(r'^/dev/\S+', lambda found: new[found.group()] or found.group(), text, flags=re.MULTILINE)
    return ['%s names the disks as the destination does' % _SUSE] if named and morph.guest.write(_SUSE, text) else []


def _debconf(morph):
    """Answers to questions that packages asked, in blocks of fields."""
    text = morph.guest.read(_DEBCONF, '', _LARGEST_DATABASE) if morph.guest.is_file(_DEBCONF) else ''
    notes = []
    for question in _ANSWERS:
        start, end = _answer(text, question)
        named = [one.strip() for one in text[start:end].split(',') if one.strip()]
        new = _new_names(morph, dict.fromkeys(named))
        _tell_unknown('the answer to %s' % question, new)
        value = ', '.join(new[spec] or spec for spec in named)
        if value != text[start:end].strip():
            text = text[:start] + value + text[end:]
            notes.append('updates of GRUB install it on %s' % value[:300])
    if notes:
        morph.guest.write(_DEBCONF, text)
    return notes


def _answer(text, question):
    """Where the value of an answer begins and ends; the same place twice if there is none. Block by block: one pattern for all would
    take hours for a file that was made for that."""
    for block in re.finditer(r'(?:[^\n]+(?:\n|\Z))+', text):
        if block.group().startswith('Name: %s\n' % question):
            found = re.search(r'^Value:[ \t]*([^\n]*)', block.group(), re.MULTILINE)
            if found:
                return block.start() + found.start(1), block.start() + found.end(1)
    return 0, 0


def _tell_unknown(where, new):
    unknown = sorted(spec for spec, name in new.items() if name is None)
    if unknown:
        protocol.warn_once('%s names %s, and nothing tells which disk that is: correct it on the destination, or updates of the boot loader will fail' % (where, ', '.join(unknown)[:300]))


def _new_names(morph, numbers):
    """`numbers`: for each name of a list, which disk it is for the firmware, where that is told. New names by old ones; None where
    the meaning of one isn't known."""
    named = sorted(numbers)
    return dict((spec, _new_name(morph, spec, named, numbers[spec])) for spec in named)


def _new_name(morph, spec, named, number):
    """`named`: all names of the list, in order, each once."""
    parts = disk_names.parts_of(spec)
    if parts is None:
        return spec
    style, disk, partition = parts
    disks = sorted(set(device.disk for device in morph.devices if device.kind == 'disk'))
    letters = disk_names.kernel_letters(morph.request)
    index = morph.resolver.places.certain.get((style, disk)) if morph.resolver.places else None
    if index is None and len(disks) == 1:
        index = disks[0]
    if index is None and len(named) == len(disks):
        # Each disk once, as with mirrored ones: where a list has no order of its own, theirs does not matter.
        index = disks[named.index(spec) if number is None else min(number, len(disks) - 1)]
    if index is None:
        known = re.match(r'^/dev/%s([a-z])$' % letters, spec)
        return spec if known and ord(known.group(1)) - ord('a') in disks else None
    if partition is None:
        return '/dev/%s%s' % (letters, chr(ord('a') + min(index, 25)))
    device = next((one for one in morph.devices if one.kind == 'partition' and one.disk == index and one.number == partition), None)
    return '/dev/disk/by-uuid/%s' % device.uuid if device is not None and device.uuid else None

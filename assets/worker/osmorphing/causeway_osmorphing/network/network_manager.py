"""NetworkManager's keyfiles."""

import re

from .. import protocol
from .built import Built, below
from .key_file import KeyFile
from .names import Interface, tell_dropped
from .seen_names import name_unnamed

FOLDER = '/etc/NetworkManager/system-connections'
_CARD = ('ethernet', '802-3-ethernet')
_STATIC = re.compile(
    r'^(address\d*|addresses\d*|gateway|dns|routes?\d*(_options)?|route-metric|never-default|may-fail)$'
)


def files(guest):
    return [path for path in guest.find(FOLDER) if not path.endswith(('~', '.bak', '.orig'))]


_HARDWARE = ('driver', 'path')


def _cards(guest):
    found = []
    for path in files(guest):
        file = KeyFile(guest.read(path))
        if file.get('connection', 'type') not in _CARD:
            continue
        named = file.get('connection', 'interface-name')
        mac = next((file.get(section, 'mac-address') for section in _CARD if file.get(section, 'mac-address')), None)
        # A profile for any card is tied to none, unless its address belongs to one.
        tied = mac or (any(file.get('match', key) for key in _HARDWARE) and file.get('ipv4', 'method') == 'manual')
        found.append((path, file, named, mac, bool(named or tied)))
    tied = [(named, mac) for _, _, named, mac, is_tied in found if is_tied]
    names = iter(name_unnamed(guest, tied) if any(not named for named, _ in tied) else [named for named, _ in tied])
    for path, file, _, mac, is_tied in found:
        yield path, file, next(names) if is_tied else None, mac


_BUILT = ('bond', 'bridge', 'vlan', 'team')


def built(guest):
    found = []
    for path in files(guest):
        file = KeyFile(guest.read(path))
        if file.get('connection', 'type') in _BUILT:
            name = file.get('connection', 'interface-name') or file.get('connection', 'id') or path.rsplit('/', 1)[1]
            parent = file.get('vlan', 'parent') or ''
            # A parent may be another connection by its identifier, which has a file of its own.
            cards = below(name, [parent] if parent and '-' not in parent else []) if file.get('connection', 'type') == 'vlan' and '-' not in parent else []
            found.append(Built(name, cards, _addresses(file)))
    return found


def configure(guest, card):
    text = '[connection]\nid=%s\ntype=ethernet\ninterface-name=%s\n\n[ipv4]\nmethod=auto\n\n[ipv6]\nmethod=auto\n' % (card, card)
    guest.write('%s/causeway-%s.nmconnection' % (FOLDER, card), text, 0o600)


def _addresses(file):
    return [value.split(',')[0].split('/')[0] for value in file.values('ipv4', lambda key: re.match(r'^address(es)?\d*$', key))]


def interfaces(guest):
    found = []
    for _, file, name, mac in _cards(guest):
        if name:
            found.append(Interface(name, mac, _addresses(file)))
    return found


def convert(guest, to_dhcp):
    notes = []
    before = list(_cards(guest))
    for path, file, name, mac in before:
        shown = name or path
        changed = False
        for section in _CARD:
            for key in ('mac-address', 'cloned-mac-address'):
                if file.remove(section, key):
                    changed = True
                    notes.append('removed %s of %s' % (key, shown))
        for key in _HARDWARE:
            if file.remove('match', key):
                changed = True
                notes.append('%s is found whatever the %s of its card is' % (shown, key))
        if name and not file.get('connection', 'interface-name'):
            changed = file.set('connection', 'interface-name', name) or changed
        if to_dhcp:
            changed = _dhcp(file, shown, path, notes) or changed
        if changed:
            guest.write(path, file.text(), 0o600)
    names = dict((mac.lower(), name) for _, _, name, mac in before if mac and name)
    for path in files(guest):
        file = KeyFile(guest.read(path))
        kind = file.get('connection', 'type')
        if not to_dhcp and kind in _BUILT:
            notes += _without_own_mac(guest, path, file, kind, names)
        if to_dhcp and kind in _BUILT and guest.remove(path):
            protocol.warn('the %s in %s is built on other interfaces: those use DHCP, and it is skipped' % (kind, path))
            notes.append('left out ' + path)
    return notes


def _without_own_mac(guest, path, file, kind, names):
    """What is built on cards: the destination lets only the cards' own addresses pass, and a VLAN may know its card by the old one."""
    shown = file.get('connection', 'interface-name') or path
    tied = next((file.get(section, 'mac-address') for section in _CARD if file.get(section, 'mac-address')), None)
    parent = names.get((tied or '').lower())
    if kind == 'vlan' and parent and not file.get('vlan', 'parent'):
        file.set('vlan', 'parent', parent)
    removed = [
        key for section in _CARD + ('bridge',) for key in ('mac-address', 'cloned-mac-address')
        if (file.get(section, key) or 'preserve') not in ('preserve', 'permanent', 'stable', 'random') and file.remove(section, key)
    ]
    if not removed:
        return []
    guest.write(path, file.text(), 0o600)
    return ['removed %s of %s' % (' and '.join(sorted(set(removed))), shown)]


def _dhcp(file, shown, path, notes):
    changed = False
    for key in ('master', 'slave-type', 'controller', 'port-type'):
        changed = file.remove('connection', key) or changed
    if file.get('ipv4', 'method') != 'auto':
        file.set('ipv4', 'method', 'auto')
        changed = True
        notes.append('%s gets its address by DHCP' % shown)
    changed = file.remove('ipv4', lambda key: _STATIC.match(key)) or changed
    dropped = []
    for section, key in [('ipv4', 'ignore-auto-dns'), ('ipv4', 'ignore-auto-routes')] + [(section, 'mtu') for section in _CARD]:
        value = file.get(section, key)
        if value is not None and value.lower() not in ('false', 'no', '0', 'auto') and file.remove(section, key):
            dropped.append('%s=%s' % (key, value))
    tell_dropped(path, dropped)
    changed = changed or bool(dropped)
    if file.get('ipv6', 'method') == 'manual':
        file.set('ipv6', 'method', 'auto')
        file.remove('ipv6', lambda key: _STATIC.match(key))
        changed = True
    return changed

"""systemd-networkd's .network and .link files."""

import re

from .. import protocol
from .built import Built
from .key_file import KeyFile
from .names import Interface, is_ethernet, tell_dropped
from .seen_names import name_unnamed

FOLDER = '/etc/systemd/network'
_MACS = ('MACAddress', 'PermanentMACAddress')
# How cards of the old platform are identified; no card of the destination matches.
_HARDWARE = ('Driver', 'Path', 'OriginalName')
_ANY = 'en* eth*'
_KINDS = ('bond', 'bridge', 'vlan', 'team', 'macvlan', 'ipvlan')
_BUILT = ('Bond', 'Bridge', 'VLAN', 'VRF', 'MACVLAN', 'IPVLAN', 'VXLAN', 'Tunnel')


def files(guest):
    return guest.find(FOLDER, '.network') + guest.find(FOLDER, '.link')


def _links(guest):
    """MAC address → name, of .link files."""
    found = {}
    for path in guest.find(FOLDER, '.link'):
        file = KeyFile(guest.read(path))
        mac = next((file.get('Match', key) for key in _MACS if file.get('Match', key)), None)
        if mac and file.get('Link', 'Name'):
            found[Interface('', mac.split()[0]).mac] = file.get('Link', 'Name')
    return found


def _networks(guest):
    """(path, file, name, MAC address) of what configures network cards. The name is a pattern where several cards are meant."""
    links, found = _links(guest), []
    for path in guest.find(FOLDER, '.network'):
        file = KeyFile(guest.read(path))
        mac = next((file.get('Match', key) for key in _MACS if file.get('Match', key)), None)
        mac = Interface('', mac.split()[0]).mac if mac else None
        name = (file.get('Match', 'Name') or '').split(' ')[0] or links.get(mac)
        if not name and any(file.get('Match', key) for key in _HARDWARE) and not _is_static(file):
            name = _ANY
        found.append((path, file, name, mac))
    unnamed = [each for each in found if not each[2] and (each[3] or any(each[1].get('Match', key) for key in _HARDWARE))]
    used = [(name, None) for _, _, name, _ in found if name and is_ethernet(name)]
    given = name_unnamed(guest, used + [(None, mac) for _, _, _, mac in unnamed])[len(used) :] if unnamed else []
    names = dict((each[0], name) for each, name in zip(unnamed, given))
    return [(path, file, name or names.get(path), mac) for path, file, name, mac in found]


def _is_static(file):
    return bool(file.values('Network', 'Address') + file.values('Address', 'Address'))


def built(guest):
    """Cards are told by their own files what is built on them."""
    read = [KeyFile(guest.read(path)) for path in guest.find(FOLDER, '.netdev')]
    return [Built(file.get('NetDev', 'Name')) for file in read if file.get('NetDev', 'Name') and (file.get('NetDev', 'Kind') or '').lower() in _KINDS]


def interfaces(guest):
    built_names = set(one.name for one in built(guest))
    by_name = dict((name, mac) for mac, name in _links(guest).items())
    found = []
    for _, file, name, mac in _networks(guest):
        if name and is_ethernet(name) and name not in built_names:
            addresses = file.values('Network', 'Address') + file.values('Address', 'Address')
            found.append(Interface(name, mac or by_name.get(name), [one for one in addresses if ':' not in one]))
    return found


def convert(guest, to_dhcp):
    notes = []
    built_names = set(one.name for one in built(guest))
    for path, file, name, mac in _networks(guest):
        if name and (not is_ethernet(name) or name in built_names) and not re.search(r'[*?!\[]', name):
            if to_dhcp and guest.remove(path):
                protocol.warn('%s in %s is built on other interfaces: those use DHCP, and it is skipped' % (name, path))
                notes.append('left out ' + path)
            elif not to_dhcp and file.remove('Link', 'MACAddress'):
                guest.write(path, file.text())
                notes.append('%s has the MAC address of its card, not one of its own' % name)
            continue
        before = file.text()
        for key in _MACS:
            if file.remove('Match', key):
                notes.append('%s is found by its name, not by its old MAC address' % name)
        hardware = [key for key in _HARDWARE if file.remove('Match', key)]
        if hardware:
            notes.append('%s is found by its name, not by the %s of its old card' % (name, ' and '.join(hardware).lower()))
        if (mac or hardware) and not file.get('Match', 'Name'):
            file.set('Match', 'Name', name)
        if file.remove('Link', 'MACAddress'):
            notes.append('%s has the MAC address of its card, not one of its own' % name)
        if to_dhcp and _dhcp(file, path):
            notes.append('%s gets its address by DHCP' % (name or path))
        if file.text() != before:
            guest.write(path, file.text())
    for path in guest.find(FOLDER, '.netdev'):
        file = KeyFile(guest.read(path))
        own = file.get('NetDev', 'MACAddress')
        # The destination lets only the addresses of its cards pass.
        if own and own.lower() != 'none' and file.remove('NetDev', 'MACAddress'):
            guest.write(path, file.text())
            notes.append('%s has the MAC address of its card, not one of its own' % (file.get('NetDev', 'Name') or path))
    for path in guest.find(FOLDER, '.link'):
        file = KeyFile(guest.read(path))
        if any(file.get('Match', key) for key in _MACS) and guest.remove(path):
            notes.append('removed %s, which names cards by their old MAC addresses' % path)
    return notes


# Sections and keys that override what DHCP provides, or ignore it.
_AGAINST_DHCP = (
    ('DHCP', 'UseDNS'), ('DHCP', 'UseRoutes'), ('DHCP', 'UseMTU'), ('DHCPv4', 'UseDNS'), ('DHCPv4', 'UseRoutes'), ('DHCPv4', 'UseGateway'),
    ('DHCPv4', 'UseMTU'), ('Link', 'MTUBytes'),
)


def _dhcp(file, path):
    changed = False
    if (file.get('Network', 'DHCP') or '').lower() not in ('yes', 'true', 'ipv4', 'both', 'v4', '1'):
        changed = file.set('Network', 'DHCP', 'yes')
    for key in ('Address', 'Gateway', 'DNS') + _BUILT:
        changed = file.remove('Network', key) or changed
    for section in ('Address', 'Route'):
        changed = file.remove_section(section) or changed
    dropped = []
    for section, key in _AGAINST_DHCP:
        value = file.get(section, key)
        if value is not None and value.lower() not in ('yes', 'true', '1', 'on'):
            file.remove(section, key)
            dropped.append('%s=%s' % (key, value))
    tell_dropped(path, dropped)
    return changed or bool(dropped)

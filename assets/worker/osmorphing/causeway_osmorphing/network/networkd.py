"""systemd-networkd's .network and .link files."""

from .. import protocol
from .key_file import KeyFile
from .names import Interface, is_ethernet

FOLDER = '/etc/systemd/network'
_MACS = ('MACAddress', 'PermanentMACAddress')
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
    """(path, file, name, MAC address) of what configures network cards."""
    links, number = _links(guest), 0
    for path in guest.find(FOLDER, '.network'):
        file = KeyFile(guest.read(path))
        mac = next((file.get('Match', key) for key in _MACS if file.get('Match', key)), None)
        mac = Interface('', mac.split()[0]).mac if mac else None
        name = (file.get('Match', 'Name') or '').split(' ')[0] or links.get(mac)
        if mac and not name:
            name = 'eth%d' % number
            number += 1
        yield path, file, name, mac


def interfaces(guest):
    by_name = dict((name, mac) for mac, name in _links(guest).items())
    found = []
    for _, file, name, mac in _networks(guest):
        if name and is_ethernet(name):
            addresses = file.values('Network', 'Address') + file.values('Address', 'Address')
            found.append(Interface(name, mac or by_name.get(name), [one for one in addresses if ':' not in one]))
    return found


def convert(guest, to_dhcp):
    notes = []
    for path, file, name, mac in _networks(guest):
        if name and not is_ethernet(name) and '*' not in name:
            if to_dhcp and guest.remove(path):
                protocol.warn('%s of %s is built on other interfaces; these get DHCP, it is left out' % (name, path))
                notes.append('left out ' + path)
            continue
        before = file.text()
        for key in _MACS:
            if file.remove('Match', key):
                notes.append('%s is found by its name, not by its old MAC address' % name)
        if mac and not file.get('Match', 'Name'):
            file.set('Match', 'Name', name)
        if file.remove('Link', 'MACAddress'):
            notes.append('%s has the MAC address of its card, not one of its own' % name)
        if to_dhcp and _dhcp(file):
            notes.append('%s gets its address by DHCP' % (name or path))
        if file.text() != before:
            guest.write(path, file.text())
    for path in guest.find(FOLDER, '.link'):
        file = KeyFile(guest.read(path))
        if any(file.get('Match', key) for key in _MACS) and guest.remove(path):
            notes.append('removed %s, which names cards by their old MAC addresses' % path)
    return notes


def _dhcp(file):
    changed = False
    if (file.get('Network', 'DHCP') or '').lower() not in ('yes', 'true', 'ipv4', 'both', 'v4', '1'):
        changed = file.set('Network', 'DHCP', 'yes')
    for key in ('Address', 'Gateway', 'DNS', 'Domains') + _BUILT:
        changed = file.remove('Network', key) or changed
    for section in ('Address', 'Route'):
        changed = file.remove_section(section) or changed
    return changed

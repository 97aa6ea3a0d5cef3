"""Fixed IPv6 settings of the guest's interfaces. Windows keeps addresses and routes of them in a store whose form no document tells; it is the same since Windows 7.
What does not have that form is left out."""

import collections
import ipaddress
import re
import struct

NETWORK_CLASS = '{4D36E972-E325-11CE-BFC1-08002BE10318}'
_STORE = 'Control\\Nsi\\{eb004a01-9b1a-11d4-9123-0050047759bc}'
_ADDRESSES, _ROUTES = '10', '16'
# Where an address may come from that nobody fixed: well-known ones, DHCP, routers.
_BY_ITSELF = (2, 3, 4)
_LINK_LOCAL = b'\xfe\x80'

# `addresses`: (address, length of the prefix) pairs. `has_other_routes`: persistent ones beside the gateways.
Ipv6Interface = collections.namedtuple('Ipv6Interface', ('addresses', 'gateways', 'servers', 'has_other_routes'))
NOTHING = Ipv6Interface([], [], [], False)


class Ipv6Settings(object):
    def __init__(self, installation):
        self._system = installation.system
        self._servers = installation.services + '\\Tcpip6\\Parameters\\Interfaces\\'
        self._locals = _locals(installation)
        self._addresses = _stored(installation, _ADDRESSES)
        self._routes = [name for name, _ in _stored(installation, _ROUTES)]

    def of(self, guid):
        """NOTHING where no address is fixed: then routers of the network tell all of it."""
        local = self._locals.get(guid.lower())
        addresses = [] if local is None else [found for found in (_address(name, value) for name, value in self._addresses if name.startswith(local)) if found]
        if not addresses:
            return NOTHING
        gateways = [name for name in self._routes if _is_default(name, local)]
        others = [name for name in self._routes if local in name and name not in gateways]
        servers = re.split(r'[ ,;]+', self._system.text(self._servers + guid, 'NameServer'))
        return Ipv6Interface(addresses, [_shown(name[56:]) for name in gateways], [one for one in servers if re.match(r'^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*\Z', one)], bool(others))


def _locals(installation):
    """GUID of an interface, in small letters → how the store names it: by the kind and the number of the card."""
    system, top, found = installation.system, '%s\\Control\\Class\\%s' % (installation.control_set, NETWORK_CLASS), {}
    for name in system.keys(top):
        key = '%s\\%s' % (top, name)
        guid, number, kind = system.text(key, 'NetCfgInstanceId'), system.number(key, 'NetLuidIndex'), system.number(key, '*IfType')
        if guid and number is not None and kind is not None and number < 1 << 24 and kind < 1 << 16:
            found[guid.lower()] = struct.pack('<Q', kind << 48 | number << 24)
    return found


def _stored(installation, table):
    """(name, value) of each, both as bytes."""
    values = installation.system.values('%s\\%s\\%s' % (installation.control_set, _STORE, table))
    return [(bytes.fromhex(name), value) for name, (_, value) in sorted(values.items()) if re.match(r'^(?:[0-9A-Fa-f]{2})+\Z', name)]


def _address(name, value):
    """A name is an interface and an address; a value has two times of validity, two origins, and the length of the prefix."""
    if len(name) != 24 or len(value) < 17 or struct.unpack_from('<I', value, 8)[0] in _BY_ITSELF or not 0 < value[16] <= 128 or name[8:10] == _LINK_LOCAL:
        return None
    return _shown(name[8:]), value[16]


def _is_default(name, local):
    """A name has the destination after four bytes, with the length of its prefix; then the interface; at its end the next hop."""
    return len(name) == 72 and local in (name[40:48], name[48:56]) and not any(name[4:21]) and any(name[56:])


def _shown(address):
    return str(ipaddress.IPv6Address(address))

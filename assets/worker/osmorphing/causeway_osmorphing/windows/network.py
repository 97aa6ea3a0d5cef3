"""The guest's addresses: read from its registry and set again on first boot for the new network cards."""

import ipaddress
import json
import re
import struct

from .. import protocol
from .hive import DWORD, SZ
from .ipv6_settings import NETWORK_CLASS, NOTHING, Ipv6Settings

# What the script reads: others stay as Windows chooses them.
_NAME = re.compile(r'^[A-Za-z0-9 _.()#-]{1,100}\Z')
_SUFFIX = re.compile(r'^[A-Za-z0-9.-]{1,253}\Z')


class Interface(object):
    """Settings of one interface: `addresses` are (address, mask) pairs, `dhcp` is about IPv4. Windows chooses metrics that are empty."""

    def __init__(self, guid, name, dhcp, addresses, gateways, servers, suffix='', metric='', gateway_metrics=(), ipv6=NOTHING):
        self.guid = guid
        self.name = name
        self.dhcp = dhcp
        self.addresses = addresses
        self.gateways = gateways
        self.servers = servers
        self.suffix = suffix
        self.metric = metric
        self.gateway_metrics = gateway_metrics
        self.ipv6 = ipv6

    @property
    def is_fixed(self):
        return not self.dhcp or bool(self.ipv6.addresses)

    @property
    def known(self):
        """Its addresses as they are compared."""
        return [_plain(address) for address, _ in list(self.addresses) + self.ipv6.addresses]


def _key(installation):
    return installation.services + '\\Tcpip\\Parameters\\Interfaces'


def _plain(address):
    try:
        return str(ipaddress.IPv6Address(address)) if ':' in address else address
    except ValueError:
        return address


def interfaces_of(installation):
    """All interfaces that have settings, in the order of the registry."""
    system, found = installation.system, []
    ipv6 = Ipv6Settings(installation)
    for guid in system.keys(_key(installation)):
        key = '%s\\%s' % (_key(installation), guid)
        dhcp = system.number(key, 'EnableDHCP', 0) != 0
        addresses = [one for one in system.texts(key, 'IPAddress') if one != '0.0.0.0']
        of_ipv6 = ipv6.of(guid)
        if not dhcp and not addresses:
            if not of_ipv6.addresses:
                continue
            # A card of IPv6 alone.
            dhcp = True
        connection = '%s\\Control\\Network\\%s\\%s\\Connection' % (installation.control_set, NETWORK_CLASS, guid)
        found.append(
            Interface(
                guid,
                system.text(connection, 'Name', guid),
                dhcp,
                list(zip(addresses, system.texts(key, 'SubnetMask'))) if not dhcp else [],
                system.texts(key, 'DefaultGateway') if not dhcp else [],
                [one for one in re.split(r'[ ,]+', system.text(key, 'NameServer')) if one],
                system.text(key, 'Domain'),
                _metric(system.number(key, 'InterfaceMetric', 0)),
                [_metric(int(one) if one.isdigit() else 0) for one in system.texts(key, 'DefaultGatewayMetric')],
                of_ipv6,
            )
        )
    return found


def _metric(number):
    return str(number) if number else ''


def was_private(installation):
    """Whether the network that the guest was in last was a private one. Of a domain's, Windows learns that by itself."""
    top, newest = 'Microsoft\\Windows NT\\CurrentVersion\\NetworkList\\Profiles', None
    for guid in installation.software.keys(top):
        key = '%s\\%s' % (top, guid)
        value = installation.software.get(key, 'DateLastConnected')
        if not value or len(value[1]) != 16:
            continue
        year, month, _, day, hour, minute, second, _ = struct.unpack('<8H', value[1])
        newest = max(newest or ((), None), ((year, month, day, hour, minute, second), installation.software.number(key, 'Category', 0)))
    return newest is not None and newest[1] == 1


def to_dhcp(installation):
    """Every interface gets its address and its name servers by DHCP. Returns (changed, notes)."""
    notes = []
    for interface in interfaces_of(installation):
        key = '%s\\%s' % (_key(installation), interface.guid)
        changed = installation.system.set(key, 'EnableDHCP', DWORD, 1)
        if interface.servers:
            changed = installation.system.set(key, 'NameServer', SZ, '') or changed
        if changed:
            notes.append('%s gets its address by DHCP' % interface.name)
    return bool(notes), notes


def pair(interfaces, nics):
    """(MAC address, interface) for cards whose interface has a fixed address, by what the source told of addresses; else,
    when there is but one of both, those two. Returns pairs and warnings."""
    left = [one for one in interfaces if one.is_fixed]
    pairs, warnings = [], []
    nics = [nic for nic in nics if nic.get('macAddress')]
    for nic in nics:
        known = set(_plain(address) for address in nic.get('addresses') or [])
        fitting = [one for one in left if known.intersection(one.known)]
        if len(fitting) == 1:
            pairs.append((nic['macAddress'], fitting[0]))
            left.remove(fitting[0])
    free = [nic for nic in nics if nic['macAddress'] not in [mac for mac, _ in pairs] and not nic.get('addresses')]
    if len(left) == 1 and len(free) == 1 and len(nics) == 1:
        pairs.append((free[0]['macAddress'], left.pop()))
    warnings += [
        'which network card has the addresses %s is not known; they are not set again'
        % ', '.join(one.known)
        for one in left
    ]
    return pairs, warnings


def fixed_addresses(installation, nics):
    """What each card keeps of IPv4, in the form of the result."""
    pairs, _ = pair(interfaces_of(installation), nics)
    return [{'macAddress': mac, 'addresses': [address for address, _ in one.addresses]} for mac, one in pairs if one.addresses]


def has_fixed(installation):
    return any(one.is_fixed for one in interfaces_of(installation))


def kept_addresses(installation):
    """Fixed addresses as they are told."""
    return [one for interface in interfaces_of(installation) if interface.is_fixed for one in interface.known]


def static_script(installation, nics, template):
    """The first-boot script that sets fixed addresses again; None when there are none, or no card is known for them."""
    interfaces = interfaces_of(installation)
    if not has_fixed(installation):
        return None
    pairs, warnings = pair(interfaces, nics)
    for warning in warnings:
        protocol.warn(warning)
    for _, one in pairs:
        if one.ipv6.has_other_routes:
            protocol.warn('persistent routes of IPv6 of %s are not set again' % one.name)
    if not pairs:
        return None
    cards = [
        {
            'name': one.name if _NAME.match(one.name) else '',
            'suffix': one.suffix if _SUFFIX.match(one.suffix) else '',
            'mac': mac.upper().replace('-', ':'),
            'addresses': [{'address': address, 'mask': mask} for address, mask in one.addresses],
            'gateways': one.gateways,
            'servers': one.servers,
            'metric': one.metric,
            'gatewayMetrics': [metric or '0' for metric in one.gateway_metrics],
            'addresses6': [{'address': address, 'length': str(length)} for address, length in one.ipv6.addresses],
            'gateways6': one.ipv6.gateways,
            'servers6': one.ipv6.servers,
        }
        for mac, one in pairs
    ]
    return template.replace('{{cards}}', json.dumps(cards, indent=1, sort_keys=True)).replace('\n', '\r\n')

"""ifcfg files: network-scripts of the RHEL family, wicked of SUSE."""

import re

from .. import protocol
from .built import Built, below
from .names import Interface, is_ethernet, tell_dropped
from .seen_names import is_usual, name_unnamed

_IGNORED = re.compile(r'(~|\.bak|\.orig|\.rpmnew|\.rpmsave|\.rpmorig|\.old)$')


def _key_of(line):
    found = re.match(r'^\s*([A-Za-z_][A-Za-z0-9_]*)=', line)
    return found.group(1) if found else None


def _value_of(line):
    return line.split('=', 1)[1].strip().strip('"\'')


def _addresses(values):
    return [value.split('/')[0] for key, value in sorted(values.items()) if re.match(r'^IPADDR', key) and ':' not in value]


class _Ifcfg(object):
    """What both have in common; `mac` and `static` match keys."""

    folder = ''
    routes = ()
    mac = re.compile(r'$^')
    static = re.compile(r'$^')
    # Keys that override what DHCP provides, or ignore it.
    against = re.compile(r'^((PEERDNS|PEERROUTES|DHCLIENT_SET_DEFAULT_ROUTE)=no|MTU=\d+)$')
    wanted = ()
    quote = ''

    @classmethod
    def files(cls, guest):
        return [
            path
            for path in guest.find(cls.folder)
            if cls._device(path) != 'lo' and not _IGNORED.search(path) and path.rsplit('/', 1)[1].startswith('ifcfg-')
        ]

    @staticmethod
    def _device(path):
        return path.rsplit('/ifcfg-', 1)[-1]

    @classmethod
    def _read(cls, guest, path):
        """(name, {key: value}, lines)"""
        lines = guest.read(path).splitlines()
        values = dict((_key_of(line), _value_of(line)) for line in lines if _key_of(line))
        name = values.get('DEVICE') or cls._device(path)
        if 'DEVICE' not in values and values.get('HWADDR') and not is_usual(name) and values.get('TYPE', 'Ethernet') == 'Ethernet':
            # Tools name the file after the connection; only the MAC address identifies the card.
            others = [(cls._device(other), None) for other in cls.files(guest) if is_usual(cls._device(other))]
            name = name_unnamed(guest, others + [(None, values['HWADDR'])])[-1]
        return name, values, lines

    # Keys of what is built on cards, and those that tell the cards.
    building = re.compile(r'$^')
    below = re.compile(r'$^')

    @classmethod
    def _is_built(cls, name, values):
        return ':' not in name and (not is_ethernet(name) or any(cls.building.match('%s=%s' % (key, value.lower())) for key, value in values.items()))

    @classmethod
    def built(cls, guest):
        found = []
        for path in cls.files(guest):
            name, values, _ = cls._read(guest, path)
            if cls._is_built(name, values):
                words = [word for key, value in sorted(values.items()) if cls.below.match(key) for word in value.split()]
                found.append(Built(name, below(name, words), _addresses(values)))
        return found

    @classmethod
    def configure(cls, guest, card):
        first = ['DEVICE=%s' % card] if cls.folder.endswith('network-scripts') else []
        guest.write('%s/ifcfg-%s' % (cls.folder, card), '\n'.join(first + ['%s=%s%s%s' % (key, cls.quote, value, cls.quote) for key, value, _ in cls.wanted]) + '\n')

    @classmethod
    def interfaces(cls, guest):
        read = [cls._read(guest, path)[:2] for path in cls.files(guest)]
        return [Interface(name.split(':')[0], values.get('HWADDR'), _addresses(values)) for name, values in read if not cls._is_built(name, values)]

    @classmethod
    def convert(cls, guest, to_dhcp):
        notes = []
        for path in cls.files(guest):
            name, values, lines = cls._read(guest, path)
            if to_dhcp and (':' in name or cls._is_built(name, values)):
                guest.remove(path)
                notes.append('left out ' + path)
                if ':' not in name:
                    protocol.warn(
                        '%s in %s is built on other interfaces: those use DHCP, and it is skipped' % (name, path)
                    )
                continue
            kept = [line for line in lines if not (_key_of(line) and cls.mac.match(_key_of(line)))]
            if len(kept) != len(lines):
                notes.append('removed the MAC address of %s from %s' % (name, path))
            if 'DEVICE' not in values and cls.folder.endswith('network-scripts'):
                # Without its MAC address the file would match no card.
                kept.insert(0, 'DEVICE=' + name)
            if to_dhcp:
                kept = cls._dhcp(kept, name, path, notes)
            if kept != lines:
                guest.write(path, '\n'.join(kept) + '\n')
        if to_dhcp:
            notes += cls._without_routes(guest)
        return notes

    @classmethod
    def _dhcp(cls, lines, name, path, notes):
        kept = [line for line in lines if not (_key_of(line) and cls.static.match(_key_of(line)))]
        against = [line for line in kept if _key_of(line) and cls.against.match('%s=%s' % (_key_of(line), _value_of(line).lower()))]
        tell_dropped(path, against)
        kept = [line for line in kept if line not in against]
        values = dict((_key_of(line), _value_of(line)) for line in kept if _key_of(line))
        if not values.get('BOOTPROTO', '').lower().startswith('dhcp') or kept != lines:
            notes.append('%s gets its address by DHCP' % name)
        for key, value, fits in cls.wanted:
            if re.match(fits, values.get(key, ''), re.IGNORECASE):
                continue
            kept = [line for line in kept if _key_of(line) != key] + ['%s=%s%s%s' % (key, cls.quote, value, cls.quote)]
        return kept

    @classmethod
    def _without_routes(cls, guest):
        notes = []
        for path in guest.find(cls.folder):
            if re.match(cls.routes, path.rsplit('/', 1)[1]) and not _IGNORED.search(path) and guest.read(path).strip():
                guest.remove(path)
                notes.append('replaced the static routes of %s' % path)
        return notes


class NetworkScripts(_Ifcfg):
    """/etc/sysconfig/network-scripts, also read by NetworkManager."""

    folder = '/etc/sysconfig/network-scripts'
    routes = r'^(route6?|rule6?)-'
    mac = re.compile(r'^(HWADDR|MACADDR)$')
    static = re.compile(
        r'^(IPADDR|NETMASK|PREFIX|GATEWAY|NETWORK|BROADCAST|DNS|IPV6ADDR|IPV6_DEFAULTGW|GATEWAYDEV|DEFROUTE|'
        r'MASTER|SLAVE|BRIDGE|TEAM_MASTER|DEVICETYPE)\d*$'
    )
    wanted = (('BOOTPROTO', 'dhcp', r'^dhcp$'), ('ONBOOT', 'yes', r'^yes$'))
    building = re.compile(r'^(TYPE=(bridge|bond|vlan|team|ovs\w+)|DEVICETYPE=(team|ovs)|VLAN=yes|BONDING_(OPTS|MASTER)=.*)$')
    below = re.compile(r'^PHYSDEV$')

    @classmethod
    def convert(cls, guest, to_dhcp):
        notes = super(NetworkScripts, cls).convert(guest, to_dhcp)
        text = guest.read('/etc/sysconfig/network', '')
        kept = [line for line in text.splitlines() if _key_of(line) not in ('GATEWAY', 'GATEWAYDEV')]
        if to_dhcp and len(kept) != len(text.splitlines()):
            guest.write('/etc/sysconfig/network', '\n'.join(kept) + '\n')
            notes.append('removed the gateway from /etc/sysconfig/network')
        return notes


class Wicked(_Ifcfg):
    """/etc/sysconfig/network of SUSE."""

    folder = '/etc/sysconfig/network'
    routes = r'^(routes|ifroute-.+)$'
    mac = re.compile(r'^(LLADDR|HWADDR)$')
    static = re.compile(r'^(IPADDR|PREFIXLEN|NETMASK|BROADCAST|REMOTE_IPADDR|NETWORK|LABEL)(_\w+|\d+)?$')
    wanted = (('BOOTPROTO', 'dhcp', r'^dhcp'), ('STARTMODE', 'auto', r'^(auto|hotplug|onboot|nfsroot)$'))
    quote = "'"
    building = re.compile(r'^(BRIDGE=yes|BONDING_MASTER=yes|ETHERDEVICE=.+|VLAN_ID=.+|TEAM_RUNNER=.+)$')
    below = re.compile(r'^(BRIDGE_PORTS|BONDING_SLAVE_?\d+|TEAM_PORT_DEVICE_?\w*|ETHERDEVICE)$')

    @classmethod
    def convert(cls, guest, to_dhcp):
        notes = super(Wicked, cls).convert(guest, to_dhcp)
        path = '/etc/sysconfig/network/config'
        text = guest.read(path, '')
        found = re.search(r'^NETCONFIG_DNS_STATIC_SERVERS="([^"\n]+)"', text, re.MULTILINE)
        if to_dhcp and found:
            # They would come before those of DHCP, and are in the old network.
            guest.write(path, text[: found.start(1)] + text[found.end(1) :])
            tell_dropped(path, ['NETCONFIG_DNS_STATIC_SERVERS=%s' % found.group(1)])
            notes.append('name servers come from DHCP, not from ' + path)
        return notes

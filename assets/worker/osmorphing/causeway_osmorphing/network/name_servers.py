"""Settings beside those of the interfaces that override what DHCP provides, or keep name servers of the old network."""

import re

from .. import protocol
from .names import tell_dropped

_CLIENT_FOLDERS = ('/etc', '/etc/dhcp', '/etc/dhcp3')
_STATEMENT = re.compile(r'^[ \t]*(?:supersede|prepend)[ \t]+(?:domain-name-servers|routers|interface-mtu|static-routes|rfc3442-classless-static-routes)\b')
_SERVER = re.compile(r'^nameserver[ \t]+(\S+)', re.MULTILINE)
_RESOLVERS = ('/usr/lib/systemd/systemd-resolved', '/lib/systemd/systemd-resolved')
_LIST = '/etc/resolv.conf'
_NETCONFIG = '/etc/sysconfig/network/config'
# A file, and the folder of those that add to it.
_NETWORK_MANAGER = ('/etc/NetworkManager/NetworkManager.conf', '/etc/NetworkManager/conf.d')
_RESOLVED = ('/etc/systemd/resolved.conf', '/etc/systemd/resolved.conf.d')
_ADVICE = 'enter some that the destination reaches'


def follow_dhcp(guest, kinds):
    """Takes the old network's values out of what DHCP clients are told, and tells of name servers that nothing replaces. `kinds`: of the
    guest's network configuration. Returns notes."""
    notes = []
    for folder in _CLIENT_FOLDERS:
        for path in guest.find(folder, '.conf'):
            if path.rsplit('/', 1)[1].startswith('dhclient') and _without_statements(guest, path):
                notes.append('%s no longer overrides what DHCP provides' % path)
    _tell_kept(guest, kinds)
    _tell_resolver(guest)
    _tell_network_manager(guest)
    _tell_netconfig(guest)
    return notes


def _without_statements(guest, path):
    """Statements end with a semicolon, perhaps on a later line. They are kept as comments."""
    lines, dropped, inside = [], [], False
    for line in guest.read(path, '').splitlines():
        if _STATEMENT.match(line):
            inside = True
            dropped.append(' '.join(line.split()).rstrip(';'))
        if inside:
            inside = ';' not in line
            line = '#' + line
        lines.append(line)
    if not dropped:
        return False
    tell_dropped(path, dropped[:20])
    return guest.write(path, '\n'.join(lines) + '\n')


def _elsewhere(servers):
    """Without the guest itself."""
    return [one for one in servers if not one.startswith(('127.', '::1'))]


def _kept_servers(guest):
    """What a file names that no program makes at each start."""
    return [] if guest.is_link(_LIST) else _elsewhere(_SERVER.findall(guest.read(_LIST, '')))


def _settings(guest, path, folder):
    return [name for name in [path] + guest.find(folder, '.conf') if guest.is_file(name)]


def _tell_kept(guest, kinds):
    """systemd-networkd leaves /etc/resolv.conf to others, and NetworkManager where it was told to."""
    servers = _kept_servers(guest)
    if not servers:
        return
    settings = _settings(guest, *_NETWORK_MANAGER)
    off = any(re.search(r'^dns[ \t]*=[ \t]*none[ \t]*$', guest.read(name, ''), re.MULTILINE) for name in settings)
    others = ('ifup', 'NetworkManager', 'wicked', 'dhclient', 'resolvconf')
    alone = any(guest.is_file(name) for name in _RESOLVERS) and set(kinds) <= set(('systemd-networkd', 'netplan')) and kinds and not any(guest.has_program(name) for name in others)
    if off or alone:
        protocol.warn_once('%s names the name servers %s, and nothing of this system replaces them by those that DHCP provides: %s' % (_LIST, _shown(servers), _ADVICE))


def _shown(servers):
    return ', '.join(servers[:5])


def _tell_resolver(guest):
    """systemd-resolved asks the servers of its own settings beside those of the cards, and for every name where these settings claim all
    domains. A value adds to the earlier ones; an empty one takes them back."""
    if not any(guest.is_file(name) for name in _RESOLVERS):
        return
    found, place = {'DNS': [], 'Domains': []}, None
    for path in _settings(guest, *_RESOLVED):
        for name, value in re.findall(r'^(DNS|Domains)[ \t]*=([^\n]*)', guest.read(path, ''), re.MULTILINE):
            found[name] = found[name] + value.split() if value.strip() else []
            place = path if name == 'DNS' and value.strip() else place
    servers = _elsewhere(found['DNS'])
    if servers:
        how = 'in place of' if '~.' in found['Domains'] else 'beside'
        protocol.warn_once('%s has systemd-resolved ask the name servers %s %s those that DHCP provides: %s' % (place, _shown(servers), how, _ADVICE))


def _tell_network_manager(guest):
    """Its global settings replace those of all connections."""
    if not guest.has_program('NetworkManager'):
        return
    for path in _settings(guest, *_NETWORK_MANAGER):
        section = re.search(r'^\[global-dns-domain-\*\][ \t]*\n((?:[^\[\n][^\n]*\n|\n)*)', guest.read(path, '') + '\n', re.MULTILINE)
        named = re.search(r'^servers[ \t]*=([^\n]*)', section.group(1), re.MULTILINE) if section else None
        servers = _elsewhere(re.split(r'[,;\s]+', named.group(1).strip(',; \t'))) if named and named.group(1).strip() else []
        if servers:
            protocol.warn_once('%s has NetworkManager use the name servers %s in place of those that DHCP provides: %s' % (path, _shown(servers), _ADVICE))


def _tell_netconfig(guest):
    """SUSE's tool that writes /etc/resolv.conf. Without a policy it leaves the file alone; with that of static settings it takes
    nothing from DHCP."""
    policies = re.findall(r'^NETCONFIG_DNS_POLICY=(["\']?)([^"\'\n]*)\1[ \t]*$', guest.read(_NETCONFIG, ''), re.MULTILINE)
    if not policies:
        return
    policy, servers = policies[-1][1].strip(), _kept_servers(guest)
    if policy == 'STATIC':
        protocol.warn_once('%s takes no name servers from DHCP (NETCONFIG_DNS_POLICY="STATIC"): set it to "auto" where the destination provides them' % _NETCONFIG)
    elif not policy and servers:
        protocol.warn_once(
            '%s names the name servers %s, and NETCONFIG_DNS_POLICY="" in %s keeps those that DHCP provides from it: %s' % (_LIST, _shown(servers), _NETCONFIG, _ADVICE))

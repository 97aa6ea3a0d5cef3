"""Settings beside those of the interfaces that override what DHCP provides, or keep name servers of the old network."""

import re

from .. import protocol
from .names import tell_dropped

_CLIENT_FOLDERS = ('/etc', '/etc/dhcp', '/etc/dhcp3')
_STATEMENT = re.compile(r'^[ \t]*(?:supersede|prepend)[ \t]+(?:domain-name-servers|routers|interface-mtu|static-routes|rfc3442-classless-static-routes)\b')
_SERVER = re.compile(r'^nameserver[ \t]+(\S+)', re.MULTILINE)
_RESOLVERS = ('/usr/lib/systemd/systemd-resolved', '/lib/systemd/systemd-resolved')


def follow_dhcp(guest, kinds):
    """Takes the old network's values out of what DHCP clients are told, and tells of name servers that nothing replaces. `kinds`: of the
    guest's network configuration. Returns notes."""
    notes = []
    for folder in _CLIENT_FOLDERS:
        for path in guest.find(folder, '.conf'):
            if path.rsplit('/', 1)[1].startswith('dhclient') and _without_statements(guest, path):
                notes.append('%s no longer overrides what DHCP provides' % path)
    _tell_kept(guest, kinds)
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


def _tell_kept(guest, kinds):
    """systemd-networkd leaves /etc/resolv.conf to others, and NetworkManager where it was told to."""
    path = '/etc/resolv.conf'
    servers = [one for one in _SERVER.findall(guest.read(path, '')) if not one.startswith(('127.', '::1'))]
    if not servers or guest.is_link(path):
        return
    settings = ['/etc/NetworkManager/NetworkManager.conf'] + guest.find('/etc/NetworkManager/conf.d', '.conf')
    off = any(re.search(r'^dns[ \t]*=[ \t]*none[ \t]*$', guest.read(name, ''), re.MULTILINE) for name in settings if guest.is_file(name))
    others = ('ifup', 'NetworkManager', 'wicked', 'dhclient', 'resolvconf')
    alone = any(guest.is_file(name) for name in _RESOLVERS) and set(kinds) <= set(('systemd-networkd', 'netplan')) and kinds and not any(guest.has_program(name) for name in others)
    if off or alone:
        protocol.warn_once('%s names the name servers %s, and nothing of this system replaces them by those that DHCP provides: enter some that the destination reaches' % (path, ', '.join(servers[:5])))

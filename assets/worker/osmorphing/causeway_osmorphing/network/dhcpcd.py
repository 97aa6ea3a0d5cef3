"""/etc/dhcpcd.conf, where it is what configures the network (Raspberry Pi OS and its likes): static addresses stand in blocks of interfaces."""

import re

from .names import Interface

PATH = '/etc/dhcpcd.conf'
_BLOCK = re.compile(r'^[ \t]*(interface|ssid|profile)[ \t]+(\S+)')
_STATIC = re.compile(r'^[ \t]*(?:static[ \t]+(?:ip_address|ip6_address|routers|static_routes|domain_name_servers|interface_mtu)[ \t]*=|inform[ \t]|nodhcp\b|noipv4\b|nogateway\b)')


_EVERY = 'every interface'


def _blocks(guest):
    """(index of the line, interface or None, line) of all lines. What stands before all blocks is for every interface."""
    name, found = _EVERY, []
    for index, line in enumerate(guest.read(PATH, '').splitlines()):
        block = _BLOCK.match(line)
        name = (block.group(2) if block.group(1) == 'interface' else None) if block else name
        found.append((index, name, line))
    return found


def files(guest):
    """None where another program configures the network, or where it says nothing of a card."""
    if not guest.is_file(PATH) or not guest.has_program('dhcpcd') or not any(name and _STATIC.match(line) for _, name, line in _blocks(guest)):
        return []
    return [PATH]


def interfaces(guest):
    found = {}
    for _, name, line in _blocks(guest) if files(guest) else ():
        if name and name != _EVERY:
            told = re.match(r'^[ \t]*static[ \t]+ip_address[ \t]*=[ \t]*([\d.]+)', line)
            found.setdefault(name, []).extend([told.group(1)] if told else [])
    return [Interface(name, None, addresses) for name, addresses in found.items()]


def built(guest):
    return []


def convert(guest, to_dhcp):
    """It asks by DHCP unless it is told something else, which becomes a comment."""
    if not to_dhcp:
        return []
    lines, notes = guest.read(PATH).splitlines(), []
    for index, name, line in _blocks(guest):
        if name and _STATIC.match(line):
            lines[index] = '#' + line
            note = '%s gets its address by DHCP' % name
            notes += [note] if note not in notes else []
    if notes:
        guest.write(PATH, '\n'.join(lines) + '\n')
    return notes

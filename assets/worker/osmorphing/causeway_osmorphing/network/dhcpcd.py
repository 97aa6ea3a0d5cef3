"""/etc/dhcpcd.conf, where it is what configures the network (Raspberry Pi OS and its likes): static addresses stand in blocks of interfaces."""

import re

from .names import Interface, tell_dropped

PATH = '/etc/dhcpcd.conf'
_BLOCK = re.compile(r'^[ \t]*(interface|ssid|profile)[ \t]+(\S+)')
# What belongs to the old network alone.
_FIXED = re.compile(r'^[ \t]*(?:static[ \t]+(?:ip_address|ip6_address|routers|static_routes|domain_name_servers)[ \t]*=|inform(?=\s|$))')
_ADDRESS = re.compile(r'^[ \t]*(?:static[ \t]+ip_address[ \t]*=|inform(?=\s|$))')
# Beside a fixed address these belong to it. Elsewhere somebody wants them so: an interface without addresses, a network with large frames.
_BESIDE = re.compile(r'^[ \t]*(?:nodhcp|noipv4)(?=\s|$)')
_MTU = re.compile(r'^[ \t]*static[ \t]+interface_mtu[ \t]*=')


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
    if not guest.is_file(PATH) or not guest.has_program('dhcpcd') or not any(name and _FIXED.match(line) for _, name, line in _blocks(guest)):
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
    lines, notes, dropped = guest.read(PATH).splitlines(), [], []
    blocks = _blocks(guest)
    with_address = set(name for _, name, line in blocks if name and _ADDRESS.match(line))
    for index, name, line in blocks:
        if not name or not (_FIXED.match(line) or name in with_address and (_BESIDE.match(line) or _MTU.match(line))):
            continue
        lines[index] = '#' + line
        if _MTU.match(line):
            dropped.append(line.strip())
        note = '%s gets its address by DHCP' % name
        notes += [note] if note not in notes else []
    if notes:
        tell_dropped(PATH, dropped)
        guest.write(PATH, '\n'.join(lines) + '\n')
    return notes

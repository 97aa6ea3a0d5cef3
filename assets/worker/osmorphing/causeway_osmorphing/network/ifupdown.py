"""/etc/network/interfaces, as Debian has it."""

import re

from .. import protocol
from .built import Built, below
from .names import Interface, is_ethernet, tell_dropped

MAIN = '/etc/network/interfaces'
_STARTS = re.compile(
    r'^(iface|auto|allow-\S+|mapping|source|source-directory|no-auto-down|no-scripts|rename|template)\b'
)


def files(guest):
    """The main file and those that it includes and that configure something; none when it configures nothing but
    the loopback."""
    if not guest.is_file(MAIN):
        return []
    found = [MAIN]
    for line in guest.read(MAIN).splitlines():
        words = line.split()
        if len(words) == 2 and words[0] in ('source', 'source-directory'):
            folder = words[1] if words[0] == 'source-directory' else words[1].rsplit('/', 1)[0]
            folder = folder if folder.startswith('/') else '/etc/network/' + folder
            found += [
                path
                for path in guest.find(folder)
                if re.match(r'^[A-Za-z0-9_.-]+$', path.rsplit('/', 1)[1]) and path not in found
            ]
    if any(stanza[0].split()[1] != 'lo' for path in found for stanza in stanzas(guest.read(path)) if _is_iface(stanza)):
        return found
    return []


def stanzas(text):
    """Lists of lines: each begins with its keyword line; comments and blank lines go with what is before them."""
    found = [[]]
    for line in text.splitlines():
        if _STARTS.match(line.strip()):
            found.append([line])
        else:
            found[-1].append(line)
    return [stanza for stanza in found if stanza]


def _is_iface(stanza):
    return stanza[0].split()[:1] == ['iface'] and len(stanza[0].split()) >= 2


def _options(stanza):
    return [
        (line.split(None, 1) + [''])[:2] for line in stanza[1:] if line.split() and not line.strip().startswith('#')
    ]


_BELOW = re.compile(r'^(bridge[_-]ports|(bond[_-])?slaves|vlan[_-]raw[_-]device)$')


def built(guest):
    cards, addresses = {}, {}
    for path in files(guest):
        for stanza in stanzas(guest.read(path)):
            name = stanza[0].split()[1].split(':')[0] if _is_iface(stanza) else 'lo'
            words = [value.split() for key, value in _options(stanza) if _BELOW.match(key)]
            if name == 'lo' or (not words and is_ethernet(name)):
                continue
            # Each once, in their order.
            cards.setdefault(name, {}).update(dict.fromkeys(below(name, [card for line in words for card in line])))
            addresses.setdefault(name, []).extend(_addresses(stanza))
    return [Built(name, cards[name], addresses[name]) for name in sorted(cards)]


def configure(guest, card):
    guest.write(MAIN, guest.read(MAIN).rstrip('\n') + '\n\nauto %s\niface %s inet dhcp\n' % (card, card))


def _addresses(stanza):
    return [value.strip().split('/')[0] for key, value in _options(stanza) if key == 'address' and ':' not in value]


def interfaces(guest):
    found = []
    names = set(one.name for one in built(guest))
    for path in files(guest):
        for stanza in stanzas(guest.read(path)):
            if not _is_iface(stanza) or stanza[0].split()[1].split(':')[0] in names:
                continue
            options = _options(stanza)
            mac = next((value.split()[-1] for key, value in options if key.startswith('hwaddress') and value), None)
            found.append(Interface(stanza[0].split()[1].split(':')[0], mac, _addresses(stanza)))
    return found


def convert(guest, to_dhcp):
    notes = []
    paths = files(guest)
    started = set(name for path in paths for stanza in stanzas(guest.read(path)) for name in _started(stanza))
    done, unwanted = set(), set(one.name for one in built(guest))
    for path in paths:
        text = guest.read(path)
        kept = []
        for stanza in stanzas(text):
            new = _dhcp(stanza, started, done, unwanted, path, notes) if to_dhcp else _without_mac(stanza, path, notes)
            if new:
                kept.append(new)
        result = '\n'.join('\n'.join(stanza) for stanza in kept)
        guest.write(path, result.rstrip('\n') + '\n') if result.strip() != text.strip() else None
    return notes


def _started(stanza):
    words = stanza[0].split()
    return words[1:] if words and (words[0] == 'auto' or words[0].startswith('allow-')) else []


_PINNED_BRIDGE = re.compile(r'^\s*bridge[_-]hw\s+[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}\s*$')


def _without_mac(stanza, path, notes):
    if not _is_iface(stanza):
        return stanza
    kept = [line for line in stanza if not line.strip().startswith('hwaddress') and not _PINNED_BRIDGE.match(line)]
    if len(kept) != len(stanza):
        notes.append('removed the MAC address of %s from %s' % (stanza[0].split()[1], path))
    return kept


def _dhcp(stanza, started, done, unwanted, path, notes):
    words = stanza[0].split()
    if _started(stanza):
        names = [name for name in words[1:] if name == 'lo' or (is_ethernet(name) and name not in unwanted)]
        return [' '.join([words[0]] + names)] + stanza[1:] if names else None
    if not _is_iface(stanza) or words[1] == 'lo':
        return stanza
    name = words[1]
    if not is_ethernet(name) or name in unwanted:
        if ':' not in name:
            protocol.warn('%s in %s is built on other interfaces: those use DHCP, and it is skipped' % (name, path))
        notes.append('left out %s' % name)
        return None
    if words[2:4] == ['inet', 'dhcp'] and not any(
        key.startswith(('hwaddress', 'bond', 'metric-')) for key, _ in _options(stanza)
    ):
        done.add(name)
        return stanza
    trailing = _trailing(stanza)
    if name in done or words[2:3] == ['inet6']:
        if words[2:4] in (['inet6', 'auto'], ['inet6', 'dhcp']):
            return stanza
        notes.append('left out the %s settings of %s' % (' '.join(words[2:4]), name))
        return None
    done.add(name)
    notes.append('%s gets its address by DHCP' % name)
    start = [] if name in started else ['auto ' + name]
    return start + ['iface %s inet dhcp' % name] + _kept_options(stanza, path) + trailing


_HOOK = re.compile(r'^\s*(pre-up|up|post-up|down|pre-down|post-down)\s')
_ADDRESSING = re.compile(r'\b(ip\s+(-\S+\s+)*(r|ro|route|a|addr|address|rule|link)|route\s+(add|del)|ifconfig|ethtool|ifenslave|brctl|vconfig)\b')


def _kept_options(stanza, path):
    """Search domains, and commands that don't concern addresses, such as those that load firewall rules."""
    kept, dropped = [], []
    for line in stanza[1:]:
        if re.match(r'^\s*dns-(search|domain)\s', line) or (_HOOK.match(line) and not _ADDRESSING.search(line)):
            kept.append(line)
        elif _HOOK.match(line) or re.match(r'^\s*mtu\s', line):
            dropped.append(line.strip())
    tell_dropped(path, dropped)
    return kept


def _trailing(stanza):
    """Comments and blank lines at the end stand before the next stanza, and stay there."""
    trailing = []
    for line in reversed(stanza[1:]):
        if line.strip() and not line.strip().startswith('#'):
            break
        trailing.insert(0, line)
    return trailing

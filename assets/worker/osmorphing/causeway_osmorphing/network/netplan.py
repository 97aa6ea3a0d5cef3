"""Netplan's YAML files."""

import re

from .. import protocol
from . import yaml_subset
from .built import Built
from .names import Interface, is_ethernet, tell_dropped
from .seen_names import is_usual, name_unnamed

FOLDER = '/etc/netplan'
OWN = FOLDER + '/90-causeway.yaml'


def files(guest):
    return guest.find(FOLDER, '.yaml')


def _load(guest, path):
    """The `network` mapping of a file; None (with a warning) when it can't be read."""
    try:
        document = yaml_subset.load(guest.read(path)) or {}
        network = document.get('network') if isinstance(document, dict) else None
        return network if isinstance(network, dict) else {}
    except yaml_subset.NotReadable as error:
        protocol.warn('%s uses YAML that is not supported: %s' % (path, error))
        return None


def _cards(network):
    cards = network.get('ethernets') or {}
    return (
        dict((key, value or {}) for key, value in cards.items() if isinstance(value or {}, dict))
        if isinstance(cards, dict)
        else {}
    )


def _match(card):
    return card.get('match') if isinstance(card.get('match'), dict) else {}


def _names(guest, cards):
    """Key → what the interface is called: its new name, or the key unless that stands for something else. A pattern where
    several cards may be meant."""
    names, unnamed = {}, []
    for key, card in cards.items():
        match = _match(card)
        if card.get('set-name'):
            names[key] = card['set-name']
        elif match.get('name'):
            names[key] = match['name']
        elif match.get('driver') and not match.get('macaddress') and not card.get('addresses'):
            names[key] = 'e*'
        elif match.get('driver') or (match.get('macaddress') and not is_usual(key)):
            unnamed.append((key, match.get('macaddress')))
        else:
            names[key] = key
    used = [(name, None) for name in names.values() if is_ethernet(name)]
    if unnamed:
        given = name_unnamed(guest, used + [(None, mac) for _, mac in unnamed])[len(used) :]
        names.update((key, name) for (key, _), name in zip(unnamed, given))
    return names


def interfaces(guest):
    found = []
    for path in files(guest):
        cards = _cards(_load(guest, path) or {})
        names = _names(guest, cards)
        for key, card in cards.items():
            addresses = [one if not isinstance(one, dict) else next(iter(one)) for one in card.get('addresses') or []]
            found.append(Interface(names[key], _match(card).get('macaddress'), [one for one in addresses if ':' not in one]))
    return found


def built(guest):
    """Their cards have lines of their own, without which netplan refuses the file."""
    found = []
    for path in files(guest):
        network = _load(guest, path) or {}
        found += [Built(str(name)) for kind in ('bonds', 'bridges', 'vlans') for name in network.get(kind) or {}]
    return found


def convert(guest, to_dhcp):
    return _to_dhcp(guest) if to_dhcp else _without_mac(guest)


def _is_plain_dhcp(network):
    built = [kind for kind in ('bonds', 'bridges', 'vlans', 'tunnels', 'wifis') if network.get(kind)]
    cards = _cards(network)
    return not built and all(
        str(card.get('dhcp4')).lower() in ('true', 'yes')
        and not card.get('addresses')
        and not _match(card).get('macaddress')
        and not _match(card).get('driver')
        and not card.get('macaddress')
        and not card.get('mtu')
        and not card.get('dhcp4-overrides')
        and not card.get('routes')
        and not card.get('gateway4')
        for card in cards.values()
    )


def _to_dhcp(guest):
    loaded = [(path, _load(guest, path)) for path in files(guest)]
    if all(network is not None and _is_plain_dhcp(network) for _, network in loaded):
        return []
    names, renderer, domains = [], None, {}
    for path, network in loaded:
        renderer = (network or {}).get('renderer') or renderer
        cards = _cards(network or {})
        called = _names(guest, cards)
        for key, card in cards.items():
            name = called[key]
            # A name with ! stands for the other cards; they have lines of their own.
            if name not in names and (is_ethernet(name) or '*' in name) and '!' not in name:
                names.append(name)
            search = (card.get('nameservers') or {}).get('search') if isinstance(card.get('nameservers'), dict) else None
            if search:
                domains[name] = search
            against = ['mtu: %s' % card['mtu']] if card.get('mtu') else []
            overrides = card.get('dhcp4-overrides')
            if isinstance(overrides, dict):
                against += ['%s: %s' % pair for pair in sorted(overrides.items()) if pair[0].startswith('use-') and str(pair[1]).lower() in ('false', 'no')]
            tell_dropped(path, against)
        for kind in ('bonds', 'bridges', 'vlans'):
            for name in (network or {}).get(kind) or {}:
                protocol.warn('%s in %s is built on other interfaces: those use DHCP, and it is skipped' % (name, path))
    network = {'version': '2'}
    if renderer:
        network['renderer'] = renderer
    # A file that can't be read may have named any card.
    every = {'any-card': {'match': {'name': 'e*'}, 'dhcp4': 'true'}}
    network['ethernets'] = (
        dict(
            (name, dict({'dhcp4': 'true'}, **_search(domains.get(name))))
            if '*' not in name
            else ('cards', dict({'match': {'name': name}, 'dhcp4': 'true'}, **_search(domains.get(name))))
            for name in names
        )
        or every
    )
    notes = ['%s gets its address by DHCP' % name for name in names] or ['every card gets its address by DHCP']
    for path, _ in loaded:
        if path != OWN:
            guest.remove(path)
            notes.append('replaced ' + path)
    guest.write(OWN, yaml_subset.dump({'network': network}), 0o600)
    return notes


def _search(domains):
    return {'nameservers': {'search': domains}} if domains else {}


def _without_mac(guest):
    notes = []
    for path in files(guest):
        network = _load(guest, path)
        if not network:
            if network is None and 'macaddress' in guest.read(path):
                protocol.warn('a MAC address in %s could not be removed' % path)
            continue
        cards, renamed, changed = {}, {}, False
        called = _names(guest, _cards(network))
        for key, card in _cards(network).items():
            match, name = _match(card), called[key]
            if match.get('macaddress') or match.get('driver'):
                others = dict((inner, value) for inner, value in match.items() if inner not in ('macaddress', 'driver'))
                others = {'name': name} if re.search(r'[*?!\[]', name) else others
                card = dict((inner, value) for inner, value in card.items() if inner not in ('match', 'set-name'))
                if others:
                    card['match'] = others
                renamed[key] = key if 'name' in others else name
                changed = True
                what = 'MAC address' if match.get('macaddress') else 'driver'
                notes.append('%s is found by its name, not by its old %s (%s)' % (name, what, path))
            if card.get('macaddress'):
                card = dict((inner, value) for inner, value in card.items() if inner != 'macaddress')
                changed = True
                notes.append('%s has the MAC address of its card, not one of its own (%s)' % (name, path))
            cards[renamed.get(key, key)] = card
        for kind in ('bonds', 'bridges', 'vlans'):
            built = network.get(kind)
            for name, settings in sorted(built.items()) if isinstance(built, dict) else ():
                # The destination lets only the addresses of its cards pass.
                if isinstance(settings, dict) and settings.pop('macaddress', None):
                    changed = True
                    notes.append('%s has the MAC address of its card, not one of its own (%s)' % (name, path))
        if changed:
            if cards:
                network['ethernets'] = cards
            guest.write(path, yaml_subset.dump({'network': _renamed(network, renamed)}))
    return notes


def _renamed(network, names):
    """What is built on a card names it by its key."""
    for kind in ('bonds', 'bridges', 'vlans'):
        built = network.get(kind)
        for settings in built.values() if isinstance(built, dict) else ():
            if not isinstance(settings, dict):
                continue
            if isinstance(settings.get('interfaces'), list):
                settings['interfaces'] = [names.get(one, one) for one in settings['interfaces']]
            if settings.get('link') in names:
                settings['link'] = names[settings['link']]
    return network

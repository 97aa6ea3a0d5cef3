"""Which network card has which name."""

import re

from .. import protocol

RULES = '/etc/udev/rules.d/70-causeway-net.rules'
_OLD_RULES = (
    '/etc/udev/rules.d/70-persistent-net.rules',
    '/etc/udev/rules.d/75-persistent-net-generator.rules',
    '/etc/udev/rules.d/60-net.rules',
    '/etc/udev/rules.d/10-persistent-net.rules',
)
_VIRTUAL = re.compile(
    r'^(lo|bond|br|team|docker|virbr|veth|vnet|wg|tun|tap|vlan|dummy|ib|wl|ww|ppp|sit|gre|vxlan|macvlan|ipvlan|podman|cni|flannel|cali|lxc|nm-)'
)


class Interface(object):
    """A configured interface: its name, the MAC address that files tie it to, its static IPv4 addresses."""

    def __init__(self, name, mac=None, addresses=()):
        self.name = name
        self.mac = mac.strip().strip('"\'').lower().replace('-', ':') if mac else None
        self.addresses = [address.split('/')[0] for address in addresses if address]

    @property
    def order(self):
        """Natural order: eth2 before eth10."""
        return [int(part) if part.isdigit() else part for part in re.split(r'(\d+)', self.name)]


def is_ethernet(name):
    """Whether a name belongs to a network card, not to an interface built on one."""
    return (
        bool(name)
        and '.' not in name
        and ':' not in name
        and '@' not in name
        and '*' not in name
        and '!' not in name
        and len(name) <= 15
        and not _VIRTUAL.match(name)
    )


def rules_of(text):
    """MAC address → name, of udev rules."""
    found = {}
    for line in text.splitlines():
        mac = re.search(r'ATTR\{address\}=="([0-9A-Fa-f:]{17})"', line)
        name = re.search(r'(?<![A-Z{])NAME="([^"]+)"', line)
        if mac and name and not line.lstrip().startswith('#'):
            found[mac.group(1).lower()] = name.group(1)
    return found


def set_at_deployment(index):
    """Stands for the address of a card at the destination, where a preparation is only planned."""
    return 'mac-address-of-nic-%d' % (index + 1)


def pair(interfaces, nics, known_names, previous):
    """Names for the destination's network cards.

    `nics`: [{macAddress, sourceMacAddress?, addresses?}] in the order of the source's cards. A card is the
    interface that
    files tie to the source's MAC address; else the one with its static address; else the next in order. A card
    without `macAddress` gets its address at the first boot.
    `known_names`: MAC
    address → name by the guest's old udev rules. `previous`: destination's MAC address → name, of an earlier
    preparation.
    Returns ([(destination MAC address or None, name)], [warnings])."""
    named, warnings = names_by_card(interfaces, nics, known_names, previous)
    return [((nics[index].get('macAddress') or '').lower() or None, named[index]) for index in sorted(named)], warnings


def names_by_card(interfaces, nics, known_names, previous):
    """Like `pair`, but gives the names by index in `nics`."""
    left = list(interfaces)
    named, warnings = {}, []
    by_name = dict((interface.name, interface) for interface in interfaces)

    def take(index, interface):
        named[index] = interface.name
        left.remove(interface)

    def each():
        return [(index, nic) for index, nic in enumerate(nics) if index not in named]

    for index, nic in each():
        name = previous.get((nic.get('macAddress') or '').lower())
        if name in by_name and by_name[name] in left:
            take(index, by_name[name])
    for index, nic in each():
        source = (nic.get('sourceMacAddress') or '').lower()
        fitting = [one for one in left if source and (one.mac == source or known_names.get(source) == one.name)]
        if fitting:
            take(index, fitting[0])
    for index, nic in each():
        addresses = nic.get('addresses') or []
        fitting = [one for one in left if set(one.addresses) & set(addresses)]
        if fitting:
            take(index, fitting[0])
    guessed = []
    for index, nic in each():
        if not left:
            break
        guessed.append(left[0].name)
        take(index, left[0])
    if len(guessed) > 1:
        warnings.append(
            'nothing tells which network card is which of %s; they are named in the order of the source\'s cards'
            % ', '.join(guessed)
        )
    if left and nics:
        warnings.append(
            'the guest configures %s, for which the destination has no network card'
            % ', '.join(one.name for one in left)
        )
    return named, warnings


def rules_text(pairs, on_hyperv=False):
    """On Hyper-V a card may have a twin with the same address, which is not to get the name; and the kernel numbers
    synthetic cards in the order in which the platform has them, which is all that there is to know before the first boot."""
    lines = ['# Keeps the names of network interfaces on the platform that this machine was moved to.']
    driver = 'hv_netvsc' if on_hyperv else '?*'
    for index, (mac, name) in enumerate(pairs):
        card = 'ATTR{address}=="%s", ' % mac if mac else ''
        if not mac and len(pairs) > 1:
            card = 'KERNEL=="eth%d", ' % index
        lines.append('SUBSYSTEM=="net", ACTION=="add", DRIVERS=="%s", %sNAME="%s"' % (driver, card, name))
    return '\n'.join(lines) + '\n'


def nameable(pairs, on_hyperv=False):
    """The pairs that a rule can distinguish, and a warning for the others: without MAC addresses, only a single card, and
    cards that the kernel numbers in their order."""
    if len(pairs) == 1 or all(mac for mac, _ in pairs):
        return pairs, []
    unknown = [name for mac, name in pairs if not mac]
    # A name that the kernel gives to another card can't be taken from it.
    swapped = [name for index, name in enumerate(unknown) if re.match(r'eth\d+$', name) and name != 'eth%d' % index]
    if on_hyperv and len(unknown) == len(pairs) and not swapped:
        return pairs, ['the platform assigns MAC addresses at the first boot; %s are named in the order of the network cards' % ', '.join(unknown)]
    return [(mac, name) for mac, name in pairs if mac], [
        'the platform assigns MAC addresses at the first boot; the network cards for %s may get other names' % ', '.join(unknown)
    ]


def old_names(guest):
    """MAC address → name by the rules that the guest had."""
    found = {}
    for path in _OLD_RULES:
        found.update(rules_of(guest.read(path, '')))
        found.update(rules_of(guest.read('/var/lib/causeway/original' + path, '')))
    return found


def remove_old_rules(guest):
    """Removes rules for cards that no longer exist. Returns the removed paths."""
    return [
        path for path in _OLD_RULES if guest.is_file(path) and rules_of(guest.read(path, '')) and guest.remove(path)
    ]


def tell_dropped(path, settings):
    """Settings of the old network that DHCP replaces."""
    if settings:
        protocol.warn('%s: removed %s; DHCP of the destination provides name servers, routes and MTU' % (path, ', '.join(settings)))

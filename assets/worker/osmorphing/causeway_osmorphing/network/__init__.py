"""The guest's network configuration, for all tools that manage it."""

from . import dhcpcd, ifupdown, netplan, network_manager, networkd, sysconfig
from .names import Interface, is_ethernet

# In the order in which they are read on a guest with several.
KINDS = (
    ('netplan', netplan),
    ('network-manager', network_manager),
    ('ifcfg', sysconfig.NetworkScripts),
    ('wicked', sysconfig.Wicked),
    ('ifupdown', ifupdown),
    ('systemd-networkd', networkd),
    ('dhcpcd', dhcpcd),
)

__all__ = ['Interface', 'is_ethernet', 'kinds_of', 'interfaces_of', 'built_of', 'convert']


def kinds_of(guest):
    """Names of the kinds that the guest has configuration of."""
    return [name for name, kind in KINDS if kind.files(guest)]


def interfaces_of(guest):
    """Configured Ethernet interfaces, each once, with the MAC addresses and static addresses that its files tell."""
    found = {}
    for _, kind in KINDS:
        for interface in kind.interfaces(guest):
            if not is_ethernet(interface.name):
                continue
            known = found.setdefault(interface.name, interface)
            known.mac = known.mac or interface.mac
            known.addresses = known.addresses + [
                address for address in interface.addresses if address not in known.addresses
            ]
    for _, built in _all_built(guest):
        for card in built.cards:
            if is_ethernet(card):
                # Known by the addresses of what is built on it alone.
                found.setdefault(card, Interface(card, None, built.addresses if len(built.cards) == 1 else ()))
    return sorted(found.values(), key=lambda one: one.order)


def _all_built(guest):
    return [(kind, built) for _, kind in KINDS for built in kind.built(guest)]


def built_of(guest):
    """Names of the bonds, bridges and VLANs."""
    return sorted(set(built.name for _, built in _all_built(guest)))


def convert(guest, to_dhcp):
    """With `to_dhcp`, every Ethernet interface gets its address by DHCP; otherwise files keep their addresses and
    only lose
    what ties them to the old network cards. Returns notes; no note, no change."""
    notes = []
    configured = set(interface.name for _, kind in KINDS for interface in kind.interfaces(guest))
    # One card is enough to be reached by, and the destination may have no other.
    alone = [(kind, built.cards[0]) for kind, built in _all_built(guest) if built.cards and is_ethernet(built.cards[0]) and not configured.intersection(built.cards)]
    for name, kind in KINDS:
        if kind.files(guest):
            notes += ['%s: %s' % (name, note) for note in kind.convert(guest, to_dhcp)]
    names = dict((kind, name) for name, kind in KINDS)
    for kind, card in sorted(set(alone), key=lambda one: one[1]) if to_dhcp else ():
        # It had no address of its own, so that no file tells more of it.
        kind.configure(guest, card)
        notes.append('%s: %s gets its address by DHCP, in place of what was built on it' % (names[kind], card))
    return notes

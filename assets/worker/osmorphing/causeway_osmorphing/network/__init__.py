"""The guest's network configuration, for all tools that manage it."""

from . import ifupdown, netplan, network_manager, networkd, sysconfig
from .names import Interface, is_ethernet

# In the order in which they are read on a guest with several.
KINDS = (
    ('netplan', netplan),
    ('network-manager', network_manager),
    ('ifcfg', sysconfig.NetworkScripts),
    ('wicked', sysconfig.Wicked),
    ('ifupdown', ifupdown),
    ('systemd-networkd', networkd),
)

__all__ = ['Interface', 'is_ethernet', 'kinds_of', 'interfaces_of', 'convert']


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
    return sorted(found.values(), key=lambda one: one.order)


def convert(guest, to_dhcp):
    """With `to_dhcp`, every Ethernet interface gets its address by DHCP; otherwise files keep their addresses and
    only lose
    what ties them to the old network cards. Returns notes; no note, no change."""
    notes = []
    for name, kind in KINDS:
        if kind.files(guest):
            notes += ['%s: %s' % (name, note) for note in kind.convert(guest, to_dhcp)]
    return notes

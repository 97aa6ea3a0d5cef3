"""The network of a guest on new network cards."""

import re

from . import cloud_init, hyperv_guest, protocol
from .network import built_of, convert, exchange, interfaces_of, kinds_of, name_servers
from .network.names import RULES, Interface, nameable, names_by_card, old_names, remove_old_rules, rules_of, rules_text, set_at_deployment
from .network.seen_names import is_usual, seen_names

# Files besides the network configuration that name interfaces.
_FIREWALLS = (
    '/etc/nftables.conf', '/etc/sysconfig/nftables.conf', '/etc/sysconfig/iptables', '/etc/sysconfig/ip6tables', '/etc/iptables/rules.v4',
    '/etc/iptables/rules.v6', '/etc/ufw/user.rules', '/etc/ufw/before.rules', '/etc/shorewall/interfaces', '/etc/sysconfig/SuSEfirewall2',
)


def apply(morph):
    """set_dhcp true: each interface to DHCP. False: addresses stay, cloud-init keeps its hands off, names follow the
    destination's cards. Either way an interface keeps its name, and nothing refers to the old MAC addresses."""
    guest, request = morph.guest, morph.request
    to_dhcp = request.get('setDhcp', True)
    nics = request.get('nics') or []
    notes = []
    interfaces = _interfaces(guest, len(nics))
    names, warnings = names_by_card(interfaces, nics, old_names(guest), rules_of(guest.read(RULES, '')))
    on_hyperv = request.get('hypervisor') == 'hyperv'
    later = morph.planned and not request.get('macAddressesAtBoot')
    macs = dict((index, (nic.get('macAddress') or '').lower() or (set_at_deployment(index) if later else None)) for index, nic in enumerate(nics))
    pairs, unnamed = nameable([(macs[index], names[index]) for index in sorted(names)], on_hyperv)
    warnings += unnamed
    # The cards of Hyper-V are told apart by their order there.
    told, unexchanged = exchange.configure(guest, {} if on_hyperv else names, macs)
    notes += told
    warnings += _not_exchanged(unexchanged)
    if not to_dhcp:
        addresses = dict((one.name, one.addresses) for one in interfaces)
        morph.fixed_addresses = [
            {'nic': index, 'macAddress': macs[index], 'addresses': addresses[names[index]]} for index in sorted(names) if addresses[names[index]]
        ]
    for warning in warnings:
        protocol.warn(warning)
    if pairs:
        if guest.write(RULES, rules_text(pairs, on_hyperv)):
            notes += _named(macs, names, pairs)
    elif not nics and morph.planned:
        if interfaces:
            notes.append('a deployment has %s keep the names of network cards' % RULES)
    elif not nics:
        protocol.warn('the destination\'s network cards are unknown; interfaces may get other names')
    _tell_other_names(guest, set(names.values()))
    notes += ['removed ' + path for path in remove_old_rules(guest)]
    kinds = kinds_of(guest)
    if to_dhcp:
        _tell_left_out(guest, built_of(guest))
    notes += convert(guest, to_dhcp)
    if to_dhcp:
        notes += name_servers.follow_dhcp(guest, kinds)
    # Such a guest had no addresses of its own.
    notes += _without_configuration(guest)
    notes += _cloud_init(guest, to_dhcp)
    if on_hyperv:
        notes += hyperv_guest.configure(guest)
    return bool(notes), notes


def _named(macs, names, pairs):
    planned = [index for index in sorted(names) if macs[index] == set_at_deployment(index)]
    told = ['%s has NIC %d keep the name %s; its MAC address is set at the deployment' % (RULES, index + 1, names[index]) for index in planned]
    set_later = [set_at_deployment(index) for index in planned]
    return told + ['%s is the card %s' % (name, mac or 'of the platform') for mac, name in pairs if mac not in set_later]


def _not_exchanged(names):
    return [
        'the kernel may give the names %s to other network cards, and they cannot be exchanged afterwards: if an address is on the wrong network, '
        'put the NICs of the source VM into the order of their names and deploy again' % ', '.join(names)
    ] if names else []


_ANY_CARD = '/etc/systemd/network/95-causeway.network'


def _without_configuration(guest):
    """Images of some clouds configure the cards of that cloud alone, by files of the system's own that know their drivers."""
    others = ('NetworkManager', 'ifup', 'wicked', 'netplan', 'dhcpcd')
    if kinds_of(guest) or not guest.exists('/usr/lib/systemd/systemd-networkd') or any(guest.has_program(name) for name in others):
        return []
    shipped = [guest.read(path) for path in guest.find('/usr/lib/systemd/network', '.network')]
    if any(re.search(r'^Name=[^\n]*\b(en?|eth)\*', text, re.MULTILINE) and 'Driver=' not in text for text in shipped):
        return []
    guest.write(_ANY_CARD, '[Match]\nName=en* eth*\n\n[Network]\nDHCP=yes\n')
    return ['no file configures the new network cards: %s has them use DHCP' % _ANY_CARD]


def _interfaces(guest, number):
    """The interfaces that the configuration names; where it names fewer than there are cards, also those that were seen."""
    found = interfaces_of(guest)
    seen = seen_names(guest)
    macs = dict((name, mac) for mac, name in seen.by_mac.items())
    others = [name for name in seen.names if name not in [one.name for one in found]]
    return found + [Interface(name, macs.get(name)) for name in others[: max(0, number - len(found))]]


def _tell_other_names(guest, kept):
    """Firewall rules that match no interface any more leave the machine open or unreachable."""
    zones = [path for folder in ('/etc/firewalld/zones', '/etc/nftables.d') for path in guest.find(folder)]
    for path in list(_FIREWALLS) + zones:
        text = re.sub(r'#.*', '', guest.read(path, '') if guest.is_file(path) else '')
        named = set(word for word in re.findall(r'[\w.-]+', text) if is_usual(word))
        for name in sorted(named - kept):
            protocol.warn_once('%s names the interface %s, but no network card on the destination has that name' % (path, name))


# What else listens on a bridge or puts machines and containers behind it.
_NEIGHBOURS = ('/etc/dnsmasq.conf', '/etc/default/isc-dhcp-server', '/etc/sysconfig/dhcpd', '/etc/qemu/bridge.conf', '/etc/lxc/default.conf', '/etc/default/lxc-net', '/etc/docker/daemon.json', '/etc/keepalived/keepalived.conf', '/etc/samba/smb.conf')


def _tell_left_out(guest, built):
    """Bonds, bridges and VLANs go: the destination has none of their networks, and lets only the cards' own addresses pass. Who names them is told."""
    folders = ('/etc/firewalld/zones', '/etc/nftables.d', '/etc/dnsmasq.d', '/etc/libvirt/qemu', '/etc/libvirt/qemu/networks')
    naming = {}
    for path in _FIREWALLS + _NEIGHBOURS + tuple(path for folder in folders for path in guest.find(folder)):
        text = re.sub(r'#.*', '', guest.read(path, '') if guest.is_file(path) else '')
        for name in built:
            if re.search(r'(?<![\w.-])%s(?![\w-])' % re.escape(name), text):
                naming.setdefault(name, []).append(path)
    for name in sorted(naming):
        protocol.warn_once('%s is left out, but still named by %s: name the card there instead' % (name, ', '.join(naming[name][:5])))


def _cloud_init(guest, to_dhcp):
    notes = []
    if not to_dhcp:
        if guest.write(
            cloud_init.NETWORK, '# Addresses of this machine are configured by itself.\nnetwork: {config: disabled}\n'
        ):
            notes.append('cloud-init leaves the network alone')
        return notes
    if guest.present(cloud_init.NETWORK):
        guest.remove(cloud_init.NETWORK)
        notes.append('cloud-init may configure the network')
    for path in guest.find('/etc/cloud/cloud.cfg.d', '.cfg'):
        text = guest.read(path)
        if re.search(r'^network:', text, re.MULTILINE) and not re.search(r'config:\s*["\']?disabled', text):
            # Static addresses that an installer left there would return on first boot.
            guest.remove(path)
            notes.append('replaced the network configuration in ' + path)
    return notes

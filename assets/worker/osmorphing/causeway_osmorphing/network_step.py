"""The network of a guest whose cards are others now."""

import re

from . import cloud_init, protocol
from .network import convert, interfaces_of
from .network.names import RULES, old_names, pair, remove_old_rules, rules_of, rules_text


def apply(morph):
    """set_dhcp true: each interface to DHCP. False: addresses stay, cloud-init keeps its hands off, names follow the
    destination's cards. Either way an interface keeps its name, and nothing asks for the old MAC addresses."""
    guest, request = morph.guest, morph.request
    to_dhcp = request.get('setDhcp', True)
    nics = request.get('nics') or []
    notes = []
    pairs, warnings = pair(interfaces_of(guest), nics, old_names(guest), rules_of(guest.read(RULES, '')))
    for warning in warnings:
        protocol.warn(warning)
    if pairs:
        if guest.write(RULES, rules_text(pairs)):
            notes += ['%s is the card %s' % (name, mac) for mac, name in pairs]
    elif not nics:
        protocol.warn('the destination\'s network cards are not known; interfaces may get other names')
    notes += ['removed ' + path for path in remove_old_rules(guest)]
    notes += convert(guest, to_dhcp)
    notes += _cloud_init(guest, to_dhcp)
    return bool(notes), notes


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
            # Static addresses that an installer left there would come back on the first boot.
            guest.remove(path)
            notes.append('replaced the network configuration in ' + path)
    return notes

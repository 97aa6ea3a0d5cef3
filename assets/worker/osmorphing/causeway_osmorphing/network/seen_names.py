"""What network interfaces were called on the old platform: the configuration does not always say."""

import re

from .. import protocol
from .names import Interface, is_ethernet, old_names

_LOGS = ('/var/log/dmesg', '/var/log/boot.msg', '/var/log/kern.log', '/var/log/messages', '/var/log/syslog', '/var/log/cloud-init-output.log',
         '/var/log/cloud-init.log', '/var/log/daemon.log')
_LOG_PART = 2 << 20
_MAC = r'([0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5})'
_LEASES = ('/var/lib/dhcp', '/var/lib/dhclient', '/var/lib/NetworkManager', '/var/lib/wicked')
# How kernels and systemd name cards; other names are known only by their MAC addresses.
_USUAL = re.compile(r'^(eth\d+|en[opsxPvab][\w]*|em\d+|p\d+p\d+|lan\d+|net\d+)$')
LONGEST = 15


def is_usual(name):
    return bool(_USUAL.match(name or '')) and len(name) <= LONGEST


class SeenNames(object):
    """`by_mac`: MAC address → name. `names`: of all cards, in natural order."""

    def __init__(self, by_mac, names):
        self.by_mac = by_mac
        self.names = names


def seen_names(guest):
    """From rules, leases and the log of the last boot. Read once per guest."""
    if not hasattr(guest, '_seen_names'):
        guest._seen_names = _read(guest)
    return guest._seen_names


def _read(guest):
    by_mac, names, leased, replaced = dict(old_names(guest)), set(), set(), set()
    for text in _texts(guest):
        for name in re.findall(r'(?:LPF|Socket|BPF)/(\S+?)/' + _MAC, text):
            by_mac[name[1].lower()] = name[0]
        for line in re.findall(r'ci-info: \|[^\n]*\|[ ]*', text):
            fields = [field.strip() for field in line.split('|')]
            mac = next((field for field in fields if re.match('^%s$' % _MAC, field)), None)
            if mac and len(fields) > 2:
                by_mac[mac.lower()] = fields[1]
        for new, old in re.findall(r'(\S+): renamed from (\S+)', text):
            names.add(new)
            replaced.add(old)
        for old, new in re.findall(r'renamed network interface (\S+) to (\S+)', text):
            names.add(new)
            replaced.add(old)
        names.update(re.findall(r'(?:ADDRCONF\(NETDEV_\w+\): |\]: )(\S+): (?:link becomes ready|Gained carrier|Link UP)', text))
    for folder in _LEASES:
        for name in guest.names(folder):
            found = re.search(r'(?:^dhclient-?[.-]|-|lease-(?:dhcp-)?)((?:eth|en|em)\w+?)(?:-ipv4|-ipv6)?(?:\.(?:leases?|xml))?$', name)
            if found:
                leased.add(found.group(1))
    names.update(by_mac.values())
    # A lease may belong to a card that was removed long ago.
    kept = [name for name in (names or leased) - replaced if is_ethernet(name) and is_usual(name)]
    return SeenNames(by_mac, sorted(kept, key=lambda name: Interface(name).order))


def _texts(guest):
    texts = []
    for path in _LOGS:
        if guest.is_file(path):
            texts.append(guest.tail(path, _LOG_PART).decode('utf-8', 'replace'))
    if guest.is_folder('/var/log/journal'):
        command = ['journalctl', '-D', '/var/log/journal', '-o', 'cat', '--no-pager', '-n', '50000', '_TRANSPORT=kernel']
        texts.append(guest.run(command, check=False, timeout=120).out)
    # Only the last boot: the machine may have had other cards before.
    return [text[max(0, text.rfind('Linux version ')) :] for text in texts]


def name_unnamed(guest, cards):
    """Names for cards that the configuration ties to something else than a name. `cards`: [(name or None, MAC address or
    None)]. Returns a name for each."""
    seen = seen_names(guest)
    named = [name or seen.by_mac.get((mac or '').lower()) for name, mac in cards]
    free = [name for name in seen.names if name not in named]
    lacking = named.count(None)
    for index, name in enumerate(named):
        if name:
            continue
        if lacking == len(free) or (lacking < len(free) and lacking == len(named) == 1):
            named[index] = free[0]
            free, lacking = free[1:], lacking - 1
            continue
        number = 0
        while 'eth%d' % number in named:
            number += 1
        named[index] = 'eth%d' % number
        lacking -= 1
        protocol.warn_once(
            'nothing tells what a network interface was called on the source; it is %s on the destination: '
            'correct what names it otherwise, such as firewall rules' % named[index]
        )
    return named

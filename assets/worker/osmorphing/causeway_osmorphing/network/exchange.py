"""Names that the kernel itself gives to other cards. The device manager has not exchanged such names since systemd 197: it fails where the
name is taken. A service does it before the network starts, by names that nobody else uses."""

import re

SCRIPT = '/etc/causeway/network-names'
UNIT = 'causeway-network-names.service'
_UNIT_PATH = '/etc/systemd/system/' + UNIT
_LINK = '/etc/systemd/system/sysinit.target.wants/' + UNIT
_UNIT_TEXT = '''[Unit]
Description=Names of network interfaces on the platform that this machine was moved to
DefaultDependencies=no
After=systemd-udev-trigger.service
Wants=network-pre.target
Before=network-pre.target shutdown.target
Conflicts=shutdown.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh %s
TimeoutStartSec=90

[Install]
WantedBy=sysinit.target
''' % SCRIPT
_SCRIPT_TEXT = '''#!/bin/sh
# Gives network cards the names that they had, where the kernel has given these to others of them. Each line of the list is a card's
# address and its name.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
cards='%s'
named() {
  for path in /sys/class/net/*; do
    [ ! -f "$path/address" ] || [ "$(cat "$path/address")" != "$1" ] || { echo "${path##*/}"; return; }
  done
}
udevadm settle --timeout=30 2>/dev/null
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  missing=no
  while read -r address name; do
    [ -n "$(named "$address")" ] || missing=yes
  done <<LIST
$cards
LIST
  [ $missing = yes ] || break
  sleep 1
done
# First all out of the way, then each to its place. What is up is in use, and stays.
for step in away there; do
  number=0
  while read -r address name; do
    number=$((number + 1))
    now=$(named "$address")
    [ -n "$now" ] && [ "$now" != "$name" ] || continue
    if [ $step = away ]; then ip link set dev "$now" name "moved$number"
    else ip link set dev "$now" name "$name" || echo "$now cannot be called $name" >&2
    fi
  done <<LIST
$cards
LIST
done
exit 0
'''
# The latter in a plan alone.
_MAC = re.compile(r'^([0-9a-f]{2}(:[0-9a-f]{2}){5}|mac-address-of-nic-[0-9]+)\Z')
# Names come from the guest, and stand in a script.
_NAME = re.compile(r'^eth[0-9]{1,4}\Z')


def taken(names):
    """Of names by the index of their cards, those that the kernel gives to other cards among them."""
    firsts = set('eth%d' % index for index in names)
    return [names[index] for index in sorted(names) if _NAME.match(names[index]) and names[index] != 'eth%d' % index and names[index] in firsts]


def configure(guest, names, macs):
    """Has the guest exchange what is taken. Returns (notes, names that cannot be exchanged because not all addresses are known). Both
    dictionaries go by the index of a card."""
    wanted = taken(names)
    cards = dict((macs.get(index), name) for index, name in names.items() if _NAME.match(name))
    if not wanted or not guest.has_systemd:
        return _remove(guest), []
    if len(cards) < len(wanted) or not all(_MAC.match(mac or '') for mac in cards):
        return _remove(guest), wanted
    text = _SCRIPT_TEXT % '\n'.join('%s %s' % card for card in sorted(cards.items()))
    changed = [guest.write(SCRIPT, text, 0o755), guest.write(_UNIT_PATH, _UNIT_TEXT), guest.link(_LINK, _UNIT_PATH)]
    return ['%s are exchanged at each start, because the kernel gives them to other cards' % ', '.join(wanted)] if any(changed) else [], []


def _remove(guest):
    """What an earlier preparation left."""
    gone = [path for path in (_LINK, _UNIT_PATH, SCRIPT) if guest.present(path)]
    for path in gone:
        guest.remove(path)
    return ['names of network cards are no longer exchanged'] if gone else []

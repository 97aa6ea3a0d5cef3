"""What ties the installation to its old hardware."""

from . import time_sources
from .disk_names import MULTIPATH_BINDINGS, VIRTUAL_DISK

# Removed because the destination's disks and cards have other identities; the guest makes new ones.
_FILES = (
    '/etc/udev/rules.d/70-persistent-cd.rules',
    '/etc/udev/rules.d/75-cd-aliases-generator.rules',
    '/etc/lvm/devices/system.devices',
)
# Names of the old disks, at which updates of the boot loader's package fail.
_DEVICE_MAPS = ('/boot/grub/device.map', '/boot/grub2/device.map')
# Lists of multipath devices. Only disks of the hypervisors go: LUNs that the guest itself connects to keep their names.
_MULTIPATH = ('/etc/multipath/wwids', '/var/lib/misc/wwids') + MULTIPATH_BINDINGS
# Old leases would be asked for again.
_LEASES = (
    ('/var/lib/dhcp', ('dhclient', 'dhcpd6')),
    ('/var/lib/dhclient', ('dhclient',)),
    ('/var/lib/NetworkManager', ('dhclient-', 'internal-')),
    ('/var/lib/dhcpcd', ('',)),
    ('/var/lib/wicked', ('lease-',)),
    ('/var/lib/systemd/network', ('lease',)),
)
# Agents of the destination's platform that were cloned with the machine hold the other machine's identity.
_AGENT_STATE = ('/opt/stackit/server-agent/serviceToken.txt',)


def remove(morph):
    """Returns (changed, notes)."""
    guest, notes = morph.guest, []
    for path in _FILES:
        if guest.is_file(path) and guest.remove(path):
            notes.append('removed ' + path)
    for path in _DEVICE_MAPS:
        # GRUB 2 finds disks by itself where there is none. That of GRUB legacy is needed.
        if guest.is_file(path) and guest.is_file(path.replace('device.map', 'grub.cfg')) and guest.remove(path):
            notes.append('removed ' + path)
    for path in _MULTIPATH:
        lines = guest.read(path, '').splitlines()
        kept = [line for line in lines if line.startswith('#') or not VIRTUAL_DISK.search(line)]
        if len(kept) != len(lines):
            guest.write(path, '\n'.join(kept) + '\n')
            notes.append('removed the source\'s virtual disks from ' + path)
    for path in _AGENT_STATE:
        if guest.is_file(path):
            # A token is no original worth keeping.
            guest.forget(path)
            notes.append('removed ' + path)
    for folder, beginnings in _LEASES:
        for name in guest.names(folder):
            path = '%s/%s' % (folder, name)
            if guest.is_file(path) and name.startswith(beginnings) and 'lease' in name and guest.real_size(path):
                guest.forget(path)
                notes.append('removed ' + path)
    notes += time_sources.remove(guest, morph.request.get('hypervisor') or 'kvm')
    return bool(notes), notes

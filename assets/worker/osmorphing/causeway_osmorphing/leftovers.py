"""What ties the installation to its old hardware."""

import re

from . import loader_devices, protocol, time_sources
from .disk_names import MULTIPATH_BINDINGS, VIRTUAL_DISK

# Removed because the destination's disks and cards have other identities; the guest makes new ones.
_FILES = (
    '/etc/udev/rules.d/70-persistent-cd.rules',
    '/etc/udev/rules.d/75-cd-aliases-generator.rules',
    '/etc/lvm/devices/system.devices',
)
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
# Images for a crash, made for the old hardware.
_CRASH_IMAGE = re.compile(r'^(initramfs|initrd)-.*kdump(\.img)?$')
_CRASH_IMAGE_OF_SUSE = '/var/lib/kdump/initrd'
# Screens of hypervisors that have a driver of their own.
_SCREENS = re.compile(r'^([ \t]*Driver[ \t]+)"(?:vmware|vboxvideo|cirrus|fbdev_hyperv)"', re.MULTILINE)
_SCREEN_DRIVERS = ['%s/xorg/modules/drivers' % folder for folder in ('/usr/lib', '/usr/lib64', '/usr/lib/x86_64-linux-gnu')]
# Agents of the destination's platform that were cloned with the machine hold the other machine's identity.
_AGENT_STATE = ('/opt/stackit/server-agent/serviceToken.txt',)


def remove(morph):
    """Returns (changed, notes)."""
    guest, notes = morph.guest, []
    for path in _FILES:
        if guest.is_file(path) and guest.remove(path):
            notes.append('removed ' + path)
            # Initial RAM disks have copies of lists of disks.
            morph.rebuild_initramfs = morph.rebuild_initramfs or path.startswith('/etc/lvm/')
    for path in _DEVICE_MAPS:
        # GRUB 2 finds disks by itself where there is none. That of GRUB legacy is needed.
        if guest.is_file(path) and guest.is_file(path.replace('device.map', 'grub.cfg')) and guest.remove(path):
            notes.append('removed ' + path)
    notes += loader_devices.name_anew(morph)
    for path in _MULTIPATH:
        lines = guest.read(path, '').splitlines()
        kept = [line for line in lines if line.startswith('#') or not VIRTUAL_DISK.search(line)]
        if len(kept) != len(lines):
            guest.write(path, '\n'.join(kept) + '\n')
            notes.append('removed the source\'s virtual disks from ' + path)
            morph.rebuild_initramfs = True
    notes += _crash_images(guest)
    for path in ['/etc/X11/xorg.conf'] + guest.find('/etc/X11/xorg.conf.d', '.conf'):
        text = guest.read(path, '')
        if _SCREENS.search(text):
            modern = any(guest.is_file(folder + '/modesetting_drv.so') for folder in _SCREEN_DRIVERS)
            guest.write(path, _SCREENS.sub(r'\1"%s"' % ('modesetting' if modern else 'vesa'), text))
            notes.append('%s names a driver for any screen' % path)
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


def _crash_images(guest):
    """Removed where the guest makes a missing one at its start, told where it does not."""
    images = [path for path in guest.find('/boot') if _CRASH_IMAGE.match(path.rsplit('/', 1)[1])]
    if guest.family == 'suse':
        images += [_CRASH_IMAGE_OF_SUSE] if guest.is_file(_CRASH_IMAGE_OF_SUSE) and not guest.is_link(_CRASH_IMAGE_OF_SUSE) else []
        is_used, is_made = _crash_service_of_suse(guest)
    else:
        is_used = is_made = guest.has_program('kdumpctl') or guest.is_file('/etc/init.d/kdump') or guest.is_file('/etc/rc.d/init.d/kdump')
    if images and is_used and not is_made:
        protocol.warn('%s is for a crash on the source\'s hardware, and no start of this guest makes it anew: run mkdumprd there' % ', '.join(images))
    if not is_made:
        return []
    for path in images:
        # As large as a third of /boot, and no original worth keeping.
        guest.forget(path)
    return ['removed %s, which kdump makes anew' % path for path in images]


def _crash_service_of_suse(guest):
    """(whether it starts with the guest, whether it makes a missing image then). That of release 11 makes one when it is started by hand."""
    started = set(name for folder in guest.names('/etc/systemd/system') if folder.endswith('.wants') for name in guest.names('/etc/systemd/system/' + folder))
    units = [path for folder in ('/usr/lib/systemd/system', '/lib/systemd/system') for path in guest.find(folder, '.service') if path.rsplit('/', 1)[1].startswith('kdump')]
    used = [guest.read(path, '') for path in units if path.rsplit('/', 1)[1] in started]
    old = any(name.startswith('S') and name.endswith('boot.kdump') for name in guest.names('/etc/init.d/boot.d'))
    return bool(used) or old, any('kdump/load.sh --update' in text for text in used)

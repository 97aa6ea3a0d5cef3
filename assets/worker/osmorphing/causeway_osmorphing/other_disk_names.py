"""Files beside those by which the guest mounts, unlocks and assembles that name a disk by its place. What they mean is not known here, so
that they are told, not changed."""

import re

from . import disk_names, protocol

_FILES = (
    '/etc/sysconfig/rawdevices', '/etc/multipath.conf', '/etc/initramfs-tools/conf.d/cryptroot', '/etc/rc.local', '/etc/rc.d/rc.local', '/etc/init.d/boot.local',
    '/etc/drbd.conf', '/etc/tgt/targets.conf', '/etc/target/saveconfig.json',
)
_FOLDERS = (('/etc/udev/rules.d', '.rules'), ('/etc/multipath/conf.d', '.conf'), ('/etc/drbd.d', '.res'), ('/etc/tgt/conf.d', '.conf'))
_DEVICE = re.compile(r'(?<![\w./-])/dev/[\w./:+@-]{1,200}')
_KERNEL_NAME = re.compile(r'\bKERNEL=="((?:sd|hd|vd|xvd|nvme)[^"\n]{0,60})"')
_MOST = 5


def tell(guest):
    paths = list(_FILES) + ['/etc/' + name for name in guest.names('/etc') if name.startswith('auto.')]
    paths += [path for folder, ending in _FOLDERS for path in guest.find(folder, ending)]
    for path in paths[:500]:
        text = '\n'.join(line for line in guest.read(path, '').splitlines() if not line.lstrip().startswith('#')) if guest.is_file(path) else ''
        found = set(name for name in _DEVICE.findall(text) if disk_names.is_by_place(name))
        if path.endswith('.rules') or 'multipath' in path:
            found |= set(_KERNEL_NAME.findall(text)) | set(word for word in re.findall(r'[\w-]{8,80}', text) if disk_names.VIRTUAL_DISK.match(word))
        if found:
            shown = sorted(found)
            more = ' and %d more' % (len(shown) - _MOST) if len(shown) > _MOST else ''
            protocol.warn_once('%s knows disks by their place or by the identity that the source gave them (%s%s); the destination has others: correct it there' % (path, ', '.join(shown[:_MOST]), more))

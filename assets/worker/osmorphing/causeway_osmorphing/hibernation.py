"""Hibernated guests. Their file systems are open: writing to them now loses data or damages them."""

import re

from .protocol import MorphError

# At the end of the first page of a swap area, where its own signature was.
_SIGNATURES = (b'S1SUSPEND', b'S2SUSPEND', b'ULSUSPEND', b'LINHIB0001')
_OTHER_START = b'\xed\xc3\x02\xe9\x98\x56\xe5\x0c'
_PAGES = (4096, 8192, 16384, 65536)
# Where distributions and their manuals put swap files.
_USUAL_FILES = ('/swapfile', '/swap.img', '/swap', '/swap/swapfile', '/var/swap', '/var/swapfile', '/var/lib/swap', '/swapfile.swap')
_ARGUMENT_FILES = ('/etc/default/grub', '/etc/kernel/cmdline', '/boot/grub/grub.cfg', '/boot/grub2/grub.cfg', '/boot/grub/menu.lst', '/boot/grub/grub.conf')
_MOST_FILES = 64


def is_image(head):
    """Whether these first bytes of a swap area are those of a hibernated system."""
    return head.startswith(_OTHER_START) or any(head[page - 10 : page].startswith(_SIGNATURES) for page in _PAGES)


def hibernated_file(tree):
    """The swap file on this file system that holds a hibernated system; None when there is none. blkid sees devices alone."""
    table = [fields[0] for fields in (line.split() for line in tree.read('/etc/fstab', '').splitlines()) if fields[2:3] == ['swap']]
    units = [re.search(r'^What=(/\S+)[ \t]*$', tree.read(path, ''), re.MULTILINE) for path in tree.find('/etc/systemd/system', '.swap')]
    named = [path for path in table + [unit.group(1) for unit in units if unit] if path.startswith('/') and not path.startswith('/dev/')]
    for path in list(_USUAL_FILES) + named[:_MOST_FILES]:
        try:
            if tree.is_file(path) and is_image(tree.head(path, _PAGES[-1])):
                return path
        except OSError:
            continue
    return None


def resume_offsets(tree):
    """Where on its device the kernel looks for a hibernated system in a file, in pages."""
    entries = [path for folder in ('/boot/loader/entries', '/boot/efi/loader/entries', '/efi/loader/entries') for path in tree.find(folder, '.conf')]
    found = set()
    for path in list(_ARGUMENT_FILES) + entries:
        found.update(int(number) for number in re.findall(r'(?<![\w.-])resume_offset=(\d{1,12})(?!\d)', tree.read(path, '')))
    return sorted(found)[:_MOST_FILES]


def is_image_at(path, offset):
    """Whether a device has a hibernated system that many pages from its start."""
    for page in _PAGES:
        try:
            with open(path, 'rb') as file:
                file.seek(offset * page)
                if is_image(file.read(page)):
                    return True
        except OSError:
            return False
    return False


def refuse_hibernated(devices):
    for device in devices:
        if device.content == 'swsuspend':
            raise MorphError('osmorphing.hibernated', 'the swap area %s (UUID=%s) holds a hibernated system' % (device.path, device.uuid))
        if device.properties.get('HIBERNATED'):
            raise MorphError(
                'osmorphing.hibernated', '%s on %s (UUID=%s) holds a hibernated system' % (device.properties['HIBERNATED'], device.path, device.uuid)
            )

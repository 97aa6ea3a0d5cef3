"""Arguments of the kernel, wherever the boot loader keeps them. Edited in place: a regenerated configuration would
hold the
worker's device names."""

import re

from . import boot_default, consoles, disk_names, fstab, fstab_names, protocol
from .cloud_init import sources_of

_GRUB_FILES = ('/boot/grub/grub.cfg', '/boot/grub2/grub.cfg')
_SYSLINUX_FILES = ('/boot/extlinux/extlinux.conf', '/boot/syslinux/syslinux.cfg', '/extlinux.conf')
# Settings that generators of such menus read.
_GENERATORS = (('/etc/default/extlinux', 'EXTLINUX_PARAMETERS'), ('/etc/default/u-boot', 'U_BOOT_PARAMETERS'))
_LEGACY_FILES = ('/boot/grub/menu.lst', '/boot/grub/grub.conf', '/etc/grub.conf')
_KERNEL_LINE = re.compile(r'^(\s*(?:linux|linux16|linuxefi|kernel)\s+\S+)(.*)$')
# A kernel that a hypervisor starts, whose console is that hypervisor's.
_MODULE_LINE = re.compile(r'^(\s*(?:module|module2|xen_module)\s+(?:--\S+\s+)*\S+)(.*)$')


class Editor(object):
    """What changes: a serial console, UUIDs instead of the disk names of the old platform, no switched off
    cloud-init."""

    def __init__(self, resolver, root, serial, sources=(), boot=None):
        """`sources`: where cloud-init may look for metadata. `boot`: the device that is mounted at /boot."""
        self.resolver = resolver
        self.root = root
        self.serial = serial
        self.boot = boot
        self.sources = [name.lower() for name in sources]

    def edit(self, arguments):
        kept = [
            self._by_uuid(argument)
            for argument in arguments
            if argument not in ('cloud-init=disabled', 'cloud-init.disabled=1') and not self._pins_source(argument)
        ]
        kept = [argument for argument in kept if argument is not None]
        consoles = [argument for argument in kept if argument.startswith('console=')]
        if self.serial and not any(argument.startswith('console=ttyS0') for argument in consoles):
            # The last console gets the system's messages; the screen remains a console.
            kept += ([] if 'console=tty0' in consoles else ['console=tty0']) + ['console=ttyS0,115200n8']
        return kept

    def _pins_source(self, argument):
        """Whether it ties cloud-init to the metadata of another platform."""
        found = re.match(r'^(?:ci\.)?(?:ds|datasource)=["\']?([A-Za-z0-9]+)', argument)
        return bool(found) and bool(self.sources) and found.group(1).lower() not in self.sources

    def added(self, arguments):
        """For settings that a generator joins with others: only what is to be taken out or replaced."""
        return Editor.edit(_WithoutConsole(self), arguments)

    def _by_uuid(self, argument):
        """None for an argument that would make the guest wait for a missing device."""
        name, separator, value = argument.partition('=')
        if separator and name == 'boot' and disk_names.is_by_place(value) and self.boot is not None and self.boot.uuid:
            # With FIPS, the initial RAM disk checks the kernel that lies there, and stops without it.
            return 'boot=UUID=%s' % self.boot.uuid
        if not separator or name not in ('root', 'resume'):
            if any(disk_names.is_by_place(one) for one in re.findall(r'/dev/[^\s,:;=]+', value)):
                protocol.warn_once('a kernel starts with %s, which names a disk by its place on the source; correct that where the guest needs it' % argument)
            return argument
        if name == 'resume':
            new = fstab_names.resume_device(value, self.resolver)
            return 'resume=' + new if new else None
        if value in self.resolver.root_aliases and self.root.uuid:
            return 'root=UUID=%s' % self.root.uuid
        if not disk_names.is_by_place(value):
            # Of encrypted volumes, other arguments may say the name.
            if value.startswith('/dev/mapper/') and self.root.kind != 'decrypted' and self.resolver.find(value) is None:
                protocol.warn_once('a kernel starts with root=%s, which no disk has' % value)
            return argument
        device = self.resolver.places.find(value)
        if device is None or device.path != self.root.path or not device.uuid:
            protocol.warn_once('a kernel starts with root=%s, which is not the prepared root' % value)
            return argument
        return 'root=UUID=%s' % device.uuid


class _WithoutConsole(Editor):
    def __init__(self, other):
        self.resolver, self.root, self.serial, self.sources, self.boot = other.resolver, other.root, False, other.sources, other.boot


def apply(morph):
    """Returns (changed, notes)."""
    guest = morph.guest
    serial = morph.guest_facts['architecture'] in ('x86_64', 'i386') and morph.request.get('serialConsole', True)
    table = next((entry for entry in fstab.parse(guest.read('/etc/fstab', '')) if entry.point == '/boot'), None)
    editor = Editor(morph.resolver, morph.root_device, serial, sources_of(morph.request), morph.resolver.find(table.spec) if table else None)
    changed = [path for path in ['/etc/default/grub'] if _default_grub(guest, path, editor)]
    changed += [path for path in _menu_files(guest) if _lines(guest, path, editor)]
    changed += [path for path in _entry_files(guest) if _entry(guest, path, editor)]
    changed += [path for path in _environment_files(guest) if _environment(guest, path, editor)]
    changed += [path for path in _SYSLINUX_FILES if _appended(guest, path, editor)]
    changed += [path for path, name in _GENERATORS if _setting(guest, path, name, editor)]
    changed += [path for path in ['/etc/kernel/cmdline'] if _words(guest, path, editor)]
    notes = ['edited ' + path for path in changed] + boot_default.choose(morph)
    notes += consoles.apply(guest, serial, 'xen' in (morph.request.get('diskBuses') or ()))
    return bool(notes), notes


def _menu_files(guest):
    vendors = [
        '%s/%s/%s' % (efi, name, file)
        for efi in ('/boot/efi/EFI', '/efi/EFI') for name in guest.names(efi) for file in ('grub.cfg', 'grub.conf', 'BOOTX64.conf')
    ]
    return list(_GRUB_FILES) + vendors + [path for path in _LEGACY_FILES if not guest.is_link(path)]


def _entry_files(guest):
    folders = ('/boot/loader/entries', '/boot/efi/loader/entries', '/efi/loader/entries')
    return [path for folder in folders for path in guest.find(folder, '.conf')]


def _environment_files(guest):
    return boot_default.environment_files(guest)


def device_arguments(guest):
    """(name, value) of all arguments that name a device, from all files of the boot loaders."""
    files = ['/etc/default/grub', '/etc/kernel/cmdline'] + list(_SYSLINUX_FILES) + [path for path, _ in _GENERATORS] + _menu_files(guest) + _entry_files(guest) + _environment_files(guest)
    found = set()
    for path in files:
        if guest.is_file(path):
            found.update(re.findall(r'(?<![\w.-])(root|resume)=(/dev/[^\s"\']+)', guest.read(path, '')))
    return sorted(found)


def _default_grub(guest, path, editor):
    text = guest.read(path, '')
    if not text:
        return False
    settings = dict(re.findall(r'^\s*(GRUB_CMDLINE_LINUX(?:_DEFAULT)?)=["\']?(.*?)["\']?\s*$', text, re.MULTILINE))
    has_serial = any('console=ttyS0' in value for value in settings.values())

    def replaced(found):
        words = found.group(2).split()
        if found.group(1) == 'GRUB_CMDLINE_LINUX' and not has_serial:
            new = editor.edit(words)
        else:
            new = editor.added(words)
        return found.group(0) if new == words else '%s="%s"' % (found.group(1), ' '.join(new))

    result = re.sub(r'^(GRUB_CMDLINE_LINUX(?:_DEFAULT)?)=["\']?(.*?)["\']?[ \t]*$', replaced, text, flags=re.MULTILINE)
    if 'GRUB_CMDLINE_LINUX' not in settings and not has_serial and editor.serial:
        result = result.rstrip('\n') + '\nGRUB_CMDLINE_LINUX="%s"\n' % ' '.join(editor.edit([]))
    return guest.write(path, result)


def _lines(guest, path, editor):
    text = guest.read(path, '')
    if not text:
        return False
    result = []
    for line in text.split('\n'):
        module = _MODULE_LINE.match(line)
        found = _KERNEL_LINE.match(line) or module
        # Memory tests and similar entries take no Linux arguments.
        if (
            found
            and re.search(r'vmlinu|bzImage|/Image|/kernel-', found.group(1))
            and '$kernelopts' not in found.group(2)
        ):
            words = found.group(2).split()
            new = editor.added(words) if module else editor.edit(words)
            line = line if new == words else '%s %s' % (found.group(1), ' '.join(new))
        result.append(line)
    return guest.write(path, '\n'.join(result)) if '\n'.join(result) != text else False


def _entry(guest, path, editor):
    """A file of the boot loader specification; with $kernelopts the arguments are in GRUB's environment."""
    text = guest.read(path)
    result = []
    for line in text.split('\n'):
        if line.startswith('options') and '$kernelopts' not in line:
            words = line.split()[1:]
            new = editor.edit(words)
            line = line if new == words else 'options ' + ' '.join(new)
        result.append(line)
    return guest.write(path, '\n'.join(result)) if '\n'.join(result) != text else False


def _appended(guest, path, editor):
    """A menu of the syslinux family: what its entries append to the kernel's command line."""
    text = guest.read(path, '')
    result, is_linux = [], False
    for line in text.split('\n'):
        words = line.split()
        key = words[0].lower() if words else ''
        if key in ('label', 'linux', 'kernel'):
            is_linux = key != 'label' and bool(re.search(r'vmlinu|bzImage|/Image', line))
        elif key == 'append' and is_linux:
            # Images that it names first are none of the kernel's arguments.
            own, rest = [word for word in words[1:] if word.startswith('initrd=')], [word for word in words[1:] if not word.startswith('initrd=')]
            new = editor.edit(rest)
            line = line if new == rest else line[: len(line) - len(line.lstrip())] + ' '.join([words[0]] + own + new)
        result.append(line)
    return guest.write(path, '\n'.join(result)) if '\n'.join(result) != text else False


def _setting(guest, path, name, editor):
    text = guest.read(path, '')
    found = re.search(r'^%s=(["\']?)(.*?)\1[ \t]*$' % name, text, re.MULTILINE)
    if not found:
        return False
    words = found.group(2).split()
    new = editor.edit(words)
    return guest.write(path, text[: found.start()] + '%s="%s"' % (name, ' '.join(new)) + text[found.end() :]) if new != words else False


def _environment(guest, path, editor):
    """GRUB's environment block has a fixed size and is padded with number signs."""
    text = guest.read(path, '')
    found = re.search(r'^kernelopts=(.*)$', text, re.MULTILINE)
    if not found:
        return False
    words = found.group(1).split()
    new = editor.edit(words)
    if new == words:
        return False
    return boot_default.set_environment(guest, path, 'kernelopts', ' '.join(new))


def _words(guest, path, editor):
    text = guest.read(path, '')
    new = ' '.join(editor.edit(text.split()))
    return guest.write(path, new + '\n') if text and new != text.strip() else False

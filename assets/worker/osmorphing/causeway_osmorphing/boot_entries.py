"""What the boot loaders offer: each entry with its kernel and its initial RAM disks, as files of the guest."""

import posixpath
import re
import struct

_GRUB = ('/boot/grub/grub.cfg', '/boot/grub2/grub.cfg')
_LEGACY = ('/boot/grub/menu.lst', '/boot/grub/grub.conf')
_SYSLINUX = ('/boot/extlinux/extlinux.conf', '/boot/syslinux/syslinux.cfg', '/extlinux.conf')
# Where entries of the boot loader specification may be; their paths begin at the root of that file system.
ENTRY_FOLDERS = (('/boot/loader/entries', '/boot'), ('/boot/efi/loader/entries', '/boot/efi'), ('/efi/loader/entries', '/efi'))
_UNIFIED = ('/boot/efi/EFI/Linux', '/efi/EFI/Linux', '/boot/EFI/Linux')
_MOST = 1000
_LARGEST_SECTION = 200 << 20


class BootEntry(object):
    """`file`: where it is defined. `place`: how the boot loader refers to it (an id, a number, a path of numbers).
    `kernel`, `images`: files of the guest that exist, links resolved. `version`: of an installed kernel, or None."""

    def __init__(self, file, place, title, kernel, images, version, hypervisor=False):
        self.file = file
        self.place = place
        self.title = title
        self.kernel = kernel
        self.images = images
        self.version = version
        # It starts a hypervisor, and the kernel on it.
        self.hypervisor = hypervisor
        # Of GRUB 2: the same place by numbers.
        self.numbers = None


def entries_of(guest):
    """All entries, of all boot loaders, in their order."""
    found = []
    _know_kernels(guest)
    for path in grub_files(guest):
        found += _of_grub(guest, path)
    for path in legacy_files(guest):
        found += _of_legacy(guest, path)
    for path in _SYSLINUX:
        found += _of_syslinux(guest, path)
    return (found + _of_specification(guest))[:_MOST]


def specification_entries(guest):
    """The entries of the boot loader specification alone, the newest first."""
    _know_kernels(guest)
    return _of_specification(guest)


def _know_kernels(guest):
    guest.known_kernels = sorted(set(guest.names('/lib/modules')) | set(guest.names('/usr/lib/modules')), key=len, reverse=True)[:200]


def grub_files(guest):
    """Configurations of GRUB 2, each once. Red Hat's releases up to 8 have that for UEFI beside the loader."""
    vendors = ['%s/%s/grub.cfg' % (efi, name) for efi in ('/boot/efi/EFI', '/efi/EFI') for name in guest.names(efi)]
    found = {}
    for path in list(_GRUB) + vendors[:50]:
        try:
            found.setdefault(guest.place_of(path), path)
        except OSError:
            continue
    return [path for path in found.values() if guest.is_file(path)]


def legacy_files(guest):
    """Configurations of GRUB legacy. Red Hat's release 6 has that for UEFI beside the loader."""
    vendors = ['%s/%s/grub.conf' % (efi, name) for efi in ('/boot/efi/EFI', '/efi/EFI') for name in guest.names(efi)[:50]]
    return [path for path in list(_LEGACY) + vendors if guest.is_file(path) and not guest.is_link(path)]


def images_of(entries, version):
    """The initial RAM disks that the entries of a kernel name, each once."""
    found = []
    for entry in entries:
        # Of several, those before the last one are the processor's microcode and the like.
        if entry.version == version and entry.images and not entry.hypervisor and entry.images[-1] not in found:
            found.append(entry.images[-1])
    return found


def order_of(version):
    """Natural order of versions."""
    return [(1, int(part), '') if part.isdigit() else (0, 0, part) for part in re.split(r'(\d+)', version or '')]


def _located(guest, path, base=''):
    """The file that a boot loader means; None when it isn't there. A loader knows devices, and paths on them."""
    path = re.sub(r'^(\([^)]*\)|\$\{?\w+\}?)+', '', path.strip().strip('"\''))
    if not path.startswith('/') or '\0' in path:
        return None
    inner = [path[path.index('/boot/') :]] if '/boot/' in path else []
    for candidate in ([base + path] if base else []) + ['/boot' + path, path] + inner:
        if guest.is_file(candidate):
            try:
                return guest.place_of(candidate)
            except OSError:
                return None
    return None


def _entry(guest, file, place, title, kernel, images, base='', version=None, hypervisor=False):
    real = _located(guest, kernel, base) if kernel else None
    known = guest.known_kernels
    if version not in known:
        told = [(text, ends) for text, ends in ((real, r'(?=$|/|\.(?:efi|gz|xz)$)'), (kernel, r'(?=$|/|\.(?:efi|gz|xz)$)'), (place, r'(?![0-9A-Za-z.])')) if text]
        version = next((name for text, ends in told for name in known if re.search(r'(?<![0-9A-Za-z.])' + re.escape(name) + ends, text)), None)
    found = [_located(guest, image, base) for image in images if not re.search(r'ucode|microcode', image)]
    return BootEntry(file, place, title, real, [image for image in found if image], version, hypervisor)


def _of_grub(guest, path):
    found, open_blocks, counts, entry = [], [], [0], None
    for line in guest.read(path, '').splitlines():
        words = line.strip()
        head = re.match(r'(menuentry|submenu)\s+("[^"]*"|\'[^\']*\'|\S+)', words)
        if head and words.endswith('{'):
            told = re.search(r'(?:\$menuentry_id_option|--id[= ])\s*["\']?([^"\'\s{]+)', words)
            own = told.group(1) if told else head.group(2).strip('"\'')
            place = [block[1] for block in open_blocks if block[0] == 'submenu'] + [(own, counts[-1])]
            counts[-1] += 1
            open_blocks.append((head.group(1), (own, counts[-1] - 1)))
            if head.group(1) == 'submenu':
                counts.append(0)
            else:
                entry = {'place': place, 'title': head.group(2).strip('"\''), 'kernel': None, 'images': [], 'hypervisor': False}
        elif words.endswith('{') and not words.startswith('#'):
            open_blocks.append(('other', None))
        elif words == '}' and open_blocks:
            kind, _ = open_blocks.pop()
            if kind == 'submenu' and len(counts) > 1:
                counts.pop()
            if kind == 'menuentry' and entry is not None:
                place = '>'.join(name for name, _ in entry['place'])
                made = _entry(guest, path, place, entry['title'], entry['kernel'], entry['images'], hypervisor=entry['hypervisor'])
                made.numbers = '>'.join(str(number) for _, number in entry['place'])
                found.append(made)
                entry = None
        elif entry is not None:
            _grub_line(entry, words.split())
        if len(found) > _MOST:
            break
    return found


def _grub_line(entry, words):
    if len(words) < 2:
        return
    if words[0] in ('linux', 'linux16', 'linuxefi'):
        entry['kernel'] = words[1]
    elif words[0] in ('initrd', 'initrd16', 'initrdefi'):
        entry['images'] = words[1:]
    elif words[0] in ('multiboot', 'multiboot2', 'xen_hypervisor'):
        entry['hypervisor'] = True
    elif words[0] in ('module', 'module2', 'xen_module'):
        entry['kernel'] = entry['kernel'] or words[1]


def _of_legacy(guest, path):
    found, entry = [], None
    for line in guest.read(path, '').splitlines() + ['title']:
        words = line.split()
        if not words or words[0].startswith('#'):
            continue
        if words[0] == 'title':
            if entry is not None:
                made = _entry(guest, path, str(len(found)), entry['title'], entry['kernel'], entry['images'], hypervisor=entry['hypervisor'])
                found.append(made)
            entry = {'title': ' '.join(words[1:]), 'kernel': None, 'images': [], 'hypervisor': False}
        elif entry is not None and words[0] == 'kernel' and len(words) > 1:
            entry['kernel'] = next((word for word in words[1:] if not word.startswith('--')), None)
            entry['hypervisor'] = _is_xen(entry['kernel'] or '')
        elif entry is not None and words[0] == 'module' and len(words) > 1 and entry['hypervisor']:
            entry['kernel'] = words[1] if 'vmlinu' in words[1] else entry['kernel']
        elif entry is not None and words[0] == 'initrd' and len(words) > 1:
            entry['images'] = words[1:]
        if len(found) > _MOST:
            break
    return found


def _is_xen(path):
    """Whether it is the hypervisor: some releases have its version behind the ending."""
    return bool(re.match(r'xen.*?\.gz(-.*)?$', re.split('[/)]', path)[-1]))


def _of_syslinux(guest, path):
    found, entry = [], None
    for line in guest.read(path, '').splitlines() + ['label']:
        words = line.split()
        key = words[0].lower() if words else ''
        if key == 'label':
            if entry is not None and entry['kernel']:
                folder = path.rsplit('/', 1)[0]
                kernel, images = _beside(folder, entry['kernel']), [_beside(folder, image) for image in entry['images']]
                found.append(_entry(guest, path, entry['title'], entry['title'], kernel, images, folder))
            entry = {'title': ' '.join(words[1:]), 'kernel': None, 'images': []}
        elif entry is not None and key in ('linux', 'kernel') and len(words) > 1:
            entry['kernel'] = words[1]
        elif entry is not None and key == 'initrd' and len(words) > 1:
            entry['images'] = words[1].split(',')
        elif entry is not None and key == 'append':
            entry['images'] += [image for word in words[1:] if word.startswith('initrd=') for image in word[7:].split(',')]
        if len(found) > _MOST:
            break
    return found


def _of_specification(guest):
    found, seen = [], set()
    for folder, base in ENTRY_FOLDERS:
        real = guest.folder_on_worker(folder)
        if real is None or real in seen:
            continue
        seen.add(real)
        for path in guest.find(folder, '.conf')[:_MOST]:
            values = {}
            for line in guest.read(path, '').splitlines():
                words = line.split(None, 1)
                if len(words) == 2 and not words[0].startswith('#'):
                    values.setdefault(words[0], []).append(words[1].strip())
            name = path.rsplit('/', 1)[1][: -len('.conf')]
            kernel = (values.get('linux') or values.get('efi') or [None])[0]
            images = [word for value in values.get('initrd', []) for word in value.split()]
            found.append(_entry(guest, path, name, (values.get('title') or [name])[0], kernel, images, base, (values.get('version') or [None])[0]))
    # The order in which the loaders offer them.
    return sorted(found, key=lambda entry: (order_of(entry.version), order_of(entry.place)), reverse=True)


def _beside(folder, name):
    """A name that may be relative to the menu's folder."""
    return name if name.startswith('/') else posixpath.normpath('%s/%s' % (folder or '/', name))


class UnifiedKernel(object):
    """A kernel and its initial RAM disk in one program of the firmware."""

    def __init__(self, path, version, place, arguments):
        self.path = path
        self.version = version
        self.arguments = arguments
        self._place = place

    def image(self, guest):
        """The initial RAM disk; None when there is none, or it is too large to be looked into."""
        return _section(guest, self.path, self._place, _LARGEST_SECTION)


def unified_kernels(guest):
    found, seen = [], set()
    for folder in _UNIFIED:
        real = guest.folder_on_worker(folder)
        if real is None or real in seen:
            continue
        seen.add(real)
        for path in guest.find(folder)[:50]:
            sections = _sections(guest, path) if path.lower().endswith('.efi') else {}
            if '.linux' not in sections:
                continue
            version, arguments = (_text(guest, path, sections.get(name), most) for name, most in (('.uname', 256), ('.cmdline', 8192)))
            found.append(UnifiedKernel(path, version, sections.get('.initrd'), arguments))
    return found


def _sections(guest, path):
    """Name → (offset, size) of the sections of a program of the firmware; nothing for another file."""
    try:
        head = guest.part(path, 0, 64)
        if head[:2] != b'MZ' or len(head) < 64:
            return {}
        start = struct.unpack_from('<I', head, 60)[0]
        head = guest.part(path, start, 24)
        if head[:4] != b'PE\0\0' or len(head) < 24:
            return {}
        count, optional = struct.unpack_from('<H', head, 6)[0], struct.unpack_from('<H', head, 20)[0]
        table = guest.part(path, start + 24 + optional, min(count, 96) * 40)
    except OSError:
        return {}
    found = {}
    for at in range(0, len(table) - 39, 40):
        size, _, stored, offset = struct.unpack_from('<IIII', table, at + 8)
        found[table[at : at + 8].split(b'\0')[0].decode('ascii', 'replace')] = (offset, min(size, stored) if size else stored)
    return found


def _text(guest, path, place, most):
    content = _section(guest, path, place, most)
    return content.split(b'\0')[0].decode('utf-8', 'replace').strip() if content else None


def _section(guest, path, place, most):
    if place is None or not 0 < place[1] <= most:
        return None
    try:
        content = guest.part(path, place[0], place[1])
    except OSError:
        return None
    return content if len(content) == place[1] else None

"""Drivers on discs that are laid out in another way than the public VirtIO disc, e.g. those of a vendor: found by what their INF files say."""

import re

from .inf import Inf

_DEEPEST = 8
_MOST_FOLDERS = 4000
_LARGEST_FILE = 64 << 20
_LARGEST_INF = 1 << 20
_NOT_NEEDED = ('.pdb', '.txt', '.doc', '.pdf', '.exe', '.msi')
_ANY = (0, 0, 0)


class Found(object):
    """A driver's INF file with the other files of its folder (lower-case name → (name, bytes))."""

    def __init__(self, folder, inf_name, inf, files, oldest):
        self.name = re.sub(r'\.inf$', '', inf_name, flags=re.IGNORECASE)
        self.folder = folder
        self.inf_name = inf_name
        self.inf = inf
        self.files = files
        self.rank = (oldest, _age(inf.driver_version))


def oldest_version(inf, architecture, version, is_server):
    """Of the versions of Windows that an INF file names for a processor, the newest that this Windows is not older than, as
    (major, minor, build); None when it is for others alone."""
    fitting = []
    for decoration in inf.decorations:
        parts = decoration.split('.')
        if parts[0] not in ('nt' + architecture, 'nt', ''):
            continue
        numbers = [_number(part) for part in parts[1:]] + [None] * 5
        major, minor, product, _, build = numbers[:5]
        if product is not None and (product == 1) == is_server:
            continue
        needed = (major or 0, minor or 0, build or 0)
        if tuple(version) >= needed:
            fitting.append(needed)
    return max(fitting) if fitting else None


def search(disc, architecture, version, is_server, is_wanted, others=()):
    """The best driver for each wanted device: hardware id → Found. `is_wanted` is asked with the ids in upper case. `others`: names of
    folders, in lower case, in which drivers for other versions of Windows are."""
    best = {}
    for path, entries in _folders(disc):
        if any(part in others for part in path.lower().split('/')):
            continue
        for key in sorted(entries):
            name, is_folder, (_, length) = entries[key]
            if is_folder or not key.endswith('.inf') or length > _LARGEST_INF:
                continue
            inf = Inf(disc.read('%s/%s' % (path, name)), architecture)
            ids = [one for one in sorted(set(device[0].upper() for device in inf.devices)) if is_wanted(one)]
            oldest = oldest_version(inf, architecture, version, is_server) if ids else None
            if oldest is None:
                continue
            files = None
            for one in ids:
                if one in best and best[one].rank >= (oldest, _age(inf.driver_version)):
                    continue
                files = files or _files(disc, path, entries, key)
                best[one] = Found(path.strip('/'), name, inf, files, oldest)
    return dict((one, found) for one, found in best.items() if any(name.endswith('.sys') for name in found.files))


def _files(disc, path, entries, inf):
    """Of its folder, without the other INF files, each of which is a driver of its own."""
    found = {}
    for key, (name, is_folder, (_, length)) in entries.items():
        if is_folder or length > _LARGEST_FILE or key.endswith(_NOT_NEEDED) or (key.endswith('.inf') and key != inf):
            continue
        found[key] = (name, disc.read('%s/%s' % (path, name)))
    return found


def _folders(disc):
    """Folders with an INF file, and what is in them. A disc is hostile: how deep and how wide it is has its bounds."""
    waiting, seen = [('', 0)], 0
    while waiting and seen < _MOST_FOLDERS:
        path, depth = waiting.pop(0)
        seen += 1
        entries = disc.entries(path)
        if any(key.endswith('.inf') for key in entries):
            yield path, entries
        if depth < _DEEPEST:
            waiting.extend(('%s/%s' % (path, name), depth + 1) for _, (name, is_folder, _where) in sorted(entries.items()) if is_folder)


def _age(driver_version):
    """`month/day/year,version` in an order."""
    date, _, version = driver_version.partition(',')
    parts = [_number(part) or 0 for part in date.strip().split('/')]
    month, day, year = parts if len(parts) == 3 else (0, 0, 0)
    return (year, month, day, tuple(_number(part) or 0 for part in version.strip().split('.')))


def _number(text):
    text = text.strip()
    return int(text) if text.isdigit() and len(text) <= 9 else None

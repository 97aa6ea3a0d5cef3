"""Enables systemd services by creating the links that their unit files ask for, as `systemctl enable` does, without
running it."""

import re

from .network.key_file import KeyFile

_FOLDERS = ('/etc/systemd/system', '/usr/lib/systemd/system', '/lib/systemd/system')


def unit_path(guest, unit):
    """Path of a unit's file; None when there is none or the unit is masked."""
    for folder in _FOLDERS:
        path = '%s/%s' % (folder, unit)
        if guest.is_file(path):
            return path
    return None


def enable_unit(guest, unit):
    """Returns whether anything changed."""
    path = unit_path(guest, unit)
    if path is None:
        return False
    file = KeyFile(guest.read(path))
    changed = False
    for key, ending in (('WantedBy', 'wants'), ('RequiredBy', 'requires')):
        for target in _words(file, key):
            changed = guest.link('/etc/systemd/system/%s.%s/%s' % (target, ending, unit), path) or changed
    for alias in _words(file, 'Alias'):
        changed = guest.link('/etc/systemd/system/' + alias, path) or changed
    for other in _words(file, 'Also'):
        # Units may refer to themselves or to each other.
        if other != unit and unit not in _words(KeyFile(guest.read(unit_path(guest, other) or path)), 'Also'):
            changed = enable_unit(guest, other) or changed
    return changed


def _words(file, key):
    return [
        word
        for value in file.values('Install', key)
        for word in value.split()
        if re.match(r'^[A-Za-z0-9@._\\:-]+$', word)
    ]

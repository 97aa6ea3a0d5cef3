"""What changed between two snapshots of a guest."""

import difflib
import re

from .guest_tree import BACKUP

# Files of which the changed lines are shown. They contain no secrets except those masked below.
_SHOWN = re.compile(
    r'^/(etc/(fstab|default/grub|hostname|network/|netplan/|sysconfig/network|'
    r'NetworkManager/system-connections/|systemd/network/|'
    r'cloud/|initramfs-tools/modules|dracut|modprobe|udev/rules\.d/|sysconfig/kernel|kernel/cmdline|ssh/sshd_config|selinux/config)|'
    r'boot/(grub2?/(grub\.cfg|menu\.lst|grub\.conf|grubenv)|loader/entries/))'
)
_SECRET = re.compile(r'(psk|password|passwd|secret|private|wep-key|802-1x|token|pin)', re.IGNORECASE)
_LARGEST = 128 * 1024


def diff_of(before, after, guest=None):
    """`guest`: the mounted guest, for the lines of small text files whose originals are kept in it."""
    return {
        'files': _files(before['files'], after['files'], guest),
        'packages': _named(before['packages'], after['packages']),
        'services': {
            'enabled': sorted(set(after['services']) - set(before['services'])),
            'disabled': sorted(set(before['services']) - set(after['services'])),
        },
        'users': _named(before['users'], after['users']),
        'sshPolicy': _named(before['sshPolicy'], after['sshPolicy']),
        'sshHostKeys': _named(before['sshHostKeys'], after['sshHostKeys']),
        'network': dict(
            (key, {'before': before['network'][key], 'after': after['network'][key]})
            for key in sorted(before['network'])
            if before['network'][key] != after['network'][key]
        ),
    }


def is_empty(diff):
    return not any(part for part in (value for section in diff.values() for value in section.values()))


def _named(before, after):
    return {
        'added': dict((name, after[name]) for name in sorted(after) if name not in before),
        'removed': dict((name, before[name]) for name in sorted(before) if name not in after),
        'changed': dict(
            (name, {'before': before[name], 'after': after[name]})
            for name in sorted(after)
            if name in before and before[name] != after[name]
        ),
    }


def _shown_file(told):
    kind, mode, owner, size, content = told
    return {'kind': kind, 'mode': mode, 'owner': owner, 'size': size, 'target' if kind == 'link' else 'sha256': content}


def _files(before, after, guest):
    found = {'added': [], 'removed': [], 'changed': []}
    for path in sorted(set(before) | set(after)):
        if path not in before:
            found['added'].append(dict(_shown_file(after[path]), path=path, **shown_lines(guest, path, added=True)))
        elif path not in after:
            found['removed'].append(dict(_shown_file(before[path]), path=path))
        elif before[path] != after[path]:
            found['changed'].append(
                dict(
                    {'path': path, 'before': _shown_file(before[path]), 'after': _shown_file(after[path])},
                    **shown_lines(guest, path),
                )
            )
    return found


def shown_lines(guest, path, added=False):
    if added and (guest is None or path not in guest.changed):
        # Files of packages are reported as packages.
        return {}
    if guest is None or not _SHOWN.match(path) or not guest.is_file(path) or guest.real_size(path) > _LARGEST:
        return {}
    old = [] if added else guest.read(BACKUP + path, '').splitlines()
    if not added and not old:
        return {}
    new = guest.read(path).splitlines()
    lines = list(difflib.unified_diff(old, new, 'before', 'after', lineterm='', n=1))[2:]
    masked = [line[:1] + '(a line that may hold a secret)' if _SECRET.search(line) else line for line in lines[:400]]
    return {'lines': [line.encode('utf-8', 'replace').decode('utf-8') for line in masked]}

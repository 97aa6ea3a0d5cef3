"""Security labels of files that were made or changed from outside."""

import re

from . import protocol
from .command import CommandFailed

# More than this were never labelled, or the output of the program is cut: the guest does it better itself.
_MOST = 100000
_TOLD = (
    re.compile(r'^Would relabel (/.*) from \S+(?: context>)? to (\S+)$'),
    # Versions up to RHEL 6.
    re.compile(r'^\S*setfiles:? reset (/.*) context .*->(\S+)$'),
)
_LABEL = re.compile(r'^[\w.-]+:[\w.-]+:[\w.-]+(:[\w.,:-]+)?$')
_ELSEWHERE = ('/proc', '/sys', '/dev', '/run', '/mnt', '/media')


def relabel(morph):
    """Gives the guest's files the labels that its own policy has for them; where that can't be done from outside, the guest
    does it on its first boot, which takes minutes and restarts it. Returns (changed, notes)."""
    guest = morph.guest
    if morph.guest_facts['selinux'] in ('absent', 'disabled'):
        return False, ['the guest does not use SELinux']
    if not morph.changed or guest.exists('/.autorelabel'):
        return False, []
    if morph.planned:
        return True, ['changed files get security labels; where the guest\'s tools cannot do that now, it does it on the first boot and restarts']
    count = label_offline(guest, morph.labelled_places())
    if count is not None:
        return bool(count), ['labelled %d files' % count]
    guest.write('/.autorelabel', '')
    return True, ['files are labelled anew on the first boot, which takes longer for that']


def label_offline(guest, places=('/',)):
    """`places`: mount points of file systems with labels; the program does not go from one to another. Returns how many files
    got another label; None when the guest has to do it itself."""
    found = re.search(r'^\s*SELINUXTYPE\s*=\s*([\w-]+)', guest.read('/etc/selinux/config', ''), re.MULTILINE)
    contexts = '/etc/selinux/%s/contexts/files/file_contexts' % (found.group(1) if found else 'targeted')
    if not guest.has_program('setfiles') or not guest.is_file(contexts):
        return None
    # It only tells: within its confines it can write no labels. Types that the owner has chosen for his files stay.
    command = ['setfiles', '-n', '-v'] + [word for folder in _ELSEWHERE for word in ('-e', folder)] + [contexts] + list(places)
    try:
        result = guest.run(command, check=False, timeout=1800)
    except CommandFailed as error:
        protocol.log('the guest\'s program for security labels did not end: %s' % error.message[-200:])
        return None
    wanted = labels_told(result.out + '\n' + result.err)
    if result.code != 0 or wanted is None:
        protocol.log('the guest\'s program for security labels ended with %d: %s' % (result.code, result.err.strip()[-200:]))
        return None
    for path, label in sorted(wanted.items()):
        try:
            guest.files.set_label(path, label.encode('ascii') + b'\0')
        except FileNotFoundError:
            continue
        except OSError as error:
            protocol.log('%s cannot be labelled: %s' % (path, error.strerror))
            return None
    bare = next((path for path in guest.changed if guest.files.is_bare(path)), None)
    if bare:
        # Whatever the reason, it has not told of all files.
        protocol.log('%s has no security label' % bare)
        return None
    return len(wanted)


def labels_told(text):
    """Path → label; None when there are too many, or one is none."""
    found = {}
    for line in text.splitlines():
        match = next((pattern.match(line) for pattern in _TOLD if pattern.match(line)), None)
        if not match:
            continue
        if not _LABEL.match(match.group(2)) or len(found) >= _MOST:
            return None
        found[match.group(1)] = match.group(2)
    return found

"""The state of a guest as plain data, recorded before and after a preparation to show what changed."""

import re
import stat

from .network import interfaces_of, kinds_of
from .network.names import RULES, old_names, rules_of
from .packages import package_manager

_FOLDERS = ('/etc', '/boot')
_SSH_KEYS = (
    'permitrootlogin',
    'passwordauthentication',
    'kbdinteractiveauthentication',
    'challengeresponseauthentication',
    'pubkeyauthentication',
    'permitemptypasswords',
    'usepam',
    'allowusers',
    'denyusers',
    'allowgroups',
    'denygroups',
    'port',
)


def snapshot_of(guest):
    return {
        'files': _files(guest),
        'packages': package_manager(guest).installed() if guest.family else {},
        'services': _services(guest),
        'users': _users(guest),
        'sshPolicy': _ssh_policy(guest),
        'sshHostKeys': _host_keys(guest),
        'network': {
            'kinds': kinds_of(guest),
            'interfaces': [one.name for one in interfaces_of(guest)],
            'pinned': dict(old_names(guest), **rules_of(guest.read(RULES, ''))),
        },
    }


def _files(guest):
    """Path → [kind, mode, owner, size, digest or target]."""
    found = {}
    for folder in _FOLDERS:
        for path, status in guest.walk(folder):
            if not stat.S_ISDIR(status.st_mode):
                found[path] = _file(guest, path, status)
    return found


def _file(guest, path, status):
    told = [
        'other',
        '%04o' % stat.S_IMODE(status.st_mode),
        '%d:%d' % (status.st_uid, status.st_gid),
        status.st_size,
        '',
    ]
    if stat.S_ISLNK(status.st_mode):
        told[0], told[4] = 'link', guest.link_target(path)
    elif stat.S_ISREG(status.st_mode):
        # Files larger than any settings or kernel are compared by size and time.
        told[0], told[4] = 'file', guest.digest(path) or 'modified %d' % status.st_mtime
    return told


def _services(guest):
    """What starts by itself: "unit (where it hangs)"."""
    found = []
    for name in guest.names('/etc/systemd/system'):
        path = '/etc/systemd/system/' + name
        if name.endswith(('.wants', '.requires')):
            found += ['%s (%s)' % (unit, name) for unit in guest.names(path)]
        elif guest.is_link(path):
            found.append('%s → %s' % (name, guest.link_target(path)))
    for level in ('/etc/rc3.d', '/etc/rc2.d', '/etc/rc.d/rc3.d'):
        found += (
            ['%s (%s)' % (name[3:], level) for name in guest.names(level) if re.match(r'^S\d\d', name)]
            if not found
            else []
        )
    return sorted(found)


def _users(guest):
    """Name → account; of a password only whether there is one."""
    passwords = {}
    for line in guest.read('/etc/shadow', '').splitlines():
        fields = line.split(':')
        if len(fields) > 1:
            passwords[fields[0]] = 'none' if fields[1] == '' else 'locked' if fields[1][0] in '!*' else 'set'
    found = {}
    for line in guest.read('/etc/passwd', '').splitlines():
        fields = line.split(':')
        if len(fields) == 7:
            found[fields[0]] = {
                'uid': fields[2],
                'gid': fields[3],
                'home': fields[5],
                'shell': fields[6],
                'password': passwords.get(fields[0], 'unknown'),
                'keys': _authorized_keys(guest, fields[5]),
            }
    return found


def _authorized_keys(guest, home):
    text = guest.read(home.rstrip('/') + '/.ssh/authorized_keys', '') if home.strip('/') else ''
    return len([line for line in text.splitlines() if line.strip() and not line.startswith('#')])


def _host_keys(guest):
    """Digests of the public host keys, by which clients know the machine."""
    return dict((path.rsplit('/', 1)[1], guest.digest(path)) for path in guest.find('/etc/ssh', '.pub'))


def _ssh_policy(guest):
    """The settings as the server reads them; nothing without a server."""
    server = next((path for path in ('/usr/sbin/sshd', '/usr/bin/sshd') if guest.exists(path)), None)
    if server is None:
        return {}
    guest.make_folder('/run/sshd')
    told = ['-T', '-C', 'user=root,host=localhost,addr=127.0.0.1']
    # Where the guest has a key that the server can use, it needs no other.
    has_key = bool(guest.find('/etc/ssh', '_key'))
    result = guest.run([server] + told, check=False, timeout=60) if has_key else None
    if result is None or result.code != 0:
        result = guest.run([server] + told + _host_key(guest), check=False, timeout=60)
    if result.code == 0:
        pairs = [line.split(' ', 1) for line in result.out.splitlines() if ' ' in line]
        return _joined((name, value) for name, value in pairs if name in _SSH_KEYS)
    return _joined(_from_files(guest, '/etc/ssh/sshd_config', 0))


def _host_key(guest):
    """Options with a host key: without one, the server tells nothing."""
    key = '/run/causeway-sshd-key'
    # The first kind is made in no time, but old systems do not have it.
    for kind in ('ed25519', 'rsa'):
        if not guest.exists(key):
            guest.run(['ssh-keygen', '-q', '-t', kind, '-N', '', '-f', key], check=False, timeout=60)
    return ['-h', key]


def _from_files(guest, path, depth):
    """The first value of a keyword counts; Match blocks apply to some users only and are skipped."""
    for line in guest.read(path, '').splitlines():
        words = line.split(None, 1)
        if len(words) < 2 or words[0].startswith('#'):
            continue
        name = words[0].lower()
        if name == 'match':
            return
        if name == 'include' and depth < 4:
            folder, _, pattern = words[1].rpartition('/')
            folder = folder if folder.startswith('/') else '/etc/ssh/' + folder
            for inner in guest.find(folder, pattern.replace('*', '')):
                for pair in _from_files(guest, inner, depth + 1):
                    yield pair
        elif name in _SSH_KEYS:
            yield name, words[1].strip()


def _joined(pairs):
    found = {}
    for name, value in pairs:
        found.setdefault(name, value)
    return found

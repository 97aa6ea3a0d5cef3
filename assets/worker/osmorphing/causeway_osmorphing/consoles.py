"""Where the guest asks for a login besides its screen: the consoles of Xen are gone, and there is a serial one."""

import re

_XEN = re.compile(r'^(?:xvc|hvc)\d+$')
_PROGRAMS = ('/sbin/agetty', '/usr/sbin/agetty', '/sbin/getty', '/usr/sbin/getty')
_UPSTART = '''# A login on the serial console.
start on stopped rc RUNLEVEL=[2345]
stop on runlevel [!2345]
respawn
exec %s -L 115200 ttyS0 vt102
'''


def apply(guest, serial, keeps_xen=False):
    """`serial`: whether the serial console is wanted. systemd asks on each console of the kernel by itself, Red Hat's upstart as
    well. Returns notes."""
    notes = []
    if not keeps_xen:
        notes += _terminals(guest) + _units(guest)
    program = next((path for path in _PROGRAMS if guest.is_file(path)), None)
    if not guest.has_systemd and program:
        notes += _table(guest, program, serial, keeps_xen)
        if serial and guest.is_file('/etc/init/tty1.conf') and not guest.exists('/etc/init/ttyS0.conf'):
            guest.write('/etc/init/ttyS0.conf', _UPSTART % program)
            notes.append('wrote /etc/init/ttyS0.conf, so that there is a login on the serial console')
    return notes


def _terminals(guest):
    """Where root may sign in on Xen's console, it may on the one in its place."""
    path = '/etc/securetty'
    lines = guest.read(path, '').splitlines()
    kept = [line for line in lines if not _XEN.match(line.strip())]
    # Lists that come with a system name consoles of every kind.
    if len(kept) == len(lines) or 'ttyS0' in [line.strip() for line in lines]:
        return []
    guest.write(path, '\n'.join(kept + ['ttyS0']) + '\n')
    return ['%s names the serial console instead of that of Xen' % path]


_WANTED = '/etc/systemd/system/getty.target.wants'


def _units(guest):
    """What an owner enabled for them waits for their devices at each start."""
    names = [name for name in guest.names(_WANTED) if re.match(r'^(?:serial-)?getty@(?:xvc|hvc)\d+\.service$', name)]
    return ['removed %s/%s' % (_WANTED, name) for name in names if guest.remove('%s/%s' % (_WANTED, name))]


def _table(guest, program, serial, keeps_xen):
    """Each line is `id:levels:action:program`."""
    path = '/etc/inittab'
    text = guest.read(path, '')
    lines, notes = text.splitlines(), []
    active = [line.split(':', 3) for line in lines if not line.startswith('#') and line.count(':') >= 3]
    asks = any(re.search(r'\b(ttyS0|console)\b', fields[3]) and 'getty' in fields[3] for fields in active)
    for index, line in enumerate(lines):
        fields = line.split(':', 3)
        words = fields[3].split() if not line.startswith('#') and len(fields) == 4 else []
        old = next((word for word in words if _XEN.match(word)), None)
        if old is None or keeps_xen or 'getty' not in words[0]:
            continue
        if serial and not asks:
            lines[index] = ':'.join(fields[:3] + [re.sub(r'\b%s\b' % old, 'ttyS0', fields[3])])
            notes.append('%s asks for a login on the serial console instead of that of Xen' % path)
            asks = True
        else:
            lines[index] = '#' + line
            notes.append('%s asks for no login on the console of Xen' % path)
    # Without a line that starts a console, the file is not what starts them.
    if serial and not asks and any('getty' in fields[3] for fields in active):
        taken = set(fields[0] for fields in active)
        name = next(name for name in ('S0', 'T0', 'cS', 'c0', 'z0') if name not in taken)
        lines.append('%s:2345:respawn:%s -L 115200 ttyS0 vt102' % (name, program))
        notes.append('%s asks for a login on the serial console' % path)
    if notes:
        guest.write(path, '\n'.join(lines) + '\n')
    return notes

"""Where a guest asks for a login besides its screen."""

from causeway_osmorphing import consoles

from .trees import TreeTest, everything

RHEL_5 = (
    'id:3:initdefault:\nl3:3:wait:/etc/rc.d/rc 3\n# co:2345:respawn:/sbin/agetty xvc9 9600 vt100-nav\nco:2345:respawn:/sbin/agetty xvc0 9600 vt100-nav\n'
    '1:2345:respawn:/sbin/mingetty tty1\n'
)
DEBIAN_7 = "id:2:initdefault:\nl2:2:wait:/etc/init.d/rc 2\n1:2345:respawn:/sbin/getty 38400 tty1\n#T0:23:respawn:/sbin/getty -L ttyS0 9600 vt100\n"


class Consoles(TreeTest):
    def applied(self, files, serial=True, keeps_xen=False):
        self.clear()
        guest = self.guest('debian', files)
        notes = consoles.apply(guest, serial, keeps_xen)
        state = everything(self.root)
        self.assertEqual(consoles.apply(guest, serial, keeps_xen), [])
        self.assertEqual(everything(self.root), state)
        return guest, notes

    def test_the_console_of_xen_becomes_the_serial_one(self):
        files = {'/sbin/agetty': '', '/etc/inittab': RHEL_5, '/etc/securetty': 'console\ntty1\nxvc0\n'}
        guest, notes = self.applied(files)
        self.assertEqual(guest.read('/etc/inittab'), RHEL_5.replace('xvc0', 'ttyS0'))
        self.assertEqual(guest.read('/etc/securetty'), 'console\ntty1\nttyS0\n')
        self.assertEqual(len(notes), 2)
        # A guest that shall have none, or that asks there already, asks on the missing one no more.
        guest, _ = self.applied(files, serial=False)
        self.assertIn('\n#co:2345:respawn:/sbin/agetty xvc0 9600', guest.read('/etc/inittab'))
        guest, _ = self.applied(dict(files, **{'/etc/inittab': RHEL_5 + 'S0:2345:respawn:/sbin/agetty ttyS0 9600\n'}))
        self.assertEqual(guest.read('/etc/inittab').count('\n#co:'), 1)
        # On Xen it stays.
        guest, notes = self.applied(files, serial=False, keeps_xen=True)
        self.assertEqual((guest.read('/etc/inittab'), guest.read('/etc/securetty'), notes), (RHEL_5, files['/etc/securetty'], []))

    def test_nothing_waits_for_the_console_of_xen(self):
        wanted = '/etc/systemd/system/getty.target.wants/'
        files = dict((wanted + name, '→/usr/lib/systemd/system/serial-getty@.service') for name in ('serial-getty@hvc0.service', 'serial-getty@ttyS0.service', 'getty@tty1.service'))
        for keeps_xen in (False, True):
            guest, notes = self.applied(dict(files, **{'/usr/lib/systemd/systemd': ''}), keeps_xen=keeps_xen)
            self.assertEqual('serial-getty@hvc0.service' in guest.names(wanted), keeps_xen)
            self.assertEqual((len(guest.names(wanted)), len(notes)), (3, 0) if keeps_xen else (2, 1))

    def test_a_serial_login_is_added_where_a_table_says_who_asks(self):
        guest, _ = self.applied({'/sbin/getty': '', '/etc/inittab': DEBIAN_7})
        self.assertEqual(guest.read('/etc/inittab'), DEBIAN_7 + 'S0:2345:respawn:/sbin/getty -L 115200 ttyS0 vt102\n')
        guest, _ = self.applied({'/sbin/getty': '', '/etc/inittab': DEBIAN_7 + 'S0:2:respawn:/sbin/mingetty tty9\n'})
        self.assertIn('\nT0:2345:respawn:/sbin/getty -L 115200 ttyS0 vt102\n', guest.read('/etc/inittab'))
        for inittab in ('id:3:initdefault:\n', DEBIAN_7 + 'cons:12345:respawn:/sbin/smart_agetty -L 38400 console\n'):
            self.assertEqual(self.applied({'/sbin/getty': '', '/etc/inittab': inittab})[1], [])
        self.assertEqual(self.applied({'/etc/inittab': DEBIAN_7})[1], [])
        self.assertEqual(self.applied({'/sbin/agetty': '', '/etc/inittab': DEBIAN_7, '/lib/systemd/systemd': ''})[1], [])

    def test_ubuntus_upstart_gets_a_job(self):
        guest, _ = self.applied({'/sbin/getty': '', '/etc/init/tty1.conf': ''})
        self.assertIn('exec /sbin/getty -L 115200 ttyS0 vt102\n', guest.read('/etc/init/ttyS0.conf'))
        self.assertEqual(self.applied({'/sbin/agetty': '', '/etc/init/tty.conf': ''})[1], [])

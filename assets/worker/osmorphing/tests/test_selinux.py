import os

from causeway_osmorphing import selinux
from causeway_osmorphing.command import CommandFailed, Result

from .trees import TreeTest

CONTEXTS = '/etc/selinux/targeted/contexts/files/file_contexts'
TOLD = (
    'Would relabel /etc/fstab from system_u:object_r:unlabeled_t:s0 to system_u:object_r:etc_t:s0\n'
    'Would relabel /etc/a from b to c from <no context> to system_u:object_r:etc_t:s0\n'
    'setfiles reset /etc/old context root:object_r:file_t:s0->system_u:object_r:etc_t:s0\n'
    'something else\n'
)


class Labels(TreeTest):
    def labelled(self, result, more=None):
        guest = self.guest('rocky', dict({'/usr/sbin/setfiles': '', CONTEXTS: '', '/etc/selinux/config': 'SELINUX=enforcing\nSELINUXTYPE=targeted\n'}, **(more or {})))
        self.set = {}
        guest.files.is_bare = lambda path: path == '/etc/bare'
        guest.files.set_label = lambda path, label: self.set.__setitem__(path, label)
        guest._setfiles = result if callable(result) else lambda args: result
        return guest, selinux.label_offline(guest)

    def test_files_get_the_labels_that_the_guests_own_program_tells(self):
        guest, count = self.labelled(Result(0, TOLD, ''))
        label = b'system_u:object_r:etc_t:s0\0'
        self.assertEqual((count, self.set), (3, {'/etc/fstab': label, '/etc/a from b to c': label, '/etc/old': label}))
        self.assertEqual(guest.commands, ['setfiles -n -v -e /proc -e /sys -e /dev -e /run -e /mnt -e /media %s /' % CONTEXTS])

    def test_where_that_fails_the_guest_does_it_itself(self):
        def slow(args):
            raise CommandFailed('osmorphing.command-failed', 'too slow')

        for result in (Result(1, TOLD, 'no'), slow, Result(0, 'Would relabel /etc/x from a to evil;label\n', '')):
            self.clear()
            self.assertIsNone(self.labelled(result)[1])
            self.assertEqual(self.set, {})
        self.clear()
        guest, _ = self.labelled(Result(0, TOLD, ''))
        os.unlink(guest.root + '/usr/sbin/setfiles')
        self.assertIsNone(selinux.label_offline(guest))

        def refuses(path, label):
            raise OSError(95, 'not supported')

        self.clear()
        guest, _ = self.labelled(Result(0, '', ''))
        guest._setfiles = lambda args: Result(0, TOLD, '')
        guest.files.set_label = refuses
        self.assertIsNone(selinux.label_offline(guest))

    def test_a_changed_file_without_a_label_is_left_to_the_guest(self):
        guest, count = self.labelled(Result(0, '', ''))
        self.assertEqual(count, 0)
        guest.write('/etc/bare', 'x')
        self.assertIsNone(selinux.label_offline(guest))

    def test_every_file_system_with_labels_is_told_of(self):
        guest, _ = self.labelled(Result(0, TOLD, ''))
        selinux.label_offline(guest, ['/', '/boot', '/var'])
        self.assertTrue(guest.commands[-1].endswith(' %s / /boot /var' % CONTEXTS))

    def test_a_file_without_a_label_is_bare(self):
        guest = self.guest('rocky', {'/etc/a': ''})
        told = []
        self.addCleanup(setattr, os, 'getxattr', os.getxattr)
        for error, bare in ((61, True), (95, False), (None, False)):
            def get(path, name):
                told.append(os.readlink(path))
                if error:
                    raise OSError(error, 'x')

            os.getxattr = get
            self.assertEqual(guest.files.is_bare('/etc/a'), bare)
        self.assertEqual(set(told), {guest.root + '/etc/a'})
        self.assertFalse(guest.files.is_bare('/etc/none'))

    def test_too_many_are_left_to_the_guest(self):
        self.addCleanup(setattr, selinux, '_MOST', selinux._MOST)
        selinux._MOST = 2
        self.assertIsNone(self.labelled(Result(0, TOLD, ''))[1])

    def test_a_label_is_set_on_a_link_itself_and_never_outside(self):
        guest = self.guest('rocky', {'/etc/link': '→/etc/fstab', '/out': '→../../../../etc'})
        set_on = []
        self.addCleanup(setattr, os, 'setxattr', os.setxattr)
        os.setxattr = lambda path, name, value: set_on.append(os.readlink(path))
        guest.files.set_label('/etc/link', b'x')
        guest.files.set_label('/out/fstab', b'x')
        self.assertEqual(set_on, [guest.root + '/etc/link', guest.root + '/etc/fstab'])

"""Package databases as a live replica finds them."""

import os

from causeway_osmorphing.command import CommandFailed, Result
from causeway_osmorphing.packages import package_manager

from .trees import TreeTest

STATUS = 'Package: a\nStatus: install ok installed\nVersion: 1\n\nPackage: b\nStatus: install ok %s\nVersion: 2\n'


class Databases(TreeTest):
    def test_what_dpkg_was_interrupted_in_is_finished_first(self):
        for state, updates, wanted in (('half-configured', {}, True), ('triggers-pending', {}, True), ('installed', {'/var/lib/dpkg/updates/0001': ''}, True),
                                       ('installed', {'/var/lib/dpkg/updates/tmp.i': ''}, False), ('config-files', {}, False)):
            with self.subTest(state=state, updates=updates):
                self.clear()
                guest = self.guest('debian', dict({'/var/lib/dpkg/status': STATUS % state}, **updates))
                self.assertEqual(bool(package_manager(guest).repair()), wanted)
                self.assertEqual(any(command.endswith('--configure -a') for command in guest.commands), wanted)
        guest._dpkg = lambda args: Result(1, '', 'Errors were encountered while processing: b')
        guest.write('/var/lib/dpkg/status', STATUS % 'half-installed')
        package_manager(guest).repair()
        self.assertEqual(len([one for one in self.warnings if 'processing: b' in one]), 1)

    def test_locks_of_programs_that_are_gone_are_taken_away(self):
        files = dict(('/var/lib/rpm/' + name, 'x') for name in ('__db.001', '__db.002', 'Packages', '__db.txt'))
        guest = self.guest('centos7', dict(files, **{'/var/run/yum.pid': '1'}))
        self.assertEqual(sorted(package_manager(guest).settle()), ['removed /var/lib/rpm/__db.001', 'removed /var/lib/rpm/__db.002', 'removed /var/run/yum.pid'])
        self.assertEqual(guest.names('/var/lib/rpm'), ['Packages', '__db.txt'])
        self.assertEqual(package_manager(guest).settle(), [])
        # Nothing is kept of them: they are no settings.
        self.assertFalse(guest.exists('/var/lib/causeway/original'))
        self.clear()
        guest = self.guest('rocky', {'/run/yum.pid': '1'})
        os.makedirs(guest.root + '/var')
        os.symlink('../run', guest.root + '/var/run')
        self.assertEqual(package_manager(guest).settle(), [])

    def test_a_database_that_does_not_answer_is_told(self):
        guest = self.guest('rocky', {'/usr/bin/rpm': ''})

        def slow(args):
            raise CommandFailed('osmorphing.command-failed', '`rpm -qa` took longer than 180 s')

        guest._rpm = slow
        self.assertEqual(package_manager(guest).installed(), {})
        self.assertEqual(len(self.warnings), 1)

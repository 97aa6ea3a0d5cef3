"""What runs on the computer of whoever inspects an image."""

from causeway_osmorphing import cli, protocol
from causeway_osmorphing.command import CommandFailed
from causeway_osmorphing.guest import Guest

from .trees import TreeTest


class LocalImages(TreeTest):
    def test_no_program_of_the_guest_is_run(self):
        guest = Guest(self.guest('rocky', {'/usr/bin/rpm': '#!/bin/sh\ntouch /ran\n'}).root, runs=False)
        self.assertEqual(guest.run(['rpm', '-qa'], check=False).code, 127)
        with self.assertRaises(CommandFailed):
            guest.run(['rpm', '-qa'])
        self.assertFalse(guest.exists('/ran'))

    def test_commands_that_write_are_refused(self):
        told, attached = [], []
        for module, name, value in (
            (protocol, 'listen', lambda: None), (protocol, 'next_request', lambda: {'session': 'local-test', 'folder': self.root, 'local': True, 'fileNumbers': [3]}),
            (cli.local_images, 'attach', attached.append), (protocol, 'emit', lambda kind, **fields: told.append((kind, fields.get('code')))),
        ):
            self.addCleanup(setattr, module, name, getattr(module, name))
            setattr(module, name, value)
        for command in ('mount', 'prepare', 'windows-mount', 'windows-prepare', 'script'):
            self.assertEqual(cli.main([command]), 1)
        self.assertEqual(attached, [])
        self.assertEqual(set(told), {('error', 'osmorphing.program-failed')})

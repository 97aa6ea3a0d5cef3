"""How the program takes requests, one after another, and what it answers."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '__main__.py')


class Requests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix='causeway-requests-')
        self.addCleanup(self.folder.cleanup)

    def told(self, command, given):
        """Exit code, and what was printed."""
        child = subprocess.Popen([sys.executable, '-B', PROGRAM, command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        out, _ = child.communicate(given.encode('utf-8'))
        return child.returncode, [json.loads(line) for line in out.decode('utf-8').splitlines()]

    def request(self, command, **more):
        return json.dumps(dict({'command': command, 'session': 'one', 'folder': self.folder.name}, **more)) + '\n'

    def test_a_failure_and_an_odd_request_do_not_keep_the_next_from_being_answered(self):
        # Standard input ends at once: commands that clean up do so all the same.
        code, told = self.told('serve', self.request('diff') + 'no request\n' + self.request('fly') + self.request('unmount'))
        answers = [one for one in told if one['type'] in ('result', 'error')]
        self.assertEqual(code, 0)
        self.assertEqual([one.get('code') or one['result'] for one in answers], ['osmorphing.not-mounted', 'osmorphing.program-failed', 'osmorphing.program-failed', {'left': []}])

    def test_without_requests_it_ends(self):
        self.assertEqual(self.told('serve', ''), (0, []))

    def test_a_single_command_is_answered_even_without_the_end_of_its_line(self):
        code, told = self.told('unmount', self.request('unmount').rstrip())
        self.assertEqual((code, told[-1]), (0, {'type': 'result', 'result': {'left': []}}))
        self.assertEqual(self.told('unmount', '')[0], 1)

    def test_what_is_secret_is_masked_in_texts_and_never_breaks_an_answer(self):
        keep = 'from causeway_osmorphing import protocol; protocol.keep_secret("42"); protocol.emit("result", result={"seconds": 1.42, "text": "x42\\x1b"})'
        out = subprocess.check_output([sys.executable, '-B', '-c', keep], cwd=os.path.dirname(PROGRAM))
        self.assertEqual(json.loads(out.decode('utf-8'))['result'], {'seconds': 1.42, 'text': 'x***\\x1b'})

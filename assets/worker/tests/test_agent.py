"""The agent under threads. The kernel is a model where its timing matters; everything else is the agent itself."""

import errno
import hashlib
import importlib.util
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import unittest

PATH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'causeway_agent.py')
LOADER = importlib.util.spec_from_file_location('causeway_agent', PATH)
agent = importlib.util.module_from_spec(LOADER)
LOADER.loader.exec_module(agent)

MIB = 1024 * 1024


class Options(object):
    def __init__(self, folder):
        self.allow = [folder]
        self.idle = 60
        self.store = None
        self.store_bytes = 0


class FakeCarrier(object):
    """Keeps the answers."""

    def __init__(self):
        self.answers = []
        self.arrived = threading.Condition()

    def send(self, data):
        with self.arrived:
            self.answers.append(agent.HEAD.unpack(bytes(data[: agent.HEAD_BYTES])))
            self.arrived.notify_all()

    def statuses(self, count):
        with self.arrived:
            self.arrived.wait_for(lambda: len(self.answers) >= count, 30)
            return sorted(answer[9] for answer in self.answers)


class UnderThreads(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix='causeway-agent-'))
        self.addCleanup(shutil.rmtree, self.folder, True)
        path = os.path.join(self.folder, 'disk')
        with open(path, 'wb') as file:
            file.truncate(8 * MIB)
        self.volume = agent.Volume(path, [self.folder])
        self.addCleanup(self.volume.close)

    def replace(self, owner, name, value):
        self.addCleanup(setattr, owner, name, getattr(owner, name))
        setattr(owner, name, value)

    def test_a_flush_never_answers_ok_for_an_error_that_another_call_received(self):
        """The kernel reports lost pages once per open file. The call that receives the error is held until a second
        flush either has answered or waits for it."""
        refused = []

        def flush(into):
            try:
                self.volume.flush()
                into.append(False)
            except agent.Refusal as refusal:
                into.append(refusal.status == agent.DURABILITY_LOST)

        other = threading.Thread(target=flush, args=(refused,))
        pending = [True]

        def fdatasync(_):
            if pending:
                pending.pop()
                other.start()
                other.join(0.3)
                raise OSError(errno.EIO, 'Input/output error')

        self.replace(agent.os, 'fdatasync', fdatasync)
        flush(refused)
        other.join()
        self.assertEqual(refused, [True, True])

    def test_a_volume_that_lost_bytes_takes_no_more(self):
        def fdatasync(_):
            raise OSError(errno.EIO, 'Input/output error')

        self.replace(agent.os, 'fdatasync', fdatasync)
        self.assertRaises(agent.Refusal, self.volume.flush)
        self.replace(agent.os, 'fdatasync', lambda _: None)
        self.assertRaises(agent.Refusal, self.volume.flush)

    def test_a_flush_is_done_with_the_next_sync_although_bytes_keep_coming(self):
        """The disk is so slow that the agent's own syncs follow each other without a pause: each finds what came during
        the one before. The second sync after the flush was asked for must not end before the flush is answered."""
        waiting = threading.Event()
        answered = threading.Event()

        class Syncs(type(self.volume.syncs)):
            def wait(self, timeout=None):
                waiting.set()
                return super().wait(timeout)

        self.volume.syncs = Syncs()
        begun = []
        unanswered = []
        first = threading.Event()

        def fdatasync(_):
            begun.append(None)
            first.set()
            self.volume.account(agent.SYNC_EVERY)
            if len(begun) == 1:
                waiting.wait(30)
            elif len(begun) == 3 and not answered.wait(30):
                unanswered.append(True)

        self.replace(agent.os, 'fdatasync', fdatasync)
        self.volume.account(agent.SYNC_EVERY)
        self.assertTrue(first.wait(30))
        self.volume.flush()
        answered.set()
        self.volume.close()
        self.assertEqual(unanswered, [])

    def test_zeros_that_find_a_way_closed_at_the_same_time_are_all_written(self):
        for count in (2, 4):
            self.volume.closed_ways.clear()
            os.pwrite(self.volume.fd, b'\xff' * (count * MIB), 0)
            together = threading.Barrier(count)
            first = threading.local()

            def punch_hole(*_):
                if not hasattr(first, 'done'):
                    first.done = True
                    together.wait(30)
                return False

            self.replace(agent, 'punch_hole', punch_hole)
            failures = []

            def zero(index):
                try:
                    self.volume.zero(index * MIB, MIB)
                except Exception as error:
                    failures.append(repr(error))

            threads = [threading.Thread(target=zero, args=(index,)) for index in range(count)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(failures, [])
            self.assertEqual(os.pread(self.volume.fd, count * MIB, 0), b'\0' * (count * MIB))

    def test_a_defect_is_answered_and_leaves_the_pool_working(self):
        """More failing requests than the pool has threads, then one that works."""
        carrier = FakeCarrier()
        connection = agent.Connection(agent.Agent(Options(self.folder)), carrier)
        failing = [True]

        def flush():
            if failing:
                raise IndexError('a defect')

        self.replace(self.volume, 'flush', flush)
        many = agent.DIGEST_THREADS + 2
        for request in range(many):
            connection.later(self.volume, request, agent.FLUSH, 1, 0, 0, 0)
        self.assertEqual(carrier.statuses(many), [agent.BAD_REQUEST] * many)
        failing.clear()
        connection.later(self.volume, many, agent.FLUSH, 1, 0, 0, 0)
        self.assertEqual(carrier.statuses(many + 1), [agent.OK] + [agent.BAD_REQUEST] * many)

    def test_requests_of_any_form_are_answered(self):
        carrier = FakeCarrier()
        connection = agent.Connection(agent.Agent(Options(self.folder)), carrier)
        for payload in (b'[]', b'"x"', b'1', b'{"session": [1]}', b'\xff'):
            connection.guard(1, agent.HELLO, 0, lambda: connection.handle(
                agent.VERSION, agent.HELLO, 0, 1, 0, 0, 0, 0, payload))
        self.assertEqual(carrier.statuses(5), [agent.BAD_REQUEST] * 5)


BLOCK = agent.STORE_BLOCK


class KeptBlocks(unittest.TestCase):
    """Blocks that the next caller of a worker need not send again."""

    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix='causeway-agent-'))
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.path = os.path.join(self.folder, 'blocks')
        self.blocks = [bytes([number]) * BLOCK for number in range(1, 7)]
        self.digests = [hashlib.sha256(block).digest() for block in self.blocks]

    def kept(self, slots):
        store = agent.BlockStore(self.path, slots * BLOCK)
        self.addCleanup(lambda: (os.close(store.data), os.close(store.index)))
        return store

    def test_whole_blocks_are_kept_and_survive_the_agent(self):
        # The write begins within a block and ends within one.
        self.kept(4).keep(BLOCK // 2, memoryview(b'x' * (BLOCK // 2) + self.blocks[0] + self.blocks[1] + b'y'))
        again = self.kept(4)
        self.assertEqual([again.recall(digest) for digest in self.digests[:3]], [self.blocks[0], self.blocks[1], None])
        self.assertEqual(len(again.where), 2)

    def test_the_oldest_make_room(self):
        store = self.kept(3)
        for block in self.blocks[:5] + self.blocks[4:5]:
            store.keep(0, memoryview(block))
        for kept in (store, self.kept(3)):
            self.assertEqual([kept.recall(digest) is not None for digest in self.digests], [False, False, True, True, True, False])
        self.assertEqual(os.path.getsize(self.path), 3 * BLOCK)

    def test_a_stale_or_hostile_index_gives_nothing(self):
        store = self.kept(4)
        store.keep(0, memoryview(b''.join(self.blocks[:3])))
        os.pwrite(store.data, b'!', BLOCK + 5)  # the second block is another one now
        os.pwrite(store.index, self.digests[5], 64)  # the third is said to be one that it is not
        os.pwrite(store.index, self.digests[4], 3 * 32)  # and one beyond the end of the blocks
        self.assertIsNone(store.recall(self.digests[1]))
        for kept in (self.kept(4), self.kept(4)):
            found = [kept.recall(digest) for digest in self.digests]
            self.assertEqual([block for block in found if block is not None and block not in self.blocks], [])
            self.assertEqual(found, [self.blocks[0], None, None, None, None, None])
        kept.keep(0, memoryview(self.blocks[1]))
        self.assertEqual(kept.recall(self.digests[1]), self.blocks[1])

    def test_a_full_disk_ends_the_keeping_and_no_write(self):
        store = self.kept(4)
        store.keep(0, memoryview(self.blocks[0]))

        def pwrite(*_):
            raise OSError(errno.ENOSPC, 'No space left on device')

        self.addCleanup(setattr, agent.os, 'pwrite', agent.os.pwrite)
        agent.os.pwrite = pwrite
        store.keep(0, memoryview(self.blocks[1]))
        self.assertEqual([store.recall(digest) for digest in self.digests[:2]], [self.blocks[0], None])

    def test_a_file_of_somebody_else_is_not_used(self):
        os.symlink('/etc/passwd', self.path)
        options = Options(self.folder)
        options.store, options.store_bytes = self.path, BLOCK
        self.assertIsNone(agent.open_store(options))


class Claiming(unittest.TestCase):
    """The kernel is a model: it says that somebody else has claimed the device, for a while or for good."""

    def setUp(self):
        self.refused = 0
        self.addCleanup(setattr, agent.os, 'open', os.open)
        self.addCleanup(setattr, agent, 'CLAIM_SECONDS', agent.CLAIM_SECONDS)

    def refuse(self, times, code=errno.EBUSY):
        real = os.open

        def claimed(path, flags, *rest):
            if flags & os.O_EXCL and self.refused < times:
                self.refused += 1
                raise OSError(code, os.strerror(code))
            return real(path, flags & ~os.O_EXCL, *rest)

        agent.os.open = claimed

    def test_a_device_that_is_claimed_for_a_moment_is_opened_then(self):
        self.refuse(3)
        os.close(agent.open_claimed(os.devnull))
        self.assertEqual(self.refused, 3)

    def test_a_device_that_stays_claimed_is_in_use(self):
        agent.CLAIM_SECONDS = 0.25
        self.refuse(1000)
        with self.assertRaises(OSError) as caught:
            agent.open_claimed(os.devnull)
        self.assertEqual(caught.exception.errno, errno.EBUSY)
        self.assertGreater(self.refused, 1)

    def test_a_device_that_is_gone_is_not_awaited(self):
        self.refuse(1000, errno.ENXIO)
        with self.assertRaises(OSError):
            agent.open_claimed(os.devnull)
        self.assertEqual(self.refused, 1)


class DisksInUse(unittest.TestCase):
    """The machine is a model: a root, a table of mounts and swap, and which disks stand below their numbers."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.lines = {'/proc/self/mountinfo': [], '/proc/swaps': ['Filename Type']}
        self.root = os.makedev(0, 30)
        self.opened = []
        real_stat = os.stat
        stand_ins = {'sda': (8, 0), 'sda1': (8, 1), 'sdb': (8, 16), 'sdc': (8, 32), 'sdc2': (8, 34)}
        numbers = {os.path.join(self.folder, name): os.makedev(*number) for name, number in stand_ins.items()}
        disks = {'8:0': {'sda'}, '8:1': {'sda'}, '8:16': {'sdb'}, '8:32': {'sdc'}, '8:34': {'sdc'}}

        def model_stat(path, *args, **more):
            if path == '/':
                return Status(stat.S_IFDIR, self.root, 0)
            if path in numbers:
                return Status(stat.S_IFBLK, 0, numbers[path])
            return real_stat(path, *args, **more)

        self.replace(agent.os, 'stat', model_stat)
        self.replace(agent, 'read_lines', lambda path: self.lines[path])
        self.replace(agent, 'whole_disks', lambda number: disks.get(number, set()))
        self.replace(agent, 'holders_of', lambda name: [])
        self.replace(agent, 'open_claimed', self.open)

    def replace(self, module, name, value):
        self.addCleanup(setattr, module, name, getattr(module, name))
        setattr(module, name, value)

    def open(self, device):
        self.opened.append(device)
        raise OSError(errno.ENXIO, 'the model opens nothing')

    def status_of(self, name):
        with self.assertRaises(agent.Refusal) as caught:
            agent.Volume(os.path.join(self.folder, name), [self.folder])
        return caught.exception.status

    def test_the_one_that_carries_the_root_is_refused_before_it_is_opened(self):
        self.root = os.makedev(8, 1)
        self.assertEqual(agent.disks_in_use(), {'sda'})
        self.assertEqual(self.status_of('sda'), agent.IN_USE)
        self.assertEqual(self.opened, [])
        self.assertEqual(self.status_of('sdb'), agent.NO_DEVICE)
        self.assertEqual(self.opened, [os.path.join(self.folder, 'sdb')])

    def test_one_with_a_mounted_file_system_is_refused_by_its_number_and_by_its_name(self):
        self.lines['/proc/self/mountinfo'] = [
            '22 1 8:1 / /data rw - ext4 /dev/nowhere rw',
            '23 1 0:40 / /pool rw - btrfs %s rw' % os.path.join(self.folder, 'sdc2'),
        ]
        self.assertEqual(agent.disks_in_use(), {'sda', 'sdc'})
        self.assertEqual([self.status_of('sda'), self.status_of('sdc')], [agent.IN_USE, agent.IN_USE])
        self.assertEqual(self.opened, [])

    def test_one_with_swap_is_refused(self):
        self.lines['/proc/swaps'].append('%s partition 1024 0 -2' % os.path.join(self.folder, 'sdc2'))
        self.assertEqual(self.status_of('sdc'), agent.IN_USE)
        self.assertEqual(self.opened, [])


class Status(object):
    def __init__(self, mode, device, number):
        self.st_mode, self.st_dev, self.st_rdev = mode, device, number


class NumbersOfDisks(unittest.TestCase):
    """Which LUN a device has where the cloud's udev rules number data disks."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def test_links_tell_them_and_partitions_do_not_count(self):
        for name, target in (('lun0', 'sdc'), ('lun12', 'sdd'), ('lun0-part1', 'sdc1')):
            os.symlink(os.path.join(self.folder, target), os.path.join(self.folder, name))
        self.assertEqual(agent.luns_by_link((self.folder,)), {
            os.path.join(os.path.realpath(self.folder), 'sdc'): 0, os.path.join(os.path.realpath(self.folder), 'sdd'): 12,
        })

    def test_names_that_a_cloud_keeps_for_a_volume_carry_their_folder(self):
        kept = os.path.join(self.folder, 'oracleoci')
        os.mkdir(kept)
        os.symlink('/dev/sdq', os.path.join(kept, 'oraclevdb'))
        self.assertEqual(list(agent.names_by_path(os.path.join(self.folder, 'none'), ((kept, 'oracleoci/'),)).items()), [('/dev/sdq', ['oracleoci/oraclevdb'])])

    def test_without_such_rules_the_address_is_asked(self):
        self.assertIsNone(agent.luns_by_link((os.path.join(self.folder, 'none'),)))
        self.assertEqual(agent.luns_by_link((self.folder,)), {})


class TheTurn(unittest.TestCase):
    """One process at a time attaches volumes to a computer."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.processes = []

    def tearDown(self):
        for process in self.processes:
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()

    def ask(self):
        code = 'import sys; sys.path.insert(0, %r); import causeway_agent; causeway_agent.hold_turn(%r)' % (os.path.dirname(agent.__file__), self.folder)
        self.processes.append(subprocess.Popen([sys.executable, '-c', code], stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        return self.processes[-1]

    def test_the_next_one_gets_it_when_the_input_of_the_former_ends(self):
        first = self.ask()
        self.assertEqual(first.stdout.readline(), b'turn\n')
        second = self.ask()
        self.assertEqual(second.stdout.readline(), b'waiting\n')
        first.stdin.close()
        self.assertEqual(second.stdout.readline(), b'turn\n')
        self.assertEqual(first.wait(), 0)

    def test_one_that_waits_ends_with_its_input(self):
        first = self.ask()
        self.assertEqual(first.stdout.readline(), b'turn\n')
        second = self.ask()
        self.assertEqual(second.stdout.readline(), b'waiting\n')
        second.stdin.close()
        self.assertEqual(second.wait(), 0)
        self.assertEqual(second.stdout.read(), b'')


class LoggingIn(unittest.TestCase):
    """Targets that a cloud gives a worker in place of a disk."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.login = {'target': 'iqn.2015-12.example:a', 'portal': '169.254.2.2:3260', 'user': 'u', 'secret': 'very-secret'}
        self.disk = os.path.join(self.folder, 'ip-169.254.2.2:3260-iscsi-iqn.2015-12.example:a-lun-1')
        self.asked = []

    def run_it(self, _step, arguments):
        self.asked.append(' '.join(arguments[6:]))

    def test_it_is_done_with_the_secret_which_the_tool_forgets_and_waits_for_the_disk(self):
        agent.log_in(self.login, self.run_it, lambda _seconds: os.symlink('/dev/sdz', self.disk), self.folder)
        self.assertEqual(self.asked, [
            '--op new', '--op update --name node.startup --value manual', '--op update --name node.session.auth.authmethod --value CHAP',
            '--op update --name node.session.auth.username --value u', '--op update --name node.session.auth.password --value very-secret', '--login',
            '--op update --name node.session.auth.password --value ',
        ])
        agent.log_in(self.login, lambda *_: self.fail('it was logged in already'), None, self.folder)

    def test_a_target_without_a_secret_is_logged_in_to_as_it_is(self):
        agent.log_in({'target': 'iqn.2015-12.example:a', 'portal': '169.254.2.2:3260'}, self.run_it, lambda _seconds: os.symlink('/dev/sdz', self.disk), self.folder)
        self.assertEqual(self.asked, ['--op new', '--op update --name node.startup --value manual', '--login'])

    def test_a_login_that_fails_leaves_no_secret_with_the_tool(self):
        def run(step, arguments):
            self.run_it(step, arguments)
            if step == 'login':
                raise agent.Refusal(agent.LOGIN_FAILED, 'refused')

        with self.assertRaises(agent.Refusal) as caught:
            agent.log_in(self.login, run, None, self.folder)
        self.assertEqual(str(caught.exception), 'refused')
        self.assertEqual(self.asked[-1], '--op update --name node.session.auth.password --value ')

    def test_a_disk_that_does_not_appear_is_told_without_the_secret(self):
        with self.assertRaises(agent.Refusal) as caught:
            agent.log_in(self.login, self.run_it, lambda _seconds: None, self.folder)
        self.assertIn('no disk appeared', str(caught.exception))
        self.assertNotIn('very-secret', str(caught.exception))

    def test_what_names_no_target_is_refused(self):
        for login in ({}, {'target': 'iqn.2015-12.example:a'}, {'target': 5, 'portal': '169.254.2.2:3260'}):
            with self.assertRaises(agent.Refusal) as caught:
                agent.log_in(login, self.run_it, None, self.folder)
            self.assertEqual(caught.exception.status, agent.BAD_REQUEST)
        self.assertEqual(self.asked, [])


class TheToolThatLogsIn(unittest.TestCase):
    """Whatever becomes of it, no secret is told."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        path = os.environ.get('PATH', '')
        self.addCleanup(os.environ.__setitem__, 'PATH', path)
        os.environ['PATH'] = self.folder

    def refusal(self):
        with self.assertRaises(agent.Refusal) as caught:
            agent.iscsiadm('login', ['--value', 'very-secret'], '')
        self.assertNotIn('very-secret', str(caught.exception))
        return str(caught.exception)

    def tool(self, text):
        path = os.path.join(self.folder, 'iscsiadm')
        with open(path, 'w') as handle:
            handle.write('#!/bin/sh\n' + text)
        os.chmod(path, 0o755)

    def test_an_image_without_it_is_told(self):
        self.assertIn('open-iscsi', self.refusal())

    def test_why_it_failed_is_told(self):
        self.tool('echo "$@"; echo "$@" >&2; exit 24')
        self.assertEqual(self.refusal(), 'iscsiadm ended with 24: login, the target refused user or secret')

    def test_a_session_that_exists_is_no_failure(self):
        self.tool('exit 15')
        agent.iscsiadm('login', [], '')


if __name__ == '__main__':
    unittest.main()

"""Trees of hostile links: nothing outside the root is read, written, made or removed, by either resolver."""

import errno
import itertools
import os
import random
import shutil
import socket
import stat
import tempfile
import threading
import unittest

from causeway_osmorphing import confined
from causeway_osmorphing.confined import Confined
from causeway_osmorphing.guest_tree import GuestTree
from causeway_osmorphing.undo_log import UndoLog
from causeway_osmorphing.windows.tree import WindowsTree

SECRET = 'what only the worker knows'
# Thousands of files are made durable.
_MEMORY = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None
# Trees that are tried: a quarter of them but in the full tier of the project's tests.
SEEDS = 2500 if os.environ.get('CAUSEWAY_EVERY_STEP') == '1' else 625
RESOLVERS = (True, False) if confined.has_openat2() else (False,)


def state_of(folder):
    """Path → everything that could have been changed there."""
    found = {}
    for here, folders, names in os.walk(folder):
        for name in folders + names + ['.']:
            path = os.path.join(here, name)
            status = os.lstat(path)
            content = None
            if stat.S_ISREG(status.st_mode):
                with open(path, 'rb') as file:
                    content = file.read()
            elif stat.S_ISLNK(status.st_mode):
                content = os.readlink(path)
            found[path] = (status.st_mode, status.st_uid, status.st_gid, status.st_ino, status.st_nlink, status.st_mtime_ns, content)
    return found


class Hostile(unittest.TestCase):
    def setUp(self):
        self.base = os.path.realpath(tempfile.mkdtemp(prefix='causeway-confined-', dir=_MEMORY))
        self.addCleanup(shutil.rmtree, self.base, True)
        self.addCleanup(setattr, Confined, 'use_kernel', Confined.use_kernel)
        self.outside = os.path.join(self.base, 'outside')
        os.makedirs(self.outside + '/folder/deeper')
        for name in ('a', 'b', 'folder/a', 'folder/deeper/a', 'os-release', 'fstab'):
            with open(os.path.join(self.outside, name), 'w') as file:
                file.write(SECRET)
        os.symlink('a', self.outside + '/link')
        self.root = os.path.join(self.base, 'root')
        self.sentinel = state_of(self.outside)

    def fresh(self):
        shutil.rmtree(self.root, True)
        os.mkdir(self.root)

    def untouched(self, hint):
        self.assertEqual(state_of(self.outside), self.sentinel, hint)
        self.assertEqual(sorted(os.listdir(self.base)), ['outside', 'root'], hint)

    def targets(self, chance):
        up = '../' * chance.randrange(1, 8)
        return chance.choice((
            self.outside, self.outside + '/a', self.outside + '/folder', up + 'outside', up + 'outside/a', up + 'outside/none', up, '/', '..',
            '/a', 'a', 'b', './c/d', '../a', '/c', 'c', 'a/b', '/b/../../outside/a', 'c/../../outside', '.', self.outside + '/new', '/a/',
            '/proc/self/root' + self.outside, 'x' * 300, 'a\n', up + 'outside/folder/../b',
        ))

    def path(self, chance):
        names = ('a', 'b', 'c', 'd', '..', '.', 'outside', 'folder', 'new', 'a\n', '\udcff\x1b[2J')
        return chance.choice(('/', '', '//')) + '/'.join(chance.choice(names) for _ in range(chance.randrange(1, 6)))

    def build(self, chance):
        self.fresh()
        folders = [self.root]
        for _ in range(chance.randrange(3, 14)):
            here = os.path.join(chance.choice(folders), chance.choice(('a', 'b', 'c', 'd', 'folder', 'new', 'a\n', '\udcff\x1b[2J')))
            if os.path.lexists(here):
                continue
            kind = chance.randrange(10)
            if kind < 3:
                os.mkdir(here)
                folders.append(here)
            elif kind < 8:
                os.symlink(self.targets(chance), here)
            elif kind == 8:
                os.mkfifo(here)
            else:
                with open(here, 'w') as file:
                    file.write('of the guest')

    def act(self, tree, chance):
        """One operation, whatever becomes of it. Returns what was read."""
        one, other = self.path(chance), self.path(chance)
        operations = (
            lambda: tree.write(one, 'written\n'), lambda: tree.write(one, 'other\n', 0o600), lambda: tree.remove(one), lambda: tree.forget(one),
            lambda: tree.link(one, self.targets(chance)), lambda: tree.copy(one, other), lambda: tree.make_folder(one), lambda: tree.back_up(one),
            lambda: tree.read(one), lambda: tree.read(one, ''), lambda: tree.names(one), lambda: tree.find(one), lambda: list(tree.walk(one)),
            lambda: tree.digest(one), lambda: tree.head(one, 5), lambda: tree.real_size(one), lambda: tree.free_bytes(one),
            lambda: tree.bring('/dev/null', one), lambda: tree.files.remove_folder(one), lambda: tree.folder_on_worker(one), lambda: tree.place_of(one),
            lambda: (tree.exists(one), tree.present(one), tree.is_file(one), tree.is_folder(one), tree.is_link(one)),
        )
        try:
            return chance.choice(operations)()
        except (OSError, ValueError):
            return None

    def test_no_operation_on_any_tree_of_links_leaves_the_root(self):
        for use_kernel in RESOLVERS:
            Confined.use_kernel = use_kernel
            for seed in range(SEEDS):
                chance = random.Random(seed)
                self.build(chance)
                tree = GuestTree(self.root)
                for _ in range(chance.randrange(1, 8)):
                    said = self.act(tree, chance)
                    self.assertNotIn(SECRET[:5], str(said), 'seed %d' % seed)
                    if isinstance(said, str) and said.startswith(self.base):
                        self.assertTrue((said + '/').startswith(self.root + '/'), 'seed %d' % seed)
                if seed % 50 == 0:
                    self.untouched('seeds up to %d, kernel %s' % (seed, use_kernel))
            self.untouched('all seeds, kernel %s' % use_kernel)

    @unittest.skipUnless(confined.has_openat2(), 'this kernel has no openat2')
    def test_both_resolvers_find_the_same_or_refuse_alike(self):
        def outcome(path, follow):
            try:
                status = Confined(self.root).stat(path, follow)
                return status.st_dev, status.st_ino
            except OSError as error:
                return error.errno

        for seed in range(SEEDS):
            chance = random.Random(seed)
            self.build(chance)
            for _ in range(6):
                path, follow = self.path(chance), chance.random() < 0.5
                Confined.use_kernel = True
                first = outcome(path, follow)
                Confined.use_kernel = False
                self.assertEqual(outcome(path, follow), first, 'seed %d: %r' % (seed, path))

    def test_the_forty_first_link_is_refused(self):
        self.fresh()
        with open(self.root + '/0', 'w') as file:
            file.write('of the guest')
        for number in range(1, 42):
            os.symlink(str(number - 1), '%s/%d' % (self.root, number))
        for use_kernel in RESOLVERS:
            Confined.use_kernel = use_kernel
            tree = GuestTree(self.root)
            self.assertEqual(tree.read('/40'), 'of the guest')
            for refused in (lambda: tree.read('/41'), lambda: tree.write('/41', 'x'), lambda: tree.files.place('/41')):
                with self.assertRaises(OSError) as raised:
                    refused()
                self.assertEqual(raised.exception.errno, errno.ELOOP)

    def test_folders_that_become_links_meanwhile_lead_nowhere(self):
        for use_kernel in RESOLVERS:
            Confined.use_kernel = use_kernel
            self.fresh()
            os.makedirs(self.root + '/d/folder')
            ended = threading.Event()

            def swap():
                for number in itertools.count():
                    if ended.is_set():
                        return
                    os.rename(self.root + '/d', self.root + '/kept')
                    try:
                        os.symlink(('../outside', self.outside)[number % 2], self.root + '/d')
                        os.unlink(self.root + '/d')
                        os.rename(self.root + '/kept', self.root + '/d')
                    except OSError:
                        # The tree made the folder that was missing at that moment.
                        os.rename(self.root + '/d', '%s/made-%d' % (self.root, number))
                        os.rename(self.root + '/kept', self.root + '/d')

            swapper = threading.Thread(target=swap)
            swapper.start()
            try:
                tree = GuestTree(self.root)
                chance = random.Random(7)
                for _ in range(3000):
                    path = '/d/' + chance.choice(('a', 'b', 'folder/a', 'link', 'folder/deeper/a', 'new', '../d/a'))
                    act = chance.choice((
                        lambda: tree.write(path, 'x'), lambda: tree.remove(path), lambda: tree.link(path, 'y'), lambda: tree.copy(path, '/d/z'),
                        lambda: tree.files.remove_tree('/d/folder'), lambda: tree.make_folder(path), lambda: tree.read(path), lambda: tree.forget(path),
                    ))
                    try:
                        said = act()
                    except OSError:
                        continue
                    self.assertNotIn(SECRET[:5], str(said))
            finally:
                ended.set()
                swapper.join()
            self.assertEqual(state_of(self.outside), self.sentinel)

    def test_only_plain_files_are_opened_and_none_that_is_too_large(self):
        self.fresh()
        os.mkfifo(self.root + '/pipe')
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(self.root + '/socket')
        with open(self.root + '/huge', 'w') as file:
            file.truncate(1 << 40)
        with open(self.root + '/lines', 'w') as file:
            file.write('\n' * (3 << 20))
        tree = GuestTree(self.root)
        for use_kernel in RESOLVERS:
            Confined.use_kernel = use_kernel
            for path in ('/pipe', '/socket', '/huge', '/lines', '/.', '/..'):
                self.assertRaises(OSError, tree.read, path)
                self.assertEqual(tree.read(path, 'none'), 'none')
            self.assertEqual(tree.digest('/huge'), '')
            self.assertRaises(OSError, tree.write, '/huge', 'x')
        if os.geteuid() == 0:
            os.mknod(self.root + '/zero', stat.S_IFCHR | 0o666, os.makedev(1, 5))
            self.assertRaises(OSError, tree.read, '/zero')
            self.assertRaises(OSError, tree.copy, '/zero', '/copied')
            self.assertRaises(OSError, tree.digest, '/zero')

    def test_what_was_put_into_the_guest_is_removed_from_nowhere_else(self):
        """The undo of a file whose folder a package has replaced by a link."""
        self.fresh()
        os.mkdir(self.root + '/etc')
        undo_log = UndoLog(os.path.join(self.root, 'session'))
        tree = GuestTree(self.root)
        undo_log.will('remove-file', path='/etc/a', root=self.root)
        undo_log.will('remove-folder', path='/etc/folder', root=self.root)
        tree.write('/etc/a', 'x')
        shutil.rmtree(self.root + '/etc')
        os.symlink('../outside', self.root + '/etc')
        self.assertEqual(undo_log.undo_all(), [])
        self.untouched('undo')

    def test_links_on_the_volume_of_a_windows_lead_nowhere_else(self):
        for use_kernel in RESOLVERS:
            Confined.use_kernel = use_kernel
            self.fresh()
            os.makedirs(self.root + '/Windows/System32')
            os.symlink(self.outside + '/a', self.root + '/Windows/a.ini')
            os.symlink('../../outside', self.root + '/Windows/Causeway')
            os.symlink('../../../outside/a', self.root + '/Windows/System32/config')
            os.symlink('../outside', self.root + '/Programs')
            tree = WindowsTree(self.root)
            for path in ('windows/A.INI', 'WINDOWS/system32/Config', 'programs/A', 'programs/folder/new', 'Windows/Causeway/b'):
                for act in (lambda: tree.read(path), lambda: tree.write(path, b'x'), lambda: tree.back_up(path), lambda: tree.names(path), lambda: tree.state(path)):
                    try:
                        self.assertNotIn(SECRET[:5], str(act()))
                    except (OSError, ValueError):
                        pass
            self.untouched('kernel %s' % use_kernel)


if __name__ == '__main__':
    unittest.main()

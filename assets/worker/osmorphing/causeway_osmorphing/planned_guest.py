"""A guest in which a preparation can be tried: its files are only read, and none of its programs changes anything."""

import os

from .command import Result
from .guest import Guest
from .planned_files import PlannedFiles

# Programs that only tell.
_READING = ('rpm', 'lsinitramfs', 'lsinitrd', 'journalctl')


class PlannedGuest(Guest):
    """`real`: the mounted guest. `folder`: an empty one on the worker."""

    def __init__(self, real, folder):
        Guest.__init__(self, real.root, runs=real.runs)
        self._real = real
        self.files = PlannedFiles(real.root, folder)

    def run(self, args, timeout=300, check=True, env=None, shown=False, text_input=None, code='osmorphing.command-failed'):
        """Programs that change something are taken to succeed."""
        args = list(args)
        if os.path.basename(args[0]) in _READING:
            return self._real.run(args, timeout=timeout, check=check, env=env, text_input=text_input, code=code)
        return Result(0, '', '')

    def _placed(self, path):
        return os.path.split(self.files.place_of(path))


class PlannedPackages(object):
    """The guest's package manager, as far as it is known without its programs: what depends on a package is not."""

    def __init__(self, manager):
        # As in a preparation, before any program reads the database.
        self._settled = manager.settle()
        # None until something has to be installed, as of others.
        self.reached = None
        self._installed = dict(manager.installed())
        self._interrupted = manager.is_interrupted()

    def installed(self):
        return dict(self._installed)

    def settle(self):
        return list(self._settled)

    def repair(self):
        return ['finished the installation of packages that was interrupted'] if self._interrupted else []

    def remove(self, names):
        for name in names:
            self._installed.pop(name, None)
        return list(names), []

    def install(self, names, also=()):
        self.reached = []
        self._installed.update((name, 'from its package sources') for name in names)

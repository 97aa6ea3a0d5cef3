"""A Windows installation: where it is, which version, for which processor."""

import os
import re
import struct

from .. import protocol
from ..protocol import MorphError
from . import hive_log
from .hive import Hive

CONFIG = 'Windows/System32/config'
_CURRENT = 'Microsoft\\Windows NT\\CurrentVersion'
_MACHINES = {0x8664: 'x86_64', 0x014C: 'i386', 0xAA64: 'aarch64'}
# As the folders on the VirtIO disc are called.
DISC_ARCHITECTURES = {'x86_64': 'amd64', 'i386': 'x86', 'aarch64': 'ARM64'}
_OLDEST = (6, 1)


def is_windows(tree):
    """Whether a tree is an installation (a recovery partition has no such hives)."""
    return tree.is_file(CONFIG + '/SYSTEM') and tree.is_file(CONFIG + '/SOFTWARE')


class Installation(object):
    """An installation with its registry opened for change. Changes that are only in the registry's logs are seen; with `write`
    they are written first."""

    def __init__(self, tree, write=True):
        self.tree = tree
        # Hives that needed their logs.
        self.replayed = []
        self._hives = []
        try:
            self._read(write)
        except BaseException:
            self.__exit__()
            raise

    def _read(self, write):
        self.system = self._open('SYSTEM', write)
        self.software = self._open('SOFTWARE', write)
        number = self.system.number('Select', 'Current') or self.system.number('Select', 'Default')
        if number is None:
            raise MorphError('osmorphing.registry-damaged', 'SYSTEM names no control set')
        self.control_set = 'ControlSet%03d' % number
        self.services = self.control_set + '\\Services'
        self.name = self.software.text(_CURRENT, 'ProductName', 'Windows')
        self.version = self._version()
        self.is_server = self._is_server()
        self.architecture = self._architecture()
        self.hostname = self.system.text(self.control_set + '\\Control\\ComputerName\\ComputerName', 'ComputerName')

    def _open(self, name, write):
        path = '%s/%s' % (CONFIG, name)
        content = hive_log.recovered(self.tree, path)
        if content is not None:
            self.replayed.append(name)
            if write and self._content(path, None) is None:
                hive_log.write(self.tree, path, content)
                protocol.log('the changes in the logs of the registry hive %s were written to it' % name)
                content = None
        hive = Hive(self.tree, path, name, write, self._content(path, content))
        self._hives.append(hive)
        return hive

    def _content(self, path, recovered):
        """What is read instead of a hive's file; None for that itself."""
        return recovered

    @property
    def has_driver_database(self):
        """Since Windows 8 the system knows its drivers by a database in the registry."""
        return self.version[:2] >= (6, 2)

    @property
    def version_text(self):
        return '.'.join(str(part) for part in self.version)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for hive in self._hives:
            hive.close()

    def refuse_unsupported(self):
        if self.version[:2] < _OLDEST:
            raise MorphError('osmorphing.not-supported', '%s (%s) is older than Windows 7' % (self.name, self.version_text))
        if self.architecture not in DISC_ARCHITECTURES:
            raise MorphError('osmorphing.not-supported', '%s is for an unknown processor' % self.name)

    def other_control_sets(self):
        """Windows starts with another one after a failed start, or when it is asked to."""
        names = self.system.keys('')
        found = [name for name in names if re.match(r'^ControlSet\d{3}$', name, re.IGNORECASE) and name.lower() != self.control_set.lower()]
        # It has two of them, seldom three.
        return sorted(found)[:8]

    def save(self):
        self.system.repeat_below(self.control_set, self.other_control_sets())
        saved = [hive.save() for hive in (self.system, self.software)]
        os.sync()
        return any(saved)

    def _version(self):
        major = self.software.number(_CURRENT, 'CurrentMajorVersionNumber')
        minor = self.software.number(_CURRENT, 'CurrentMinorVersionNumber')
        if major is None:
            # Before Windows 10. (Later it says 6.3 here for ever.)
            found = re.match(r'^(\d+)\.(\d+)', self.software.text(_CURRENT, 'CurrentVersion'))
            if not found:
                raise MorphError('osmorphing.registry-damaged', 'SOFTWARE has no Windows version')
            major, minor = int(found.group(1)), int(found.group(2))
        build = self.software.text(_CURRENT, 'CurrentBuildNumber') or self.software.text(_CURRENT, 'CurrentBuild')
        return (major, minor or 0, int(build) if build.isdigit() else 0)

    def _is_server(self):
        kind = self.system.text(self.control_set + '\\Control\\ProductOptions', 'ProductType')
        if kind:
            return kind.lower() != 'winnt'
        return 'server' in self.software.text(_CURRENT, 'EditionID', self.name).lower()

    def _architecture(self):
        """From a program that every Windows has."""
        for path in ('Windows/System32/ntoskrnl.exe', 'Windows/System32/cmd.exe', 'Windows/explorer.exe'):
            if self.tree.is_file(path):
                found = _machine(self.tree.head(path, 4096))
                if found:
                    return _MACHINES.get(found, 'unknown')
        named = self.system.text(self.control_set + '\\Control\\Session Manager\\Environment', 'PROCESSOR_ARCHITECTURE')
        return {'amd64': 'x86_64', 'x86': 'i386', 'arm64': 'aarch64'}.get(named.lower(), 'unknown')


def _machine(head):
    if head[:2] != b'MZ' or len(head) < 0x40:
        return None
    where = struct.unpack_from('<I', head, 0x3C)[0]
    if head[where : where + 4] != b'PE\0\0' or len(head) < where + 6:
        return None
    return struct.unpack_from('<H', head, where + 4)[0]

"""A registry hive that records its changes: the former and the new values."""

import os
import struct
import tempfile

from ..protocol import MorphError

NONE, SZ, EXPAND, BINARY, DWORD, MULTI = 0, 1, 2, 3, 4, 7
_KINDS = {0: 'none', 1: 'sz', 2: 'expand', 3: 'binary', 4: 'dword', 7: 'multi', 11: 'qword'}


def text(value):
    return (value + '\0').encode('utf-16-le')


def encoded(kind, value):
    if isinstance(value, bytes):
        return value
    if kind == DWORD:
        return struct.pack('<I', value)
    if kind == MULTI:
        return ''.join(one + '\0' for one in value).encode('utf-16-le') + b'\0\0'
    return text(value)


def shown(kind, raw):
    """A value in readable form."""
    if kind in (SZ, EXPAND):
        return '%s:%s' % (_KINDS[kind], raw.decode('utf-16-le', 'replace').rstrip('\0'))
    if kind == MULTI:
        return 'multi:%s' % '|'.join(raw.decode('utf-16-le', 'replace').rstrip('\0').split('\0'))
    if kind == DWORD and len(raw) == 4:
        return 'dword:%08x' % struct.unpack('<I', raw)[0]
    return '%s:%s' % (_KINDS.get(kind, 'type %x' % kind), raw.hex())


def _unnamed(content):
    """A file that is gone when it is closed, also by a kill."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        return os.dup(file.fileno())


def _library():
    try:
        import hivex
    except ImportError:
        raise MorphError('osmorphing.worker-tools', 'the worker has no hivex for its Python (package python3-hivex)')
    return hivex


class Hive(object):
    """A hive of a Windows installation. Nothing is written before `save`, and nothing if nothing changed."""

    def __init__(self, tree, path, name, write=True, content=None):
        """`content`: read this instead of what the file holds."""
        self.name = name
        self.path = path
        self.changes = {}
        # (path, name, kind, bytes) of everything that was set; a key that was removed has no name.
        self._written = []
        self._tree = tree
        self._hive = None
        # The library opens by name; this name always leads to exactly this file.
        self._handle = tree.files.open_file(tree.spelt(path))[0] if content is None else _unnamed(content)
        try:
            self._hive = _library().Hivex('/proc/self/fd/%d' % self._handle, write=write)
        except RuntimeError as error:
            self.close()
            raise MorphError('osmorphing.registry-damaged', '%s: %s' % (name, error))

    def close(self):
        """Closes the file, so that the volume can be unmounted."""
        self._hive = None
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def node(self, path):
        """A key by its path, without regard to case; None when it isn't there."""
        node = self._hive.root()
        for part in path.split('\\'):
            node = self._hive.node_get_child(node, part) if part else node
            if node is None:
                return None
        return node

    def keys(self, path):
        """Names of the keys below one."""
        node = self.node(path)
        return [] if node is None else [self._hive.node_name(child) for child in self._hive.node_children(node)]

    def values(self, path):
        """Name → (kind, bytes)."""
        node = self.node(path)
        return {} if node is None else self._values(node)

    def _values(self, node):
        found = {}
        for value in self._hive.node_values(node):
            kind, raw = self._hive.value_value(value)
            found[self._hive.value_key(value)] = (kind, raw)
        return found

    def get(self, path, name):
        """(kind, bytes) or None, the name without regard to case."""
        for found, value in self.values(path).items():
            if found.lower() == name.lower():
                return value
        return None

    def text(self, path, name, default=''):
        value = self.get(path, name)
        return value[1].decode('utf-16-le', 'replace').split('\0')[0] if value and value[0] in (SZ, EXPAND) else default

    def texts(self, path, name):
        """The parts of a list; a single text counts as a list of one."""
        value = self.get(path, name)
        if not value or value[0] not in (SZ, EXPAND, MULTI):
            return []
        return [part for part in value[1].decode('utf-16-le', 'replace').split('\0') if part]

    def number(self, path, name, default=None):
        value = self.get(path, name)
        return struct.unpack('<I', value[1])[0] if value and value[0] == DWORD and len(value[1]) == 4 else default

    def ensure(self, path):
        """Makes a key with all above it. Returns its node."""
        node = self._hive.root()
        walked = []
        for part in path.split('\\'):
            walked.append(part)
            child = self._hive.node_get_child(node, part)
            if child is None:
                child = self._hive.node_add_child(node, part)
                self._record('\\'.join(walked), '', None, 'key')
            node = child
        return node

    def set(self, path, name, kind, value):
        """Returns whether anything changed."""
        raw = encoded(kind, value)
        self._written.append((path, name, kind, raw))
        node = self.ensure(path)
        old = self.get(path, name)
        if old == (kind, raw):
            return False
        self._record(path, name or '@', shown(*old) if old else None, shown(kind, raw))
        self._hive.node_set_value(node, {'key': name, 't': kind, 'value': raw})
        return True

    def set_all(self, path, values):
        """`values`: name → (kind, value). Returns whether anything changed."""
        self.ensure(path)
        return any([self.set(path, name, kind, value) for name, (kind, value) in sorted(values.items())])

    def remove_key(self, path):
        """Returns whether it was there."""
        self._written.append((path, None, None, None))
        node = self.node(path)
        if node is None:
            return False
        self._record(path, '', 'key', None)
        self._hive.node_delete_child(node)
        return True

    def remove_value(self, path, name):
        """Returns whether it was there."""
        node = self.node(path)
        found = next((one for one in self._values(node) if one.lower() == name.lower()), None) if node is not None else None
        if found is None:
            return False
        kept = self._values(node)
        self._record(path, found or '@', shown(*kept.pop(found)), None)
        self._hive.node_set_values(node, [{'key': key, 't': kind, 'value': raw} for key, (kind, raw) in kept.items()])
        return True

    def repeat_below(self, top, others):
        """Does below other keys what was done below one."""
        for path, name, kind, raw in list(self._written):
            if not path.lower().startswith(top.lower() + '\\'):
                continue
            for other in others:
                if name is None:
                    self.remove_key(other + path[len(top) :])
                else:
                    self.set(other + path[len(top) :], name, kind, raw)

    def _record(self, path, name, before, after):
        key = '%s\\%s' % (self.name, path) + (' %s' % name if name else '')
        first = self.changes[key][0] if key in self.changes else before
        self.changes[key] = (first, after)

    def is_changed(self):
        return any(before != after for before, after in self.changes.values())

    def save(self):
        """Writes the changes, after keeping the original once. Returns whether there were any."""
        if not self.is_changed():
            return False
        self._tree.back_up(self.path)
        # Into the same file: a new one would not have its access rights.
        self._hive.commit(None)
        return True


def diff_of(hives):
    """The changes of several hives in the form of the guest's diff."""
    found = {'added': {}, 'removed': {}, 'changed': {}}
    for hive in hives:
        for key, (before, after) in sorted(hive.changes.items()):
            if before == after:
                continue
            if before is None:
                found['added'][key] = after
            elif after is None:
                found['removed'][key] = before
            else:
                found['changed'][key] = {'before': before, 'after': after}
    return found

"""The transaction logs of a registry hive. Windows writes changes there first: a hive of a system that was running when its
disk was copied is complete only together with them. What Windows does with them at its next start is done here."""

import os
import struct

from .. import protocol
from ..protocol import MorphError

_SECTOR = 512
_PAGE = 4096
# Larger hives keep Windows itself from starting.
_LARGEST = 1 << 29
_LARGEST_LOG = 1 << 28
_ENTRY = struct.Struct('<4sIIIIIQQ')
_SEED = 0x82EF4D887A4E55C5
_LOW = 0xFFFFFFFF
_OLD_LOG, _NEW_LOG = (1, 2), 6


def recovered(tree, path):
    """The hive with the changes of its logs; None when it needs none of them. Nothing is written. Raises when it needs them and
    they do not fit: then nobody knows what the registry was."""
    head = tree.head(path, _PAGE)
    name = path.rsplit('/', 1)[-1]
    if len(head) < _PAGE or head[:4] != b'regf' or _checksum(head) != _number(head, 508):
        raise MorphError('osmorphing.registry-damaged', 'the registry hive %s has no valid beginning' % name)
    if head[4:8] == head[8:12]:
        return None
    logs = [one for one in (_log(tree, path + ending) for ending in ('.LOG1', '.LOG2', '.LOG')) if one]
    hive = bytearray(_whole(tree, path))
    newer = [log for log in logs if _number(log, 28) == _NEW_LOG]
    sequence = _replay_entries(hive, newer, name) if newer else _replay_old(hive, logs, name)
    _finish(hive, sequence)
    _check_bins(hive, name)
    return bytes(hive)


def write(tree, path, content):
    """Writes a recovered hive into its file. Until the last write it still needs its logs, which stay: a run that is ended
    within is repeated."""
    handle, status = tree.files.open_file(tree.spelt(path), os.O_RDWR)
    with os.fdopen(handle, 'r+b') as file:
        for start in range(_PAGE, len(content), 1 << 20):
            piece = content[start : min(start + (1 << 20), len(content))]
            file.seek(start)
            if file.read(len(piece)) != piece:
                file.seek(start)
                file.write(piece)
        file.flush()
        os.fsync(file.fileno())
        file.seek(0)
        file.write(content[:_PAGE])
        file.flush()
        os.fsync(file.fileno())


def _number(data, where):
    return struct.unpack_from('<I', data, where)[0]


def _checksum(head):
    found = 0
    for word in struct.unpack_from('<127I', head):
        found ^= word
    return {0: 1, _LOW: _LOW - 1}.get(found, found)


def _whole(tree, path):
    try:
        content = tree.read(path, _LARGEST)
    except OSError as error:
        raise MorphError('osmorphing.registry-damaged', 'the registry hive %s cannot be read: %s' % (path.rsplit('/', 1)[-1], error))
    length = _PAGE + _number(content, 40)
    if len(content) < length:
        raise MorphError('osmorphing.registry-damaged', 'the registry hive %s is shorter than it says' % path.rsplit('/', 1)[-1])
    return content[:length]


def _log(tree, path):
    """The content of a log that belongs to a hive; None for what is none (empty ones are usual)."""
    if not tree.is_file(path):
        return None
    try:
        content = tree.read(path, _LARGEST_LOG)
    except OSError:
        return None
    fits = len(content) >= 2 * _SECTOR and content[:4] == b'regf' and _checksum(content) == _number(content, 508)
    return content if fits and content[4:8] == content[8:12] and _number(content, 28) in _OLD_LOG + (_NEW_LOG,) else None


def _refuse(name, why):
    raise MorphError('osmorphing.not-shut-down', 'the registry hive %s has changes in its logs, and %s' % (name, why))


def _resize(hive, length, name):
    if length % _PAGE or not 0 < length <= _LARGEST - _PAGE:
        _refuse(name, 'they are damaged: a size of %d bytes' % length)
    del hive[_PAGE + length :]
    hive.extend(bytes(_PAGE + length - len(hive)))
    struct.pack_into('<I', hive, 40, length)


# Since Windows 8.1: entries with numbers, in turns in two logs.


def _replay_entries(hive, logs, name):
    """Applies every change that the hive may not have yet. Returns the number of the last one."""
    wanted = _number(hive, 8)
    runs = sorted(run for run in ([entry for entry in _entries(log) if entry[0] >= wanted] for log in logs) if run)
    if not runs:
        _refuse(name, 'they hold none that is newer than it')
    # The first may begin later than the hive's own number: Windows writes a part of the hive before it begins a log anew.
    entries = runs[0]
    for run in runs[1:]:
        if run[0][0] != entries[-1][0] + 1:
            _refuse(name, 'changes are missing between the number %d and %d' % (entries[-1][0], run[0][0]))
        entries = entries + run
    # Only once to the largest size: hostile logs could have it made again thousands of times.
    _resize(hive, max(length for _, length, _ in entries), name)
    for _, length, pages in entries:
        protocol.check_cancelled()
        for offset, content in pages:
            if offset + len(content) > length:
                _refuse(name, 'they are damaged: a page beyond the end')
            hive[_PAGE + offset : _PAGE + offset + len(content)] = content
    _resize(hive, entries[-1][1], name)
    return entries[-1][0]


def _entries(log):
    """[(number, size of the hive, [(offset, bytes)])]: those in a row from the log's beginning. What follows the first that does
    not fit is left from earlier, or was not written completely."""
    found, where = [], _SECTOR
    protocol.check_cancelled()
    while where + _ENTRY.size <= len(log):
        signature, size, _, number, length, count, body_hash, head_hash = _ENTRY.unpack_from(log, where)
        references = _ENTRY.size + 8 * count
        if signature != b'HvLE' or size % _SECTOR or size < references or where + size > len(log):
            break
        if found and number != found[-1][0] + 1:
            break
        protocol.check_cancelled()
        entry = log[where : where + size]
        if marvin32(entry[:32]) != head_hash or marvin32(entry[_ENTRY.size :]) != body_hash:
            break
        pages, at = [], references
        for offset, extent in struct.iter_unpack('<II', entry[_ENTRY.size : references]):
            pages.append((offset, entry[at : at + extent]))
            at += extent
        if at > size:
            break
        found.append((number, length, pages))
        where += size
    return found


def marvin32(data):
    """The hash that the entries have."""
    low, high = _SEED & _LOW, _SEED >> 32
    rest = len(data) & ~3
    tail = data[rest:] + b'\x80'
    for word in struct.unpack('<%dI' % (rest // 4), data[:rest]) + (int.from_bytes(tail, 'little'), 0):
        low = (low + word) & _LOW
        high ^= low
        low = (((low << 20) | (low >> 12)) + high) & _LOW
        high = (((high << 9) | (high >> 23)) & _LOW) ^ low
        low = (((low << 27) | (low >> 5)) + high) & _LOW
        high = ((high << 19) | (high >> 13)) & _LOW
    return high << 32 | low


# Before Windows 8.1: one set of changed sectors, for exactly one state of the hive.


def _replay_old(hive, logs, name):
    fitting = [log for log in logs if log[12:20] == hive[12:20]]
    if not fitting:
        _refuse(name, 'none of them belongs to this state of it')
    log = max(fitting, key=lambda one: _number(one, 4))
    length = _number(log, 40)
    _resize(hive, length, name)
    bits = log[_SECTOR + 4 : _SECTOR + 4 + length // _PAGE]
    if log[_SECTOR : _SECTOR + 4] != b'DIRT' or len(bits) < length // _PAGE:
        _refuse(name, 'they are damaged: no list of sectors')
    at = -(-(_SECTOR + 4 + len(bits)) // _SECTOR) * _SECTOR
    for index, byte in enumerate(bits):
        for bit in range(8):
            if byte >> bit & 1:
                content = log[at : at + _SECTOR]
                if len(content) < _SECTOR:
                    _refuse(name, 'they are damaged: sectors are missing')
                start = _PAGE + (8 * index + bit) * _SECTOR
                hive[start : start + _SECTOR] = content
                at += _SECTOR
    return max(_number(log, 4), _number(hive, 4))


def _finish(hive, sequence):
    """Marks it as complete, with a number that no change in the logs has."""
    struct.pack_into('<II', hive, 4, *2 * ((sequence + 1) & _LOW,))
    struct.pack_into('<I', hive, 508, _checksum(hive))


def _check_bins(hive, name):
    """Whether the parts of the hive follow each other without a gap, as Windows and the library demand."""
    where = _PAGE
    while where < len(hive):
        size = _number(hive, where + 8) if where + 32 <= len(hive) else 0
        if hive[where : where + 4] != b'hbin' or _number(hive, where + 4) != where - _PAGE or not size or size % _PAGE:
            raise MorphError('osmorphing.registry-damaged', 'the registry hive %s is damaged at %d even with the changes in its logs' % (name, where))
        where += size
    if where != len(hive):
        raise MorphError('osmorphing.registry-damaged', 'the registry hive %s ends within one of its parts' % name)

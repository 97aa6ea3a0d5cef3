"""What is in an initial RAM disk, read without the guest's programs: systems before dracut have none that tells, and elsewhere they may fail."""

import gzip
import os

_HEADER = 110
_MAGIC = (b'070701', b'070702')
_GZIP = b'\x1f\x8b'
_LONGEST_NAME = 4096
_MOST_NAMES = 200000
# Of all names together, in bytes; those of a usual image have less than one MiB.
_MOST_TEXT = 32 << 20
# Of what comes out: more is in no image, but in one that is made to fill memory or time.
_LARGEST = 1 << 30
_PIECE = 1 << 16


def names_in(guest, path):
    """Names of its files, one on a line; None for an image that is compressed otherwise than with gzip, or damaged."""
    try:
        handle, _ = guest.files.open_file(path)
    except OSError:
        return None
    with os.fdopen(handle, 'rb') as file:
        try:
            return '\n'.join(_names(file))
        except (OSError, EOFError, ValueError, gzip.zlib.error):
            return None


def _names(file):
    """An image may begin with an archive of its own, which is not compressed (the processor's microcode)."""
    found, part = [], _Part(file)
    while True:
        start = part.begin()
        if start == _GZIP:
            inner = _Part(gzip.GzipFile(fileobj=file))
            if inner.begin() not in _MAGIC:
                raise ValueError('no archive')
            _archive(inner, found)
            return found
        if start not in _MAGIC:
            if start or not found:
                raise ValueError('no archive')
            return found
        _archive(part, found)


def _archive(part, found):
    """Reads to the end of an archive of the kernel's format."""
    left = _MOST_TEXT
    while True:
        header = part.read(_HEADER)
        if header[:6] not in _MAGIC:
            raise ValueError('no entry')
        size, length = int(header[54:62], 16), int(header[94:102], 16)
        left -= length
        if not 0 < length <= _LONGEST_NAME or len(found) >= _MOST_NAMES or left < 0:
            raise ValueError('no image')
        name = part.read(length)[:-1]
        part.skip(-(_HEADER + length) % 4)
        part.skip(size + -size % 4)
        if name == b'TRAILER!!!':
            return
        found.append(name.decode('utf-8', 'replace').replace('\n', '?'))


class _Part(object):
    def __init__(self, file):
        self._file = file
        self._left = _LARGEST

    def read(self, count):
        self._left -= count
        content = self._file.read(count) if self._left >= 0 else b''
        if len(content) != count:
            raise EOFError
        return content

    def skip(self, count):
        while count > 0:
            count -= len(self.read(min(count, _PIECE)))

    def begin(self):
        """What comes after padding, without reading it; empty at the end."""
        start = self._file.read(1)
        while start == b'\0':
            self._left -= 1
            if self._left < 0:
                raise EOFError
            start = self._file.read(1)
        if start:
            start += self._file.read(5)
            self._file.seek(-len(start), os.SEEK_CUR)
        return _GZIP if start[:2] == _GZIP else start

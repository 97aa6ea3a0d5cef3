"""Reads a disc image (ISO 9660, with Joliet or Rock Ridge names) directly: the worker's kernel need not support the format, and
only the needed parts of a disc behind a URL are downloaded."""

import os
import struct
import urllib.error
import urllib.request

from .. import protocol
from ..download import download
from ..protocol import MorphError

_SECTOR = 2048
_PIECE = 1 << 20
_KEPT_PIECES = 32
_LARGEST_DISC = 4 << 30


class FileSource(object):
    """Bytes of a file on the worker."""

    def __init__(self, path):
        self._file = open(path, 'rb')

    def read(self, offset, length):
        self._file.seek(offset)
        return self._file.read(length)

    def close(self):
        self._file.close()


class HttpSource(object):
    """Bytes of a file behind a URL, by ranges; a server without range support is asked once for everything."""

    def __init__(self, url, folder):
        self._url = url
        self._folder = folder
        self._whole = None
        self._pieces = {}

    def read(self, offset, length):
        if self._whole is not None:
            return self._whole.read(offset, length)
        found = b''
        first, last = offset // _PIECE, (offset + max(length, 1) - 1) // _PIECE
        for number in range(first, last + 1):
            piece = self._piece(number)
            if self._whole is not None:
                return self._whole.read(offset, length)
            found += piece
        start = offset - first * _PIECE
        return found[start : start + length]

    def _piece(self, number):
        protocol.check_cancelled()
        if number not in self._pieces:
            if len(self._pieces) >= _KEPT_PIECES:
                del self._pieces[next(iter(self._pieces))]
            self._pieces[number] = self._fetch(number * _PIECE)
        return self._pieces[number]

    def _fetch(self, start):
        wanted = 'bytes=%d-%d' % (start, start + _PIECE - 1)
        request = urllib.request.Request(self._url, headers={'Range': wanted})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                if answer.getcode() == 206:
                    return answer.read(_PIECE)
                self._whole = self._store(answer)
                return b''
        except urllib.error.HTTPError as error:
            if error.code == 416:
                return b''
            raise

    def _store(self, answer):
        path = os.path.join(self._folder, 'disc.iso')
        with open(path, 'wb') as file:
            while True:
                protocol.check_cancelled()
                piece = answer.read(_PIECE)
                if not piece:
                    break
                file.write(piece)
        return FileSource(path)

    def close(self):
        if self._whole is not None:
            self._whole.close()


class Disc(object):
    """The files of a disc by their paths, which are compared without regard to case."""

    def __init__(self, source):
        self._source = source
        self.label, root, self._joliet = self._volume()
        self._root = root

    def _volume(self):
        primary = None
        for sector in range(16, 48):
            block = self._source.read(sector * _SECTOR, _SECTOR)
            if len(block) < _SECTOR or block[1:6] != b'CD001' or block[0] == 255:
                break
            record = block[156:190]
            where = (struct.unpack_from('<I', record, 2)[0], struct.unpack_from('<I', record, 10)[0])
            if block[0] == 1:
                primary = (block[40:72].decode('ascii', 'replace').strip(), where, False)
            elif block[0] == 2 and block[88:91] in (b'%/@', b'%/C', b'%/E'):
                return primary[0] if primary else '', where, True
        if primary is None:
            raise MorphError('osmorphing.drivers-missing', 'the given VirtIO disc is not a disc image')
        return primary

    def entries(self, path):
        """Lower-case name → (name, is folder, (sector, length)) of a folder; nothing when it isn't there."""
        place = self._find(path)
        if place is None or not place[1]:
            return {}
        return self._folder(place[2])

    def read(self, path):
        place = self._find(path)
        if place is None or place[1]:
            raise MorphError('osmorphing.drivers-missing', 'the VirtIO disc has no %s' % path)
        sector, length = place[2]
        content = self._source.read(sector * _SECTOR, length)
        if len(content) != length:
            raise MorphError('osmorphing.drivers-missing', 'the VirtIO disc ends within %s' % path)
        return content

    def _find(self, path):
        place = ('', True, self._root)
        for part in path.strip('/').split('/'):
            if part:
                place = self._folder(place[2]).get(part.lower()) if place and place[1] else None
        return place

    def _folder(self, where):
        sector, length = where
        block = self._source.read(sector * _SECTOR, length)
        found, position = {}, 0
        while position < len(block):
            size = block[position]
            if size == 0:
                position = (position // _SECTOR + 1) * _SECTOR
                continue
            record = block[position : position + size]
            name = self._name(record)
            if name:
                extent = (struct.unpack_from('<I', record, 2)[0], struct.unpack_from('<I', record, 10)[0])
                found[name.lower()] = (name, bool(record[25] & 2), extent)
            position += size
        return found

    def _name(self, record):
        raw = record[33 : 33 + record[32]]
        if raw in (b'\0', b'\1'):
            return ''
        name = raw.decode('utf-16-be', 'replace') if self._joliet else _rock_ridge(record) or raw.decode('latin-1')
        return name.split(';')[0].rstrip('.') if not self._joliet else name.split(';')[0]


def _rock_ridge(record):
    """The long name, when the disc has them."""
    position = 33 + record[32] + (1 - record[32] % 2)
    name = b''
    while position + 4 < len(record):
        size = record[position + 2]
        if size < 4:
            break
        if record[position : position + 2] == b'NM':
            name += record[position + 5 : position + size]
        position += size
    return name.decode('utf-8', 'replace')


def open_disc(wanted, folder):
    """A disc on the worker (`path`) or behind a URL (`url`); with `sha256` it is fetched as a whole and checked before
    anything is read. Raises osmorphing.drivers-missing, osmorphing.download-differs."""
    try:
        if wanted.get('path'):
            return Disc(FileSource(wanted['path']))
        if not wanted.get('sha256'):
            return Disc(HttpSource(wanted['url'], folder))
        path = os.path.join(folder, 'disc.iso')
        digest = download(wanted['url'], path, _LARGEST_DISC)[1]
        if digest != wanted['sha256'].lower():
            os.unlink(path)
            raise MorphError(
                'osmorphing.download-differs', 'the SHA-256 of %s is %s, not %s' % (wanted['url'], digest, wanted['sha256'])
            )
        return Disc(FileSource(path))
    except (OSError, ValueError) as error:
        raise MorphError('osmorphing.drivers-missing', 'the VirtIO disc cannot be read: %s' % error)

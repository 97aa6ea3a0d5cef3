"""What a volume that BitLocker encrypts tells of itself, and the key of its sectors where that stands on it in the clear: while its protection is suspended,
and until device encryption is activated."""

import hashlib
import os
import struct
import zlib

from . import aes_ccm

_SECTOR = 512
_SIGNATURE = b'-FVE-FS-'
_WHOLE = bytes.fromhex('3bd66749292ed84a8399f6a339e3d001')
# Each of the three copies has this room on the volume.
COPY_SIZE = 0x10000
_HEADERS = 112
_ENCRYPTED = 4
# Method → cipher, and the parts of the stored key that it uses.
_CIPHERS = {
    0x8000: ('aes-cbc-elephant', ((0, 16), (32, 48))),
    0x8001: ('aes-cbc-elephant', ((0, 64),)),
    0x8002: ('aes-cbc-eboiv', ((0, 16),)),
    0x8003: ('aes-cbc-eboiv', ((0, 32),)),
    0x8004: ('aes-xts-plain64', ((0, 32),)),
    0x8005: ('aes-xts-plain64', ((0, 64),)),
}
_KEY, _SEALED, _PROTECTOR = 1, 5, 8
_OF_MASTER_KEY, _OF_SECTOR_KEY = 2, 3
_CLEAR = 0


class Unreadable(Exception):
    """Why a volume cannot be opened without a key."""


class Metadata(object):
    """Of one volume. `places` are those of the copies; `header`: (where the first sectors of the volume are kept, their length), in bytes."""

    def __init__(self, path):
        with open(path, 'rb', buffering=0) as volume:
            self.size = volume.seek(0, os.SEEK_END)
            boot = _read(volume, 0, _SECTOR)
            if boot[3:11] != _SIGNATURE or boot[:3] != b'\xeb\x58\x90':
                raise Unreadable('it is of another kind than those of Windows 7 and later')
            self.sector_size = struct.unpack_from('<H', boot, 11)[0] or _SECTOR
            self.is_whole = boot[160:176] == _WHOLE
            places = struct.unpack_from('<3Q', boot, 176)
            block, sealed = next((found for found in (_copy(volume, place) for place in places if place < self.size) if found), (None, None))
        if block is None:
            raise Unreadable('none of the three copies of its metadata is whole')
        self._block, self._digest = block, sealed
        now, then = struct.unpack_from('<2H', block, 12)
        self.is_whole = self.is_whole and (now, then) == (_ENCRYPTED, _ENCRYPTED)
        self.places = struct.unpack_from('<3Q', block, 32)
        sectors, kept_at = struct.unpack_from('<I', block, 28)[0], struct.unpack_from('<Q', block, 56)[0]
        self.header = (kept_at, sectors * _SECTOR)
        self._method = struct.unpack_from('<H', block, 100)[0]
        length = struct.unpack_from('<I', block, 64)[0]
        self._entries = _entries(block[_HEADERS : 64 + length])
        self._protectors = [data for kind, value, data in self._entries if (kind, value) == (_OF_MASTER_KEY, _PROTECTOR)]

    @property
    def is_open(self):
        """Whether its key stands on it in the clear."""
        return any(_protection(one) == _CLEAR for one in self._protectors)

    @property
    def has_other_protectors(self):
        return any(_protection(one) != _CLEAR for one in self._protectors)

    def sector_key(self):
        """(cipher, key). Raises Unreadable."""
        if self._method not in _CIPHERS:
            raise Unreadable('it is encrypted by the unknown method %x' % self._method)
        cipher, parts = _CIPHERS[self._method]
        stored = self._unsealed(self._master_key(), [data for kind, value, data in self._entries if (kind, value) == (_OF_SECTOR_KEY, _SEALED)])
        if len(stored) < parts[-1][1]:
            raise Unreadable('its key is too short for its method')
        return cipher, b''.join(stored[start:end] for start, end in parts)

    def _master_key(self):
        for protector in self._protectors:
            if _protection(protector) != _CLEAR:
                continue
            inner = _entries(protector[28:])
            for clear in (data[4:] for _, value, data in inner if value == _KEY):
                key = self._unsealed(clear, [data for _, value, data in inner if value == _SEALED])
                # What the volume says of itself is from whoever had this key.
                if _opened(key, self._digest)[-32:] != hashlib.sha256(self._block).digest():
                    raise Unreadable('its metadata were changed by somebody without its key')
                return key
        raise Unreadable('its key is not on it in the clear')

    def _unsealed(self, key, sealed):
        for one in sealed:
            datum = _opened(key, one)
            if len(datum) > 12:
                return datum[12:]
        raise Unreadable('its key cannot be decrypted by the one that is on it in the clear')


def _protection(protector):
    return struct.unpack_from('<H', protector, 26)[0] if len(protector) >= 28 else -1


def _opened(key, sealed):
    if len(key) not in (16, 32) or len(sealed) < 28:
        return b''
    return aes_ccm.decrypt(key, sealed[:12], sealed[12:28], sealed[28:]) or b''


def _read(volume, place, length):
    volume.seek(place)
    content = b''
    while len(content) < length:
        more = volume.read(length - len(content))
        if not more:
            break
        content += more
    return content


def _copy(volume, place):
    """(block, what seals its digest) of a copy; None if it is damaged."""
    content = _read(volume, place, COPY_SIZE)
    if content[:8] != _SIGNATURE or len(content) < _HEADERS:
        return None
    units, version = struct.unpack_from('<2H', content, 8)
    length = units * 16
    proof = content[length : length + 96]
    if version != 2 or length < _HEADERS or len(proof) < 16 or struct.unpack_from('<I', proof, 4)[0] != zlib.crc32(content[:length]) & 0xFFFFFFFF:
        return None
    return content[:length], proof[16 : struct.unpack_from('<H', proof, 8)[0] + 8]


def _entries(content):
    """(what it is for, kind of value, data) of each."""
    found, at = [], 0
    while at + 8 <= len(content):
        length, kind, value, _ = struct.unpack_from('<4H', content, at)
        if length < 8 or at + length > len(content):
            break
        found.append((kind, value, content[at + 8 : at + length]))
        at += length
    return found


def table(metadata, device):
    """Of the device mapper: the volume as Windows sees it. Where the metadata are, Windows sees zeros, and writes nothing."""
    cipher, key = metadata.sector_key()
    kept_at, kept = metadata.header
    total = metadata.size // _SECTOR
    holes = sorted([(place, COPY_SIZE) for place in metadata.places] + [(kept_at, kept)])
    if metadata.sector_size not in (512, 4096) or kept <= 0 or any(part % _SECTOR for hole in holes for part in hole):
        raise Unreadable('its metadata name impossible places')
    options = '' if metadata.sector_size == _SECTOR else ' 2 sector_size:%d iv_large_sectors' % metadata.sector_size
    lines, at = [], 0

    def add(end, target):
        lines.append('%d %d %s' % (at, end - at, target))
        return end

    def encrypted(sector):
        return 'crypt %s %s %d %s %d%s' % (cipher, key.hex(), sector, device, sector, options)

    at = add(kept // _SECTOR, encrypted(kept_at // _SECTOR))
    for start, length in holes:
        first, end = start // _SECTOR, (start + length) // _SECTOR
        if first < at or end > total:
            raise Unreadable('its metadata name impossible places')
        if first > at:
            at = add(first, encrypted(at))
        at = add(end, 'zero')
    if at < total:
        add(total, encrypted(at))
    return '\n'.join(lines) + '\n'

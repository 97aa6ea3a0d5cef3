"""An empty registry hive: one bin with the root key and its security descriptor."""

import struct

_FIRST_CELL = 0x20
_BIN = 0x1000
_WRITTEN = 0x01D5000000000000


def _sid(*parts):
    return bytes([1, len(parts)]) + (5).to_bytes(6, 'big') + b''.join(struct.pack('<I', part) for part in parts)


def _allow(sid):
    return struct.pack('<BBHI', 0, 2, 8 + len(sid), 0xF003F) + sid


def _descriptor():
    """Full access for the system and the administrators, who own it."""
    administrators = _sid(32, 544)
    entries = _allow(_sid(18)) + _allow(administrators)
    acl = struct.pack('<BBHHH', 2, 0, 8 + len(entries), 2, 0) + entries
    owner = 20 + len(acl)
    header = struct.pack('<BBHIIII', 1, 0, 0x8004, owner, owner + len(administrators), 0, 20)
    return header + acl + administrators + administrators


def _cell(body):
    size = (4 + len(body) + 7) & ~7
    return struct.pack('<i', -size) + body.ljust(size - 4, b'\0')


def _root_key(name, security):
    none = 0xFFFFFFFF
    fields = (0x2C, _WRITTEN, 0, none, 0, 0, none, none, 0, none, security, none, 0, 0, 0, 0, 0, len(name), 0)
    return b'nk' + struct.pack('<HQIIIIIIIIIIIIIIIHH', *fields) + name


def empty_hive(name='ROOT'):
    """The bytes of a hive whose root key has this name."""
    encoded = name.encode('latin-1')
    key = _cell(_root_key(encoded, 0))
    security = _FIRST_CELL + len(key)
    key = _cell(_root_key(encoded, security))
    descriptor = _descriptor()
    guard = _cell(b'sk' + struct.pack('<HIIII', 0, security, security, 1, len(descriptor)) + descriptor)
    free = _BIN - _FIRST_CELL - len(key) - len(guard)
    content = b'hbin' + struct.pack('<IIQQI', 0, _BIN, 0, _WRITTEN, 0) + key + guard
    content += struct.pack('<i', free) + bytes(free - 4)
    header = bytearray(0x1000)
    header[:0x30] = b'regf' + struct.pack('<IIQIIIIIII', 1, 1, _WRITTEN, 1, 5, 0, 1, _FIRST_CELL, _BIN, 1)
    checksum = 0
    for word in struct.unpack_from('<127I', header):
        checksum ^= word
    struct.pack_into('<I', header, 0x1FC, {0: 1, 0xFFFFFFFF: 0xFFFFFFFE}.get(checksum, checksum))
    return bytes(header) + content

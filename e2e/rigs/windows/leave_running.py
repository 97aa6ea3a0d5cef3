#!/usr/bin/python3
"""Leaves the registry as a running Windows has it: the newest change of a hive is only in its log.

    leave_running.py HIVE KEY NAME TEXT [--without-log]

The change (a text value below an existing key) is made by hivex; what differs goes to the log, the hive gets its former content.
"""

import os
import struct
import sys

import hivex

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../assets/worker/osmorphing'))

from causeway_osmorphing.windows.hive_log import marvin32  # noqa: E402

PAGE = 4096


def sealed(head):
    head = bytearray(head)
    checksum = 0
    for word in struct.unpack_from('<127I', head):
        checksum ^= word
    struct.pack_into('<I', head, 508, checksum)
    return bytes(head)


def main(path, key, name, text, *options):
    with open(path, 'rb') as file:
        before = file.read()
    hive = hivex.Hivex(path, write=True)
    node = hive.root()
    for part in key.split('\\'):
        node = hive.node_get_child(node, part)
    hive.node_set_value(node, {'key': name, 't': 1, 'value': (text + '\0').encode('utf-16-le')})
    hive.commit(None)
    with open(path, 'rb') as file:
        after = file.read()
    number = struct.unpack_from('<I', before, 8)[0]
    length = struct.unpack_from('<I', after, 40)[0]
    pages = [at for at in range(PAGE, PAGE + length, PAGE) if after[at : at + PAGE] != before[at : at + PAGE]]
    body = b''.join(struct.pack('<II', at - PAGE, PAGE) for at in pages) + b''.join(after[at : at + PAGE] for at in pages)
    body = body.ljust(-(-(40 + len(body)) // 512) * 512 - 40, b'\0')
    head = struct.pack('<4sIIIIIQ', b'HvLE', 40 + len(body), 0, number, length, len(pages), marvin32(body))
    log_head = sealed(struct.pack('<4sII', b'regf', number, number) + before[12:28] + struct.pack('<I', 6) + before[32:512])
    if '--without-log' not in options:
        with open(path + '.LOG1', 'wb') as file:
            file.write(log_head + head + struct.pack('<Q', marvin32(head)) + body)
    with open(path, 'wb') as file:
        file.write(sealed(before[:4] + struct.pack('<II', number + 1, number) + before[12:PAGE]) + before[PAGE:])


if __name__ == '__main__':
    main(*sys.argv[1:])

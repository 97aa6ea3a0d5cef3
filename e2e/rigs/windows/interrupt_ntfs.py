#!/usr/bin/python3
"""Leaves an NTFS volume as a running Windows does whose disk is copied: a change to a small file is committed in the journal
($LogFile) but not yet made, another is not committed, and the volume is open.

    interrupt_ntfs.py DISK OFFSET INODE FORMER COMMITTED OPEN [--version-2]

FORMER, COMMITTED and OPEN are texts of one length: what the file holds, and what the two changes write. The file has to be so
small that its content is in its record of the master file table. `--version-2`: as Windows has it since 8.1.
"""

import struct
import sys

PAGE = 4096
UPDATE_RESIDENT_VALUE, FORGET_TRANSACTION = 7, 27
FIRST, FIRST_2 = 4, 34


class Volume(object):
    def __init__(self, path, offset):
        self.file = open(path, 'r+b')
        self.offset = offset
        boot = self.read(0, 512)
        sector, per_cluster = struct.unpack_from('<HB', boot, 11)
        self.cluster = sector * per_cluster
        self.table = struct.unpack_from('<Q', boot, 48)[0]

    def read(self, at, count):
        self.file.seek(self.offset + at)
        return self.file.read(count)

    def write(self, at, content):
        self.file.seek(self.offset + at)
        self.file.write(content)

    def record(self, number):
        return self.read(self.table * self.cluster + number * 1024, 1024)


def attribute(record, kind):
    """Where an attribute without a name begins."""
    at = struct.unpack_from('<H', record, 20)[0]
    while struct.unpack_from('<I', record, at)[0] != 0xFFFFFFFF:
        if struct.unpack_from('<I', record, at)[0] == kind and record[at + 9] == 0:
            return at
        at += struct.unpack_from('<I', record, at + 4)[0]
    raise SystemExit('the record has no such attribute')


def run_of(record):
    """(first cluster, clusters) of data in one piece."""
    at = attribute(record, 0x80)
    at += struct.unpack_from('<H', record, at + 32)[0]
    sizes, body = record[at], record[at + 1 :]
    length = int.from_bytes(body[: sizes & 15], 'little')
    return int.from_bytes(body[sizes & 15 : (sizes & 15) + (sizes >> 4)], 'little'), length


def protected(page, array):
    """A page with its update sequence numbers."""
    page = bytearray(page.ljust(PAGE, b'\0'))
    struct.pack_into('<H', page, array, 1)
    for index in range(PAGE // 512):
        end = 512 * (index + 1) - 2
        page[array + 2 + 2 * index : array + 4 + 2 * index] = page[end : end + 2]
        struct.pack_into('<H', page, end, 1)
    return bytes(page)


def restart_page(size, bits, oldest, newest, version):
    client = struct.pack('<QQHHH6xI', oldest, newest, 0xFFFF, 0xFFFF, 0, 8) + 'NTFS'.encode('utf-16-le').ljust(128, b'\0')
    area = struct.pack('<QHHHHIHHQIHHII', newest, 1, 0xFFFF, 0, 0, bits, 0x40 + len(client), 0x40, size, 0, 0x30, 0x40, 1, 0).ljust(0x40, b'\0')
    head = b'RSTR' + struct.pack('<HHQIIHHH', 0x1E, PAGE // 512 + 1, 0, PAGE, PAGE, 0x30, *((0, 2) if version == 2 else (1, 1)))
    return protected(head.ljust(0x30, b'\0') + area + client, 0x1E)


def record_page(copy, last, content):
    """A page of records; `copy` is what it is a copy of, or its last record."""
    head = b'RCRD' + struct.pack('<HHQIHHH6xQ', 0x28, PAGE // 512 + 1, copy, 1 if content else 0, 1, 1, 0x40 + len(content), last)
    return protected(head.ljust(0x40, b'\0') + content, 0x28)


def action(number, before, transaction, redo, undo, redo_data=b'', undo_data=b'', place=None):
    """A record of the journal. `place`: (record offset, attribute offset, index in the cluster, virtual and logical cluster)."""
    body = b''
    start = 0x28 if place else 0x20
    padded = [one.ljust(-(-len(one) // 8) * 8, b'\0') for one in (redo_data, undo_data)]
    offsets = (start, len(redo_data), start + len(padded[0]), len(undo_data)) if place else (0x20, 0, 0x20, 0)
    record, value, index, virtual, logical = place or (0, 0, 0, 0, 0)
    body = struct.pack('<HHHHHHHHHHHHQ', redo, undo, *offsets, 24 if place else 0, 1 if place else 0, record, value, index, 2 if place else 0, virtual)
    body += (struct.pack('<Q', logical) if place else b'') + padded[0] + padded[1]
    return struct.pack('<QQQIHHIIH6x', number, before, before, len(body), 0, 0, 1, transaction, 0) + body


def main(path, offset, inode, former, committed, left_open, *options):
    version = 2 if '--version-2' in options else 1
    volume = Volume(path, int(offset))
    record = volume.record(int(inode))
    data = attribute(record, 0x80)
    value = struct.unpack_from('<H', record, data + 20)[0]
    if record[data + 8] or record[data + value : data + value + len(former)] != former.encode():
        raise SystemExit('the file does not hold that in its record')
    at = int(inode) * 1024
    place = (data, value, at % volume.cluster // 512, at // volume.cluster, volume.table + at // volume.cluster)
    cluster, clusters = run_of(volume.record(2))
    size = clusters * volume.cluster
    bits = 67 - size.bit_length()
    first = FIRST_2 if version == 2 else FIRST

    numbers, content = [], b''

    def add(*wanted, **more):
        numbers.append(1 << 64 - bits | (first * PAGE + 0x40 + len(content)) >> 3)
        return action(numbers[-1], numbers[-2] if len(numbers) > 1 else 0, *wanted, **more)

    texts = [one.encode() for one in (former, committed, left_open)]
    content += add(0x18, UPDATE_RESIDENT_VALUE, UPDATE_RESIDENT_VALUE, texts[1], texts[0], place)
    content += add(0x18, FORGET_TRANSACTION, 0)
    content += add(0x40, UPDATE_RESIDENT_VALUE, UPDATE_RESIDENT_VALUE, texts[2], texts[1], place)
    log = cluster * volume.cluster
    for page in (0, 1):
        volume.write(log + page * PAGE, restart_page(size, bits, numbers[0], numbers[-1], version))
    newest = record_page(numbers[-1], numbers[-1], content)
    for page in range(2, first):
        # Each page is written to one of these before it gets to its place.
        volume.write(log + page * PAGE, newest if version == 2 and page == 2 else record_page(first * PAGE if version == 1 else 0, 0, b''))
    volume.write(log + first * PAGE, newest)
    # The page before the first one is the last: of an earlier round, and full.
    volume.write(log + size - PAGE, record_page(1, 1, bytes(PAGE - 0x50)))
    volume.file.close()


if __name__ == '__main__':
    main(*sys.argv[1:])

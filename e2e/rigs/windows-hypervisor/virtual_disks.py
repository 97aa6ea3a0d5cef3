"""Files of virtual disks, decoded: VHDX (fixed, dynamic, and differencing with its parents) and VHD (fixed and dynamic). Says `ValueError` of what it does not know."""
import os
import struct

MIB = 1024 * 1024
BAT = "2dc27766-f623-4200-9d64-115e9bfd4a08"
METADATA = "8b7ca206-4790-4b9a-b8fe-575f050f886e"
PARAMETERS = "caa16737-fa36-4d43-b3b6-33f0aa44e76b"
SIZE = "2fa54224-cd1b-4876-b211-5dbed83bf4b8"
SECTOR = "8141bf1d-a96f-4709-ba47-f233a8faab5f"
LOCATOR = "a8d35f2d-b30b-454d-abf7-d3d84834ab0c"


def guid(raw):
    first, second, third = struct.unpack("<IHH", raw[:8])
    return "%08x-%04x-%04x-%s-%s" % (first, second, third, raw[8:10].hex(), raw[10:16].hex())


class Layer:
    """One file. `find` gives the file here that a path of Windows stands for."""

    def __init__(self, path, find):
        self.file = os.open(path, os.O_RDONLY)
        self.path = path
        self.parent = None
        try:
            self.load(find)
        except (struct.error, KeyError) as error:
            raise ValueError("%s is damaged: %r" % (path, error))

    def at(self, offset, length):
        return os.pread(self.file, length, offset)

    def close(self):
        os.close(self.file)
        if self.parent is not None:
            self.parent.close()

    def below(self, offset, length):
        return bytes(length) if self.parent is None else self.parent.read(offset, length)

    def read(self, offset, length):
        parts = []
        while length > 0:
            count = min(length, self.block - offset % self.block)
            parts.append(self.within(offset, count))
            offset += count
            length -= count
        return b"".join(parts)

    def by_sectors(self, offset, length, is_here, here):
        """`length` bytes in one block: sectors that this file has, and those of what is below."""
        parts = []
        end = offset + length
        while offset < end:
            mine = is_here(offset // self.sector)
            to = offset
            while to < end and is_here(to // self.sector) == mine:
                to = min(end, (to // self.sector + 1) * self.sector)
            parts.append(here(offset, to - offset) if mine else self.below(offset, to - offset))
            offset = to
        return b"".join(parts)


class Vhdx(Layer):
    def load(self, find):
        if self.at(0, 8) != b"vhdxfile":
            raise ValueError("%s is no VHDX" % self.path)
        heads = [head for head in (self.at(place, 4096) for place in (64 * 1024, 128 * 1024)) if head[:4] == b"head"]
        head = max(heads, key=lambda one: struct.unpack_from("<Q", one, 8))
        if head[48:64] != bytes(16):
            raise ValueError("the log of %s is not empty" % self.path)
        self.identity = guid(head[32:48])
        regions = self.at(192 * 1024, 64 * 1024)
        places = {}
        for index in range(struct.unpack_from("<I", regions, 8)[0]):
            entry = regions[16 + index * 32 : 48 + index * 32]
            places[guid(entry)] = struct.unpack_from("<QI", entry, 16)
        start = places[METADATA][0]
        table = self.at(start, 64 * 1024)
        items = {}
        for index in range(struct.unpack_from("<H", table, 10)[0]):
            entry = table[32 + index * 32 : 64 + index * 32]
            offset, length = struct.unpack_from("<II", entry, 16)
            items[guid(entry)] = self.at(start + offset, length)
        self.block, flags = struct.unpack("<II", items[PARAMETERS])
        self.size = struct.unpack("<Q", items[SIZE])[0]
        self.sector = struct.unpack("<I", items[SECTOR])[0]
        self.ratio = (2**23 * self.sector) // self.block
        offset, length = places[BAT]
        self.table = struct.unpack("<%dQ" % (length // 8), self.at(offset, length))
        self.bitmaps = {}
        if flags & 2:
            self.open_parent(items[LOCATOR], find)

    def open_parent(self, locator, find):
        known = {}
        for index in range(struct.unpack_from("<H", locator, 18)[0]):
            key, value, key_length, value_length = struct.unpack_from("<IIHH", locator, 20 + index * 12)
            known[locator[key : key + key_length].decode("utf-16-le")] = locator[value : value + value_length].decode("utf-16-le")
        self.parent = Vhdx(find(known["absolute_win32_path"]), find)
        if self.parent.identity != known["parent_linkage"].strip("{}").lower():
            raise ValueError("the parent of %s was changed: it has the identity %s instead of %s" % (self.path, self.parent.identity, known["parent_linkage"]))
        if self.parent.size != self.size:
            raise ValueError("the parent of %s has another size" % self.path)

    def bitmap(self, chunk):
        if chunk not in self.bitmaps:
            entry = self.table[(chunk + 1) * (self.ratio + 1) - 1]
            if entry & 7 != 6:
                raise ValueError("%s has no bitmap for a block that it has in part" % self.path)
            self.bitmaps[chunk] = self.at(entry >> 20 << 20, MIB)
        return self.bitmaps[chunk]

    def within(self, offset, length):
        index = offset // self.block
        chunk = index // self.ratio
        entry = self.table[index + chunk]
        state, place = entry & 7, entry >> 20 << 20

        def here(at, count):
            return self.at(place + at % self.block, count)

        if state == 6:
            return here(offset, length)
        if state == 7:
            bits = self.bitmap(chunk)
            first = chunk * self.ratio * self.block // self.sector

            def is_here(sector):
                return bool(bits[sector - first >> 3] >> (sector - first & 7) & 1)

            return self.by_sectors(offset, length, is_here, here)
        return self.below(offset, length) if state == 0 else bytes(length)


class Vhd(Layer):
    def load(self, find):
        end = os.fstat(self.file).st_size
        foot = self.at(end - 512, 512)
        if foot[:8] != b"conectix":
            raise ValueError("%s is no VHD" % self.path)
        self.size, kind = struct.unpack_from(">Q", foot, 48)[0], struct.unpack_from(">I", foot, 60)[0]
        self.sector = 512
        self.table = None
        self.block = 2 * MIB
        if kind == 2:
            return
        if kind != 3:
            raise ValueError("%s is a VHD of kind %d" % (self.path, kind))
        place = struct.unpack_from(">Q", foot, 16)[0]
        head = self.at(place, 1024)
        table, _, entries, self.block = struct.unpack_from(">QIII", head, 16)
        self.table = struct.unpack(">%dI" % entries, self.at(table, entries * 4))

    def within(self, offset, length):
        if self.table is None:
            return self.at(offset, length)
        entry = self.table[offset // self.block]
        if entry == 0xFFFFFFFF:
            return bytes(length)
        map_bytes = -(-(self.block // 512 // 8) // 512) * 512
        bits = self.at(entry * 512, map_bytes)
        place = entry * 512 + map_bytes

        def is_here(sector):
            within = sector % (self.block // 512)
            return bool(bits[within >> 3] >> (7 - (within & 7)) & 1)

        return self.by_sectors(offset, length, is_here, lambda at, count: self.at(place + at % self.block, count))


def open_disk(path, find):
    # By its name: a fixed VHD begins with the disk itself.
    return (Vhd if path.endswith(".vhd") else Vhdx)(path, find)

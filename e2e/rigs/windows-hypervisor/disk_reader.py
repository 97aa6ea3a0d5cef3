"""The protocol side of the reader of Hyper-V disks, on real VHD and VHDX files and their parents. Stands in for the program that .NET runs on a host.

Frames are those of assets/worker/PROTOCOL.md. `--map` names a JSON file from paths of Windows to files here; it is read for each OPEN.
"""
import argparse
import hashlib
import json
import os
import socket
import struct
import sys
import threading
import time
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import virtual_disks

HEAD = struct.Struct(">IBBHIIQQIII")
MAGIC = 0x43535759
MAX_PAYLOAD = 4 * 1024 * 1024


class Refused(Exception):
    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class Session:
    def __init__(self, paths):
        self.token = os.urandom(8).hex()
        self.paths = paths
        self.open = {}
        self.last = 0
        self.heard = time.monotonic()

    def open_disk(self, path):
        with open(self.paths) as file:
            known = json.load(file)

        def find(wanted):
            if wanted not in known or not os.path.exists(known[wanted]):
                raise Refused(6, "%s: the system cannot find the file" % wanted)
            return known[wanted]

        try:
            disk = virtual_disks.open_disk(find(path), find)
        except ValueError as error:
            raise Refused(6, "%s: %s" % (path, error))
        self.last += 1
        self.open[self.last] = disk
        return self.last, disk.size

    def find(self, handle):
        if handle not in self.open:
            raise Refused(2, "no such volume")
        return self.open[handle]


class Connection:
    def __init__(self, reader, writer, session):
        self.reader, self.writer, self.session = reader, writer, session
        self.greeted = False

    def fill(self, count):
        parts = b""
        while len(parts) < count:
            piece = self.reader.read(count - len(parts))
            if not piece:
                return None
            parts += piece
        return parts

    def serve(self):
        """Until the end of the input; True when the caller asked for the end."""
        while True:
            head = self.fill(48)
            if head is None:
                return False
            magic, version, kind, flags, request, volume, offset, length, size, argument, checksum = HEAD.unpack(head[:44])
            if magic != MAGIC or zlib.crc32(head[:44]) != struct.unpack(">I", head[44:])[0] or size > MAX_PAYLOAD:
                self.answer(kind, 0, 1, payload=b"damaged")
                return False
            payload = self.fill(size)
            if payload is None:
                return False
            self.session.heard = time.monotonic()
            if kind == 10:
                self.answer(kind, request, 0)
                return True
            try:
                self.carry(version, kind, request, volume, offset, length, argument, payload)
            except Refused as refused:
                self.answer(kind, request, refused.status, payload=str(refused).encode())

    def carry(self, version, kind, request, volume, offset, length, argument, payload):
        session = self.session
        if version != 1 or (kind != 1 and not self.greeted):
            raise Refused(2, "HELLO is missing, or another version")
        if kind == 1:
            if json.loads(payload).get("session", session.token) != session.token:
                raise Refused(2, "no such session")
            self.greeted = True
            hello = {"version": 1, "session": session.token, "features": ["read", "digest"], "maxPayload": MAX_PAYLOAD, "maxDigestAnswer": 1048576, "idleSeconds": 120, "python": "", "pid": os.getpid()}
            return self.answer(kind, request, 0, payload=json.dumps(hello).encode())
        if kind == 2:
            return self.answer(kind, request, 0)
        if kind == 4:
            handle, size = session.open_disk(payload.decode())
            return self.answer(kind, request, 0, handle, size)
        if kind == 9:
            disk = session.open.pop(volume, None)
            if disk is not None:
                disk.close()
            return self.answer(kind, request, 0)
        if kind not in (8, 11):
            raise Refused(2, "request %d is not known here" % kind)
        disk = session.find(volume)
        if offset + length > disk.size:
            raise Refused(3, "beyond the end of the disk")
        if kind == 11:
            return self.answer(kind, request, 0, payload=disk.read(offset, length))
        blocks = range(offset, offset + length, argument)
        digests = [hashlib.sha256(disk.read(at, min(argument, offset + length - at))).digest() for at in blocks]
        return self.answer(kind, request, 0, payload=b"".join(digests))

    def answer(self, kind, request, status, volume=0, length=0, payload=b""):
        head = HEAD.pack(MAGIC, 1, kind, 1, request, volume, 0, length, len(payload), status, 0)
        self.writer.write(head + struct.pack(">I", zlib.crc32(head)) + payload)
        self.writer.flush()


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--map", required=True)
    options.add_argument("--socket")
    options.add_argument("--idle", type=float, default=120)
    given = options.parse_args()
    session = Session(given.map)

    def watch():
        while time.monotonic() - session.heard < given.idle:
            time.sleep(0.2)
        os._exit(4)

    threading.Thread(target=watch, daemon=True).start()
    if given.socket is None:
        Connection(sys.stdin.buffer, sys.stdout.buffer, session).serve()
        return
    server = socket.socket(socket.AF_UNIX)
    server.bind(given.socket)
    server.listen()
    print("listening", flush=True)
    living = []

    def talk(connection):
        with connection, connection.makefile("rb") as reader, connection.makefile("wb") as writer:
            try:
                is_over = Connection(reader, writer, session).serve()
            except OSError:
                is_over = False
        living.remove(connection)
        if is_over or not living:
            os._exit(0)

    while True:
        connection, _ = server.accept()
        living.append(connection)
        threading.Thread(target=talk, args=(connection,), daemon=True).start()


main()

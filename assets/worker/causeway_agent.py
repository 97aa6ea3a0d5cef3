#!/usr/bin/env python3
"""Causeway worker agent: writes what the caller sends to the volumes that the caller opened, and to nothing else.

One file, standard library only, Python 3.6 or later. PROTOCOL.md beside this file documents every byte.

  causeway_agent.py --stdio                                            frames on standard input and output
  causeway_agent.py --join SOCKET                                      more frames for the agent that shares this socket, likewise
  causeway_agent.py --listen 5566 --cert C --key K --client-ca P       frames on TLS; prints one JSON line when it listens

Nothing but frames (or that one line) goes to standard output; what happens is told on standard error, never with data.
"""
import argparse
import array
import contextlib
import ctypes
import errno
import fcntl
import hashlib
import json
import os
import queue
import re
import select
import shutil
import signal
import socket
import ssl
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

VERSION = 1
MAGIC = b'CSWY'
# magic, version, type, flags, request, volume, offset, length, payload length, argument or status, payload CRC, head CRC
HEAD = struct.Struct('>4sBBHIIQQIIII')
HEAD_BYTES = HEAD.size
MAX_PAYLOAD = 4 * 1024 * 1024

HELLO, PING, DEVICES, OPEN, WRITE, ZERO, FLUSH, DIGEST, CLOSE, END, READ, RECALL = range(1, 13)
ANSWER, DEFLATED, CHECKED, ZSTD = 1, 2, 4, 8

OK = 0
BAD_FRAME = 1       # the connection is closed after it: nothing that follows can be trusted
BAD_REQUEST = 2
OUT_OF_RANGE = 3
NOT_ALLOWED = 4
IN_USE = 5
NO_DEVICE = 6
IO_ERROR = 7
DURABILITY_LOST = 8
LOGIN_FAILED = 9

SOCKET_READ = 256 * 1024
DIGEST_READ = 1024 * 1024
DIGEST_THREADS = 4
DIGEST_MAX_ANSWER = 1024 * 1024
# How much may be in the page cache but not on the volume before writers wait. Limits how long FLUSH takes.
SYNC_EVERY = 32 * 1024 * 1024
SYNC_LIMIT = 128 * 1024 * 1024
BLKGETSIZE64 = 0x80081272
BLKZEROOUT = 0x127F
FALLOC_KEEP_SIZE, FALLOC_PUNCH_HOLE = 1, 2
F_SETPIPE_SZ = 1031
MAX_CONNECTIONS = 32
STORE_BLOCK = 64 * 1024
CLAIM_SECONDS = 10.0


def note(message):
    try:
        sys.stderr.write('causeway-agent: %s\n' % message)
        sys.stderr.flush()
    except (OSError, ValueError):
        pass


class Refusal(Exception):
    """A request that is answered with a status and a text; the connection lives on."""

    def __init__(self, status, text):
        Exception.__init__(self, text)
        self.status = status


class Disconnected(Exception):
    """The other side disconnected or broke the protocol."""


# ---------------------------------------------------------------- carriers


class PipeCarrier(object):
    """Frames on a pair of file descriptors (standard input and output over SSH)."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.send_lock = threading.Lock()
        for fd in (reader, writer):
            try:
                fcntl.fcntl(fd, F_SETPIPE_SZ, 1024 * 1024)
            except (OSError, ValueError):
                pass  # a socket, or a smaller limit: slower, not wrong

    def receive_into(self, view):
        done = 0
        while done < len(view):
            count = os.readv(self.reader, [view[done:]])
            if count == 0:
                raise Disconnected('end of input')
            done += count

    def send(self, data):
        view = memoryview(data)
        with self.send_lock:
            while len(view):
                view = view[os.write(self.writer, view):]

    def close(self):
        pass


class TlsCarrier(object):
    """Frames on TLS. The TLS state works on memory buffers under a lock, because OpenSSL does not allow one thread
    to read while another one writes; it is also faster than reading record by record from the socket."""

    def __init__(self, connection, context, pinned):
        self.connection = connection
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=True)
        self.lock = threading.Lock()
        self.raw = memoryview(bytearray(SOCKET_READ))
        connection.settimeout(20)
        while True:
            try:
                self.tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                self.drain()
                self.incoming.write(self.raw[:self.fill()])
            except ssl.SSLError:
                self.drain()  # the alert tells the other side why
                raise
        certificate = self.tls.getpeercert(True)
        if certificate is None or hashlib.sha256(certificate).digest() != pinned:
            raise Disconnected('the client certificate is not the pinned one')
        self.drain()
        connection.settimeout(None)

    def drain(self):
        data = self.outgoing.read()
        if data:
            self.connection.sendall(data)

    def fill(self):
        count = self.connection.recv_into(self.raw)
        if count == 0:
            raise Disconnected('end of input')
        return count

    def receive_into(self, view):
        done, size = 0, len(view)
        while done < size:
            with self.lock:
                try:
                    while done < size:
                        count = self.tls.read(size - done, view[done:])
                        if count == 0:
                            raise Disconnected('end of TLS')
                        done += count
                    return
                except ssl.SSLWantReadError:
                    pass
            count = self.fill()
            with self.lock:
                self.incoming.write(self.raw[:count])

    def send(self, data):
        with self.lock:
            self.tls.write(data)
            self.drain()

    def close(self):
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.connection.close()


# ---------------------------------------------------------------- block devices


def read_text(path):
    try:
        with open(path, 'rb') as handle:
            return handle.read(4096).decode('utf-8', 'replace').strip('\0 \t\r\n')
    except OSError:
        return ''


def device_serial(name):
    base = '/sys/block/' + name
    for path in (base + '/serial', base + '/device/serial'):
        text = read_text(path)
        if text:
            return text
    try:
        with open(base + '/device/vpd_pg80', 'rb') as handle:  # SCSI: unit serial number page, 4 bytes of head
            text = handle.read(256)[4:].decode('ascii', 'replace').strip('\0 ')
            if text:
                return text
    except OSError:
        pass
    backing = read_text(base + '/loop/backing_file')  # a loop device's identity is the file behind it
    return os.path.splitext(os.path.basename(backing))[0] if backing else ''


def device_lun(name):
    # A SCSI device is named host:channel:target:lun.
    address = os.path.basename(os.path.realpath('/sys/block/%s/device' % name)).split(':')
    return int(address[3]) if len(address) == 4 and address[3].isdigit() else None


def luns_by_link(folders=('/dev/disk/azure/scsi1', '/dev/disk/azure/data/by-lun')):
    """Device path -> LUN as the cloud's udev rules tell it; None where there are no such rules.

    Such a cloud has disks of its own on further controllers, whose numbers repeat those of data disks.
    """
    found = None
    for folder in folders:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        found = found or {}
        for name in names:
            number = re.match(r'(?:lun)?(\d+)$', name)
            if number:
                found[os.path.realpath(os.path.join(folder, name))] = int(number.group(1))
    return found


def names_by_path(folder='/dev/disk/by-path', kept=(
    ('/dev/oracleoci', 'oracleoci/'), ('/dev/disk/azure/scsi1', 'azure/scsi1/'), ('/dev/disk/azure/data/by-lun', 'azure/data/by-lun/'),
)):
    """Device path -> names in /dev/disk/by-path, and those that a cloud's udev rules keep for a volume, with their folder in front."""
    found = {}
    for where, prefix in ((folder, ''),) + kept:
        try:
            names = sorted(os.listdir(where))
        except OSError:
            continue
        for name in names:
            found.setdefault(os.path.realpath(os.path.join(where, name)), []).append(prefix + name)
    return found


def log_in(login, run=None, pause=time.sleep, folder='/dev/disk/by-path'):
    """Logs in to an iSCSI target, once, and waits for its disk: a volume that the cloud attached over the network."""
    run = run or iscsiadm
    target, portal, user, secret = [login.get(name, '') for name in ('target', 'portal', 'user', 'secret')]
    if not all(isinstance(each, str) for each in (target, portal, user, secret)) or not target or not portal:
        raise Refusal(BAD_REQUEST, 'a login needs a target and a portal')
    prefix = 'ip-%s-iscsi-%s-lun-' % (portal, target)

    def is_there():
        try:
            return any(name.startswith(prefix) for name in os.listdir(folder))
        except OSError:
            return False

    if is_there():
        return
    node = ['--mode', 'node', '--targetname', target, '--portal', portal]

    def keep(name, value):
        run('update', node + ['--op', 'update', '--name', name, '--value', value])

    run('new', node + ['--op', 'new'])
    keep('node.startup', 'manual')
    if secret:
        keep('node.session.auth.authmethod', 'CHAP')
        keep('node.session.auth.username', user)
    try:
        if secret:
            keep('node.session.auth.password', secret)
        run('login', node + ['--login'])
    finally:
        # The tool keeps what it is told in files; the daemon that has the session goes on without.
        if secret:
            keep('node.session.auth.password', '')
    for _ in range(150):
        if is_there():
            return
        pause(0.2)
    raise Refusal(LOGIN_FAILED, 'logged in to %s at %s, but no disk appeared' % (target, portal))


def iscsiadm(step, arguments, folders='/usr/sbin:/sbin'):
    """Neither its arguments nor what it prints stand in an error: one of them may be a secret."""
    program = shutil.which('iscsiadm', path=os.environ.get('PATH', '') + ':' + folders)
    if program is None:
        raise Refusal(LOGIN_FAILED, 'the worker has no iscsiadm: its image needs open-iscsi')
    try:
        done = subprocess.run([program] + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
    except subprocess.TimeoutExpired:
        raise Refusal(LOGIN_FAILED, 'iscsiadm did not end: %s' % step)
    # 15: there is such a session already.
    if done.returncode not in (0, 15):
        reason = {20: ', iscsid does not run', 24: ', the target refused user or secret', 8: ', the target does not answer'}.get(done.returncode, '')
        raise Refusal(LOGIN_FAILED, 'iscsiadm ended with %d: %s%s' % (done.returncode, step, reason))


def whole_disks(number):
    """Names of the whole disks that a block device number stands on (through partitions, device mapper, md)."""
    path = os.path.realpath('/sys/dev/block/%s' % number)
    if not os.path.isdir(path):
        return set()
    if os.path.exists(path + '/partition'):
        path = os.path.dirname(path)
    names = {os.path.basename(path)}
    try:
        slaves = os.listdir(path + '/slaves')
    except OSError:
        slaves = []
    for slave in slaves:
        names |= whole_disks(read_text('%s/slaves/%s/dev' % (path, slave)))
    return names


def number_of(path):
    try:
        info = os.stat(path)
    except OSError:
        return None
    return '%d:%d' % (os.major(info.st_rdev), os.minor(info.st_rdev)) if stat.S_ISBLK(info.st_mode) else None


def disks_in_use():
    """Names of whole disks that hold a mounted file system, swap, or the root."""
    root = os.stat('/').st_dev
    numbers = {'%d:%d' % (os.major(root), os.minor(root))}
    for line in read_lines('/proc/self/mountinfo'):
        left, _, right = line.partition(' - ')
        fields, source = left.split(), right.split()
        if len(fields) > 2:
            numbers.add(fields[2])
        if len(source) > 1 and source[1].startswith('/'):
            numbers.add(number_of(source[1].encode('ascii', 'replace').decode('unicode_escape', 'replace')))
    for line in read_lines('/proc/swaps')[1:]:
        numbers.add(number_of(line.split()[0]))
    names = set()
    for number in numbers:
        if number:
            names |= whole_disks(number)
    return names


def read_lines(path):
    try:
        with open(path, 'r', errors='surrogateescape') as handle:
            return handle.read().splitlines()
    except OSError:
        return []


def holders_of(name):
    """What stands on a whole disk or one of its partitions (device mapper, md)."""
    base = '/sys/block/' + name
    found = []
    try:
        parts = [base] + [os.path.join(base, entry) for entry in os.listdir(base)
                          if os.path.exists(os.path.join(base, entry, 'partition'))]
        for part in parts:
            if os.path.isdir(part + '/holders'):
                found += os.listdir(part + '/holders')
    except OSError:
        pass
    return found


def list_devices():
    used = disks_in_use()
    by_path = names_by_path()
    by_link = luns_by_link()
    devices = []
    try:
        names = sorted(os.listdir('/sys/block'))
    except OSError:
        names = []
    for name in names:
        if re.match(r'(ram|sr|fd|zram)\d', name):
            continue
        size = int(read_text('/sys/block/%s/size' % name) or 0) * 512
        if size == 0 or not os.path.exists('/dev/' + name):
            continue
        busy = name in used or bool(holders_of(name)) or read_text('/sys/block/%s/ro' % name) == '1'
        lun = device_lun(name) if by_link is None else by_link.get('/dev/' + name)
        # Of Linux 5.15 and later: the next device of the same name has another number.
        sequence = read_text('/sys/block/%s/diskseq' % name)
        devices.append({
            'path': '/dev/' + name, 'serial': device_serial(name), 'lun': lun, 'byPath': by_path.get('/dev/' + name, []),
            'sizeBytes': size, 'inUse': busy, 'sequence': int(sequence) if sequence.isdigit() else None,
        })
    return devices


def open_claimed(device):
    """With O_EXCL, which on a block device is the kernel's own claim: it fails when anything else has claimed it. Whoever looks at a
    device that was just attached, e.g. the kernel for partitions or a service for RAID, claims it for a moment."""
    deadline = time.monotonic() + CLAIM_SECONDS
    while True:
        try:
            return os.open(device, os.O_RDWR | os.O_CLOEXEC | os.O_EXCL)
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.1)


class Volume(object):
    """One device (or allowed file) that is open for writing."""

    def __init__(self, path, allowed):
        real = os.path.realpath(path)
        extra = any(real == prefix or real.startswith(prefix.rstrip('/') + '/') for prefix in allowed)
        if not extra and not real.startswith('/dev/'):
            raise Refusal(NOT_ALLOWED, 'not a device: %s' % path)
        try:
            mode = os.stat(real).st_mode
        except OSError as error:
            raise Refusal(NO_DEVICE, '%s: %s' % (path, error.strerror))
        self.is_block = stat.S_ISBLK(mode)
        if not self.is_block and not (extra and stat.S_ISREG(mode)):
            raise Refusal(NOT_ALLOWED, 'not a block device: %s' % path)
        if self.is_block:
            mine = whole_disks(number_of(real) or '')
            used = mine & disks_in_use()
            if used:
                raise Refusal(IN_USE, '%s holds a mounted file system, swap or the root' % path)
            for name in mine:
                if holders_of(name):
                    raise Refusal(IN_USE, '%s is held by %s' % (path, ', '.join(holders_of(name))))
        try:
            self.fd = open_claimed(real) if self.is_block else os.open(real, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise Refusal(IN_USE if error.errno == errno.EBUSY else NO_DEVICE, '%s: %s' % (path, error.strerror))
        try:
            # Another agent, left behind by a lost caller, must not write to the device as well.
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.size = self.measure()
        except OSError as error:
            os.close(self.fd)
            raise Refusal(IN_USE, '%s: %s' % (path, error.strerror))
        self.path = path
        self.gate = threading.Condition()
        self.unsynced = 0
        self.users = 0
        self.failure = None
        self.syncs = threading.Condition()
        self.syncing = False
        self.syncs_begun = 0
        self.syncs_done = 0
        self.closed = False
        # Ways to write zeros that the device refused; several threads may find out at the same time.
        self.closed_ways = set()
        self.syncer = threading.Thread(target=self.keep_syncing)
        self.syncer.daemon = True
        self.syncer.start()

    def measure(self):
        if not self.is_block:
            return os.fstat(self.fd).st_size
        answer = array.array('Q', [0])
        fcntl.ioctl(self.fd, BLKGETSIZE64, answer, True)
        return answer[0]

    def check(self, offset, length):
        if offset > self.size or length > self.size - offset:
            raise Refusal(OUT_OF_RANGE, '%d bytes at %d do not fit into %d of %s' % (length, offset, self.size, self.path))

    def write(self, offset, view):
        self.account(len(view))
        self.put(offset, view)

    def put(self, offset, view):
        while len(view):
            count = os.pwrite(self.fd, view, offset)
            offset += count
            view = view[count:]

    def account(self, count):
        with self.gate:
            while self.unsynced > SYNC_LIMIT and not self.failure and not self.closed:
                self.gate.wait(1)
            self.unsynced += count
            if self.unsynced >= SYNC_EVERY:
                self.gate.notify_all()

    def keep_syncing(self):
        while True:
            with self.gate:
                while self.unsynced < SYNC_EVERY and not self.closed:
                    self.gate.wait()
                if self.closed:
                    return
                begun = self.unsynced
                self.users += 1
            try:
                self.sync()
            finally:
                with self.gate:
                    self.unsynced -= begun
                    self.users -= 1
                    self.gate.notify_all()

    def sync(self):
        """Makes durable what was written before the call. Returns why bytes were lost, now or earlier, or None.

        One call of the kernel at a time, because the kernel reports lost pages to one call alone: no other thread may see a
        clean sync before that one's failure is noted. Whoever waits is done with the first sync that begins after its own
        call, whichever thread does it: waiting for a lock instead, a FLUSH would lose it over and over to the thread that
        keeps syncing, as long as bytes keep coming."""
        with self.syncs:
            wanted = self.syncs_begun + 1
            while self.syncs_done < wanted:
                if self.syncing:
                    self.syncs.wait()
                    continue
                self.syncing = True
                self.syncs_begun += 1
                self.syncs.release()
                failure = None
                try:
                    os.fdatasync(self.fd)
                except OSError as error:
                    failure = error.strerror or 'input/output error'
                finally:
                    self.syncs.acquire()
                    self.failure = failure or self.failure
                    self.syncing = False
                    self.syncs_done = self.syncs_begun
                    self.syncs.notify_all()
            return self.failure

    def flush(self):
        failure = self.sync()
        if failure:
            raise Refusal(DURABILITY_LOST, '%s: %s' % (self.path, failure))

    def zero(self, offset, length):
        end = offset + length
        first, last = -(-offset // 4096) * 4096, end // 4096 * 4096
        if first >= last:
            return self.write_zeros(offset, length)
        self.write_zeros(offset, first - offset)
        for way in ('punch', 'zeroout') if self.is_block else ('punch',):
            if way in self.closed_ways:
                continue
            if self.zero_by(way, first, last - first):
                break
            self.closed_ways.add(way)
        else:
            self.write_zeros(first, last - first)
        self.write_zeros(last, end - last)

    def zero_by(self, way, offset, length):
        if way == 'punch':
            return punch_hole(self.fd, offset, length)
        try:
            fcntl.ioctl(self.fd, BLKZEROOUT, struct.pack('QQ', offset, length))
            return True
        except OSError as error:
            if error.errno == errno.EIO:
                raise
            return False

    def write_zeros(self, offset, length):
        zeros = memoryview(bytes(min(length, DIGEST_READ)))
        while length > 0:
            count = min(length, len(zeros))
            self.write(offset, zeros[:count])
            offset += count
            length -= count

    def digests(self, offset, length, block, buffer):
        try:
            os.posix_fadvise(self.fd, offset, length, os.POSIX_FADV_DONTNEED)  # read the volume, not our own cache
        except OSError:
            pass
        answer = []
        # Most blocks of many volumes are zeros; checking for zeros costs a fraction of hashing.
        zeros = bytearray(min(block, len(buffer)))
        of_zeros = hashlib.sha256(zeros).digest()
        while length > 0:
            left = min(block, length)
            length -= left
            count = self.read_into(offset, buffer[:min(left, len(buffer))])
            offset += count
            left -= count
            if left == 0 and zeros == buffer[:count]:
                answer.append(of_zeros)
                continue
            digest = hashlib.sha256(buffer[:count])
            while left > 0:
                count = self.read_into(offset, buffer[:min(left, len(buffer))])
                digest.update(buffer[:count])
                offset += count
                left -= count
            answer.append(digest.digest())
        return b''.join(answer)

    def read(self, offset, length):
        data = bytearray(length)
        view = memoryview(data)
        while length > 0:
            count = self.read_into(offset, view[len(data) - length:])
            offset += count
            length -= count
        return bytes(data)

    def read_into(self, offset, view):
        if hasattr(os, 'preadv'):  # Python 3.7
            count = os.preadv(self.fd, [view], offset)
        else:
            data = os.pread(self.fd, len(view), offset)
            count = len(data)
            view[:count] = data
        if count == 0:
            raise OSError(errno.EIO, 'the volume ends early')
        return count

    def acquire(self):
        with self.gate:
            if self.closed:
                raise Refusal(BAD_REQUEST, 'the volume was closed')
            self.users += 1

    def release(self):
        with self.gate:
            self.users -= 1
            self.gate.notify_all()

    def close(self):
        with self.gate:
            if self.closed:
                return
            self.closed = True
            self.gate.notify_all()
            while self.users > 0:  # the descriptor's number must not be reused under a request that still runs
                self.gate.wait()
        os.close(self.fd)


class BlockStore(object):
    """Blocks that went to volumes through this worker, by their SHA-256, in a file on the worker's own disk.

    It only saves sending them again, so nothing in it is believed: a block is hashed when it is read, and one that is not what the
    index says is forgotten. When it is full, the oldest block makes room. It outlives the agent, and ends with the worker."""

    def __init__(self, path, limit):
        self.gate = threading.Lock()
        self.where = {}
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self.data, self.index = os.open(path, flags, 0o600), os.open(path + '.index', flags, 0o600)
        if any(os.fstat(handle).st_uid != os.geteuid() or not stat.S_ISREG(os.fstat(handle).st_mode) for handle in (self.data, self.index)):
            raise OSError(errno.EPERM, 'the file belongs to somebody else')
        facts = os.fstatvfs(self.data)
        # The worker's own system needs its disk as well.
        free = facts.f_bavail * facts.f_frsize + os.fstat(self.data).st_blocks * 512
        self.slots = min(limit, free // 2) // STORE_BLOCK
        os.ftruncate(self.data, min(os.fstat(self.data).st_size, self.slots * STORE_BLOCK))
        os.ftruncate(self.index, min(os.fstat(self.index).st_size, self.slots * 32))
        self.held = [None] * self.slots
        self.next = 0
        known = b''
        while len(known) < os.fstat(self.index).st_size:
            part = os.pread(self.index, 1024 * 1024, len(known))
            if not part:
                break
            known += part
        for slot in range(len(known) // 32):
            digest = known[slot * 32:slot * 32 + 32]
            if digest.strip(b'\0'):
                self.held[slot] = digest
                self.where[digest] = slot
                self.next = (slot + 1) % self.slots

    def keep(self, offset, view):
        """The whole blocks of a write. A disk without room ends the keeping, not the write."""
        start = -offset % STORE_BLOCK
        for at in range(start, len(view) - STORE_BLOCK + 1, STORE_BLOCK):
            block = view[at:at + STORE_BLOCK]
            digest = hashlib.sha256(block).digest()
            with self.gate:
                if self.slots == 0:
                    return
                if digest in self.where:
                    continue
                slot = self.next
                self.next = (slot + 1) % self.slots
                self.forget(slot)
                try:
                    if os.pwrite(self.data, block, slot * STORE_BLOCK) != STORE_BLOCK:
                        raise OSError(errno.ENOSPC, 'no room')
                    os.pwrite(self.index, digest, slot * 32)
                except OSError as error:
                    note('blocks are no longer kept: %s' % error)
                    self.slots = 0
                    return
                self.held[slot] = digest
                self.where[digest] = slot

    def forget(self, slot):
        if self.held[slot] is not None:
            self.where.pop(self.held[slot], None)
            self.held[slot] = None

    def recall(self, digest):
        """The block with this digest, or None."""
        with self.gate:
            slot = self.where.get(digest)
            if slot is None:
                return None
            try:
                block = os.pread(self.data, STORE_BLOCK, slot * STORE_BLOCK)
            except OSError:
                block = b''
            if hashlib.sha256(block).digest() == digest:
                return block
            self.forget(slot)
            return None


def load_fallocate():
    try:
        function = ctypes.CDLL(None, use_errno=True).fallocate64
    except (AttributeError, OSError):
        return None
    function.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
    return function


FALLOCATE = load_fallocate()


def punch_hole(fd, offset, length):
    """Deallocates, so that a thin volume stays thin; the kernel promises that the range then reads as zeros."""
    if FALLOCATE is None:
        return False
    while FALLOCATE(fd, FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE, offset, length) != 0:
        code = ctypes.get_errno()
        if code == errno.EIO:
            raise OSError(code, os.strerror(code))
        if code != errno.EINTR:
            return False
    return True


def load_zstd():
    """The library, where the worker has it: programs of Debian and of the RHEL family need it themselves. None elsewhere."""
    try:
        library = ctypes.CDLL('libzstd.so.1')
        library.ZSTD_createDCtx.restype = ctypes.c_void_p
        library.ZSTD_freeDCtx.argtypes = [ctypes.c_void_p]
        library.ZSTD_decompressDCtx.restype = ctypes.c_size_t
        library.ZSTD_decompressDCtx.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t]
        library.ZSTD_isError.argtypes = [ctypes.c_size_t]
        return library
    except (OSError, AttributeError):
        return None


ZSTD_LIBRARY = load_zstd()


class Decompressor(object):
    """Of one connection, whose requests are handled one after the other: its memory is used again for each of them."""

    def __init__(self):
        self.context = None
        self.out = memoryview(bytearray(0))

    def inflate(self, payload, length):
        inflater = zlib.decompressobj(-15)
        data = inflater.decompress(payload, length)
        if len(data) != length or not inflater.eof and inflater.decompress(inflater.unconsumed_tail, 1):
            raise Refusal(BAD_REQUEST, 'the payload does not inflate to %d bytes' % length)
        return memoryview(data)

    def unzstd(self, payload, length):
        if ZSTD_LIBRARY is None:
            raise Refusal(BAD_REQUEST, 'this worker has no libzstd')
        if self.context is None:
            self.context = ZSTD_LIBRARY.ZSTD_createDCtx()
        if self.context is None:
            raise Refusal(BAD_REQUEST, 'no memory for libzstd')
        if length > len(self.out):
            self.out = memoryview(bytearray(max(length, 1024 * 1024)))
        # Plain addresses: ctypes keeps an array type for each length forever.
        count = 0
        if length and len(payload):
            count = ZSTD_LIBRARY.ZSTD_decompressDCtx(self.context, address_of(self.out), length, address_of(payload), len(payload))
        if count != length or ZSTD_LIBRARY.ZSTD_isError(count):
            raise Refusal(BAD_REQUEST, 'the payload is not a zstd frame of %d bytes' % length)
        return self.out[:length]

    def close(self):
        if self.context is not None:
            ZSTD_LIBRARY.ZSTD_freeDCtx(self.context)
            self.context = None


FEATURES = ['deflate', 'checksum', 'zero', 'digest', 'read'] + (['zstd'] if ZSTD_LIBRARY is not None else [])


def open_store(options):
    """Blocks of earlier callers of this worker; a worker without room for them does without."""
    if not options.store:
        return None
    try:
        return BlockStore(options.store, options.store_bytes)
    except OSError as error:
        note('blocks are not kept: %s' % error)
        return None


def address_of(view):
    return ctypes.addressof(ctypes.c_char.from_buffer(view))


# ---------------------------------------------------------------- sessions and connections


class Session(object):
    """What the connections of one caller share: the open volumes."""

    def __init__(self):
        self.token = hashlib.sha256(os.urandom(32)).hexdigest()
        self.volumes = {}
        self.next_handle = 1
        self.connections = set()


class Agent(object):
    def __init__(self, options):
        self.allowed = [os.path.realpath(path) for path in options.allow]
        self.idle_seconds = options.idle
        self.heard = time.monotonic()
        self.lock = threading.Lock()
        self.sessions = {}
        self.ended = threading.Event()
        self.store = open_store(options)
        self.work = queue.Queue(64)
        for _ in range(DIGEST_THREADS):
            thread = threading.Thread(target=self.work_on)
            thread.daemon = True
            thread.start()

    def work_on(self):
        buffer = memoryview(bytearray(DIGEST_READ))
        while True:
            job = self.work.get()
            job(buffer)

    def touch(self):
        self.heard = time.monotonic()

    def watch(self):
        """Returns when the agent should end: on request, or after a while without one."""
        while not self.ended.wait(min(5.0, max(0.05, self.idle_seconds / 10.0))):
            silent = time.monotonic() - self.heard
            if silent > self.idle_seconds:
                note('no request for %d s' % silent)
                return

    def join(self, token, connection):
        with self.lock:
            if not token:
                session = Session()
                self.sessions[session.token] = session
            elif token in self.sessions:
                session = self.sessions[token]
            else:
                raise Refusal(BAD_REQUEST, 'no such session')
            session.connections.add(connection)
            return session

    def leave(self, session, connection):
        with self.lock:
            session.connections.discard(connection)
            if session.connections:
                return
            self.sessions.pop(session.token, None)
            volumes = list(session.volumes.values())
            session.volumes.clear()
        for volume in volumes:
            volume.close()


class Connection(object):
    def __init__(self, agent, carrier):
        self.agent, self.carrier = agent, carrier
        self.session = None
        self.head = bytearray(HEAD_BYTES)
        self.buffer = memoryview(bytearray(64 * 1024))
        self.decompressor = Decompressor()

    def serve(self):
        head = memoryview(self.head)
        try:
            while True:
                self.carrier.receive_into(head)
                self.agent.touch()
                fields = HEAD.unpack(self.head)
                magic, version, kind, flags, request, handle, offset, length, size, argument, check, head_check = fields
                if magic != MAGIC or zlib.crc32(head[:HEAD_BYTES - 4]) != head_check or size > MAX_PAYLOAD:
                    self.answer(0, kind if magic == MAGIC else HELLO, BAD_FRAME, b'the head of a frame is damaged')
                    raise Disconnected('damaged frame')
                payload = self.receive_payload(size)
                if flags & CHECKED and zlib.crc32(payload) != check:
                    self.answer(request, kind, BAD_FRAME, b'the payload of a frame is damaged')
                    raise Disconnected('damaged payload')
                if kind == END:
                    self.answer(request, kind, OK)
                    self.agent.ended.set()
                    return
                self.guard(request, kind, handle, lambda: self.handle(
                    version, kind, flags, request, handle, offset, length, argument, payload))
        except Disconnected as reason:
            note('a connection ended: %s' % reason)
        except (OSError, ssl.SSLError) as error:
            note('a connection broke: %s' % error)
        finally:
            if self.session is not None:
                self.agent.leave(self.session, self)
            self.decompressor.close()
            self.carrier.close()

    def receive_payload(self, size):
        if size > len(self.buffer):
            self.buffer = memoryview(bytearray(max(size, 1024 * 1024)))
        payload = self.buffer[:size]
        if size:
            self.carrier.receive_into(payload)
        return payload

    def guard(self, request, kind, handle, action):
        """Runs `action`; an exception becomes the answer."""
        try:
            action()
        except Refusal as refusal:
            self.answer(request, kind, refusal.status, str(refusal).encode('utf-8', 'replace'), handle)
        except OSError as error:
            self.answer(request, kind, IO_ERROR, str(error.strerror or error).encode('utf-8', 'replace'), handle)
        except Disconnected:
            raise
        except Exception as error:  # a damaged request or a defect: neither may end the thread that serves others
            text = '%s: %s' % (type(error).__name__, error)
            self.answer(request, kind, BAD_REQUEST, text.encode('utf-8', 'replace')[:1000], handle)

    def answer(self, request, kind, status, payload=b'', handle=0, offset=0, length=0):
        flags = ANSWER | (CHECKED if payload else 0)
        check = zlib.crc32(payload) if payload else 0
        head = HEAD.pack(MAGIC, VERSION, kind, flags, request, handle, offset, length, len(payload), status, check, 0)
        head = head[:-4] + struct.pack('>I', zlib.crc32(head[:-4]))
        self.carrier.send(head + payload)

    def volume(self, handle):
        with self.agent.lock:
            volume = self.session.volumes.get(handle)
        if volume is None:
            raise Refusal(BAD_REQUEST, 'no open volume %d' % handle)
        return volume

    def handle(self, version, kind, flags, request, handle, offset, length, argument, payload):
        if kind == HELLO:
            return self.hello(version, request, payload)
        if self.session is None or version != VERSION:
            raise Refusal(BAD_REQUEST, 'speak HELLO in version %d first' % VERSION)
        if kind == PING:
            return self.answer(request, kind, OK)
        if kind == DEVICES:
            return self.devices(request, bytes(payload))
        if kind == OPEN:
            return self.open(request, bytes(payload).decode('utf-8'))
        if kind not in (WRITE, ZERO, FLUSH, DIGEST, CLOSE, READ, RECALL):
            raise Refusal(BAD_REQUEST, 'unknown request %d' % kind)
        volume = self.volume(handle)
        if kind in (FLUSH, DIGEST, READ):
            return self.later(volume, request, kind, handle, offset, length, argument)
        if kind == CLOSE:
            with self.agent.lock:
                self.session.volumes.pop(handle, None)
            volume.close()
            return self.answer(request, kind, OK, b'', handle)
        volume.check(offset, length)
        volume.acquire()
        try:
            answer = b''
            if kind == ZERO:
                volume.zero(offset, length)
            elif kind == RECALL:
                answer = self.recall(volume, offset, length, argument, bytes(payload))
            else:
                written = self.unpacked(flags, payload, length)
                volume.write(offset, written)
                if self.agent.store is not None:
                    self.agent.store.keep(offset, written)
        finally:
            volume.release()
        self.answer(request, kind, OK, answer, handle, offset, length)

    def recall(self, volume, offset, length, block, digests):
        """Writes the blocks that are in the store; says of each whether it was."""
        if block != STORE_BLOCK or len(digests) != -(-length // block) * 32:
            raise Refusal(BAD_REQUEST, '%d bytes of digests for %d bytes in blocks of %d' % (len(digests), length, block))
        found = bytearray(len(digests) // 32)
        for index in range(len(found) if self.agent.store is not None else 0):
            bytes_of_block = self.agent.store.recall(digests[index * 32:index * 32 + 32])
            if bytes_of_block is not None and index * block + block <= length:
                volume.write(offset + index * block, bytes_of_block)
                found[index] = 1
        return bytes(found)

    def unpacked(self, flags, payload, length):
        if not flags & (DEFLATED | ZSTD):
            return payload
        if length > MAX_PAYLOAD:
            raise Refusal(BAD_REQUEST, 'a write of %d bytes is too long' % length)
        return (self.decompressor.unzstd if flags & ZSTD else self.decompressor.inflate)(payload, length)

    def hello(self, version, request, payload):
        asked = json.loads(bytes(payload).decode('utf-8')) if len(payload) else {}
        if version != VERSION:
            raise Refusal(BAD_REQUEST, 'this agent speaks version %d' % VERSION)
        if self.session is not None:
            raise Refusal(BAD_REQUEST, 'HELLO was spoken before')
        self.session = self.agent.join(asked.get('session'), self)
        said = {
            'version': VERSION, 'session': self.session.token, 'features': FEATURES + (['recall'] if self.agent.store is not None else []),
            'maxPayload': MAX_PAYLOAD, 'maxDigestAnswer': DIGEST_MAX_ANSWER, 'idleSeconds': self.agent.idle_seconds,
            'python': '%d.%d.%d' % sys.version_info[:3], 'pid': os.getpid(),
        }
        self.answer(request, HELLO, OK, json.dumps(said).encode('utf-8'))

    def open(self, request, path):
        volume = Volume(path, self.agent.allowed)
        with self.agent.lock:
            handle = self.session.next_handle
            self.session.next_handle += 1
            self.session.volumes[handle] = volume
        self.answer(request, OPEN, OK, b'', handle, 0, volume.size)

    def devices(self, request, payload):
        logins = json.loads(payload.decode('utf-8')).get('logins', []) if payload else []

        def act():
            for login in logins:
                log_in(login)
            self.answer(request, DEVICES, OK, json.dumps({'devices': list_devices()}).encode('utf-8'))

        def job(_buffer):
            try:
                self.guard(request, DEVICES, 0, act)
            except (OSError, ssl.SSLError) as error:
                note('an answer could not be sent: %s' % error)

        # Logging in takes seconds, in which the connection has to be read.
        return self.agent.work.put(job) if logins else act()

    def later(self, volume, request, kind, handle, offset, length, block):
        """FLUSH, DIGEST and READ take long: a thread of the pool does them, so that the connection is still read."""
        if kind == DIGEST:
            volume.check(offset, length)
            if block < 512 or -(-length // block) * 32 > DIGEST_MAX_ANSWER:
                raise Refusal(BAD_REQUEST, 'digests of %d bytes in blocks of %d' % (length, block))
        if kind == READ:
            volume.check(offset, length)
            if length > MAX_PAYLOAD:
                raise Refusal(BAD_REQUEST, 'a read of %d bytes is too long' % length)

        def act(buffer):
            if kind == FLUSH:
                volume.flush()
                self.answer(request, kind, OK, b'', handle)
            elif kind == READ:
                self.answer(request, kind, OK, volume.read(offset, length), handle, offset, length)
            else:
                found = volume.digests(offset, length, block, buffer)
                self.answer(request, kind, OK, found, handle, offset, length)

        def job(buffer):
            try:
                self.guard(request, kind, handle, lambda: act(buffer))
            except (OSError, ssl.SSLError) as error:
                note('an answer could not be sent: %s' % error)
            finally:
                volume.release()

        volume.acquire()
        self.agent.work.put(job)


# ---------------------------------------------------------------- starting and ending


FENCED = 76  # exit status of an agent whose caller was replaced


def take_over(path, epoch):
    """Makes this the only agent that uses the lock file: one that a lost caller left behind is ended first. The file remembers
    the highest epoch that a caller had, so that a caller who was replaced neither ends its successor's agent nor gets one."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    deadline = time.monotonic() + 15
    told = 0
    while True:
        former, newest = read_lock(handle)
        if newest > epoch:
            note('fenced: epoch %d of this worker has begun, and this caller is of epoch %d' % (newest, epoch))
            sys.exit(FENCED)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Whoever had it meanwhile may have been a later one.
            if read_lock(handle)[1] <= epoch:
                break
            fcntl.flock(handle, fcntl.LOCK_UN)
            continue
        except OSError:
            if time.monotonic() > deadline:
                raise SystemExit('another agent holds %s and does not end' % path)
        if told < 2 and is_agent(former):
            told = 1 if time.monotonic() < deadline - 10 else 2
            try:
                os.kill(int(former), signal.SIGTERM if told == 1 else signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.05)
    own_lock(handle, epoch)
    return handle


def read_lock(handle):
    """Process id of the last holder, as text, and its epoch; files of former versions have none."""
    words = os.pread(handle, 64, 0).decode('ascii', 'replace').split()
    return (words[0] if words else ''), (int(words[1]) if len(words) > 1 and words[1].isdigit() else 0)


def is_agent(pid):
    return pid.isdigit() and int(pid) != os.getpid() and 'agent' in read_text('/proc/%s/cmdline' % pid)


def own_lock(handle, epoch):
    # One write, and never shorter than what was there: whoever reads meanwhile finds no epoch 0.
    os.pwrite(handle, ('%d %d' % (os.getpid(), epoch)).ljust(48).encode('ascii'), 0)


def hold_turn(path='/dev'):
    """Waits until no other process on this computer has the turn, says so in one line, and keeps it until its input ends. The lock is on the
    folder of the devices, because all who see the same devices have that one."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def say(word):
        os.write(1, word + b'\n')

    waits = False
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise
        if not waits:
            say(b'waiting')
        waits = True
        if select.select([0], [], [], 0.2)[0] and not os.read(0, 64):
            return
    say(b'turn')
    while os.read(0, 64):
        pass


def share(agent, path):
    """Takes over standard input and output of processes with --join: one channel of SSH has a window that a long link outgrows."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with short_name(path) as name:
            listener.bind(name)  # in a folder that only the user enters; the umask keeps others out as well
        listener.listen(16)
    except OSError as error:
        note('no caller can join: %s' % error)
        return

    def serve(connection):
        pair = []
        try:
            _, user, _ = struct.unpack('3i', connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
            pair = received_files(connection)
            if user == os.geteuid() and len(pair) == 2:
                Connection(agent, PipeCarrier(*pair)).serve()
        except OSError as error:
            note('a caller could not join: %s' % error)
        finally:
            for each in pair:
                os.close(each)
            connection.close()  # the process that handed them over ends with it

    def accept():
        while True:
            connection, _ = listener.accept()
            start(lambda connection=connection: serve(connection))

    start(accept)


@contextlib.contextmanager
def short_name(path):
    """A socket's path has at most 107 bytes; a folder for temporary files may be longer."""
    if len(os.fsencode(path)) <= 107:
        yield path
        return
    folder = os.open(os.path.dirname(path), os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield '/proc/self/fd/%d/%s' % (folder, os.path.basename(path))
    finally:
        os.close(folder)


def received_files(connection):
    """Standard input and output of the other side; whatever else is sent along is closed."""
    size = struct.calcsize('2i')
    _, ancillary, _, _ = connection.recvmsg(1, socket.CMSG_SPACE(size))
    found = array.array('i')
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            found.frombytes(data[:len(data) - len(data) % found.itemsize])
    return list(found)


def join(path):
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with short_name(path) as name:
        connection.connect(name)
    connection.sendmsg([b'.'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [0, 1]))])
    connection.recv(1)  # until the agent is done with them, or ends


def serve_stdio(agent):
    # Nothing else may reach the protocol's stream, even if a library prints something.
    writer = os.dup(1)
    os.dup2(2, 1)
    connection = Connection(agent, PipeCarrier(0, writer))

    def run():
        connection.serve()
        agent.ended.set()

    start(run)


def start(target):
    thread = threading.Thread(target=target)
    thread.daemon = True
    thread.start()


def tls_context(options):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if hasattr(ssl, 'TLSVersion'):  # Python 3.7
        context.minimum_version = ssl.TLSVersion.TLSv1_2
    else:
        context.options |= ssl.OP_NO_TLSv1 | ssl.OP_NO_TLSv1_1
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_cert_chain(options.cert, options.key)
    context.load_verify_locations(cafile=options.client_ca)
    return context


def bind(ports, host):
    """Listens on every port that is free; at least one has to be."""
    sockets, last = [], None
    for port in ports:
        try:
            sockets.append(listen_on(host, port))
        except OSError as error:
            last = error
    if not sockets:
        raise SystemExit('cannot listen on %s: %s' % (', '.join(str(port) for port in ports), last))
    return sockets


def listen_on(host, port):
    if not host and os.path.exists('/proc/net/if_inet6'):
        listener = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)  # both families
    else:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(16)
    except OSError:
        listener.close()
        raise
    return listener


def accept_on(agent, listener, context, pinned):
    count = threading.Semaphore(MAX_CONNECTIONS)

    def serve(connection):
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 60000)  # an answer nobody takes
            carrier = TlsCarrier(connection, context, pinned)
        except (OSError, ssl.SSLError, Disconnected) as error:
            note('a connection was refused: %s' % error)
            connection.close()
        else:
            Connection(agent, carrier).serve()
        finally:
            count.release()

    while True:
        count.acquire()
        try:
            connection, _ = listener.accept()
        except OSError:
            time.sleep(0.1)
            count.release()
            continue
        try:
            start(lambda connection=connection: serve(connection))
        except RuntimeError as error:  # no more threads can be started
            note('a connection was refused: %s' % error)
            connection.close()
            count.release()


def go_to_background(lock, epoch):
    """Detaches from the SSH session; the parent ends, so that the caller's command returns."""
    if os.fork() > 0:
        os._exit(0)
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1):
        os.dup2(null, fd)
    if lock is not None:
        own_lock(lock, epoch)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description='Causeway worker agent')
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument('--stdio', action='store_true', help='frames on standard input and output')
    way.add_argument('--turn', action='store_true', help='no frames: wait for the turn to attach volumes to this computer, and keep it until the input ends')
    way.add_argument('--join', metavar='SOCKET', help='hand standard input and output over to the agent that was started with --share SOCKET')
    way.add_argument('--listen', type=int, action='append', help='TCP port, 0 for any; may be given again')
    parser.add_argument('--host', default='', help='IPv4 address to listen on; every address of both families by default')
    parser.add_argument('--cert', help='own certificate, PEM')
    parser.add_argument('--key', help='own key, PEM')
    parser.add_argument('--client-ca', help='the one client certificate that is let in, PEM')
    parser.add_argument('--daemon', action='store_true', help='go to the background when listening')
    parser.add_argument('--log', help='file for messages of an agent in the background')
    parser.add_argument('--lock', help='file that only one agent holds; a former holder is ended')
    parser.add_argument('--epoch', type=int, default=0, help='number of the caller\'s claim; once a greater one was given, the lock is refused to smaller ones')
    parser.add_argument('--allow', action='append', default=[], help='path prefix outside /dev whose files may be opened')
    parser.add_argument('--own-folder', help='folder with this file and its keys; removed when the agent ends')
    parser.add_argument('--share', metavar='SOCKET', help='with --stdio: a Unix socket to make, at which more callers of the same user are let in')
    parser.add_argument('--store', metavar='FILE', help='keep blocks that are written in this file and one beside it, so that they can be recalled')
    parser.add_argument('--store-bytes', type=int, default=0, help='size of that file at most')
    parser.add_argument('--idle', type=float, default=300, help='seconds of silence after which the agent ends')
    options = parser.parse_args(arguments)
    if options.listen is not None and not (options.cert and options.key and options.client_ca):
        parser.error('--listen needs --cert, --key and --client-ca')
    return options


def lock_path(given):
    if os.sep in given:
        return given
    folder = '/run' if os.access('/run', os.W_OK) else tempfile.gettempdir()
    return os.path.join(folder, 'causeway-agent-%s.lock' % given)


def main(arguments):
    options = parse_arguments(arguments)
    os.umask(0o077)
    if options.join:
        return join(options.join)
    if options.turn:
        return hold_turn()
    lock = take_over(lock_path(options.lock), options.epoch) if options.lock else None
    listeners = []
    if options.listen is not None:
        context = tls_context(options)
        with open(options.client_ca, 'r') as handle:
            pinned = hashlib.sha256(ssl.PEM_cert_to_DER_cert(handle.read().strip() + '\n')).digest()
        listeners = bind(options.listen, options.host)
        ports = [listener.getsockname()[1] for listener in listeners]
        sys.stdout.write(json.dumps({'ports': ports}) + '\n')
        sys.stdout.flush()
        if options.daemon:
            log = os.open(options.log or os.devnull, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.dup2(log, 2)
            go_to_background(lock, options.epoch)
    agent = Agent(options)
    signal.signal(signal.SIGTERM, lambda *_: agent.ended.set())
    signal.signal(signal.SIGHUP, lambda *_: agent.ended.set())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for listener in listeners:
        start(lambda listener=listener: accept_on(agent, listener, context, pinned))
    if options.stdio:
        if options.share:
            share(agent, options.share)
        serve_stdio(agent)
    agent.watch()
    note('ending')
    if options.own_folder and os.path.basename(options.own_folder).startswith('causeway-'):
        shutil.rmtree(options.own_folder, ignore_errors=True)
    # Threads may be in the middle of a request: nothing of theirs was acknowledged, so ending now is safe.
    os._exit(0)


if __name__ == '__main__':
    main(sys.argv[1:])

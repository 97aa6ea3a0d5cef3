"""Reads a disk through a peer's own client and writes its bytes to standard output.

The peer's repository is named by the first argument and is no part of this one. What it imports for its control
plane is not needed here: a ticket is given, so absent modules are replaced by empty ones.

    read-with-peer.py FOLDER TICKET_JSON PATH SIZE_BYTES nfc|nfcssl READ_BYTES

The last line on standard error is JSON: seconds of reading, and processor seconds of this process meanwhile.
"""

import importlib
import json
import sys
import time
import types

folder, ticket_json, path, size, transport, read_bytes = sys.argv[1:7]
size, read_bytes = int(size), int(read_bytes)


class Absent(types.ModuleType):
    """A module of which every name exists and means nothing."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return type(name, (), {})


for name in ('pyVim', 'pyVim.connect', 'pyVmomi', 'pyVmomi.VmomiSupport', 'fastlz', 'OpenSSL'):
    try:
        importlib.import_module(name)
    except ImportError:
        sys.modules[name] = Absent(name)

sys.path.insert(0, folder)
from openvixdisklib import nfc_auth, nfc_open  # noqa: E402

ticket = types.SimpleNamespace(**json.loads(ticket_json))
is_secure = transport == 'nfcssl'
socket = nfc_auth.connect_authd(ticket, nfc_ssl=is_secure)
session = nfc_auth.NfcAuthSession(None, ticket, socket, nfc_ssl=is_secure)
disk = nfc_open.open_disk(session, path)
buffer = bytearray(read_bytes)
started, cpu = time.monotonic(), time.process_time()
for offset in range(0, size, read_bytes):
    length = min(read_bytes, size - offset)
    disk.readinto(offset // disk.sector_size, length // disk.sector_size, buffer)
    if not sys.stdout.isatty():
        sys.stdout.buffer.write(memoryview(buffer)[:length])
seconds, cpu_seconds = time.monotonic() - started, time.process_time() - cpu
disk.close()
sys.stdout.buffer.flush()
print(json.dumps({'seconds': seconds, 'cpuSeconds': cpu_seconds}), file=sys.stderr)

"""Disk images on the computer that this runs on: they can only be read, and nothing is left when the process ends, however
that happens."""

import ctypes
import fcntl
import os
import struct

from .command import run
from .protocol import MorphError

_NEW_MOUNTS = 0x20000
_GET_FREE, _SET_FD, _SET_STATUS = 0x4C82, 0x4C00, 0x4C04
_GONE_WITH_LAST_USER = 4
_STATUS_SIZE, _FLAGS_AT = 232, 52
_TRIES = 50
# Loop devices are there as long as these are open, or something is mounted from them.
_open = []


def attach(numbers):
    """Makes block devices of open files. Returns their paths."""
    _own_mounts()
    return [_attach(number) for number in numbers]


def _own_mounts():
    """Mounts are seen by this process and its children alone."""
    if ctypes.CDLL(None, use_errno=True).unshare(_NEW_MOUNTS) != 0:
        raise MorphError('osmorphing.local-inspection', 'the system allows no mounts: %s' % os.strerror(ctypes.get_errno()))
    run(['mount', '--make-rprivate', '/'], timeout=60, code='osmorphing.local-inspection')


def _attach(number):
    try:
        control = os.open('/dev/loop-control', os.O_RDWR)
        try:
            for _ in range(_TRIES):
                path = '/dev/loop%d' % fcntl.ioctl(control, _GET_FREE)
                # For reading only: then the device refuses every write.
                device = os.open(path, os.O_RDONLY)
                try:
                    fcntl.ioctl(device, _SET_FD, number)
                except OSError:
                    # Somebody else was faster.
                    os.close(device)
                    continue
                _open.append(device)
                status = bytearray(_STATUS_SIZE)
                struct.pack_into('<I', status, _FLAGS_AT, _GONE_WITH_LAST_USER)
                fcntl.ioctl(device, _SET_STATUS, bytes(status))
                return path
        finally:
            os.close(control)
    except OSError as error:
        raise MorphError('osmorphing.local-inspection', 'no loop device: %s' % error.strerror)
    raise MorphError('osmorphing.local-inspection', 'no loop device is free')

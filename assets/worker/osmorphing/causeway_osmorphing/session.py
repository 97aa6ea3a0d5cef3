"""One preparation on one worker: its folder, its lock, and the data that its commands pass on."""

import fcntl
import json
import os
import re
import signal
import time

from .block_devices import BlockDevice
from .undo_log import UndoLog
from .protocol import MorphError

BASE = '/run/causeway-osmorphing'


class Session(object):
    """Only one command works in a session at a time."""

    def __init__(self, name, base=None):
        if not re.match(r'^[A-Za-z0-9-]{1,64}$', name):
            raise MorphError('osmorphing.program-failed', 'invalid session name')
        self.folder = os.path.join(os.path.realpath(base or BASE), name)
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        self.undo_log = UndoLog(self.folder)
        self._lock = None

    def enter(self, end_other=False):
        """Takes the lock. `end_other`: asks a running command to stop and waits for it."""
        self._lock = open(os.path.join(self.folder, 'lock'), 'a+')
        deadline = time.time() + (60 if end_other else 0)
        asked = False
        while True:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.time() >= deadline:
                    raise MorphError('osmorphing.busy', 'another command of this preparation still runs')
            if not asked:
                asked = self._ask_to_stop()
            time.sleep(0.1)
        self._lock.seek(0)
        self._lock.truncate()
        self._lock.write(str(os.getpid()))
        self._lock.flush()

    def leave(self):
        """Gives the lock back."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _ask_to_stop(self):
        self._lock.seek(0)
        text = self._lock.read().strip()
        if text.isdigit():
            try:
                os.kill(int(text), signal.SIGTERM)
            except OSError:
                pass
        return True

    def keep(self, name, value):
        with open(os.path.join(self.folder, name + '.json'), 'w') as file:
            json.dump(value, file)

    def kept(self, name):
        try:
            with open(os.path.join(self.folder, name + '.json')) as file:
                return json.load(file)
        except (OSError, ValueError):
            raise MorphError('osmorphing.not-mounted', 'the guest is not mounted')


def pack_device(device):
    return {
        'path': device.path,
        'kind': device.kind,
        'disk': device.disk,
        'number': device.number,
        'name': device.name,
        'properties': device.properties,
    }


def unpack_device(packed):
    device = BlockDevice(packed['path'], packed['kind'], packed['disk'], packed['number'], packed['name'])
    device.properties = packed['properties']
    return device

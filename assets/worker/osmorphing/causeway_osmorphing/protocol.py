"""What comes in and goes out: one JSON object per line. Requests come by standard input, answers go to standard output."""

import json
import os
import queue
import re
import signal
import sys
import threading

_lock = threading.Lock()
cancelled = threading.Event()
_secrets = []
_CONTROL = re.compile('[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]')


class MorphError(Exception):
    """A failure with a code of the error catalogue, evidence, and plain data about it."""

    def __init__(self, code, message, details=None):
        Exception.__init__(self, message)
        self.code = code
        self.message = message
        self.details = details or {}


class Cancelled(MorphError):
    """The other side asked to stop, or is gone."""

    def __init__(self):
        MorphError.__init__(self, 'general.cancelled', 'the preparation was stopped')


def keep_secret(text):
    """Masks this text from now on, in log lines and errors."""
    if text:
        _secrets.append(text)


def _without_secrets(text):
    for secret in _secrets:
        text = text.replace(secret, '***')
    return text


def _printable(value):
    """Text from a guest ends up on a terminal: control characters are escaped, and secrets masked."""
    if isinstance(value, dict):
        return dict((_printable(key), _printable(inner)) for key, inner in value.items())
    if isinstance(value, (list, tuple)):
        return [_printable(inner) for inner in value]
    if isinstance(value, str):
        return _CONTROL.sub(lambda found: '\\x%02x' % ord(found.group()), _without_secrets(value))
    return value


def emit(kind, **fields):
    """Writes one line. A closed output must not leave a guest mounted."""
    fields['type'] = kind
    line = json.dumps(_printable(fields), ensure_ascii=True, sort_keys=True)
    with _lock:
        try:
            sys.stdout.write(line + '\n')
            sys.stdout.flush()
        except (OSError, ValueError):
            cancelled.set()


def log(line):
    """One line of progress."""
    emit('log', line=line.rstrip()[:2000])


# Codes of what warnings are about.
_DOUBTS = {
    'disks': 'osmorphing.doubtful-disks',
    'boot': 'osmorphing.doubtful-boot',
    'network': 'osmorphing.doubtful-network',
    'packages': 'osmorphing.doubtful-packages',
    'settings': 'osmorphing.doubtful-settings',
}
# What a warning is about, and all warnings so far.
topic = ['disks']
warned = []


def about(name):
    """Says what the warnings from now on are about."""
    topic[0] = name


def warn(message):
    """A warning; the run continues."""
    if (topic[0], message) not in warned:
        warned.append((topic[0], message))
    emit('warning', message=message)


def doubts():
    """All warnings so far, with the codes of what they are about."""
    return [{'code': _DOUBTS[name], 'message': message} for name, message in warned]


_told = set()


def warn_once(message):
    """As `warn`, for what is found in several places."""
    if message not in _told:
        _told.add(message)
        warn(message)


def check_cancelled():
    if cancelled.is_set():
        raise Cancelled()


# Lines of standard input that are not answered yet; None after the last.
_lines = queue.Queue()


def listen():
    """Reads requests from now on: one JSON object per line. The end of standard input, or a signal to end, means: stop and clean up."""

    def read():
        rest = b''
        try:
            for piece in iter(lambda: os.read(0, 1 << 16), b''):
                lines = (rest + piece).split(b'\n')
                rest = lines.pop()
                for line in lines:
                    _lines.put(line)
            if rest:
                _lines.put(rest)
        except OSError:
            # The other side is gone, as at the end.
            pass
        finally:
            cancelled.set()
            _lines.put(None)

    thread = threading.Thread(target=read)
    thread.daemon = True
    thread.start()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda *_: cancelled.set())


def next_request():
    """The next request, or None when none comes any more. Warnings of earlier ones no longer count."""
    while True:
        try:
            line = _lines.get(timeout=1)
            break
        except queue.Empty:
            if cancelled.is_set():
                return None
    if line is None:
        return None
    about('disks')
    del warned[:]
    _told.clear()
    try:
        return json.loads(line.decode('utf-8'))
    except ValueError:
        raise MorphError('osmorphing.program-failed', 'the request is not JSON')

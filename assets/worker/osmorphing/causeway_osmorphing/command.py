"""Commands, each with a time limit, stoppable at any time."""

import collections
import os
import signal
import subprocess
import threading
import time

from . import protocol
from .enclosure import FAILED, FAILED_CODE
from .protocol import MorphError

PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
_TAIL = 4000
# Longest output that is kept of a command; nothing needed is longer.
_MOST_OUTPUT = 32 << 20
_LONGEST_LINE = 1 << 16


class CommandFailed(MorphError):
    """A command that ended with an error, was too slow, or does not exist."""


class Result(object):
    """How a command ended: `code`, and what it printed."""

    def __init__(self, code, out, err):
        self.code = code
        self.out = out
        self.err = err


def run(
    args, timeout=300, text_input=None, check=True, env=None, shown=False, code='osmorphing.command-failed', enclosure=None
):
    """Runs `args` (no shell). `text_input` goes to standard input and is never shown. With `shown`, output lines
    are logged
    as they come. `enclosure`: where it runs, for programs of the guest. Raises CommandFailed unless `check` is False; a
    missing program counts as exit code 127."""
    if not cleaning_up():
        protocol.check_cancelled()
    environment = {'PATH': PATH, 'LC_ALL': 'C', 'LANG': 'C', 'HOME': '/root', 'TERM': 'dumb'}
    environment.update(env or {})
    try:
        child = subprocess.Popen(
            args,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,
            preexec_fn=enclosure.enter if enclosure else None,
        )
    except OSError as error:
        if check:
            raise CommandFailed(code, '%s: %s' % (args[0], error.strerror))
        return Result(127, '', str(error))
    out, err = collections.deque(), collections.deque()
    readers = [_reader(child.stdout, out, shown), _reader(child.stderr, err, shown)]
    _feed(child, text_input)
    reason = _wait(child, timeout)
    for reader in readers:
        # A daemon that inherited the pipe must not keep this waiting.
        reader.join(5)
    result = Result(child.returncode, ''.join(out), ''.join(err))
    if enclosure and result.code == FAILED_CODE and FAILED in result.err:
        raise MorphError('osmorphing.mount-failed', result.err.strip()[-600:])
    if reason == 'cancelled':
        raise protocol.Cancelled()
    if reason == 'timeout':
        raise CommandFailed(code, '`%s` took longer than %d s' % (_named(args), timeout), {'output': _tail(result)})
    if check and result.code != 0:
        message = '`%s` ended with %s: %s' % (_named(args), result.code, _tail(result)[-600:])
        raise CommandFailed(code, message, {'exitCode': result.code, 'output': _tail(result)})
    return result


def _named(args):
    return ' '.join(args)[:200]


def _tail(result):
    return (result.err.strip() or result.out.strip())[-_TAIL:]


def _reader(stream, into, shown):
    def read():
        room = _MOST_OUTPUT
        for line in iter(lambda: stream.readline(_LONGEST_LINE), b''):
            text = line.decode('utf-8', 'replace')
            into.append(text)
            room -= len(line)
            while room < 0:
                room += len(into.popleft())
            if shown and text.strip():
                protocol.log(text)
        stream.close()

    thread = threading.Thread(target=read)
    thread.daemon = True
    thread.start()
    return thread


def _feed(child, text_input):
    def write():
        try:
            if text_input:
                child.stdin.write(text_input if isinstance(text_input, bytes) else text_input.encode('utf-8'))
            child.stdin.close()
        except OSError:
            pass

    thread = threading.Thread(target=write)
    thread.daemon = True
    thread.start()


def _wait(child, timeout):
    deadline = time.time() + timeout
    pause = 0.005
    while True:
        if child.poll() is not None:
            return 'ended'
        reason = 'cancelled' if protocol.cancelled.is_set() and not cleaning_up() else None
        if time.time() > deadline:
            reason = 'timeout'
        if reason:
            _end(child)
            return reason
        time.sleep(pause)
        pause = min(pause * 2, 0.1)


def _end(child):
    for number, grace in ((signal.SIGTERM, 3), (signal.SIGKILL, 5)):
        try:
            os.killpg(child.pid, number)
        except OSError:
            pass
        try:
            child.wait(grace)
            return
        except subprocess.TimeoutExpired:
            continue


_cleaning = threading.local()


def cleaning_up():
    return getattr(_cleaning, 'on', False)


class CleaningUp(object):
    """Commands inside run to their end even if the run was cancelled."""

    def __enter__(self):
        _cleaning.on = True
        self.was_cancelled = protocol.cancelled.is_set()
        protocol.cancelled.clear()

    def __exit__(self, *_):
        _cleaning.on = False
        if self.was_cancelled:
            protocol.cancelled.set()

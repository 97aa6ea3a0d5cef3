"""Block devices that the kernel's device mapper makes of parts of others."""

from .command import run

# It waits for no rules of udev: not every worker has those of the device mapper.
_DMSETUP = ['dmsetup', '--noudevrules', '--noudevsync']


def create(name, table, read_only=False):
    """/dev/mapper/NAME. The table may hold keys: it goes through standard input. Returns the result of the program."""
    result = run(_DMSETUP + ['create', name] + (['--readonly'] if read_only else []), text_input=table.encode(), check=False, timeout=60)
    if result.code == 0:
        _update_node(name)
    return result


def remove(name):
    """Returns the result of the program; a device that is in use stays."""
    result = run(_DMSETUP + ['remove', name], check=False, timeout=120)
    _update_node(name)
    return result


def is_there(name):
    return run(_DMSETUP + ['info', name], check=False, timeout=60).code == 0


def _update_node(name):
    """Makes or removes /dev/mapper/NAME, as the device is there or not."""
    run(_DMSETUP + ['mknodes', name], check=False, timeout=60)

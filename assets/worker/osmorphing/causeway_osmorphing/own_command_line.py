"""What the guest's kernel was started with, as far as its boot loaders tell. Programs of the guest that write boot entries take that
from /proc/cmdline where no setting says it: the worker's own would lead the guest to a root that it does not have."""

import re

from . import boot_default, boot_entries

_LONGEST = 2048
_COMMANDS = ('linux', 'linux16', 'linuxefi', 'kernel', 'module', 'module2')
# What the loader itself adds, and what it would have replaced.
_NOT_OWN = re.compile(r'^(?:BOOT_IMAGE=|initrd=|\$)')


def arguments_of(guest):
    """The arguments as one line; empty if nothing tells them."""
    for text in _told(guest):
        words = [word for word in re.sub(r'[\x00-\x1f\x7f]', ' ', text).split() if not _NOT_OWN.match(word)]
        if any(word.startswith('root=') for word in words):
            return ' '.join(words)[:_LONGEST]
    return ''


def _told(guest):
    """Of the loaders in the order in which a guest with several of them has its current one first."""
    kept = [value for path in boot_default.environment_files(guest) for value in re.findall(r'^kernelopts=(.*)$', guest.read(path, ''), re.MULTILINE)]
    for entry in boot_entries.specification_entries(guest):
        options = re.findall(r'^options[ \t]+(.*)$', guest.read(entry.file, ''), re.MULTILINE)
        if options:
            # A short text can ask for a long one many times.
            yield ' '.join(options)[:_LONGEST].replace('$kernelopts', ' '.join(kept[:1])[:_LONGEST], 1)
    for path in boot_entries.grub_files(guest) + boot_entries.legacy_files(guest):
        for line in guest.read(path, '').splitlines():
            words = line.split(None, 2)
            if len(words) == 3 and words[0] in _COMMANDS:
                yield words[2]
    for unified in boot_entries.unified_kernels(guest):
        yield unified.arguments or ''

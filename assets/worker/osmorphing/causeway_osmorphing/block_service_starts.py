"""Keeps the guest's packages from starting services while they are installed on the worker."""

from .guest_tree import GuestTree

_PATH = '/usr/sbin/policy-rc.d'


def block_service_starts(guest, undo_log):
    """Debian's packages ask this program; those of the others see that no service manager runs."""
    tree = GuestTree(guest.root)
    if guest.family != 'debian' or guest.present(_PATH):
        return
    undo_log.will('remove-file', path=_PATH, root=guest.root)
    tree.write(_PATH, '#!/bin/sh\nexit 101\n', 0o755)

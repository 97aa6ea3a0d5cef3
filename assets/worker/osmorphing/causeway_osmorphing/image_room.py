"""Room for a new initial RAM disk beside the old one, or in its place."""

import os

from . import protocol
from .protocol import MorphError


def make_room(guest, image, size=None):
    """The old image goes before the new one is built, where there is no room for both. A guest that is not prepared to its end never starts."""
    if check_room(guest, image, size):
        protocol.log('%s has no room for two images: %s is removed before it is built anew' % (os.path.dirname(image), image))
        guest.forget(image)


def check_room(guest, image, size=None):
    """Whether there is room for a new image only without the old one. Raises osmorphing.no-space when there is not even that."""
    free = guest.free_bytes(os.path.dirname(image))
    if guest.free_inodes(os.path.dirname(image)) in (0, 1, 2):
        raise MorphError('osmorphing.no-space', '%s has no free inodes for a new %s' % (os.path.dirname(image), os.path.basename(image)))
    old = guest.real_size(image) if guest.exists(image) else 0
    needed = size or (int(old * 1.3) if old else 40 << 20)
    if free >= needed:
        return False
    if old and free + old >= needed:
        return True
    raise MorphError(
        'osmorphing.no-space',
        '%s has %d MiB free, a new %s needs about %d MiB' % (os.path.dirname(image), free >> 20, os.path.basename(image), max(needed - old, 1 << 20) >> 20),
    )

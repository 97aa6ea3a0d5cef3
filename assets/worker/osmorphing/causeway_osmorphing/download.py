"""A file from a URL that the worker reaches, no larger than it may be, with its digest."""

import hashlib

from . import protocol

_PIECE = 1 << 18


def download(url, path, limit, timeout=60):
    """Writes the file; gives (bytes, SHA-256 in hex). Raises OSError, or ValueError when it is larger than the limit."""
    # Read when it is needed: it brings a library for mail along, and most guests are prepared without it.
    import urllib.request

    digest, size = hashlib.sha256(), 0
    with urllib.request.urlopen(url, timeout=timeout) as answer, open(path, 'wb') as file:
        while True:
            protocol.check_cancelled()
            piece = answer.read(_PIECE)
            if not piece:
                return size, digest.hexdigest()
            size += len(piece)
            if size > limit:
                raise ValueError('it is larger than %d MiB' % (limit >> 20))
            digest.update(piece)
            file.write(piece)

"""AES in CCM mode, for the few blocks that keys are kept in: Python has no cipher of its own, and not every worker has a program for this mode."""

import struct

_BLOCK = 16


def _doubled(value):
    return (value << 1) ^ (0x11B if value & 0x80 else 0)


def _make_box():
    """The substitution: each byte's inverse in the field, and an affine map of it."""
    box, power, inverse = [0x63] * 256, 1, 1
    for _ in range(255):
        power ^= _doubled(power)
        # Divided by three, as often as the other was multiplied by it.
        inverse ^= inverse << 1
        inverse ^= inverse << 2
        inverse ^= inverse << 4
        inverse &= 0xFF
        inverse ^= 0x09 if inverse & 0x80 else 0
        turned = inverse
        for by in (1, 2, 3, 4):
            turned ^= (inverse << by | inverse >> (8 - by)) & 0xFF
        box[power] = turned ^ 0x63
    return box


_BOX = _make_box()


def _round_keys(key):
    words = [list(key[at : at + 4]) for at in range(0, len(key), 4)]
    each, constant = len(words), 1
    for index in range(each, 4 * (each + 7)):
        word = words[-1]
        if index % each == 0:
            word = [_BOX[one] for one in word[1:] + word[:1]]
            word[0] ^= constant
            constant = _doubled(constant)
        elif each > 6 and index % each == 4:
            word = [_BOX[one] for one in word]
        words.append([one ^ other for one, other in zip(words[index - each], word)])
    return [sum(words[at : at + 4], []) for at in range(0, len(words), 4)]


def _encrypted(keys, block):
    state = [one ^ other for one, other in zip(block, keys[0])]
    for number, key in enumerate(keys[1:], 1):
        # Bytes are substituted, and each row is turned by its number.
        state = [_BOX[state[(at + 4 * (at % 4)) % _BLOCK]] for at in range(_BLOCK)]
        if number < len(keys) - 1:
            state = sum([_mixed(state[at : at + 4]) for at in range(0, _BLOCK, 4)], [])
        state = [one ^ other for one, other in zip(state, key)]
    return bytes(state)


def _mixed(column):
    every = column[0] ^ column[1] ^ column[2] ^ column[3]
    return [one ^ every ^ _doubled(one ^ column[(at + 1) % 4]) for at, one in enumerate(column)]


def _combined(one, other):
    return bytes(left ^ right for left, right in zip(one, other))


def decrypt(key, nonce, tag, data):
    """None where key or data are not those that the tag was made of. Without further data, with a tag of 16 bytes."""
    keys = _round_keys(key)
    size = 15 - len(nonce)

    def stream(counter):
        return _encrypted(keys, bytes([size - 1]) + nonce + struct.pack('>Q', counter)[-size:])

    pieces = [data[at : at + _BLOCK] for at in range(0, len(data), _BLOCK)]
    plain = b''.join(_combined(piece, stream(index)) for index, piece in enumerate(pieces, 1))
    state = _encrypted(keys, bytes([8 * ((len(tag) - 2) // 2) + size - 1]) + nonce + struct.pack('>Q', len(data))[-size:])
    for at in range(0, len(plain), _BLOCK):
        state = _encrypted(keys, _combined(state, plain[at : at + _BLOCK].ljust(_BLOCK, b'\0')))
    return plain if _combined(state, stream(0)) == tag else None

"""Encrypted volumes. Keys come with the request and go to cryptsetup by its standard input alone."""

import base64

from . import protocol
from .block_devices import BlockDevice
from .command import run


def open_encrypted(devices, keys, journal):
    """Opens each LUKS volume that one of the keys fits. `keys`: [{device?: UUID, key: base64}]. Gives the new
    devices."""
    opened = set(device.name for device in devices if device.kind == 'decrypted')
    found = []
    for device in devices:
        if device.content != 'crypto_LUKS' or not device.uuid or device.uuid in opened:
            continue
        name = 'causeway-%s' % device.uuid
        for key in keys:
            if key.get('device') and key['device'] != device.uuid:
                continue
            secret = base64.b64decode(key['key'])
            journal.will('close-luks', name=name)
            result = run(
                ['cryptsetup', 'open', '--type', 'luks', '--key-file', '-', device.path, name],
                text_input=secret,
                check=False,
                timeout=180,
            )
            if result.code == 0:
                found.append(
                    BlockDevice('/dev/mapper/' + name, 'decrypted', disk=device.disk, name=device.uuid).probe()
                )
                break
            if result.code == 127:
                protocol.warn('the worker has no cryptsetup; %s stays locked' % device.path)
                return found
    return found


def locked(devices):
    """Encrypted volumes that no key opened."""
    opened = set(device.name for device in devices if device.kind == 'decrypted')
    return [device for device in devices if device.content == 'crypto_LUKS' and device.uuid not in opened]

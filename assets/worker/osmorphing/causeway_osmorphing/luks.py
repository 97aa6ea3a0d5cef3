"""Encrypted volumes. Keys come with the request and reach cryptsetup only through its standard input."""

import base64
import os
import re

from . import protocol
from .block_devices import BlockDevice
from .command import run
from .unattended import Header


def own_name(uuid):
    return 'causeway-%s' % uuid


def guests_names(devices, encrypted):
    """UUID → name in the guest, of the volumes that were opened under another one. Its tools look for an open volume by
    that name to know what its initial RAM disk has to unlock; without it, they make one that never finds the root."""
    opened = set(device.name for device in devices if device.kind == 'decrypted')
    return dict(
        (uuid, name)
        for name, uuid in encrypted.items()
        if uuid in opened and re.match(r'^[A-Za-z0-9+_.#=@-]{1,100}$', name) and name != own_name(uuid)
    )


def _free_name(uuid, names):
    wanted = names.get(uuid) or own_name(uuid)
    if wanted != own_name(uuid) and os.path.exists('/dev/mapper/' + wanted):
        protocol.warn('the worker itself has a %s; the guest may not find its encrypted root on the next boot' % wanted)
        return own_name(uuid)
    return wanted


def open_encrypted(devices, keys, undo_log, names, read_only=False):
    """Opens each LUKS volume that one of the keys fits. `keys`: [{device?: UUID, key: base64}], `names`: how they are
    called, by UUID. Returns the new devices."""
    opened = set(device.name for device in devices if device.kind == 'decrypted')
    found = []
    for device in devices:
        if device.content != 'crypto_LUKS' or not device.uuid or device.uuid in opened:
            continue
        name = _free_name(device.uuid, names)
        for key in keys:
            if key.get('device') and key['device'] != device.uuid:
                continue
            secret = base64.b64decode(key['key'])
            undo_log.will('close-luks', name=name)
            result = run(
                ['cryptsetup', 'open', '--type', 'luks'] + (['--readonly'] if read_only else []) + ['--key-file', '-', device.path, name],
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


def warn_of_unattended(devices, uuids):
    """The destination has no TPM with the source's secrets, and may not reach its servers: whoever starts the guest has to
    know the passphrase. `uuids`: of the volumes that it needs to start."""
    for device in devices:
        if device.content != 'crypto_LUKS' or device.uuid not in uuids:
            continue
        ways = Header(device).ways()
        if ways:
            protocol.warn(
                'the encrypted volume %s is unlocked by %s on the source. The destination waits for its passphrase on the console '
                'at each start; make sure that it has one. Set up unlocking again after the migration; the deployment can remove the old one' % (device.uuid, ' or '.join(ways))
            )

"""Volumes that Windows encrypted. Keys come with the request and reach programs only through their standard input."""

import base64
import os
import re

from . import bitlocker_metadata, device_mapper, protocol
from .bitlocker_metadata import Unreadable
from .block_devices import BlockDevice
from .command import run

_CONTENT = 'BitLocker'


def open_volumes(devices, keys, undo_log, read_only=False):
    """Opens each volume that one of the keys fits: a recovery key, or a password of the volume. Returns the new devices."""
    found = []
    opened = opened_from(devices)
    for device in devices:
        if device.content != _CONTENT or device.path in opened or is_suspended(device):
            continue
        if keys:
            # Not every kernel loads them by itself when they are needed.
            run(['modprobe', '-a', 'dm_crypt', 'dm_zero'], check=False, timeout=60)
        name = 'causeway-bitlocker-%s' % re.sub(r'\W', '-', os.path.basename(device.path))
        for key in keys:
            if key.get('device') and key['device'].lower() not in identities(device):
                continue
            undo_log.will('close-luks', name=name)
            result = run(
                ['cryptsetup', 'open', '--type', 'bitlk'] + (['--readonly'] if read_only else []) + ['--key-file', '-', device.path, name],
                text_input=recovery_key(base64.b64decode(key['key'])),
                check=False,
                timeout=180,
            )
            if result.code == 0:
                volume = BlockDevice('/dev/mapper/' + name, 'decrypted', disk=device.disk, number=device.number, name=device.path).probe()
                protocol.log('%s was opened with a key of BitLocker' % device.path)
                found.append(volume)
                break
            undo_log.undo_last()
            if result.code == 127 or 'bitlk' in result.err and 'nknown' in result.err:
                protocol.warn('the worker has no cryptsetup that knows BitLocker (2.3 or newer); %s stays locked' % device.path)
                return found
            if result.code != 2 and result.err.strip():
                # 2, or nothing said: the key does not fit. Others have another reason, such as a volume that is not encrypted completely.
                protocol.warn('%s cannot be opened: %s' % (device.path, result.err.strip()[-300:]))
    return found


def opened_from(devices):
    """Paths of volumes that are open."""
    return set(device.name for device in devices if device.kind == 'decrypted')


def locked(devices):
    """Volumes that no key opened."""
    opened = opened_from(devices)
    return [device for device in devices if device.content == _CONTENT and device.path not in opened]


def open_suspended(devices, undo_log, read_only=False):
    """Opens each volume whose key stands on it in the clear, as while Windows has its protection suspended. Nothing of that is changed. Returns the new devices.
    Of the programs that open such volumes, only cryptsetup from 2.8.2 on opens these."""
    found = []
    for device in locked(devices):
        try:
            metadata = bitlocker_metadata.Metadata(device.path)
            if not metadata.is_open or not metadata.is_whole:
                continue
            table = bitlocker_metadata.table(metadata, device.path)
        except (OSError, Unreadable) as error:
            protocol.log('%s cannot be opened without a key: %s' % (device.path, error))
            continue
        run(['modprobe', '-a', 'dm_crypt', 'dm_zero'], check=False, timeout=60)
        name = 'causeway-bitlocker-%s' % re.sub(r'\W', '-', os.path.basename(device.path))
        undo_log.will('remove-mapping', name=name)
        result = device_mapper.create(name, table, read_only)
        if result.code != 0:
            undo_log.undo_last()
            why = 'it has no dmsetup' if result.code == 127 else result.err.strip()[-300:]
            protocol.warn('the protection of %s by BitLocker is suspended, but the worker cannot open it: %s' % (device.path, why))
            continue
        volume = BlockDevice('/dev/mapper/' + name, 'decrypted', disk=device.disk, number=device.number, name=device.path).probe()
        if not volume.content:
            undo_log.undo_last()
            protocol.warn('the protection of %s by BitLocker is suspended, but the worker cannot open it: nothing that it knows is on it' % device.path)
            continue
        protocol.log('%s was opened without a key: its protection by BitLocker is suspended' % device.path)
        found.append(volume)
    return found


def is_suspended(device):
    """Whether its key stands on it in the clear."""
    metadata = _metadata(device)
    return metadata is not None and metadata.is_open


def is_halfway(device):
    """Whether Windows was about to encrypt or to decrypt it."""
    metadata = _metadata(device)
    return metadata is not None and not metadata.is_whole


def _metadata(device):
    try:
        return bitlocker_metadata.Metadata(device.path)
    except (OSError, Unreadable):
        return None


def _dump(device):
    return run(['cryptsetup', 'bitlkDump', device.path], check=False, timeout=60).out


def identities(device):
    """How a key may name the volume that it is for."""
    told = _dump(device)
    guid = re.search(r'^GUID:\s*([0-9A-Fa-f-]{36})\s*$', told, re.MULTILINE)
    named = [device.path, device.uuid, device.properties.get('PART_ENTRY_UUID'), guid.group(1) if guid else None]
    return [one.lower() for one in named if one]


def recovery_key(secret):
    """As the program wants it: people write its 48 digits with spaces, line ends, or without dashes."""
    digits = re.sub(rb'[\s-]', b'', secret)
    if not re.match(rb'^\d{48}$', digits):
        return secret
    return b'-'.join(digits[at : at + 6] for at in range(0, 48, 6))


def warn_of_source_keys(device):
    """The destination has no TPM that knows the volume's key: Windows asks for the recovery key, unless its protection is suspended."""
    metadata = _metadata(BlockDevice(device.name, 'partition'))
    if metadata is not None and metadata.is_open:
        later = (
            'it protects the volume again by itself after some starts, and then each start asks for the recovery key: before that, remove the protection by the old TPM in Windows (manage-bde -protectors -delete C: -type TPM)'
            if metadata.has_other_protectors
            else 'its key stays on the disk in the clear until BitLocker is switched on or off in Windows'
        )
        protocol.warn('Windows is on a volume whose protection by BitLocker is suspended (%s). It starts without a key on the destination; %s' % (device.name, later))
        return
    protocol.warn(
        'Windows is on a volume that BitLocker encrypts (%s). The destination asks for its recovery key on the console at the first start; '
        'afterwards, suspend and resume BitLocker in Windows, or each start asks again' % device.name
    )

"""Encrypted volumes that a TPM, Clevis or a key unlocks on the source. Where that is asked for, they are left with passphrases
alone: the destination tries the others in vain at each start, and some wait for them."""

import base64
import re
import uuid

from . import fstab, protocol
from .command import run
from .protocol import MorphError

WAYS = {
    'systemd-tpm2': 'a TPM', 'clevis': 'Clevis (a TPM or a server on its network)', 'systemd-fido2': 'a FIDO2 key', 'systemd-pkcs11': 'a smart card',
}
_OPTIONS = re.compile(r'^(tpm2|fido2|pkcs11)-[a-z0-9-]+(=.*)?$|^headless(=.*)?$')


# LUKSMeta of LUKS1: a page between the key slots and the data, with an entry for each of eight slots. Each begins with the identifier
# of who made it.
_PAGE = 4096
_MOST_PAGES = 4096
_METADATA = b'LUKSMETA'
_FIRST_ENTRY, _ENTRY, _ENTRIES = 16, 32, 8
_CLEVIS = uuid.UUID('cb6e8904-81ff-40da-a84a-07ab9ab5715e').bytes


class Header(object):
    """What a header holds. `slots`: numbers of the key slots, `tokens`: number → (type, slots), both of LUKS2.
    `clevis_slots`: numbers of the slots that Clevis keeps in LUKS1."""

    def __init__(self, device):
        self.slots, self.tokens, self.clevis_slots = set(), {}, []
        section, token = '', None
        for line in run(['cryptsetup', 'luksDump', device.path], check=False, timeout=60).out.splitlines():
            payload = re.match(r'^Payload offset:\s+(\d+)\s*$', line)
            if payload:
                self.clevis_slots = _clevis_slots(device.path, int(payload.group(1)) * 512)
            if re.match(r'^\S.*:\s*$', line):
                section = line.strip().lower()
                continue
            numbered = re.match(r'^\s+(\d+): ([\w-]+)\s*$', line)
            if section == 'keyslots:' and numbered:
                self.slots.add(int(numbered.group(1)))
            elif section == 'tokens:' and numbered:
                token = int(numbered.group(1))
                self.tokens[token] = (numbered.group(2), set())
            elif section == 'tokens:' and token is not None:
                slot = re.match(r'^\s+Keyslot:\s+(\d+)\s*$', line)
                if slot:
                    self.tokens[token][1].add(int(slot.group(1)))

    def unattended(self):
        return dict((number, told) for number, told in self.tokens.items() if told[0] in WAYS)

    def ways(self):
        kinds = [kind for kind, _ in self.unattended().values()] + (['clevis'] if self.clevis_slots else [])
        return sorted(set(WAYS[kind] for kind in kinds))


def _clevis_slots(path, end):
    """`end`: where the data begins."""
    with open(path, 'rb') as file:
        for _ in range(min(end // _PAGE, _MOST_PAGES)):
            page = file.read(_PAGE)
            if page.startswith(_METADATA):
                begins = [_FIRST_ENTRY + number * _ENTRY for number in range(_ENTRIES)]
                return [number for number, begin in enumerate(begins) if page[begin : begin + len(_CLEVIS)] == _CLEVIS]
    return []


def unbind(morph):
    """Removes tokens with their key slots, and what the guest says of them. Raises when no given key would remain."""
    if not morph.request.get('unbindVolumes'):
        return False, []
    opened = set(device.name for device in morph.devices if device.kind == 'decrypted')
    keys = [base64.b64decode(key['key']) for key in morph.request.get('luksKeys') or []]
    notes, uuids = [], set()
    # Every volume is checked before the first is changed.
    found = []
    for device in morph.devices:
        if device.content != 'crypto_LUKS' or device.uuid not in opened:
            continue
        uuids.add(device.uuid)
        header = Header(device)
        if header.clevis_slots:
            protocol.warn(
                'the encrypted volume %s is LUKS1, from which Clevis cannot be removed here (slot %s): run `clevis luks unbind` on the source and execute the replica again'
                % (device.uuid, ', '.join(str(slot) for slot in header.clevis_slots))
            )
        if header.unattended():
            _check_key(device, header, keys)
            found.append((device, header))
    for device, header in found:
        for number, (_, slots) in sorted(header.unattended().items()):
            run(['cryptsetup', 'token', 'remove', '--token-id', str(number), device.path], timeout=60)
            for slot in sorted(slots & header.slots):
                run(['cryptsetup', 'luksKillSlot', '--batch-mode', device.path, str(slot)], timeout=120)
        notes.append('the encrypted volume %s is no longer unlocked by %s' % (device.uuid, ' or '.join(header.ways())))
    notes += _table(morph.guest, morph.resolver, uuids)
    if notes:
        morph.rebuild_initramfs = True
    if any(re.search(r'(tpm2|fido2|pkcs11)-', morph.guest.read(path, '')) for path in ('/etc/default/grub', '/etc/kernel/cmdline')):
        protocol.warn('the kernel\'s command line asks for a TPM or a key to unlock volumes (rd.luks.options); remove that in the guest')
    return bool(notes), notes


def _check_key(device, header, keys):
    """One of the given keys has to open a slot that stays."""
    going = set(slot for _, slots in header.unattended().values() for slot in slots)
    for key in keys:
        for slot in sorted(header.slots - going):
            tried = run(
                ['cryptsetup', 'open', '--type', 'luks', '--test-passphrase', '--key-slot', str(slot), '--key-file', '-', device.path],
                text_input=key, check=False, timeout=180,
            )
            if tried.code == 0:
                return
    raise MorphError(
        'osmorphing.locked',
        'without its tokens, no given key opens the encrypted volume %s; add a passphrase to it on the source (cryptsetup luksAddKey)' % device.uuid,
        {'device': device.uuid},
    )


def _table(guest, resolver, uuids):
    lines = guest.read('/etc/crypttab', '').splitlines()
    notes = []
    for index, name, spec, _, options in list(fstab.crypttab(guest)):
        device = resolver.find(spec)
        kept = [option for option in options if not _OPTIONS.match(option)]
        if device is None or device.uuid not in uuids or kept == options:
            continue
        fields = lines[index].split()
        lines[index] = ' '.join(fields[:3] + [','.join(kept) or 'luks'] + fields[4:])
        notes.append('/etc/crypttab: %s is unlocked by a passphrase' % name)
    if notes:
        guest.write('/etc/crypttab', '\n'.join(lines) + '\n')
    return notes

"""The boot loader of Windows where firmware looks that knows nothing of this machine."""

import os

from .. import protocol
from ..command import run
from ..protocol import Cancelled, MorphError
from .tree import WindowsTree

_ESP = 'c12a7328-f81f-11d2-ba4b-00a0c93ec93b'
_NAMES = {'x86_64': 'BOOTX64.EFI', 'i386': 'BOOTIA32.EFI', 'aarch64': 'BOOTAA64.EFI'}
_OWN = 'EFI/Microsoft/Boot/bootmgfw.efi'


def ensure(installation, devices, session):
    """Returns (changed, notes)."""
    partitions = [one for one in devices if one.properties.get('PART_ENTRY_TYPE', '').lower() == _ESP and one.content == 'vfat']
    notes = []
    for device in partitions:
        point = os.path.join(session.folder, 'loader')
        os.makedirs(point, exist_ok=True)
        session.undo_log.will('unmount', path=point)
        try:
            run(['mount', '-t', 'vfat', '-o', 'rw,nodev,nosuid,noexec', device.path, point], timeout=120, code='osmorphing.mount-failed')
            notes += provide(WindowsTree(point), installation.architecture)
        except Cancelled:
            raise
        except (MorphError, OSError) as error:
            protocol.warn('the EFI system partition %s cannot be prepared: %s' % (device.path, error))
        finally:
            session.undo_log.undo_last()
    return bool(notes), notes


def provide(tree, architecture):
    """Copies the loader to the name that firmware tries first, when nothing is there."""
    name = _NAMES.get(architecture)
    if name is None or not tree.is_file(_OWN) or tree.is_file('EFI/BOOT/' + name):
        return []
    tree.write('EFI/BOOT/' + name, tree.read(_OWN, 64 << 20))
    return ['copied %s to EFI/BOOT/%s' % (_OWN, name)]

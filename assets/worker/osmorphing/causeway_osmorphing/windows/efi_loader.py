"""The boot loader of Windows where firmware looks that knows nothing of this machine. Of its boot data, one setting alone may keep Windows from starting elsewhere.
Others are left as they are: disks are found by what is on them, a debugger that nobody attached and a hypervisor that does not start hold nothing up, and test signing is
nothing that drivers of the destination need."""

import os

from .. import protocol
from ..command import run
from ..protocol import Cancelled, MorphError
from .hive import Hive
from .tree import WindowsTree

_ESP = 'c12a7328-f81f-11d2-ba4b-00a0c93ec93b'
_NAMES = {'x86_64': 'BOOTX64.EFI', 'i386': 'BOOTIA32.EFI', 'aarch64': 'BOOTAA64.EFI'}
_OWN = 'EFI/Microsoft/Boot/bootmgfw.efi'


def ensure(installation, devices, session, planned=False):
    """Returns (changed, notes)."""
    partitions = [one for one in devices if one.properties.get('PART_ENTRY_TYPE', '').lower() == _ESP and one.content == 'vfat']
    notes = []
    for device in partitions:
        point = os.path.join(session.folder, 'loader')
        os.makedirs(point, exist_ok=True)
        session.undo_log.will('unmount', path=point)
        try:
            run(['mount', '-t', 'vfat', '-o', '%s,nodev,nosuid,noexec' % ('ro' if planned else 'rw'), device.path, point], timeout=120, code='osmorphing.mount-failed')
            tree = WindowsTree(point, 'EFI/Causeway/original')
            if planned:
                notes += planned_for(tree, installation.architecture)
                continue
            notes += provide(tree, installation.architecture) + show_start(tree)
        except Cancelled:
            raise
        except (MorphError, OSError) as error:
            protocol.warn('the EFI system partition %s cannot be prepared: %s' % (device.path, error))
        finally:
            session.undo_log.undo_last()
    return bool(notes), notes


# The boot manager's default entry, and whether that starts without the screen of the firmware.
_MANAGER = 'Objects\\{9dea862c-5cdd-4e70-acc1-f32b344d4795}\\Elements\\23000003'
_WITHOUT_GRAPHICS = '16000046'
_BOOT_DATA = 'EFI/Microsoft/Boot/BCD'


def show_start(tree):
    """Where Windows was told to use no graphics as it starts, the destination's firmware shows nothing, and it may stop there."""
    if not tree.is_file(_BOOT_DATA):
        return []
    hive = Hive(tree, _BOOT_DATA, 'BCD')
    try:
        entry = hive.text(_MANAGER, 'Element')
        removed = bool(entry) and hive.remove_key('Objects\\%s\\Elements\\%s' % (entry, _WITHOUT_GRAPHICS))
        return ['Windows shows its start on the screen'] if removed and hive.save() else []
    finally:
        hive.close()


def planned_for(tree, architecture):
    """What would be done."""
    name = _missing(tree, architecture)
    return (['copied %s to EFI/BOOT/%s' % (_OWN, name)] if name else []) + (['Windows shows its start on the screen'] if _is_without_graphics(tree) else [])


def _is_without_graphics(tree):
    if not tree.is_file(_BOOT_DATA):
        return False
    hive = Hive(tree, _BOOT_DATA, 'BCD', write=False)
    try:
        entry = hive.text(_MANAGER, 'Element')
        return bool(entry) and hive.node('Objects\\%s\\Elements\\%s' % (entry, _WITHOUT_GRAPHICS)) is not None
    finally:
        hive.close()


def _missing(tree, architecture):
    """The name that firmware tries first, when the guest has a loader and nothing is there."""
    name = _NAMES.get(architecture)
    return None if name is None or not tree.is_file(_OWN) or tree.is_file('EFI/BOOT/' + name) else name


def provide(tree, architecture):
    """Copies the loader there."""
    name = _missing(tree, architecture)
    if name is None:
        return []
    tree.write('EFI/BOOT/' + name, tree.read(_OWN, 64 << 20))
    return ['copied %s to EFI/BOOT/%s' % (_OWN, name)]

#!/usr/bin/python3
"""Boot data of Windows as a hive, without graphics at the start: changes them with the program in the given folder, and reads them again.

    boot_data.py PROGRAM_FOLDER
"""

import os
import sys
import tempfile

import hivex

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, sys.argv[1])

from causeway_osmorphing.windows.efi_loader import show_start  # noqa: E402
from causeway_osmorphing.windows.tree import WindowsTree  # noqa: E402
from make_windows_disk import BINARY, SZ, write_hive  # noqa: E402

MANAGER = '{9dea862c-5cdd-4e70-acc1-f32b344d4795}'
ENTRY = '{11111111-2222-4333-8444-555555555555}'


def elements(path):
    hive = hivex.Hivex(path)
    node = hive.root()
    for part in ('Objects', ENTRY, 'Elements'):
        node = hive.node_get_child(node, part)
    return sorted(hive.node_name(child) for child in hive.node_children(node))


with tempfile.TemporaryDirectory() as root:
    path = os.path.join(root, 'EFI/Microsoft/Boot/BCD')
    os.makedirs(os.path.dirname(path))
    write_hive(path, {
        'Objects\\%s\\Elements\\23000003' % MANAGER: {'Element': (SZ, ENTRY)},
        'Objects\\%s\\Elements\\16000046' % ENTRY: {'Element': (BINARY, b'\1')},
        'Objects\\%s\\Elements\\12000004' % ENTRY: {'Element': (SZ, 'Windows')},
    })
    tree = WindowsTree(root, 'EFI/Causeway/original')
    shown, again = bool(show_start(tree)), bool(show_start(tree))
    kept = elements(path) == ['12000004'] and '16000046' in elements(os.path.join(root, 'EFI/Causeway/original/EFI/Microsoft/Boot/BCD'))
    print('shown %s, again %s, others kept %s' % (shown, again, kept))

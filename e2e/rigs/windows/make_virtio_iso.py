#!/usr/bin/python3
"""A disc with the folders of the usual VirtIO drivers disc. Its drivers are programs' headers with honest installation
files beside them: tools copy and register them, no Windows would run them.

    make_virtio_iso.py ISO [FOLDER]

Needs xorriso. FOLDER keeps the disc's files.
"""

import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from make_windows_disk import program_header  # noqa: E402

# Driver folder: (file name, service, class, class id, start, PCI device numbers old and new)
DRIVERS = {
    'viostor': ('viostor', 'viostor', 'SCSIAdapter', '4d36e97b-e325-11ce-bfc1-08002be10318', 0, '1001', '1042'),
    'vioscsi': ('vioscsi', 'vioscsi', 'SCSIAdapter', '4d36e97b-e325-11ce-bfc1-08002be10318', 0, '1004', '1048'),
    'NetKVM': ('netkvm', 'netkvm', 'Net', '4d36e972-e325-11ce-bfc1-08002be10318', 3, '1000', '1041'),
    'Balloon': ('balloon', 'BALLOON', 'System', '4d36e97d-e325-11ce-bfc1-08002be10318', 3, '1002', '1045'),
    'vioserial': ('vioser', 'VirtioSerial', 'System', '4d36e97d-e325-11ce-bfc1-08002be10318', 3, '1003', '1043'),
    'viorng': ('viorng', 'VirtRng', 'System', '4d36e97d-e325-11ce-bfc1-08002be10318', 3, '1005', '1044'),
}
SYSTEMS = ('2k8R2', '2k12R2', '2k16', '2k19', '2k22', 'w10', 'w11')
ARCHITECTURES = {'amd64': 'amd64', 'x86': 'x86'}

_INF = '''; Installation file of a driver that is none.
[Version]
Signature = "$WINDOWS NT$"
Class = %(class)s
ClassGUID = {%(guid)s}
Provider = %%Vendor%%
DriverVer = 08/08/2022,100.92.104.22200
CatalogFile = %(file)s.cat
PnpLockdown = 1

[SourceDisksNames]
1 = %%Disk%%,,,

[SourceDisksFiles]
%(file)s.sys = 1,,

[DestinationDirs]
DefaultDestDir = 12

[Manufacturer]
%%Vendor%% = Models, NT%(decoration)s

[Models.NT%(decoration)s]
%%Old%% = Driver_Inst, PCI\\VEN_1AF4&DEV_%(old)s&SUBSYS_%(old_subsystem)s1AF4&REV_00, PCI\\VEN_1AF4&DEV_%(old)s
%%New%% = Driver_Inst, PCI\\VEN_1AF4&DEV_%(new)s&SUBSYS_%(new_subsystem)s1AF4&REV_01, PCI\\VEN_1AF4&DEV_%(new)s

[Driver_Inst]
CopyFiles = Driver.Copy

[Driver.Copy]
%(file)s.sys

[Driver_Inst.Services]
AddService = %(service)s, %%SPSVCINST_ASSOCSERVICE%%, Driver_Service

[Driver_Service]
DisplayName = %%Name%%
ServiceType = 1
StartType = %(start)d
ErrorControl = 1
ServiceBinary = %%12%%\\%(file)s.sys
%(group)s

[Strings]
Vendor = "Rig"
SPSVCINST_ASSOCSERVICE = 0x00000002
Disk = "Drivers of the rig"
Name = "%(file)s of the rig"
Old = "%(file)s (old)"
New = "%(file)s (new)"
'''


def fill(folder, file, service, kind, guid, start, old, new, architecture):
    os.makedirs(folder)
    fields = {
        'file': file,
        'service': service,
        'class': kind,
        'guid': guid,
        'start': start,
        'old': old,
        'new': new,
        'old_subsystem': '%04X' % {'1001': 2, '1004': 8, '1000': 1, '1002': 5, '1003': 3, '1005': 4}[old],
        'new_subsystem': '1100',
        'decoration': 'amd64' if architecture == 'amd64' else 'x86',
        'group': 'LoadOrderGroup = SCSI miniport' if start == 0 else '',
    }
    with open(os.path.join(folder, file + '.inf'), 'w', newline='\r\n') as text:
        text.write(_INF % fields)
    for ending, content in (('sys', program_header(architecture == 'x86') + file.encode()), ('cat', b'no catalogue ' + file.encode()), ('pdb', b'symbols')):
        with open(os.path.join(folder, '%s.%s' % (file, ending)), 'wb') as binary:
            binary.write(content)


def fill_disc(root):
    for name, told in DRIVERS.items():
        for system in SYSTEMS:
            for architecture in ARCHITECTURES:
                if architecture == 'x86' and system not in ('w10', '2k8R2'):
                    continue
                fill(os.path.join(root, name, system, architecture), *told, architecture)
    for name in ('viostor', 'vioscsi'):
        for system in ('2k16', '2k19', '2k22', 'w10', 'w11'):
            shutil.copytree(os.path.join(root, name, system, 'amd64'), os.path.join(root, 'amd64', system), dirs_exist_ok=True)
    os.makedirs(os.path.join(root, 'guest-agent'))
    for name in ('qemu-ga-x86_64.msi', 'qemu-ga-i386.msi'):
        with open(os.path.join(root, 'guest-agent', name), 'wb') as file:
            # What installers begin with; nothing more of one is there.
            file.write(b'\xd0\xcf\x11\xe0 no installer')


def main(arguments):
    with tempfile.TemporaryDirectory() as scratch:
        root = arguments[1] if len(arguments) > 1 else os.path.join(scratch, 'disc')
        fill_disc(root)
        subprocess.run(
            ['xorriso', '-as', 'mkisofs', '-quiet', '-J', '-R', '-iso-level', '4', '-V', 'virtio-win-0.1.0', '-o', arguments[0], root],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )


if __name__ == '__main__':
    main(sys.argv[1:])

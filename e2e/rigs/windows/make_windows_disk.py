#!/usr/bin/python3
"""A disk that tools take for Windows Server 2019: MBR, NTFS, registry hives, a few programs' headers. Not a Windows: it
boots nothing.

    make_windows_disk.py DISK [--client] [--x86]

Needs root (FUSE), ntfs-3g, fdisk and python3-hivex.
"""

import os
import struct
import subprocess
import sys
import tempfile

import hivex

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from empty_hive import empty_hive  # noqa: E402

SIZE = 160 << 20
START = 1 << 20
SZ, EXPAND, BINARY, DWORD, MULTI = 1, 2, 3, 4, 7
ADAPTER = '{11111111-2222-4333-8444-555555555555}'
SECOND = '{66666666-7777-4888-9999-aaaaaaaaaaaa}'
NETWORK_CLASS = '{4d36e972-e325-11ce-bfc1-08002be10318}'


def _text(value):
    return (value + '\0').encode('utf-16-le')


def _encoded(kind, value):
    if kind == DWORD:
        return struct.pack('<I', value)
    if kind == MULTI:
        return ''.join(one + '\0' for one in value).encode('utf-16-le') + b'\0\0'
    return value if isinstance(value, bytes) else _text(value)


def _fill(hive, keys):
    for path, values in keys.items():
        node = hive.root()
        for part in path.split('\\'):
            child = hive.node_get_child(node, part)
            node = hive.node_add_child(node, part) if child is None else child
        listed = [{'key': name, 't': kind, 'value': _encoded(kind, value)} for name, (kind, value) in values.items()]
        hive.node_set_values(node, listed)


def write_hive(path, keys):
    with open(path, 'wb') as file:
        file.write(empty_hive())
    hive = hivex.Hivex(path, write=True)
    _fill(hive, keys)
    hive.commit(None)


def system_keys(x86=False):
    control, services = 'ControlSet001\\Control', 'ControlSet001\\Services'
    driver = {'Type': (DWORD, 1), 'ErrorControl': (DWORD, 1)}
    tcpip = services + '\\Tcpip\\Parameters'
    return {
        'Select': {'Current': (DWORD, 1), 'Default': (DWORD, 1), 'Failed': (DWORD, 0), 'LastKnownGood': (DWORD, 1)},
        control + '\\ComputerName\\ComputerName': {'ComputerName': (SZ, 'WINSRC')},
        control + '\\Session Manager\\Environment': {'PROCESSOR_ARCHITECTURE': (SZ, 'x86' if x86 else 'AMD64')},
        control + '\\ProductOptions': {'ProductType': (SZ, 'ServerNT')},
        control + '\\CriticalDeviceDatabase': {},
        control + '\\CrashControl': {'AutoReboot': (DWORD, 1)},
        control + '\\Class': {},
        control + '\\Network\\%s\\%s\\Connection' % (NETWORK_CLASS, ADAPTER): {'Name': (SZ, 'Ethernet0')},
        control + '\\Network\\%s\\%s\\Connection' % (NETWORK_CLASS, SECOND): {'Name': (SZ, 'Ethernet1')},
        # A fixed address of IPv6, in the store that Windows has for them: the first card is the seventh of its kind.
        control + '\\Class\\%s\\0007' % NETWORK_CLASS: {'NetCfgInstanceId': (SZ, ADAPTER), 'NetLuidIndex': (DWORD, 7), '*IfType': (DWORD, 6)},
        control + '\\Nsi\\{eb004a01-9b1a-11d4-9123-0050047759bc}\\10': {
            '0000000700000600' + 'fd000000000000000000000000000015': (BINARY, struct.pack('<4I2B', 0xFFFFFFFF, 0xFFFFFFFF, 1, 1, 64, 0) + b'\xff' * 30),
        },
        services + '\\LSI_SAS': dict(driver, Start=(DWORD, 0)),
        services + '\\partmgr': dict(driver, Start=(DWORD, 0)),
        services + '\\VMTools': {
            'Type': (DWORD, 0x10),
            'Start': (DWORD, 2),
            'ErrorControl': (DWORD, 1),
            'ImagePath': (EXPAND, '"C:\\Program Files\\VMware\\VMware Tools\\vmtoolsd.exe"'),
            'ObjectName': (SZ, 'LocalSystem'),
        },
        services + '\\vmmouse': dict(driver, Start=(DWORD, 3)),
        services + '\\VMMemCtl': dict(driver, Start=(DWORD, 2)),
        services + '\\pvscsi': dict(driver, Start=(DWORD, 0)),
        tcpip: {'Hostname': (SZ, 'winsrc')},
        tcpip + '\\Interfaces\\' + ADAPTER: {
            'EnableDHCP': (DWORD, 0),
            'IPAddress': (MULTI, ['10.20.0.15', '10.20.0.16']),
            'SubnetMask': (MULTI, ['255.255.255.0', '255.255.255.0']),
            'DefaultGateway': (MULTI, ['10.20.0.1']),
            'NameServer': (SZ, '10.20.0.2,10.20.0.3'),
            'Domain': (SZ, ''),
        },
        tcpip + '\\Interfaces\\' + SECOND: {
            'EnableDHCP': (DWORD, 1),
            'DhcpIPAddress': (SZ, '10.30.0.9'),
        },
        control + '\\Session Manager\\Memory Management': {'PagingFiles': (MULTI, ['T:\\pagefile.sys 0 0'])},
        # The second letter is of a disk that a cloud lends.
        'MountedDevices': {
            '\\DosDevices\\C:': (BINARY, struct.pack('<IQ', 0x57494E31, START)),
            '\\DosDevices\\T:': (BINARY, struct.pack('<IQ', 0x11111111, START)),
        },
        'DriverDatabase': {'Version': (DWORD, 0x0A000000), 'SchemaVersion': (DWORD, 0x10000)},
        'DriverDatabase\\DeviceIds\\PCI': {},
        'DriverDatabase\\DriverInfFiles': {},
        'DriverDatabase\\DriverPackages': {},
    }


def software_keys(client=False):
    current = 'Microsoft\\Windows NT\\CurrentVersion'
    return {
        current: {
            'ProductName': (SZ, 'Windows 10 Pro' if client else 'Windows Server 2019 Standard'),
            'CurrentVersion': (SZ, '6.3'),
            'CurrentMajorVersionNumber': (DWORD, 10),
            'CurrentMinorVersionNumber': (DWORD, 0),
            'CurrentBuild': (SZ, '17763'),
            'CurrentBuildNumber': (SZ, '17763'),
            'InstallationType': (SZ, 'Client' if client else 'Server'),
            'EditionID': (SZ, 'Professional' if client else 'ServerStandard'),
            'SystemRoot': (SZ, 'C:\\Windows'),
        },
        current + '\\SoftwareProtectionPlatform': {'KeyManagementServiceName': (SZ, 'kms.core.windows.net'), 'VLActivationInterval': (DWORD, 120)},
        'Microsoft\\Windows\\CurrentVersion': {
            'DevicePath': (EXPAND, '%SystemRoot%\\inf'),
            'ProgramFilesDir': (SZ, 'C:\\Program Files'),
        },
        'Microsoft\\Windows\\CurrentVersion\\RunOnce': {},
        'Microsoft\\Windows\\CurrentVersion\\Uninstall\\{aaaaaaaa-0000-4000-8000-000000000001}': {
            'DisplayName': (SZ, 'VMware Tools'),
            'DisplayVersion': (SZ, '12.3.5'),
            'UninstallString': (EXPAND, 'MsiExec.exe /I{aaaaaaaa-0000-4000-8000-000000000001}'),
            'Publisher': (SZ, 'VMware, Inc.'),
        },
    }


def program_header(x86=False):
    """The beginning of a Windows program, which says for which processor it is."""
    head = bytearray(512)
    head[:2] = b'MZ'
    struct.pack_into('<H', head, 0x18, 0x40)
    struct.pack_into('<I', head, 0x3C, 0x80)
    head[0x80:0x84] = b'PE\0\0'
    struct.pack_into('<HHIIIHH', head, 0x84, 0x14C if x86 else 0x8664, 1, 0, 0, 0, 0xE0 if x86 else 0xF0, 0x22)
    struct.pack_into('<H', head, 0x98, 0x10B if x86 else 0x20B)
    struct.pack_into('<H', head, 0x98 + 68, 3)
    return bytes(head)


def fill_tree(root, client=False, x86=False):
    """The files of the installation below a folder."""
    for folder in ('Windows/System32/config', 'Windows/System32/drivers', 'Windows/INF', 'Program Files', 'Users/Public'):
        os.makedirs(os.path.join(root, folder), exist_ok=True)
    config = os.path.join(root, 'Windows/System32/config')
    write_hive(config + '/SYSTEM', system_keys(x86))
    write_hive(config + '/SOFTWARE', software_keys(client))
    write_hive(config + '/SAM', {})
    for name in ('Windows/System32/cmd.exe', 'Windows/explorer.exe', 'Windows/System32/ntoskrnl.exe'):
        with open(os.path.join(root, name), 'wb') as file:
            file.write(program_header(x86))


def main(arguments):
    disk = arguments[0]
    partition = disk + '.partition'
    with open(partition, 'wb') as file:
        file.truncate(SIZE)
    subprocess.run(['mkntfs', '-q', '-Q', '-F', '-L', 'System', '-p', str(START // 512), '-H', '16', '-S', '63', partition], check=True, stdout=subprocess.DEVNULL)
    point = tempfile.mkdtemp()
    try:
        subprocess.run(['ntfs-3g', partition, point], check=True)
        try:
            fill_tree(point, client='--client' in arguments, x86='--x86' in arguments)
        finally:
            subprocess.run(['umount', point], check=True)
    finally:
        os.rmdir(point)
    with open(disk, 'r+b' if os.path.exists(disk) else 'wb') as file:
        file.truncate(max(START + SIZE, os.path.getsize(disk)))
    subprocess.run(['sfdisk', '-q', disk], input=b'label: dos\nlabel-id: 0x57494e31\nstart=2048, size=%d, type=7, bootable\n' % (SIZE // 512), check=True)
    subprocess.run(['dd', 'if=' + partition, 'of=' + disk, 'bs=1M', 'seek=1', 'conv=notrunc,sparse', 'status=none'], check=True)
    os.unlink(partition)


if __name__ == '__main__':
    main(sys.argv[1:])

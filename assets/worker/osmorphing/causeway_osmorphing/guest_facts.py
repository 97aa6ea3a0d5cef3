"""Facts about a guest that people and the preparation steps need."""

import re

from .hypervisor_tools import installed_tools
from .network import kinds_of
from .packages import package_manager

_ARCHITECTURES = {'x86-64': 'x86_64', 'x86_64': 'x86_64', 'aarch64': 'aarch64'}
_MACHINES = {0x3E: 'x86_64', 0xB7: 'aarch64', 0x03: 'i386', 0x28: 'arm', 0x15: 'ppc64', 0x16: 's390x', 0xF3: 'riscv64'}


def guest_facts_of(guest, root, mounted):
    """The facts as plain data."""
    names = {}
    packages = package_manager(guest).installed() if guest.family else {}
    names.update(
        {
            'distribution': guest.release.get('ID', ''),
            'version': guest.release.get('VERSION_ID', ''),
            'name': guest.release.get('PRETTY_NAME', ''),
            'family': guest.family or 'other',
            'architecture': architecture_of(guest),
            'hostname': guest.read('/etc/hostname', '').strip(),
            'root': root.describe(),
            'mounts': dict((point, device.describe()) for point, device in mounted.items()),
            'kernels': guest.kernels(),
            'bootloader': bootloader_of(guest),
            'firmware': 'uefi' if is_uefi(guest) else 'bios',
            'init': init_of(guest),
            'network': kinds_of(guest),
            'selinux': selinux_of(guest),
            'cloudInit': packages.get('cloud-init') or ('installed' if guest.has_program('cloud-init') else None),
            'hypervisorTools': installed_tools(guest, packages),
        }
    )
    return names


def architecture_of(guest):
    """Read from the header of a program that every system has."""
    for path in ('/bin/sh', '/usr/bin/env', '/sbin/init', '/bin/true'):
        try:
            head = guest.head(path, 20)
        except OSError:
            continue
        if head[:4] == b'\x7fELF' and len(head) == 20:
            return _MACHINES.get(int.from_bytes(head[18:20], 'little' if head[5] == 1 else 'big'), 'unknown')
    return 'unknown'


def is_uefi(guest):
    return bool(guest.names('/boot/efi/EFI') or guest.names('/efi/EFI') or guest.names('/boot/EFI'))


def bootloader_of(guest):
    if is_uefi(guest):
        return (
            'systemd-boot'
            if guest.names('/boot/loader/entries')
            and not guest.is_folder('/boot/grub2')
            and not guest.is_folder('/boot/grub')
            else 'grub-efi'
        )
    if guest.exists('/boot/grub2/grub.cfg') or guest.exists('/boot/grub/grub.cfg'):
        return 'grub-bios'
    if guest.exists('/boot/grub/menu.lst') or guest.exists('/boot/grub/grub.conf'):
        return 'grub-legacy'
    if guest.exists('/boot/extlinux/extlinux.conf') or guest.exists('/extlinux.conf'):
        return 'extlinux'
    return 'unknown'


def init_of(guest):
    if guest.has_systemd:
        return 'systemd'
    if guest.exists('/sbin/upstart') or guest.is_folder('/etc/init'):
        return 'upstart'
    if guest.exists('/sbin/openrc-init') or guest.exists('/sbin/openrc'):
        return 'openrc'
    return 'sysvinit' if guest.exists('/etc/inittab') else 'unknown'


def selinux_of(guest):
    """enforcing, permissive, disabled, or absent."""
    found = re.search(r'^\s*SELINUX\s*=\s*(\w+)', guest.read('/etc/selinux/config', ''), re.MULTILINE)
    return found.group(1).lower() if found else 'absent'

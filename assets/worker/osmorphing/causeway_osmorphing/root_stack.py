"""What the root file system lies on: volumes of LVM, arrays, encrypted volumes. Tools of a guest look for that on the devices that
they see, which are not all: what they need is given to them, and looked for in what they make."""

import os
import re

from .command import run
from .kernel_drivers import file_systems, modules_in

# What puts the layers below a root together: programs, and modules of the kernel.
_PROGRAMS = {'logical': 'lvm', 'raid': 'mdadm'}
_MODULES = {'logical': ('dm_mod',), 'decrypted': ('dm_mod', 'dm_crypt')}


class RootStack(object):
    """`kinds` of devices, the `types` of file systems, the `levels` of arrays (raid1, …), and the `ciphers` of encrypted volumes as
    words (aes, xts, …)."""

    def __init__(self, kinds=(), types=(), levels=(), ciphers=()):
        self.kinds = kinds
        self.types = types
        self.levels = levels
        self.ciphers = ciphers

    def modules(self, guest, version):
        """(all that help, groups of which each needs one) of the kernel's modules; what is built in is in none."""
        there = _modules_there(guest, version) if self.kinds else set()
        needed = set(name for kind in self.kinds for name in _MODULES.get(kind, ()))
        needed |= set(level if level not in ('raid4', 'raid5', 'raid6') else 'raid456' for level in self.levels)
        groups = [[name] for name in sorted(needed & there)]
        for word in self.ciphers:
            # One cipher has several modules, for the instructions of different processors.
            fitting = sorted(name for name in there if re.match('%s(_|ni_|$)' % re.escape(word), name))
            if fitting:
                groups.append(fitting)
        return sorted(set(name for group in groups for name in group)), groups


def stack_below(roots, devices):
    """Layers that the root needs, as far as the worker's kernel or the devices' own kind tell."""
    by_name = dict((_kernel_name(device), device) for device in devices)
    found, seen = set(device.kind for device in roots), set()
    levels, ciphers = set(), set()
    waiting = [_kernel_name(device) for device in roots]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in by_name:
            device = by_name[name]
            found.add(device.kind)
            levels |= _level(name) if device.kind == 'raid' else set()
            ciphers |= _ciphers(device, devices) if device.kind == 'decrypted' else set()
        waiting += _slaves(name)
    types = sorted(set(device.content for device in roots if device.content))
    return RootStack(sorted(found & set(('logical', 'raid', 'decrypted'))), types, sorted(levels), sorted(ciphers))


def volumes_below(roots, devices):
    """UUIDs of the opened encrypted volumes that these devices lie on, as the worker's kernel knows them."""
    by_name = dict((_kernel_name(device), device) for device in devices if device.kind == 'decrypted')
    found, seen = [], set()
    waiting = [_kernel_name(device) for device in roots]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in by_name:
            found.append(by_name[name].name)
        waiting += _slaves(name)
    return found


def lacking_below(guest, version, listed, below):
    """What an image lacks to reach and to mount the root."""
    programs = [_PROGRAMS[kind] for kind in below.kinds if kind in _PROGRAMS]
    lacking = [name for name in programs if not re.search(r'(^|[\s/])%s($|\s)' % name, listed, re.MULTILINE)]
    present = set(modules_in(listed.split()))
    lacking += [name for name in file_systems(guest, version, below.types) if name not in present]
    return lacking + [group[0] for group in below.modules(guest, version)[1] if not present.intersection(group)]


def _modules_there(guest, version):
    return set(modules_in(guest.module_paths(version, ['kernel/' + folder for folder in ('crypto', 'lib/crypto', 'arch', 'drivers/md')])))


def _level(name):
    try:
        with open('/sys/class/block/%s/md/level' % name) as file:
            return set([file.read().strip()])
    except OSError:
        return set()


_CIPHER = re.compile(r'^\s*(?:cipher|Cipher name|Cipher mode):\s*([\w:-]+)\s*$', re.MULTILINE)


def _ciphers(opened, devices):
    """Words such as aes, xts and sha256, from the volume's header."""
    below = next((device for device in devices if device.content == 'crypto_LUKS' and device.uuid == opened.name), None)
    told = run(['cryptsetup', 'luksDump', below.path], check=False, timeout=60).out if below else ''
    words = set(word for cipher in _CIPHER.findall(told) for word in re.split('[-:]', cipher.lower()))
    # What numbers the sectors is no module.
    return set(word for word in words if re.match(r'^[a-z][a-z0-9]+$', word) and not word.startswith('plain'))


def _slaves(name):
    """Kernel names of what a device lies on."""
    try:
        return os.listdir('/sys/class/block/%s/slaves' % name)
    except OSError:
        return []


def _kernel_name(device):
    """Such as dm-2. A worker without a device manager has nodes below /dev/mapper instead of links."""
    try:
        number = os.stat(device.path).st_rdev
    except OSError:
        return os.path.basename(device.path)
    return os.path.basename(os.path.realpath('/sys/dev/block/%d:%d' % (os.major(number), os.minor(number))))

"""The attached disks, their partitions, and what is on them."""

import os
import stat
import time

from . import protocol
from .command import run
from .protocol import MorphError


class BlockDevice(object):
    """A block device of the guest. `disk` is the index of the attached disk that it lies on (the first one, when it
    spans
    several), `number` its partition number; `properties` is what blkid tells of its content."""

    def __init__(self, path, kind, disk=None, number=None, name=None):
        self.path = path
        self.kind = kind
        self.disk = disk
        self.number = number
        self.name = name
        self.properties = {}

    @property
    def content(self):
        return self.properties.get('TYPE', '')

    @property
    def uuid(self):
        return self.properties.get('UUID')

    def probe(self):
        """Reads signatures from the device itself; blkid's cache does not know newly attached devices."""
        result = run(['blkid', '-p', '-o', 'export', self.path], check=False, timeout=60)
        self.properties = {}
        for line in result.out.splitlines():
            key, separator, value = line.partition('=')
            if separator:
                self.properties[key] = value.replace('\\ ', ' ')
        return self

    def describe(self):
        told = {'path': self.path, 'kind': self.kind, 'content': self.content, 'uuid': self.uuid or ''}
        for key, value in (('disk', self.disk), ('partition', self.number), ('name', self.name)):
            if value is not None:
                told[key] = value
        if self.properties.get('LABEL'):
            told['label'] = self.properties['LABEL']
        return told


def open_disks(paths, undo_log):
    """The disks and their partitions, in the order in which the disks were given: the guest's own order."""
    devices = []
    for index, path in enumerate(paths):
        real = os.path.realpath(path)
        if not os.path.exists(real) or not stat.S_ISBLK(os.stat(real).st_mode):
            raise MorphError('osmorphing.device-missing', '%s is not a block device on the worker' % path)
        disk = BlockDevice(real, 'disk', disk=index).probe()
        devices.append(disk)
        devices.extend(partitions_of(disk, undo_log))
    return devices


def forbid_writes(device, undo_log):
    """The kernel opens it for reading alone, until that is undone."""
    if run(['blockdev', '--getro', device.path], check=False, timeout=60).out.strip() == '1':
        return
    undo_log.will('allow-writes', device=device.path)
    run(['blockdev', '--setro', device.path], timeout=60, code='osmorphing.mount-failed')


def device_number(path):
    number = os.stat(path).st_rdev
    return '%d:%d' % (os.major(number), os.minor(number))


def _kernel_partitions(folder):
    """Number → (name, major:minor) of the partitions that the kernel has for a disk."""
    found = {}
    for name in os.listdir(folder):
        try:
            with open(os.path.join(folder, name, 'partition')) as file:
                number = int(file.read())
            with open(os.path.join(folder, name, 'dev')) as file:
                found[number] = (name, file.read().strip())
        except (OSError, ValueError):
            continue
    return found


def partitions_of(disk, undo_log):
    """Tells the kernel about all partitions (some kernels do not parse this kind of table) and returns them."""
    if 'PTTYPE' not in disk.properties:
        return []
    table = run(['partx', '--raw', '--noheadings', '--output', 'NR', disk.path], check=False, timeout=60)
    wanted = set(int(number) for number in table.out.split() if number.isdigit())
    folder = os.path.realpath('/sys/dev/block/' + device_number(disk.path))
    missing = wanted - set(_kernel_partitions(folder))
    if missing:
        if not _kernel_partitions(folder):
            undo_log.will('drop-partitions', device=disk.path, nodes={})
        run(['partx', '--update', disk.path], check=False, timeout=60)
        known = _kernel_partitions(folder)
        if wanted - set(known):
            run(['partx', '--add', disk.path], check=False, timeout=60)
            known = _kernel_partitions(folder)
    partitions = []
    for number, (name, numbers) in sorted(_kernel_partitions(folder).items()):
        node = '/dev/' + name
        _ensure_node(node, numbers, disk, undo_log)
        partitions.append(BlockDevice(node, 'partition', disk=disk.disk, number=number).probe())
    return partitions


def _ensure_node(node, numbers, disk, undo_log):
    """Creates device nodes where no device manager does (a worker in namespaces)."""
    for _ in range(20):
        if os.path.exists(node):
            return
        if not os.path.exists('/run/udev/control'):
            break
        time.sleep(0.1)
    major, minor = numbers.split(':')
    undo_log.will('drop-partitions', device=disk.path, nodes={node: numbers})
    os.mknod(node, 0o660 | stat.S_IFBLK, os.makedev(int(major), int(minor)))
    protocol.log('made the device node %s' % node)

"""VirtIO drivers: choosing them from the disc, copying them into the guest, and starting them at boot."""

import re
import struct
import uuid

from .. import protocol
from ..protocol import MorphError
from . import driver_search
from .hive import BINARY, DWORD, EXPAND, MULTI, SZ
from .inf import Inf, start_of
from .installation import DISC_ARCHITECTURES
from .signature import objection

# Newest first: folder on the disc, oldest version that it is for, for which editions.
_FOLDERS = (
    ('2k25', (10, 0, 26100), 'server'),
    ('w11', (10, 0, 22000), 'client'),
    ('2k22', (10, 0, 20348), 'server'),
    ('2k19', (10, 0, 17763), 'server'),
    ('2k16', (10, 0, 14393), 'server'),
    ('w10', (10, 0, 0), 'both'),
    ('2k12R2', (6, 3, 0), 'server'),
    ('w8.1', (6, 3, 0), 'client'),
    ('2k12', (6, 2, 0), 'server'),
    ('w8', (6, 2, 0), 'client'),
    ('2k8R2', (6, 1, 0), 'server'),
    ('w7', (6, 1, 0), 'client'),
)
# The system starts from the first two. Names as on the disc.
STORAGE = ('viostor', 'vioscsi')
_OTHERS = ('NetKVM', 'Balloon', 'vioserial', 'viorng', 'pvpanic', 'qxl', 'qxldod', 'viogpudo', 'qemufwcfg', 'fwcfg', 'qemupciserial', 'vioinput')
# Which devices they are for: a vendor's disc is laid out, and calls its drivers, as it likes.
_DEVICES = {
    'viostor': ('1001', '1042'),
    'vioscsi': ('1004', '1048'),
    'NetKVM': ('1000', '1041'),
    'Balloon': ('1002', '1045'),
    'vioserial': ('1003', '1043'),
    'viorng': ('1005', '1044'),
}
_NOT_NEEDED = ('.pdb', '.txt', '.doc', '.pdf')
TARGET = 'Windows/Drivers/VirtIO'
_DEVICE_PATH = '%SystemRoot%\\Drivers\\VirtIO'


class Driver(object):
    """A driver of the disc with the content of its files (lower-case name → (name, bytes))."""

    def __init__(self, name, folder, files, architecture):
        self.name = name
        self.folder = folder
        self.files = files
        inf = next((name for name in sorted(files) if name.endswith('.inf')), None)
        self.inf_name = files[inf][0] if inf else ''
        self.inf = Inf(files[inf][1], architecture) if inf else None


def candidates(version, is_server):
    """Folders of the disc that fit a version, best first."""
    edition = 'server' if is_server else 'client'
    return [name for name, oldest, fits in _FOLDERS if version >= oldest and fits in (edition, 'both')]


def find_drivers(disc, installation):
    """All drivers for an installation. Raises osmorphing.drivers-missing when it could not start without them."""
    architecture = DISC_ARCHITECTURES[installation.architecture]
    found, others = [], None
    for name in STORAGE + _OTHERS:
        driver = _find(disc, name, candidates(installation.version, installation.is_server), architecture)
        if driver is None and name in _DEVICES:
            others = _elsewhere(disc, installation, architecture) if others is None else others
            driver = others.get(name)
        if driver is not None:
            found.append(driver)
        elif name in STORAGE or name == 'NetKVM':
            raise MorphError(
                'osmorphing.drivers-missing',
                'the disc %s has no %s for %s (%s)' % (disc.label, name, installation.name, architecture),
                {'driver': name, 'tried': candidates(installation.version, installation.is_server)},
            )
    refuse_unloadable(disc, found, installation)
    # Both are for the same device.
    superseded = 'qemufwcfg' if any(driver.name == 'fwcfg' for driver in found) else None
    return [driver for driver in found if driver.name != superseded]


def refuse_unloadable(disc, found, installation):
    """Before anything is written: a storage driver that Windows does not load stops it at each start. Others only do not work."""
    for driver in found:
        why = objection(driver, installation)
        if why is None:
            continue
        told = 'the driver %s for %s on the disc %s would not be loaded by %s: %s' % (driver.name, driver.folder, disc.label, installation.name, why)
        if driver.name in STORAGE:
            raise MorphError('osmorphing.drivers-missing', told + '; use a disc with drivers signed for it, or install the update on the source', {'driver': driver.name})
        protocol.warn(told)


def _elsewhere(disc, installation, architecture):
    """Drivers by name, wherever on the disc they are."""
    wanted = dict(('PCI\\VEN_1AF4&DEV_' + device, name) for name, devices in _DEVICES.items() for device in devices)
    version, is_server = installation.version, installation.is_server
    others = set(name.lower() for name, _, _ in _FOLDERS) - set(name.lower() for name in candidates(version, is_server))
    best = {}
    found = driver_search.search(disc, architecture.lower(), version, is_server, lambda one: '&'.join(one.split('&')[:2]) in wanted, others)
    for one, driver in sorted(found.items()):
        name = wanted['&'.join(one.split('&')[:2])]
        if name not in best or best[name].rank < driver.rank:
            best[name] = driver
    for name, driver in best.items():
        driver.name = name
    return best


def _find(disc, name, folders, architecture):
    for folder in folders:
        path = '%s/%s/%s' % (name, folder, architecture)
        entries = disc.entries(path)
        files = dict(
            (key, (told[0], disc.read('%s/%s' % (path, told[0]))))
            for key, told in entries.items()
            if not told[1] and not key.endswith(_NOT_NEEDED)
        )
        if any(key.endswith('.inf') for key in files) and any(key.endswith('.sys') for key in files):
            return Driver(name, folder, files, architecture.lower())
    return None


def install(installation, disc):
    """Returns (changed, notes)."""
    drivers = find_drivers(disc, installation)
    changed, notes = False, []
    for driver in drivers:
        for _, (name, content) in sorted(driver.files.items()):
            changed = installation.tree.write('%s/%s' % (TARGET, name), content) or changed
        if driver.name in STORAGE:
            changed = _start_from(installation, driver) or changed
        notes.append('%s for %s' % (driver.name, driver.folder))
    changed = _lay_down_agent(installation, disc, notes) or changed
    changed = search_there(installation, _DEVICE_PATH) or changed
    return changed, notes if changed else ['the drivers are there already']


_LARGEST_AGENT = 64 << 20


def _lay_down_agent(installation, disc, notes):
    """The hypervisor's agent, which is installed at the first boot. Windows works without it."""
    name = {'x86_64': 'qemu-ga-x86_64.msi', 'i386': 'qemu-ga-i386.msi'}.get(installation.architecture)
    told = disc.entries('guest-agent').get(name or '')
    if not told or told[1]:
        return False
    content = disc.read('guest-agent/%s' % told[0])
    if content[:4] != b'\xd0\xcf\x11\xe0' or len(content) > _LARGEST_AGENT:
        protocol.warn('%s on the disc %s is no installer of Windows: the agent of the hypervisor is not installed' % (told[0], disc.label))
        return False
    notes.append('the agent of the hypervisor is installed at the first boot')
    return installation.tree.write('%s/%s' % (TARGET, name), content)


def search_there(installation, folder):
    """Makes Plug and Play search a folder for drivers of new devices."""
    key = 'Microsoft\\Windows\\CurrentVersion'
    there = installation.software.text(key, 'DevicePath', '%SystemRoot%\\inf')
    if folder.lower() in [part.lower() for part in there.split(';')]:
        return False
    return installation.software.set(key, 'DevicePath', EXPAND, there.rstrip(';') + ';' + folder)


def _start_from(installation, driver):
    """Registers a storage driver so that the system starts from its devices, before any installation of it."""
    architecture = DISC_ARCHITECTURES[installation.architecture].lower()
    devices = [device for device in driver.inf.devices if device[0].upper().startswith('PCI\\')]
    told = driver.inf.service_of(devices[0][1], architecture) if devices else None
    if told is None:
        raise MorphError('osmorphing.drivers-missing', '%s names no device and service' % driver.inf_name)
    service, fields = told
    binary = re.sub(r'^%12%\\', '', fields.get('servicebinary', ''), flags=re.IGNORECASE).split('\\')[-1]
    if binary.lower() not in driver.files:
        raise MorphError('osmorphing.drivers-missing', '%s names %s, which is not in the same folder' % (driver.inf_name, binary))
    if start_of(fields) != 0:
        protocol.log('%s does not start with the system: enabling it' % service)
    name, content = driver.files[binary.lower()]
    changed = installation.tree.write('Windows/System32/drivers/' + name, content)
    changed = _service(installation, service, name) or changed
    ids = sorted(set(_without_bus(device[0]) for device in devices))
    if installation.has_driver_database:
        return _database(installation, driver, service, ids, architecture) or changed
    return _critical(installation, service, ids, driver.inf.class_guid) or changed


def _without_bus(hardware_id):
    return hardware_id.split('\\', 1)[1].upper()


def _service(installation, service, binary):
    system, key = installation.system, '%s\\%s' % (installation.services, service)
    changed = system.set_all(
        key,
        {
            'Type': (DWORD, 1),
            'Start': (DWORD, 0),
            'ErrorControl': (DWORD, 1),
            'Group': (SZ, 'SCSI miniport'),
            'ImagePath': (EXPAND, 'system32\\drivers\\' + binary),
        },
    )
    # An earlier installation of the driver may have disabled it.
    return system.remove_key(key + '\\StartOverride') or changed


def _critical(installation, service, ids, class_guid):
    """Before Windows 8: devices that are needed before Plug and Play has found anything."""
    changed = False
    for one in ids:
        key = '%s\\Control\\CriticalDeviceDatabase\\PCI#%s' % (installation.control_set, one)
        values = {'Service': (SZ, service), 'ClassGUID': (SZ, class_guid)}
        changed = installation.system.set_all(key, values) or changed
    return changed


def _database(installation, driver, service, ids, architecture):
    """Since Windows 8: the driver database. Its entries have names of their own, so that the later installation of the
    driver by Plug and Play finds nothing in its way."""
    system = installation.system
    inf = 'causeway_%s.inf' % service.lower()
    package, configuration = inf + '_boot', service.lower() + '_boot'
    top = 'DriverDatabase\\'
    # What each value's bytes mean is not documented; these are what systems have for a driver package that ranks best.
    changed = system.set_all(
        top + 'DriverInfFiles\\' + inf,
        {'': (MULTI, [package]), 'Active': (SZ, package), 'Configurations': (MULTI, [configuration])},
    )
    base = '%sDriverPackages\\%s' % (top, package)
    changed = system.set_all(base, {'Version': (BINARY, _version(driver.inf, architecture))}) or changed
    changed = (
        system.set_all(
            '%s\\Configurations\\%s' % (base, configuration), {'ConfigFlags': (DWORD, 0), 'Service': (SZ, service)}
        )
        or changed
    )
    for one in ids:
        device = system.set('%sDeviceIds\\PCI\\%s' % (top, one), inf, BINARY, b'\x01\xff\x00\x00')
        described = system.set('%s\\Descriptors\\PCI\\%s' % (base, one), 'Configuration', SZ, configuration)
        changed = device or described or changed
    return changed


def _version(inf, architecture):
    """Processor and device class as the database keeps them. Date and version stay zero, so that the driver itself, once
    Plug and Play installs it, ranks before this."""
    processor = {'amd64': 9, 'x86': 0, 'arm64': 12}[architecture]
    try:
        guid = uuid.UUID(inf.class_guid.strip('{}')).bytes_le
    except ValueError:
        raise MorphError('osmorphing.drivers-missing', 'a driver\'s ClassGUID is not understood: %s' % inf.class_guid)
    return struct.pack('<BBHI', 0, 0xFF, processor, 0) + guid + bytes(24)

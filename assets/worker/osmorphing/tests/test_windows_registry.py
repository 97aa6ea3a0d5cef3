"""What is done to a Windows registry, on a stand-in for the library that reads one."""

import json
import os
import shutil
import struct
import tempfile
import unittest
import uuid

from causeway_osmorphing import protocol
from causeway_osmorphing.protocol import MorphError
from causeway_osmorphing.windows import efi_loader, emulated_disks, hyperv, old_platform, source_tools
from causeway_osmorphing.windows.commands import _choose
from causeway_osmorphing.windows.drivers import Driver, find_drivers, install, refuse_unloadable
from causeway_osmorphing.windows.efi_loader import provide
from causeway_osmorphing.windows.hive import BINARY, DWORD, MULTI, SZ, Hive, encoded
from causeway_osmorphing.windows.installation import Installation
from causeway_osmorphing.windows.network import fixed_addresses, interfaces_of, kept_addresses, static_script, to_dhcp, was_private
from causeway_osmorphing.windows.signature import objection
from causeway_osmorphing.windows.tree import WindowsTree

from .test_disk_names import device
from .test_windows import StandInDisc, vendor_inf

HDC = 'ControlSet001\\Control\\Class\\{4d36e96a-e325-11ce-bfc1-08002be10318}'
CLASS = 'ControlSet001\\Control\\Class\\{4d36e97d-e325-11ce-bfc1-08002be10318}'
SERVICES = 'ControlSet001\\Services'


class Registry(Hive):
    """Keys by their paths, without regard to case."""

    def __init__(self, values):
        self.name, self.changes, self._written = 'SYSTEM', {}, []
        self.tree = {}
        for (path, name), (kind, value) in values.items():
            self._at(path)[name] = (kind, encoded(kind, value))

    def _at(self, path):
        known = next((one for one in self.tree if one.lower() == path.lower()), path)
        return self.tree.setdefault(known, {})

    def node(self, path):
        return path if any((one + '\\').lower().startswith((path + '\\').lower()) for one in self.tree) or not path else None

    def keys(self, path):
        start = path + '\\' if path else ''
        return sorted(set(one[len(start) :].split('\\')[0] for one in self.tree if one.lower().startswith(start.lower()) and len(one) > len(start)))

    def values(self, path):
        return dict(next((values for one, values in self.tree.items() if one.lower() == path.lower()), {}))

    def ensure(self, path):
        return path

    def set(self, path, name, kind, value):
        raw = encoded(kind, value)
        self._written.append((path, name, kind, raw))
        old = self.get(path, name)
        self._at(path)[name] = (kind, raw)
        return old != (kind, raw)

    def remove_key(self, path):
        self._written.append((path, None, None, None))
        return self.tree.pop(path, None) is not None

    def remove_value(self, path, name):
        return self._at(path).pop(name, None) is not None


class Files(object):
    """Files of a volume, by their paths."""

    def __init__(self, files):
        self.files = files

    def is_file(self, path):
        return path in self.files

    def read(self, path):
        return self.files[path]


class Windows(Installation):
    def __init__(self, values, files=None):
        self.control_set, self.services = 'ControlSet001', SERVICES
        self.system = Registry(values)
        self.tree = Files(files or {})


def service(name, start):
    return {(SERVICES + '\\' + name, 'Start'): (DWORD, start)}


def merged(*parts):
    return dict(item for part in parts for item in part.items())


def storage_inf(service, *devices):
    return (
        '[Version]\r\nClass=SCSIAdapter\r\nClassGUID={4D36E97B-E325-11CE-BFC1-08002BE10318}\r\n[Manufacturer]\r\nV = Models, NTamd64\r\n[Models.NTamd64]\r\nA = Install, %s\r\n'
        '[Install.NT.Services]\r\nAddService = %s, 2, Main\r\n[Main]\r\nStartType = 0\r\nServiceBinary = %%12%%\\%s.sys\r\n' % (', '.join(devices), service, service)).encode()


class DriversOfTheDisc(unittest.TestCase):
    """The layout of the public disc. Its drivers start with the system before Plug and Play knows their devices."""

    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        os.makedirs(self.root + '/Windows/System32/drivers')
        emit, protocol.emit = protocol.emit, lambda kind, **fields: None
        self.addCleanup(setattr, protocol, 'emit', emit)

    def disc(self, folder, *more):
        files = {}
        for name, inf in (('viostor', storage_inf('viostor', 'PCI\\VEN_1AF4&DEV_1001&SUBSYS_00021AF4&REV_00', 'PCI\\VEN_1AF4&DEV_1042')), ('vioscsi', storage_inf('vioscsi', 'PCI\\VEN_1AF4&DEV_1004')),
                          ('NetKVM', vendor_inf(['PCI\\VEN_1AF4&DEV_1000']))) + more:
            files['%s/%s/amd64/%s.inf' % (name, folder, name)] = inf
            files['%s/%s/amd64/%s.sys' % (name, folder, name)] = name.encode()
        disc = StandInDisc(files)
        disc.label = 'virtio-win'
        return disc

    def windows(self, version):
        made = Windows(service('viostor', 4) if version < (6, 2) else merged(service('viostor', 3), {(SERVICES + '\\viostor\\StartOverride', '0'): (DWORD, 3)}))
        made.version, made.architecture, made.name, made.is_server, made.software = version, 'x86_64', 'Windows', True, Registry({})
        made.tree = WindowsTree(self.root)
        return made

    def test_before_windows_8_critical_devices_are_named_one_by_one(self):
        windows = self.windows((6, 1, 7601))
        self.assertTrue(install(windows, self.disc('2k8R2'))[0])
        critical = 'ControlSet001\\Control\\CriticalDeviceDatabase\\PCI#'
        for one, name in (('VEN_1AF4&DEV_1001&SUBSYS_00021AF4&REV_00', 'viostor'), ('VEN_1AF4&DEV_1042', 'viostor'), ('VEN_1AF4&DEV_1004', 'vioscsi')):
            self.assertEqual((windows.system.text(critical + one, 'Service'), windows.system.text(critical + one, 'ClassGUID')), (name, '{4d36e97b-e325-11ce-bfc1-08002be10318}'))
        self.assertEqual((windows.system.number(SERVICES + '\\viostor', 'Start'), windows.system.text(SERVICES + '\\viostor', 'ImagePath')), (0, 'system32\\drivers\\viostor.sys'))
        self.assertEqual(windows.tree.read('Windows/System32/drivers/vioscsi.sys'), b'vioscsi')
        self.assertEqual(windows.system.keys('DriverDatabase'), [])
        self.assertEqual(install(windows, self.disc('2k8R2'))[0], False)

    def test_since_then_its_database_has_them_and_nothing_overrides_their_start(self):
        windows = self.windows((10, 0, 20348))
        install(windows, self.disc('2k22'))
        self.assertEqual(windows.system.values('DriverDatabase\\DeviceIds\\PCI\\VEN_1AF4&DEV_1042'), {'causeway_viostor.inf': (BINARY, b'\x01\xff\x00\x00')})
        self.assertEqual((windows.system.number(SERVICES + '\\viostor', 'Start'), windows.system.values(SERVICES + '\\viostor\\StartOverride')), (0, {}))
        self.assertEqual(windows.system.keys('ControlSet001\\Control\\CriticalDeviceDatabase'), [])

    def test_the_hypervisors_agent_is_laid_down_for_the_first_boot_if_it_is_an_installer(self):
        for content, there in ((b'\xd0\xcf\x11\xe0 an installer', True), (b'<html>', False), (None, False)):
            disc = self.disc('2k22', ('Balloon', vendor_inf(['PCI\\VEN_1AF4&DEV_1002'])))
            disc._files['Balloon/2k22/amd64/blnsvr.exe'] = b'MZ'
            if content:
                disc._files['guest-agent/qemu-ga-x86_64.msi'] = content
            windows = self.windows((10, 0, 20348))
            changed, notes = install(windows, disc)
            self.assertEqual(('the agent of the hypervisor is installed at the first boot' in notes, windows.tree.is_file('Windows/Drivers/VirtIO/qemu-ga-x86_64.msi')), (there, there))
            self.assertTrue(windows.tree.is_file('Windows/Drivers/VirtIO/blnsvr.exe'))
            self.assertEqual(install(windows, disc)[0], False)
            shutil.rmtree(self.root + '/Windows/Drivers')

    def test_of_two_drivers_for_one_device_the_newer_kind_is_laid_down_alone(self):
        both = (('qemufwcfg', vendor_inf(['ACPI\\QEMU0002'])), ('fwcfg', vendor_inf(['ACPI\\QEMU0002'])))
        for more, found in ((both, 'fwcfg'), (both[:1], 'qemufwcfg')):
            names = [one.name for one in find_drivers(self.disc('2k22', *more), self.windows((10, 0, 20348)))]
            self.assertEqual(names, ['viostor', 'vioscsi', 'NetKVM', found])


class EmulatedDisks(unittest.TestCase):
    def setUp(self):
        self.warnings = []
        self.addCleanup(setattr, protocol, 'warn', protocol.warn)
        protocol.warn = self.warnings.append
        protocol._told.clear()

    def test_their_drivers_start_at_boot_where_the_destination_has_such_disks(self):
        override = 'ControlSet001\\Services\\storahci\\StartOverride'
        for request, needed in (
            ({'diskBuses': ['ide']}, True), ({'diskBuses': ['virtio', 'ide']}, True), ({'diskBuses': ['xen']}, True), ({'hypervisor': 'hyperv'}, True), ({'diskBuses': ['scsi', 'virtio']}, False), ({}, False),
        ):
            with self.subTest(request):
                windows = Windows(merged(service('storahci', 0), service('atapi', 3), service('LSI_SAS', 0), {(override, '0'): (DWORD, 3)}))
                notes = emulated_disks.start_drivers(windows, request)
                self.assertEqual(notes, ['the driver storahci starts at boot', 'the driver atapi starts at boot'] if needed else [])
                starts = [windows.system.number('ControlSet001\\Services\\' + name, 'Start') for name in ('storahci', 'atapi', 'LSI_SAS')]
                self.assertEqual((starts, windows.system.number(override, '0')), ([0, 0, 0], 0) if needed else ([0, 3, 0], 3))
                self.assertEqual(emulated_disks.start_drivers(windows, request), [])
                # It makes no driver that is not there.
                self.assertIsNone(windows.system.node('ControlSet001\\Services\\msahci'))
        self.assertEqual(self.warnings, [])

    def test_nothing_holds_them_back_whatever_configuration_of_the_hardware_it_is_for(self):
        for name, start in (('storahci', lambda windows: emulated_disks.start_drivers(windows, {'diskBuses': ['ide']})), ('StorVSC', lambda windows: hyperv.start_drivers(windows)[1])):
            override = '%s\\%s\\StartOverride' % (SERVICES, name)
            windows = Windows(merged(service(name, 0), service('vmbus', 0), {(override, '0'): (DWORD, 3), (override, '1'): (DWORD, 3)}))
            self.assertEqual(start(windows), ['the driver %s starts at boot' % name.lower()])
            self.assertEqual([windows.system.number(override, one) for one in ('0', '1')], [0, 0])
            self.assertEqual(start(windows), [])

    def test_what_cannot_start_is_told(self):
        self.assertEqual(emulated_disks.start_drivers(Windows(service('LSI_SAS', 0)), {'diskBuses': ['ide']}), [])
        self.assertEqual(emulated_disks.start_drivers(Windows(service('atapi', 0)), {'diskBuses': ['usb', 'virtio']}), [])
        self.assertEqual(emulated_disks.start_drivers(Windows(service('atapi', 0)), {'diskBuses': ['virtio', 'usb']}), [])
        self.assertEqual([one.split(':')[0] for one in self.warnings], ['this Windows has no drivers for IDE and SATA disks (storahci, msahci, pciide, intelide, atapi)', 'Windows starts from no USB disk'])


class SourceTools(unittest.TestCase):
    def test_disks_behind_another_controller_come_online(self):
        windows = Windows({(SERVICES + '\\partmgr\\Parameters', 'SanPolicy'): (DWORD, 3)})
        self.assertEqual(source_tools.keep_disks_online(windows), (True, ['new disks come online']))
        self.assertEqual(windows.system.number(SERVICES + '\\partmgr\\Parameters', 'SanPolicy'), 1)
        self.assertEqual(source_tools.keep_disks_online(windows), (False, []))

    def test_filters_of_the_source_are_taken_out_and_others_stay(self):
        windows = Windows(merged(service('xenfilt', 0), {
            (CLASS, 'Class'): (SZ, 'System'), (CLASS, 'UpperFilters'): (MULTI, ['XENFILT', 'partmgr']), (CLASS, 'LowerFilters'): (MULTI, ['prl_strg']),
            (HDC, 'Class'): (SZ, 'HDC'), (HDC, 'UpperFilters'): (MULTI, ['scsifilt', 'xenfilt', 'otherfilt'])}))
        changed, notes = source_tools.disable(windows)
        self.assertTrue(changed)
        self.assertEqual(windows.system.texts(CLASS, 'UpperFilters'), ['partmgr'])
        self.assertEqual(windows.system.texts(CLASS, 'LowerFilters'), [])
        self.assertEqual(windows.system.texts(HDC, 'UpperFilters'), ['otherfilt'])
        self.assertIn('the filter XENFILT is no longer in front of devices of the class System', notes)
        self.assertEqual(source_tools.disable(windows), (False, []))

    def test_drivers_that_wait_for_the_hypervisor_do_not_start(self):
        windows = Windows(merged(service('prl_boot', 0), service('XenPci', 0), service('disk', 0)))
        source_tools.disable(windows)
        self.assertEqual([windows.system.number(SERVICES + '\\' + name, 'Start') for name in ('prl_boot', 'xenpci', 'disk')], [4, 4, 0])
        self.assertEqual([name for name in windows.system.keys(SERVICES) if name.startswith('prl')], ['prl_boot'])

    def test_an_agent_that_was_registered_for_machines_elsewhere_goes_on(self):
        registration = 'ProgramData/Amazon/SSM/InstanceData/registration'
        for files, start in (({}, 4), ({registration: b'{"ManagedInstanceID":"mi-0a"}'}, 2), ({registration: b'{"ManagedInstanceID":"i-0a"}'}, 4)):
            windows = Windows(merged(service('AmazonSSMAgent', 2), service('Ec2Config', 2)), files)
            source_tools.disable(windows)
            self.assertEqual([windows.system.number(SERVICES + '\\' + name, 'Start') for name in ('AmazonSSMAgent', 'Ec2Config')], [start, 4])

    def test_the_destination_keeps_what_is_its_own(self):
        windows = Windows(merged(service('prl_boot', 0), service('xenpci', 0), service('xensvc', 2), {(CLASS, 'UpperFilters'): (MULTI, ['xenfilt'])}))
        source_tools.disable(windows, 'kvm', ['xen'])
        self.assertEqual([windows.system.number(SERVICES + '\\' + name, 'Start') for name in ('prl_boot', 'xenpci', 'xensvc')], [4, 0, 2])
        self.assertEqual(windows.system.texts(CLASS, 'UpperFilters'), ['xenfilt'])

    def test_the_first_boot_uninstalls_the_tools_of_the_source_and_not_those_of_the_destination(self):
        for services, buses, script in (
            (('VMTools', 'xensvc'), ['xen'], '^(Citrix|XenServer) '), (('VMTools', 'xensvc'), ['virtio'], ''), (('xensvc',), ['xen'], None), (('xensvc',), ['virtio'], ''), ((), [], None),
        ):
            windows = Windows(merged(*[service(name, 2) for name in services]))
            self.assertEqual(source_tools.uninstaller(windows, '{{staying}}', 'kvm', buses), script)


class Networks(unittest.TestCase):
    TOP = 'Microsoft\\Windows NT\\CurrentVersion\\NetworkList\\Profiles\\'

    def profile(self, guid, year, category):
        return {(self.TOP + guid, 'DateLastConnected'): (BINARY, struct.pack('<8H', year, 5, 1, 20, 10, 0, 0, 0)), (self.TOP + guid, 'Category'): (DWORD, category)}

    def test_the_newest_network_decides_whether_cards_are_in_a_private_one(self):
        for profiles, private in (
            ({}, False),
            (self.profile('{a}', 2024, 1), True),
            (merged(self.profile('{a}', 2024, 1), self.profile('{b}', 2025, 0)), False),
            (merged(self.profile('{a}', 2026, 1), self.profile('{b}', 2025, 2)), True),
            ({(self.TOP + '{a}', 'DateLastConnected'): (BINARY, b'odd'), (self.TOP + '{a}', 'Category'): (DWORD, 1)}, False),
        ):
            windows = Windows({})
            windows.software = Registry(profiles)
            self.assertEqual(was_private(windows), private)


class Addresses(unittest.TestCase):
    def test_every_interface_asks_by_dhcp_and_takes_its_name_servers(self):
        top = SERVICES + '\\Tcpip\\Parameters\\Interfaces\\'
        windows = Windows({
            (top + '{fixed}', 'EnableDHCP'): (DWORD, 0), (top + '{fixed}', 'IPAddress'): (MULTI, ['10.0.0.5']), (top + '{fixed}', 'SubnetMask'): (MULTI, ['255.255.255.0']), (top + '{fixed}', 'NameServer'): (SZ, '10.0.0.2'),
            (top + '{fixed}', 'Domain'): (SZ, 'corp.example'), (top + '{own-servers}', 'EnableDHCP'): (DWORD, 1), (top + '{own-servers}', 'NameServer'): (SZ, '10.0.0.2,10.0.0.3'),
            (top + '{dhcp}', 'EnableDHCP'): (DWORD, 1), (top + '{none}', 'IPAddress'): (MULTI, ['0.0.0.0'])})
        self.assertEqual([(one.guid, one.dhcp, one.addresses, one.suffix) for one in interfaces_of(windows) if not one.dhcp], [('{fixed}', False, [('10.0.0.5', '255.255.255.0')], 'corp.example')])
        self.assertEqual(to_dhcp(windows), (True, ['{fixed} gets its address by DHCP', '{own-servers} gets its address by DHCP']))
        self.assertEqual([(windows.system.number(top + guid, 'EnableDHCP'), windows.system.text(top + guid, 'NameServer')) for guid in ('{fixed}', '{own-servers}', '{dhcp}')], [(1, ''), (1, ''), (1, '')])
        self.assertIsNone(windows.system.number(top + '{none}', 'EnableDHCP'))
        self.assertEqual(to_dhcp(windows), (False, []))


class Ipv6Addresses(unittest.TestCase):
    TOP, GUID, LOCAL = 'ControlSet001\\Control\\Nsi\\{eb004a01-9b1a-11d4-9123-0050047759bc}\\', '{11111111-1111-1111-1111-111111111111}', '0000000900000600'
    CARD = 'ControlSet001\\Control\\Class\\{4D36E972-E325-11CE-BFC1-08002BE10318}\\0001'
    GATEWAY = 'fe800000000000000000000000000001'

    def setUp(self):
        self.warnings = []
        self.addCleanup(setattr, protocol, 'warn', protocol.warn)
        protocol.warn = self.warnings.append

    def address(self, text, origin=1, length=64, local=LOCAL):
        return {(self.TOP + '10', local + text): (BINARY, struct.pack('<4IB', 0xFFFFFFFF, 0xFFFFFFFF, origin, 1, length) + b'\0' + b'\xff' * 30)}

    def route(self, destination, hop=GATEWAY, local=LOCAL):
        return {(self.TOP + '16', '00000000' + destination + '00' * 19 + local * 2 + hop): (BINARY, b'\0' * 8)}

    def windows(self, *parts, **more):
        services = 'ControlSet001\\Services\\'
        interface = services + 'Tcpip\\Parameters\\Interfaces\\' + self.GUID
        return Windows(merged({
            (self.CARD, 'NetCfgInstanceId'): (SZ, self.GUID.upper()), (self.CARD, 'NetLuidIndex'): (DWORD, 9), (self.CARD, '*IfType'): (DWORD, 6),
            (interface, 'EnableDHCP'): (DWORD, more.get('dhcp', 1)), (interface, 'InterfaceMetric'): (DWORD, 25), (interface, 'NameServer'): (SZ, ''),
            (services + 'Tcpip6\\Parameters\\Interfaces\\' + self.GUID, 'NameServer'): (SZ, 'fd00::53, odd'),
        }, *parts))

    def test_they_are_read_from_the_store_that_windows_has_for_them(self):
        (one,) = interfaces_of(self.windows(self.address('fd000000000000000000000000000005'), self.route('00' * 17)))
        self.assertEqual((one.is_fixed, one.dhcp, one.known, one.metric), (True, True, ['fd00::5'], '25'))
        self.assertEqual(one.ipv6, ([('fd00::5', 64)], ['fe80::1'], ['fd00::53'], False))

    def test_what_nobody_fixed_or_has_another_form_is_left_out(self):
        other = '0000000800000600'
        for parts in ((), (self.address(self.GATEWAY),), (self.address('fd' + '00' * 15, origin=3),), (self.address('fd' + '00' * 15, length=0),), (self.address('fd' + '00' * 15, local=other),),
                      ({(self.TOP + '10', 'odd'): (BINARY, b'')},), ({(self.TOP + '10', self.LOCAL + 'fd' + '00' * 15): (BINARY, b'short')},)):
            self.assertEqual([one.is_fixed for one in interfaces_of(self.windows(*parts))], [False])
        fixed = self.address('fd' + '00' * 15)
        for route, others in ((self.route('20010db8' + '00' * 12 + '20'), True), (self.route('00' * 17, local=other), False), (self.route('00' * 17, hop='00' * 16), True)):
            self.assertEqual(interfaces_of(self.windows(fixed, route))[0].ipv6[1::2], ([], others))

    def test_the_first_boot_sets_them_on_the_card_that_had_them(self):
        windows = self.windows(self.address('fd000000000000000000000000000005'), self.route('00' * 17), self.route('20010db8' + '00' * 12 + '20'), dhcp=0)
        (card,) = json.loads(static_script(windows, [{'macAddress': 'aa-bb', 'addresses': ['FD00:0::5']}], '{{cards}}'))
        self.assertEqual(card, {
            'name': '', 'suffix': '', 'mac': 'AA:BB', 'addresses': [], 'gateways': [], 'servers': [], 'metric': '25', 'gatewayMetrics': [],
            'addresses6': [{'address': 'fd00::5', 'length': '64'}], 'gateways6': ['fe80::1'], 'servers6': ['fd00::53']})
        self.assertEqual(self.warnings, ['persistent routes of IPv6 of %s are not set again' % self.GUID])
        self.assertEqual((fixed_addresses(windows, [{'macAddress': 'aa'}]), kept_addresses(windows)), ([], ['fd00::5']))


class ControlSets(unittest.TestCase):
    def test_what_is_set_in_one_is_set_in_all_that_there_are(self):
        windows = Windows(merged(service('VMTools', 2), {('ControlSet002\\Services\\VMTools', 'Start'): (DWORD, 2), ('Select', 'Current'): (DWORD, 1)}))
        windows.system.set(SERVICES + '\\viostor', 'Start', DWORD, 0)
        windows.system.set(SERVICES + '\\VMTools', 'Start', DWORD, 4)
        windows.system.set('DriverDatabase\\x', 'y', SZ, 'z')
        self.assertEqual(windows.other_control_sets(), ['ControlSet002'])
        windows.system.repeat_below(windows.control_set, windows.other_control_sets())
        self.assertEqual(windows.system.number('ControlSet002\\Services\\viostor', 'Start'), 0)
        self.assertEqual(windows.system.number('ControlSet002\\Services\\VMTools', 'Start'), 4)
        self.assertEqual(windows.system.keys(''), ['ControlSet001', 'ControlSet002', 'DriverDatabase', 'Select'])

    def test_a_key_that_was_removed_is_removed_in_all(self):
        override = 'ControlSet002\\Services\\viostor\\StartOverride'
        windows = Windows({(SERVICES + '\\viostor', 'Start'): (DWORD, 0), (override, '0'): (DWORD, 3)})
        windows.system.remove_key(SERVICES + '\\viostor\\StartOverride')
        windows.system.repeat_below(windows.control_set, windows.other_control_sets())
        self.assertEqual(windows.system.values(override), {})


class Disc(object):
    label = 'virtio-win'


class Signatures(unittest.TestCase):
    SHA256, SHA1 = b'\x60\x86\x48\x01\x65\x03\x04\x02\x01', b'\x2b\x0e\x03\x02\x1a'

    def setUp(self):
        self.warnings = []
        emit, protocol.emit = protocol.emit, lambda kind, **fields: self.warnings.append(fields['message'])
        self.addCleanup(setattr, protocol, 'emit', emit)

    def driver(self, catalog, name='viostor'):
        made = Driver(name, 'w7', {}, 'amd64')
        made.files = {} if catalog is None else {name + '.cat': (name + '.cat', catalog)}
        return made

    def windows(self, version=(6, 1, 7601), packages=(), architecture='x86_64'):
        class Tree(object):
            def names(self, _path):
                return list(packages)

        made = Windows({})
        made.version, made.architecture, made.name, made.tree = version, architecture, 'Windows 7', Tree()
        return made

    def test_an_old_windows_needs_the_update_that_knows_its_signature(self):
        for catalog, windows, loaded in (
            (self.SHA256, self.windows(), False),
            (self.SHA256 + self.SHA1, self.windows(), True),
            (self.SHA1, self.windows(), True),
            (self.SHA256, self.windows(packages=['Package_for_KB4474419~31bf~amd64~~6.1.3.2.mum']), True),
            (self.SHA256, self.windows(packages=['Package_for_RollupFix~31bf~amd64~~7601.24.mum']), True),
            (self.SHA256, self.windows(packages=['Package_for_KB976902~31bf.mum']), False),
            (self.SHA256, self.windows((6, 3, 9600)), True),
            (self.SHA256, self.windows(architecture='i386'), True),
            (None, self.windows(), True),
        ):
            self.assertEqual(objection(self.driver(catalog), windows) is None, loaded)

    def test_a_driver_that_is_signed_for_tests_is_refused_before_anything_is_written(self):
        public = bytes.fromhex('3113301106035504 0a130a') + b'virtio-win1\x0c0\n'
        for mark in (b'CN=WDKTestCert builder', 'WDKTestCert'.encode('utf-16-be'), public):
            with self.assertRaises(MorphError) as caught:
                refuse_unloadable(Disc(), [self.driver(mark)], self.windows((6, 3, 9600)))
            self.assertEqual(caught.exception.code, 'osmorphing.drivers-missing')
            self.assertIn('signed for tests', caught.exception.message)
        # The name of the project alone is no signer, and what Microsoft signed in the end is loaded.
        for fine in (b'virtio-win', public + b'Microsoft Windows Hardware Compatibility PCA'):
            refuse_unloadable(Disc(), [self.driver(fine)], self.windows((6, 3, 9600)))
        self.assertEqual(self.warnings, [])
        refuse_unloadable(Disc(), [self.driver(b'WDKTestCert', 'Balloon')], self.windows())
        self.assertEqual(len(self.warnings), 1)


class Loader(unittest.TestCase):
    def test_the_loader_is_where_firmware_looks_first(self):
        root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, root)
        os.makedirs(root + '/EFI/MICROSOFT/BOOT')
        tree = WindowsTree(root)
        self.assertEqual(provide(tree, 'x86_64'), [])
        with open(root + '/EFI/MICROSOFT/BOOT/bootmgfw.efi', 'wb') as file:
            file.write(b'loader')
        self.assertEqual(provide(tree, 'x86_64'), ['copied EFI/Microsoft/Boot/bootmgfw.efi to EFI/BOOT/BOOTX64.EFI'])
        self.assertEqual(tree.read('EFI/Boot/bootx64.efi'), b'loader')
        self.assertEqual(provide(tree, 'x86_64'), [])
        self.assertEqual(provide(tree, 'unknown'), [])


MEMORY = 'ControlSet001\\Control\\Session Manager\\Memory Management'
GUID = 'c0ffee00-1111-4222-8333-444455556666'


def mounted(letter, raw):
    return {('MountedDevices', '\\DosDevices\\' + letter): (BINARY, raw)}


class OldPlatform(unittest.TestCase):
    """A disk with MBR (signature 57494e31, C: at 1 MiB), one with GPT (D:), and letters of disks that are gone."""

    def setUp(self):
        self.warnings = []
        self.addCleanup(setattr, protocol, 'warn', protocol.warn)
        protocol.warn = self.warnings.append
        protocol._told.clear()
        self.devices = [
            device('/dev/w01', 'partition', 1, content='ntfs', PART_ENTRY_UUID='57494e31-01', PART_ENTRY_OFFSET='2048'),
            device('/dev/w12', 'partition', 2, 1, 'ntfs', PART_ENTRY_UUID=GUID, PART_ENTRY_OFFSET='4096'),
        ]
        self.letters = merged(
            mounted('C:', struct.pack('<IQ', 0x57494E31, 1 << 20)), mounted('D:', b'DMIO:ID:' + uuid.UUID(GUID).bytes_le), mounted('E:', struct.pack('<IQ', 0x57494E31, 1 << 30)),
            mounted('T:', struct.pack('<IQ', 0x11111111, 1 << 20)), mounted('X:', 'a disc'.encode('utf-16-le')))

    def windows(self, values, software=None):
        made = Windows(merged(self.letters, values))
        made.software = Registry(software or {})
        return made

    def test_letters_lead_to_the_same_partitions_on_whatever_controller(self):
        windows = self.windows({})
        before = dict((path, dict(values)) for path, values in windows.system.tree.items())
        self.assertEqual(dict((letter, one and one.path) for letter, one in old_platform.drive_letters(windows, self.devices).items()),
                         {'C:': '/dev/w01', 'D:': '/dev/w12', 'E:': None, 'T:': None, 'X:': None})
        self.assertEqual(old_platform.settle(windows, self.devices), (False, []))
        self.assertEqual(windows.system.tree, before)

    def test_a_page_file_on_a_disk_that_is_gone_moves_to_the_system(self):
        for listed, kept in (
            (['T:\\pagefile.sys'], ['C:\\pagefile.sys 0 0']), (['T:\\pagefile.sys 0 0', 'D:\\pagefile.sys 1 2'], ['D:\\pagefile.sys 1 2', 'C:\\pagefile.sys 0 0']),
            (['?:\\pagefile.sys', 't:\\pagefile.sys 0 0'], ['?:\\pagefile.sys']), (['C:\\pagefile.sys 0 0', 'D:\\pagefile.sys 0 0', 'Z:\\x.sys'], None), ([], None),
        ):
            with self.subTest(listed):
                windows = self.windows({(MEMORY, 'PagingFiles'): (MULTI, listed)})
                changed, _ = old_platform.settle(windows, self.devices)
                self.assertEqual((changed, windows.system.texts(MEMORY, 'PagingFiles')), (kept is not None, listed if kept is None else kept))

    def test_nobody_asks_the_source_cloud_for_activation(self):
        key = 'Microsoft\\Windows NT\\CurrentVersion\\SoftwareProtectionPlatform'
        below = key + '\\55c92734-d682-4d71-983e-d6ec3f16059f\\edition'
        windows = self.windows({}, {(key, 'KeyManagementServiceName'): (SZ, 'kms.core.windows.net'), (key, 'VLActivationInterval'): (DWORD, 1),
                                    (below, 'KeyManagementServiceName'): (SZ, 'kms.own.example')})
        self.assertEqual(old_platform.settle(windows, self.devices), (True, ['Windows no longer asks kms.core.windows.net for its activation']))
        self.assertEqual((windows.software.text(key, 'KeyManagementServiceName'), windows.software.number(key, 'VLActivationInterval')), ('', 1))
        self.assertEqual(windows.software.text(below, 'KeyManagementServiceName'), 'kms.own.example')
        self.assertEqual(len(self.warnings), 1)

    def test_the_clock_is_taken_for_what_the_destination_makes_it(self):
        zone = 'ControlSet001\\Control\\TimeZoneInformation'
        for before, datasources, after, told in ((None, ['Azure'], 1, 0), (1, ['Azure'], 1, 0), (1, ['ConfigDrive'], 1, 1), (0, ['ConfigDrive'], 0, 0), (None, [], None, 0)):
            with self.subTest((before, datasources)):
                del self.warnings[:]
                protocol._told.clear()
                windows = self.windows({} if before is None else {(zone, 'RealTimeIsUniversal'): (DWORD, before)})
                changed = old_platform.settle(windows, self.devices, {'datasources': datasources})[0]
                self.assertEqual((changed, windows.system.number(zone, 'RealTimeIsUniversal'), len(self.warnings)), (after != before, after, told))

    def test_it_stops_at_a_blue_screen_until_the_first_boot_gives_back_what_was_set(self):
        crashes = 'ControlSet001\\Control\\CrashControl'
        for before, kept in ((None, 1), (1, 1), (0, None)):
            with self.subTest(before):
                windows = self.windows({} if before is None else {(crashes, 'AutoReboot'): (DWORD, before)})
                # A second preparation does not take the first one's setting for the guest's own.
                for _ in range(2):
                    self.assertEqual(old_platform.stop_at_blue_screens(windows), kept is not None)
                    self.assertEqual((windows.system.number(crashes, 'AutoReboot'), windows.system.number(crashes, 'CausewayAutoReboot')), (0, kept))

    def test_what_may_refuse_new_drivers_is_told(self):
        windows = self.windows(merged(service('CSAgent', 1), service('klif', 4)), {('Policies\\Microsoft\\Windows\\DeviceInstall\\Restrictions', 'DenyUnspecified'): (DWORD, 1)})
        self.assertEqual(old_platform.settle(windows, self.devices), (False, []))
        self.assertEqual([told.split(' ')[0] for told in self.warnings], ['a', 'CrowdStrike'])
        self.assertIn('DenyUnspecified', self.warnings[0])

    def test_dynamic_disks_are_named_as_the_reason(self):
        for kind in ('0x42', 'AF9B60A0-1431-4F62-BC68-3311714A69AD'):
            with self.assertRaises(MorphError) as caught:
                _choose([], None, [device('/dev/w01', 'partition', 1, PART_ENTRY_TYPE=kind)], [])
            self.assertEqual(caught.exception.code, 'osmorphing.root-not-found')
            self.assertIn('dynamic', caught.exception.message)

    def test_the_start_is_shown_where_it_was_told_to_be_without_graphics(self):
        manager, entry = 'Objects\\{9dea862c-5cdd-4e70-acc1-f32b344d4795}\\Elements\\23000003', '{11111111-2222-4333-8444-555555555555}'
        element = 'Objects\\%s\\Elements\\16000046' % entry
        for values, gone in (({(manager, 'Element'): (SZ, entry), (element, 'Element'): (BINARY, b'\1')}, True), ({(manager, 'Element'): (SZ, entry)}, False), ({(element, 'Element'): (BINARY, b'\1')}, False)):
            registry = Registry(values)
            registry.save, registry.close = lambda: True, lambda: None
            self.addCleanup(setattr, efi_loader, 'Hive', efi_loader.Hive)
            efi_loader.Hive = lambda *_: registry
            self.assertEqual(efi_loader.show_start(Files({'EFI/Microsoft/Boot/BCD': b''})), ['Windows shows its start on the screen'] if gone else [])
            self.assertEqual(element in registry.tree, bool(values.get((element, 'Element'))) and not gone)
        self.assertEqual(efi_loader.show_start(Files({})), [])

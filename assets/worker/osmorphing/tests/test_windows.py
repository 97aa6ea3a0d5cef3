"""What of the Windows part needs neither NTFS nor a registry; those are seen on real ones by the lab."""

import hashlib
import json
import os
import shutil
import tempfile
import threading
import unittest
import unittest.mock
from http.server import BaseHTTPRequestHandler, HTTPServer

from causeway_osmorphing import protocol
from causeway_osmorphing.protocol import MorphError
from causeway_osmorphing.windows.disc import Disc, FileSource, HttpSource, open_disc
from causeway_osmorphing.windows.driver_search import oldest_version, search
from causeway_osmorphing.windows.drivers import candidates, find_drivers
from causeway_osmorphing.windows.hive import DWORD, MULTI, SZ, encoded, shown
from causeway_osmorphing.windows import hyperv, init_agent, network, plan, platform_agent, xen
from causeway_osmorphing.windows.inf import Inf
from causeway_osmorphing.windows.network import Interface, pair
from causeway_osmorphing.windows.tree import WindowsTree

INF = '''; comment
[Version]
Class=SCSIAdapter
ClassGUID={4D36E97B-E325-11CE-BFC1-08002BE10318}
Provider = %Vendor% ; and why
DriverVer=08/08/2022,100.92.104.22200
[Manufacturer]
%Vendor% = Models, NTamd64, NTx86.6.1
[Models.NTamd64]
"A; b" = Install, PCI\\VEN_1AF4&DEV_1001, \\
  PCI\\VEN_1AF4&DEV_1042
[Models.NTx86.6.1]
"C" = Install32, PCI\\VEN_1AF4&DEV_1001
[Install.NT.Services]
AddService = filter, , Filter_Service
AddService = viostor, %Flags%, Main_Service
[Main_Service]
StartType = 0
ServiceBinary = %12%\\viostor.sys
[Strings]
Vendor = "Some; Vendor"
Flags = 0x00000002
'''


class InfTest(unittest.TestCase):
    def test_devices_and_services_are_those_of_the_processor(self):
        for raw in (INF.encode(), b'\xff\xfe' + INF.encode('utf-16-le'), INF.replace('\n', '\r\n').encode('utf-8-sig')):
            inf = Inf(raw, 'amd64')
            self.assertEqual([one[0] for one in inf.devices], ['PCI\\VEN_1AF4&DEV_1001', 'PCI\\VEN_1AF4&DEV_1042'])
            self.assertEqual(inf.devices[0][1:], ('Install', 'A; b'))
            self.assertEqual(inf.provider, 'Some; Vendor')
            self.assertEqual(inf.class_guid, '{4d36e97b-e325-11ce-bfc1-08002be10318}')
            name, fields = inf.service_of('Install', 'amd64')
            self.assertEqual((name, fields['servicebinary']), ('viostor', '%12%\\viostor.sys'))
        self.assertEqual([one[1] for one in Inf(INF.encode(), 'x86').devices], ['Install32'])


class CandidatesTest(unittest.TestCase):
    def test_folders_of_the_disc(self):
        cases = (
            ((10, 0, 17763), True, ['2k19', '2k16', 'w10', '2k12R2', '2k12', '2k8R2']),
            ((10, 0, 26100), True, ['2k25', '2k22', '2k19', '2k16', 'w10', '2k12R2', '2k12', '2k8R2']),
            ((10, 0, 22631), False, ['w11', 'w10', 'w8.1', 'w8', 'w7']),
            ((6, 1, 7601), True, ['2k8R2']),
            ((6, 0, 6002), True, []),
        )
        for version, server, expected in cases:
            self.assertEqual(candidates(version, server), expected)


class StandInDisc(object):
    """Files by their paths."""

    label = 'VENDOR'

    def __init__(self, files):
        self._files = files

    def entries(self, path):
        top = path.strip('/').lower()
        found = {}
        for name, content in self._files.items():
            if top and not name.lower().startswith(top + '/'):
                continue
            first, below, _ = name[len(top) + 1 if top else 0 :].partition('/')
            found[first.lower()] = (first, below == '/', (0, 0 if below else len(content)))
        return found

    def read(self, path):
        return next(content for name, content in self._files.items() if name.lower() == path.strip('/').lower())


class GuestOfDisc(object):
    architecture = 'x86_64'
    is_server = True
    name = 'Windows Server 2019'

    def __init__(self, version=(10, 0, 17763), root=None):
        self.version = version
        self.tree = WindowsTree(root) if root else None
        self.software = StandInHive({})


def vendor_inf(devices, decoration='NTamd64', version='08/08/2022,1.0'):
    lines = ['"%d" = Install, %s' % (number, device) for number, device in enumerate(devices)]
    return '\r\n'.join(['[Version]', 'Class=Net', 'DriverVer=' + version, '[Manufacturer]', '"V" = Models, ' + decoration, '[Models.%s]' % decoration] + lines).encode()


class VendorDiscTest(unittest.TestCase):
    DISKS = ['PCI\\VEN_1AF4&DEV_1001&SUBSYS_00021AF4&REV_00', 'PCI\\VEN_1AF4&DEV_1042']

    def disc(self, **more):
        files = {}
        for folder, device in (('block', '1001'), ('scsi', '1004'), ('net', '1000')):
            files['Drivers/x64/%s/o%s.inf' % (folder, folder)] = vendor_inf(['PCI\\VEN_1AF4&DEV_' + device])
            files['Drivers/x64/%s/o%s.sys' % (folder, folder)] = folder.encode()
            files['Drivers/x64/%s/setup.exe' % folder] = b'x'
        files.update(more)
        return StandInDisc(files)

    def test_drivers_are_found_by_what_their_files_say_wherever_they_are(self):
        found = dict((driver.name, driver) for driver in find_drivers(self.disc(), GuestOfDisc()))
        self.assertEqual(sorted(found), ['NetKVM', 'vioscsi', 'viostor'])
        self.assertEqual(sorted(found['viostor'].files), ['oblock.inf', 'oblock.sys'])
        self.assertEqual(found['viostor'].folder, 'Drivers/x64/block')

    def test_a_driver_for_a_newer_windows_another_edition_or_processor_is_not_taken(self):
        version, server = (10, 0, 17763), True
        cases = (
            ('NTamd64', (0, 0, 0)), ('NTamd64.10.0', (10, 0, 0)), ('NTamd64.10.0...14393', (10, 0, 14393)), ('NTamd64.10.0...20348', None),
            ('NTamd64.6.1', (6, 1, 0)), ('NTamd64.10.0.1', None), ('NTamd64.10.0.3', (10, 0, 0)), ('NTx86', None), ('NTarm64.10.0', None),
        )
        for decoration, expected in cases:
            self.assertEqual(oldest_version(Inf(vendor_inf(self.DISKS, decoration), 'amd64'), 'amd64', version, server), expected, decoration)

    def test_the_one_for_the_newest_windows_that_fits_is_taken_then_the_newest(self):
        device = 'PCI\\VEN_1AF4&DEV_1001'
        files = {}
        for name, decoration, driver in (('a', 'NTamd64.6.1', '01/01/2024,9.0'), ('b', 'NTamd64.10.0', '01/01/2022,1.0'), ('c', 'NTamd64.10.0', '02/01/2022,1.0'), ('d', 'NTamd64.10.0...20348', '01/01/2025,1.0')):
            files['%s/d.inf' % name] = vendor_inf([device], decoration, driver)
            files['%s/d.sys' % name] = b'x'
        found = search(StandInDisc(files), 'amd64', (10, 0, 17763), True, lambda one: one == device)
        self.assertEqual(found[device].folder, 'c')
        self.assertEqual(search(StandInDisc(files), 'amd64', (10, 0, 17763), True, lambda one: one == device, ('b', 'c'))[device].folder, 'a')

    def test_the_folder_of_another_windows_is_passed_over(self):
        files = dict(('%s/2k22/amd64/%s' % (name, file), content) for name, device in (('viostor', '1001'), ('vioscsi', '1004'), ('NetKVM', '1000'))
                     for file, content in (('a.inf', vendor_inf(['PCI\\VEN_1AF4&DEV_' + device])), ('a.sys', b'x')))
        self.assertRaises(MorphError, find_drivers, StandInDisc(files), GuestOfDisc())

    def test_drivers_for_xen_are_left_for_plug_and_play(self):
        root = tempfile.mkdtemp()
        try:
            os.makedirs(root + '/Windows')
            guest = GuestOfDisc(root=root)
            files = {'pv/xenbus.inf': vendor_inf(['PCI\\VEN_5853&DEV_0001']), 'pv/xenbus.sys': b'bus', 'pv/xenvbd.inf': vendor_inf(['XENBUS\\VEN_XP0001&DEV_VBD']), 'pv/xenvbd.sys': b'disk'}
            changed, notes = xen.install(guest, StandInDisc(files))
            self.assertTrue(changed)
            self.assertEqual(notes, ['xenbus.inf of the folder pv', 'xenvbd.inf of the folder pv'])
            self.assertEqual(guest.software.text('Microsoft\\Windows\\CurrentVersion', 'DevicePath'), '%SystemRoot%\\inf;%SystemRoot%\\Drivers\\Xen\\xenbus;%SystemRoot%\\Drivers\\Xen\\xenvbd')
            self.assertEqual(guest.tree.read('Windows/Drivers/Xen/xenvbd/xenvbd.inf'), files['pv/xenvbd.inf'])
            self.assertEqual(xen.install(guest, StandInDisc(files)), (False, ['the drivers are there already']))
            self.assertRaises(MorphError, xen.install, guest, self.disc())
            self.assertEqual(xen.install(guest, None)[0], False)
        finally:
            shutil.rmtree(root)


class NetworkTest(unittest.TestCase):
    def interface(self, *addresses):
        return Interface('{%s}' % addresses[0], addresses[0], False, [(one, '255.255.255.0') for one in addresses], [], [])

    def test_cards_go_by_the_addresses_that_the_source_told(self):
        first, second = self.interface('10.0.0.1', '10.0.0.9'), self.interface('10.1.0.1')
        nics = [{'macAddress': 'b', 'addresses': ['10.1.0.1']}, {'macAddress': 'a', 'addresses': ['10.0.0.9']}]
        pairs, warnings = pair([first, second], nics)
        self.assertEqual([(mac, one.name) for mac, one in pairs], [('b', '10.1.0.1'), ('a', '10.0.0.1')])
        self.assertEqual(warnings, [])

    def test_one_card_without_addresses_gets_the_one_interface(self):
        pairs, _ = pair([self.interface('10.0.0.1')], [{'macAddress': 'a', 'addresses': []}])
        self.assertEqual([mac for mac, _ in pairs], ['a'])

    def test_connections_keep_their_names_as_far_as_the_script_reads_them(self):
        for name, suffix, kept in (('LAN (2)', 'corp.example', ('LAN (2)', 'corp.example')), ('a"b', 'a b', ('', '')), ('a}', '', ('', '')), ('\xdcber', 'x\n', ('', '')), ('a\n', 'a]', ('', ''))):
            one = Interface('{1}', name, False, [('10.0.0.1', '255.255.255.0')], [], [], suffix)
            with unittest.mock.patch.object(network, 'interfaces_of', lambda _: [one]):
                script = network.static_script(None, [{'macAddress': 'aa', 'addresses': ['10.0.0.1']}], '{{cards}}')
            told = json.loads(script)
            self.assertEqual((told[0]['name'], told[0]['suffix'], told[0]['mac']), kept + ('AA',))

    def test_what_is_not_clear_is_told_and_not_guessed(self):
        pairs, warnings = pair([self.interface('10.0.0.1')], [{'macAddress': 'a', 'addresses': ['10.9.9.9']}])
        self.assertEqual(pairs, [])
        self.assertIn('10.0.0.1', warnings[0])


class TreeTest(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp()
        os.makedirs(self.root + '/WINDOWS/system32')
        self.tree = WindowsTree(self.root)

    def tearDown(self):
        shutil.rmtree(self.root)

    def test_names_go_without_case_and_changes_are_told_once(self):
        self.assertTrue(self.tree.write('Windows/System32/a.txt', b'1'))
        self.assertFalse(self.tree.write('windows/SYSTEM32/A.TXT', b'1'))
        self.assertTrue(os.path.isfile(self.root + '/WINDOWS/system32/a.txt'))
        self.assertEqual([one['path'] for one in self.tree.diff()['added']], ['/WINDOWS/system32/a.txt'])
        self.assertRaises(ValueError, self.tree.spelt, 'Windows/../../etc')

    def test_an_original_is_kept_once(self):
        with open(self.root + '/WINDOWS/b', 'w') as file:
            file.write('first')
        for content in (b'second', b'third'):
            WindowsTree(self.root).write('Windows/b', content)
        self.assertEqual(self.tree.read('Windows/Causeway/original/Windows/b'), b'first')


class HiveTest(unittest.TestCase):
    def test_values_as_bytes_and_as_people_write_them(self):
        self.assertEqual(encoded(DWORD, 2), b'\2\0\0\0')
        self.assertEqual(shown(SZ, encoded(SZ, 'a')), 'sz:a')
        self.assertEqual(shown(MULTI, encoded(MULTI, ['a', 'b'])), 'multi:a|b')


class DiscTest(unittest.TestCase):
    def test_what_is_no_disc_is_refused(self):
        path = tempfile.mktemp()
        try:
            for content in (b'', b'PK\3\4' + bytes(100000)):
                with open(path, 'wb') as file:
                    file.write(content)
                source = FileSource(path)
                with self.assertRaises(MorphError) as caught:
                    Disc(source)
                source.close()
                self.assertEqual(caught.exception.code, 'osmorphing.drivers-missing')
        finally:
            os.unlink(path)


class StandInHive(object):
    """A registry of one level: (key, name) → (kind, value)."""

    def __init__(self, values):
        self.all = values

    def text(self, path, name, default=''):
        return self.all.get((path, name), (None, default))[1]

    def set(self, path, name, kind, value):
        old = self.all.get((path, name))
        self.all[path, name] = (kind, value)
        return old != (kind, value)


class StandInInstallation(object):
    services = 'ControlSet001\\Services'
    architecture = 'x86_64'

    def __init__(self, root, command):
        self.tree = WindowsTree(root)
        self.system = StandInHive({(self.services + '\\cloudbase-init', 'ImagePath'): (1, command), (self.services + '\\cloudbase-init', 'Start'): (DWORD, 4)})


class HyperVTest(unittest.TestCase):
    """Windows has the drivers of Hyper-V itself; they have to start with the boot loader."""

    SERVICES = 'ControlSet001\\Services'
    FIREWALL = SERVICES + '\\SharedAccess\\Parameters\\FirewallPolicy\\FirewallRules'

    def setUp(self):
        emit, protocol.emit = protocol.emit, lambda *_, **__: None
        self.addCleanup(setattr, protocol, 'emit', emit)

    def installation(self, names, denied=0):
        class Keys(StandInHive):
            def keys(self, _path):
                return names

            def values(self, _path):
                return {}

            def number(self, path, name, default=None):
                return self.all.get((path, name), (None, default))[1]

        class Guest(object):
            services = self.SERVICES
            system = Keys({
                ('ControlSet001\\Control\\Terminal Server', 'fDenyTSConnections'): (DWORD, denied),
                (self.FIREWALL, 'RemoteDesktop-UserMode-In-TCP'): (1, 'v2.30|Action=Allow|Active=FALSE|Dir=In|LPort=3389|'),
            })

        return Guest()

    def test_drivers_start_at_boot(self):
        guest = self.installation(['VMBus', 'storvsc', 'netvsc'])
        self.assertEqual(hyperv.start_drivers(guest)[0], True)
        self.assertEqual(guest.system.all[self.SERVICES + '\\storvsc', 'Start'], (DWORD, 0))
        self.assertEqual(guest.system.all[self.SERVICES + '\\netvsc', 'Start'], (DWORD, 3))
        self.assertEqual(hyperv.start_drivers(guest), (False, []))

    def test_a_windows_without_them_is_refused(self):
        with self.assertRaises(MorphError) as caught:
            hyperv.start_drivers(self.installation(['storvsc']))
        self.assertEqual(caught.exception.code, 'osmorphing.drivers-missing')

    def test_the_firewall_lets_remote_desktop_in_where_that_is_on_and_nothing_is_switched_on_where_it_is_off(self):
        for denied, expected in ((0, 'Active=TRUE'), (1, 'Active=FALSE')):
            guest = self.installation(['vmbus', 'storvsc'], denied)
            self.assertEqual(hyperv.open_remote_desktop(guest)[0], denied == 0)
            self.assertIn(expected, guest.system.all[self.FIREWALL, 'RemoteDesktop-UserMode-In-TCP'][1])


class OwnAgentTest(unittest.TestCase):
    FOLDER = 'Program Files/Cloudbase Solutions/Cloudbase-Init'
    PROGRAM = 'C:\\Program Files\\Cloudbase Solutions\\Cloudbase-Init'
    WANTED = '[DEFAULT]\r\nlocal_scripts_path=C:\\Cloudbase-Init\\LocalScripts\r\nlogdir=C:\\Cloudbase-Init\\Log\r\nplugins=a,b\r\n'

    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        os.makedirs(os.path.join(self.root, self.FOLDER, 'conf'))

    def test_an_agent_that_lies_elsewhere_is_configured_and_enabled(self):
        conf = os.path.join(self.root, self.FOLDER, 'conf', 'cloudbase-init.conf')
        with open(conf, 'w') as file:
            file.write('[DEFAULT]\nusername=Owner\nplugins=old.one,\n  old.two\nlogdir=D:\\log\n[config_drive]\nplugins=x\n')
        for command in (
            '"{0}\\bin\\OpenStackService.exe" cloudbase-init "{0}\\Python\\Scripts\\cloudbase-init.exe" --config-file "{0}\\conf\\cloudbase-init.conf"'.format(self.PROGRAM),
            '"%ProgramFiles%\\Cloudbase Solutions\\Cloudbase-Init\\Bin\\OpenStackServiceX64.exe" cloudbase-init x',
            self.PROGRAM + '\\bin\\OpenStackService.exe cloudbase-init x',
        ):
            installation = StandInInstallation(self.root, command)
            changed, notes, scripts = init_agent.install(installation, {'agentConfiguration': self.WANTED}, '')
            self.assertEqual(scripts, self.FOLDER + '/LocalScripts')
            self.assertEqual(installation.system.all[installation.services + '\\cloudbase-init', 'Start'], (DWORD, 2))
            with open(conf, newline='') as file:
                self.assertEqual(
                    file.read().split('\r\n'),
                    ['[DEFAULT]', 'local_scripts_path=%s\\LocalScripts' % self.PROGRAM, 'username=Owner', 'plugins=a,b', 'logdir=D:\\log', '[config_drive]', 'plugins=x', ''],
                )
            self.assertEqual(init_agent.install(installation, {'agentConfiguration': self.WANTED}, '')[0], False)

    def test_the_platforms_own_agent_is_laid_down_if_it_is_an_installer_of_windows(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        told, emit = [], protocol.emit
        protocol.emit = lambda kind, **fields: told.append(fields['message']) if kind == 'warning' else None
        self.addCleanup(setattr, protocol, 'emit', emit)
        guest = GuestOfDisc(root=folder + '/guest')
        os.mkdir(folder + '/guest')
        scripts, there = 'Cloudbase-Init/LocalScripts', 'Cloudbase-Init/FirstBoot/packages/platform-agent.msi'
        for name, content, sha256, where, changed in (
            ('a.deb', b'!<arch>', None, scripts, False), ('a.msi', b'<html>', None, scripts, False), ('a.msi', b'\xd0\xcf\x11\xe0', '0' * 64, scripts, False),
            ('a.msi', b'\xd0\xcf\x11\xe0', None, None, False), ('a.msi', b'\xd0\xcf\x11\xe0', None, scripts, True),
        ):
            with open(os.path.join(folder, name), 'wb') as file:
                file.write(content)
            del told[:]
            found = platform_agent.lay_down(guest, {'path': os.path.join(folder, name), 'sha256': sha256}, folder, where)
            self.assertEqual((found[0], guest.tree.is_file(there), len(told)), (changed, changed, 0 if changed or name == 'a.deb' else 1))
        self.assertEqual(platform_agent.lay_down(guest, None, folder, scripts), (False, []))
        self.assertTrue(platform_agent.is_there(guest, scripts))

    def test_a_service_without_its_files_is_no_agent(self):
        installation = StandInInstallation(self.root, '"C:\\Gone\\bin\\OpenStackService.exe" cloudbase-init')
        emit, protocol.emit = protocol.emit, lambda *_, **__: None
        try:
            self.assertRaises(MorphError, init_agent.install, installation, {'agentConfiguration': self.WANTED}, '')
        finally:
            protocol.emit = emit


class InitAgentTest(unittest.TestCase):
    def test_a_plan_says_that_no_agent_is_for_the_processor(self):
        for architecture, refused in (('i386', True), ('x86_64', False)):
            findings = []
            windows = type('Windows', (), {'architecture': architecture, 'system': StandInHive({}), 'services': 'ControlSet001\\Services'})()
            steps = lambda *_: (('install-agent', 'Install', lambda: self.fail('it is not tried')),)
            plan._changes(findings, windows, [], {}, None, steps)
            self.assertEqual([one['code'] for one in findings], ['osmorphing.init-agent-missing'] if refused else [])

    def test_an_archive_with_another_digest_than_the_expected_one_is_refused(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        with open(os.path.join(folder, 'agent'), 'wb') as file:
            file.write(b'agent')
        wanted = {'url': 'file://%s/agent' % folder, 'sha256': hashlib.sha256(b'agent').hexdigest()}
        self.assertEqual(init_agent._fetch(wanted, folder), os.path.join(folder, 'init-agent.zip'))
        with self.assertRaises(MorphError) as caught:
            init_agent._fetch(dict(wanted, sha256='0' * 64), folder)
        self.assertEqual(caught.exception.code, 'osmorphing.download-differs')


class HttpSourceTest(unittest.TestCase):
    """Parts of a file behind a URL, whether its server knows ranges or not."""

    content = bytes(bytearray(index * 7 % 251 for index in range(5 << 20)))

    def read(self, with_ranges):
        content, sent = self.content, []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                first, last = (int(part) for part in self.headers['Range'].split('=')[1].split('-'))
                body = content[first : last + 1] if with_ranges else content
                sent.append(len(body))
                self.send_response(416 if not body else 206 if with_ranges else 200)
                self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = HTTPServer(('127.0.0.1', 0), Handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        folder = tempfile.mkdtemp()
        try:
            source = HttpSource('http://127.0.0.1:%d/disc.iso' % server.server_port, folder)
            for offset, length in ((0, 10), ((1 << 20) - 5, 10), ((3 << 20) + 1, 1 << 20), ((5 << 20) - 3, 2048), (9 << 20, 5)):
                self.assertEqual(source.read(offset, length), content[offset : offset + length])
            source.close()
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
            shutil.rmtree(folder)
        return sent

    def test_only_what_is_needed_travels(self):
        self.assertLess(sum(self.read(True)), len(self.content) + 1)

    def test_a_server_without_ranges_is_asked_once(self):
        self.assertEqual(self.read(False), [len(self.content)])

    def test_a_disc_with_a_digest_is_checked_before_anything_of_it_is_read(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        path = os.path.join(folder, 'served.iso')
        content = b'\0' * (40 * 2048)
        with open(path, 'wb') as file:
            file.write(content)
        for digest, code in (('ab' * 32, 'osmorphing.download-differs'), (hashlib.sha256(content).hexdigest(), 'osmorphing.drivers-missing')):
            # The right one is no disc, which shows only when it is read.
            with self.assertRaises(MorphError) as caught:
                open_disc({'url': 'file://' + path, 'sha256': digest}, folder)
            self.assertEqual(caught.exception.code, code)

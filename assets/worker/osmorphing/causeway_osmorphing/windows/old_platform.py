"""Settings that mean something on the old platform alone, and what may keep Windows from starting or from loading drivers."""

import re
import struct
import uuid

from .. import protocol
from .hive import DWORD, MULTI

_MOUNTED = 'MountedDevices'
_MEMORY = '\\Control\\Session Manager\\Memory Management'
_ACTIVATION = 'Microsoft\\Windows NT\\CurrentVersion\\SoftwareProtectionPlatform'
# Servers for activation that clouds have for their own machines.
_CLOUD_SERVERS = re.compile(r'^((az)?kms\.core\.(windows\.net|chinacloudapi\.cn|usgovcloudapi\.net)|169\.254\.169\.25[01]|kms\.windows\.googlecloud\.com)$', re.IGNORECASE)
_RESTRICTIONS = 'Policies\\Microsoft\\Windows\\DeviceInstall\\Restrictions'
_DENIALS = ('DenyUnspecified', 'DenyDeviceIDs', 'DenyDeviceClasses')
# Services of programs that may refuse new drivers, or the start of the system behind them.
_GUARDS = {
    'CSAgent': 'CrowdStrike Falcon', 'SentinelMonitor': 'SentinelOne', 'CylanceDrv': 'Cylance', 'SophosED': 'Sophos', 'SymEFASI': 'Symantec', 'mfehidk': 'McAfee', 'klif': 'Kaspersky',
    'eamonm': 'ESET', 'tmcomm': 'Trend Micro', 'cbk7': 'Carbon Black', 'Parity': 'Carbon Black App Control', 'bdprivmon': 'Bitdefender',
}


def drive_letters(installation, devices):
    """Letter → the device that has it here; None for one that is on none of the disks."""
    found = {}
    by_place = dict((place, one) for one in devices for place in _places(one))
    for name, (_, raw) in installation.system.values(_MOUNTED).items():
        letter = re.match(r'^\\DosDevices\\([A-Z]:)$', name, re.IGNORECASE)
        if letter:
            found[letter.group(1).upper()] = by_place.get(_place(raw))
    return found


def _place(raw):
    """What Windows knows a volume by: the signature of its disk and its offset, or the identifier of its partition."""
    if len(raw) == 12:
        signature, offset = struct.unpack('<IQ', raw)
        return '%08x' % signature, offset
    if raw[:8] == b'DMIO:ID:' and len(raw) == 24:
        return str(uuid.UUID(bytes_le=raw[8:]))
    return None


def _places(device):
    told = device.properties
    number = told.get('PART_ENTRY_UUID', '').lower()
    if not number:
        return []
    signature, _, part = number.partition('-')
    is_short = re.match(r'^[0-9a-f]{8}$', signature) and len(part) == 2
    return [(signature, int(told.get('PART_ENTRY_OFFSET') or 0) * 512)] if is_short else [number]


def settle(installation, devices, request=None):
    """Returns (changed, notes)."""
    notes = _page_files(installation, devices) + _activation(installation) + _clock(installation, request or {})
    _warn(installation)
    return bool(notes), notes


def _page_files(installation, devices):
    """A page file on a disk that is gone (a cloud's temporary one) leaves Windows with none."""
    key = installation.control_set + _MEMORY
    listed = installation.system.texts(key, 'PagingFiles')
    letters = drive_letters(installation, devices)
    if letters.get('C:') is None:
        # The partitions are told otherwise than Windows knows them.
        return []
    kept = [one for one in listed if letters.get(one[:2].upper(), one) is not None]
    gone = [one for one in listed if one not in kept]
    if not gone:
        return []
    system = 'C:\\pagefile.sys 0 0'
    new = kept if any(one.upper().startswith(('C:', '?:')) for one in kept) else kept + [system]
    installation.system.set(key, 'PagingFiles', MULTI, new)
    return ['the page file is on %s instead of %s, which is not among the disks' % (', '.join(one.split(' ')[0] for one in new), ', '.join(one.split(' ')[0] for one in gone))]


_ZONE = '\\Control\\TimeZoneInformation'
_UNIVERSAL = 'RealTimeIsUniversal'


def _clock(installation, request):
    """Which time the machine's clock has. Azure's has universal time; clouds of OpenStack give a Windows the time of the place that their
    hosts are set to, which is universal time on most of them, and can't be told from here."""
    key = installation.control_set + _ZONE
    is_universal = installation.system.number(key, _UNIVERSAL, 0) == 1
    if 'Azure' in (request.get('datasources') or []):
        return ['Windows takes the machine\'s clock for universal time'] if installation.system.set(key, _UNIVERSAL, DWORD, 1) else []
    if is_universal:
        protocol.warn_once(
            'Windows takes the machine\'s clock for universal time (RealTimeIsUniversal), as on the source; where the destination\'s hosts have another time zone, '
            'its clock is wrong after each cold start until Windows has asked a time server')
    return []


_CRASHES = '\\Control\\CrashControl'
# What the first boot gives back.
_RESTARTS_BEFORE = 'CausewayAutoReboot'


def stop_at_blue_screens(installation):
    """Windows restarts after a blue screen, before anybody could read it; where it can't start, that goes on without end, and nothing says why. Returns
    whether the first boot has a setting to give back."""
    key = installation.control_set + _CRASHES
    restarts = installation.system.number(key, 'AutoReboot', 1)
    if restarts != 0:
        installation.system.set(key, _RESTARTS_BEFORE, DWORD, restarts)
        installation.system.set(key, 'AutoReboot', DWORD, 0)
    return installation.system.number(key, _RESTARTS_BEFORE) is not None


def _activation(installation):
    notes = []
    keys = [_ACTIVATION]
    keys += ['%s\\%s' % (_ACTIVATION, name) for name in installation.software.keys(_ACTIVATION)]
    keys += ['%s\\%s' % (above, name) for above in keys[1:] for name in installation.software.keys(above)]
    for key in keys[:200]:
        server = installation.software.text(key, 'KeyManagementServiceName')
        if _CLOUD_SERVERS.match(server) and installation.software.remove_value(key, 'KeyManagementServiceName'):
            notes.append('Windows no longer asks %s for its activation' % server)
    if notes:
        protocol.warn_once('Windows was activated by a server of the source\'s cloud; activate it again on the destination')
    return sorted(set(notes))


def _warn(installation):
    software, there = installation.software, dict((name.lower(), name) for name in installation.system.keys(installation.services))
    denied = [name for name in _DENIALS if software.number(_RESTRICTIONS, name, 0) == 1]
    if denied:
        protocol.warn_once('a policy of this Windows forbids the installation of devices (%s): drivers of the destination may not be installed at the first boot' % ', '.join(denied))
    guards = sorted(set(
        name for service, name in _GUARDS.items()
        if service.lower() in there and installation.system.number('%s\\%s' % (installation.services, service), 'Start', 4) != 4
    ))
    if guards:
        protocol.warn_once('%s may refuse the destination\'s drivers or what runs at the first boot; where it does, pause its protection before the last execution' % ', '.join(guards))

"""The guest initialization agent: unpacked from its ZIP, configured, registered as a service; it runs the first-boot
scripts."""

import os
import re
import zipfile

from .. import protocol
from ..download import download
from ..protocol import MorphError
from .hive import DWORD, EXPAND, SZ

FOLDER = 'Cloudbase-Init'
SERVICE = 'cloudbase-init'
_DRIVE = 'C:\\'
_LARGEST = 512 << 20


def service_values():
    """The service as the registry has it."""
    folder = _DRIVE + FOLDER
    command = '"{0}\\Bin\\OpenStackService.exe" {1} "{0}\\Python\\Python.exe" "{0}\\Python\\Scripts\\cloudbase-init.exe" --config-file "{0}\\conf\\cloudbase-init.conf"'
    return {
        'DisplayName': (SZ, 'Cloud Initialization Service'),
        'Description': (SZ, 'Service wrapper for cloudbase-init'),
        'Type': (DWORD, 16),
        'Start': (DWORD, 2),
        'ErrorControl': (DWORD, 1),
        'ObjectName': (SZ, 'LocalSystem'),
        'ImagePath': (EXPAND, command.format(folder, SERVICE)),
    }


def own_installation(installation):
    """Folder of an agent that the guest brings itself; None when it has none."""
    command = installation.system.text('%s\\%s' % (installation.services, SERVICE), 'ImagePath')
    if not command or ('%s%s\\' % (_DRIVE, FOLDER)).lower() in command.lower():
        return None
    found = re.search(r'"[A-Za-z]:\\([^"]*)\\Bin\\OpenStackService\.exe"', command, re.IGNORECASE)
    return found.group(1).replace('\\', '/') if found else 'Program Files/Cloudbase Solutions/Cloudbase-Init'


def install(installation, request, folder):
    """Gives (changed, notes, folder of its first-boot scripts or None)."""
    wanted = request.get('initAgent')
    own = own_installation(installation)
    if own is not None:
        return False, ['the guest has the agent already, in %s' % own], own + '/LocalScripts'
    why = None
    if not wanted:
        why = 'no guest initialization agent was given'
    elif installation.architecture != 'x86_64':
        why = 'the guest initialization agent is for x86_64, the guest is %s' % installation.architecture
    if why:
        if request.get('cloudInit', 'required') == 'required':
            raise MorphError('osmorphing.init-agent-missing', why)
        protocol.warn(why)
        return False, [why], None
    changed, count = _unpack(installation, _fetch(wanted, folder))
    changed = installation.tree.write(FOLDER + '/conf/cloudbase-init.conf', wanted['configuration'].encode('utf-8')) or changed
    for name in ('Log', 'LocalScripts'):
        os.makedirs(installation.tree.real('%s/%s' % (FOLDER, name)), exist_ok=True)
    changed = installation.system.set_all('%s\\%s' % (installation.services, SERVICE), service_values()) or changed
    notes = ['the agent with %d files, as the service %s' % (count, SERVICE)] if changed else ['the agent is there already']
    return changed, notes, FOLDER + '/LocalScripts'


def _fetch(wanted, folder):
    """Path of the ZIP on the worker."""
    if wanted.get('path'):
        return wanted['path']
    path = os.path.join(folder, 'init-agent.zip')
    try:
        size, digest = download(wanted['url'], path, _LARGEST)
    except (OSError, ValueError) as error:
        raise MorphError('osmorphing.init-agent-missing', 'the agent could not be fetched: %s' % error)
    protocol.log('fetched the agent: %d bytes, SHA-256 %s' % (size, digest))
    if wanted.get('sha256') and digest != wanted['sha256']:
        raise MorphError('osmorphing.download-differs', 'the SHA-256 of %s is %s, not %s' % (wanted['url'], digest, wanted['sha256']))
    return path


def _unpack(installation, path):
    """Gives (changed, number of files)."""
    changed, count, total = False, 0, 0
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(one.filename.replace('\\', '/').lower() for one in archive.infolist())
            for needed in ('bin/openstackservice.exe', 'python/python.exe'):
                if needed not in names:
                    raise MorphError('osmorphing.init-agent-missing', 'the agent\'s archive has no %s' % needed)
            for one in archive.infolist():
                protocol.check_cancelled()
                name = one.filename.replace('\\', '/')
                if name.endswith('/'):
                    continue
                if name.startswith('/') or ':' in name or '..' in name.split('/'):
                    raise MorphError('osmorphing.init-agent-missing', 'the agent\'s archive leads out of its folder: %s' % name)
                total += one.file_size
                if total > 4 * _LARGEST:
                    raise MorphError('osmorphing.init-agent-missing', 'the agent\'s archive is too large')
                changed = installation.tree.write('%s/%s' % (FOLDER, name), archive.read(one)) or changed
                count += 1
    except (zipfile.BadZipFile, OSError) as error:
        raise MorphError('osmorphing.init-agent-missing', 'the agent\'s archive cannot be read: %s' % error)
    return changed, count

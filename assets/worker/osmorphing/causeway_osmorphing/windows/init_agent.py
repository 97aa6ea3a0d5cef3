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


# What service commands are written with instead of folders.
_VARIABLES = (('%systemdrive%', 'C:'), ('%programfiles%', 'C:\\Program Files'), ('%programfiles(x86)%', 'C:\\Program Files (x86)'), ('%systemroot%', 'C:\\Windows'))


class OwnAgent(object):
    """An agent that the guest brings itself: its folder and its configuration file, from the top of the volume."""

    def __init__(self, folder, configuration):
        self.folder = folder
        self.configuration = configuration
        self.scripts = folder + '/LocalScripts'


def own_installation(installation):
    """The agent that the guest has elsewhere than the one that the preparation installs; None when it has none, or its files
    are gone."""
    command = installation.system.text('%s\\%s' % (installation.services, SERVICE), 'ImagePath')
    for variable, value in _VARIABLES:
        command = re.sub(re.escape(variable), lambda _, value=value: value, command, flags=re.IGNORECASE)
    if not command or ('%s%s\\' % (_DRIVE, FOLDER)).lower() in command.lower():
        return None
    found = re.match(r'^\s*"?(?:\\\?\?\\)?C:\\(.*?)\\bin\\OpenStackService(?:\w*)\.exe"?\s', command + ' ', re.IGNORECASE)
    if not found or not installation.tree.is_folder(found.group(1)):
        protocol.warn('the guest\'s own initialization agent is not at the path of its service (%s); another one is installed' % command)
        return None
    folder = found.group(1).replace('\\', '/')
    given = re.search(r'--config-file\s+(?:"C:\\([^"]+)"|C:\\(\S+))', command, re.IGNORECASE)
    path = (given.group(1) or given.group(2)).replace('\\', '/') if given else folder + '/conf/cloudbase-init.conf'
    return OwnAgent(folder, path)


# Settings that decide what the agent does to a moved machine. Of the others, the guest's own stay.
_DECISIVE = ('plugins', 'metadata_services', 'local_scripts_path', 'mtu_use_dhcp_config', 'san_policy', 'allow_reboot', 'check_latest_version')


def settings_of(text):
    """Name → value of the [DEFAULT] section."""
    found, section = {}, 'DEFAULT'
    for line in text.splitlines():
        header = re.match(r'^\s*\[(.+)\]\s*$', line)
        section = header.group(1) if header else section
        pair = re.match(r'^\s*([A-Za-z_]\w*)\s*=\s*(.*?)\s*$', line)
        if pair and section == 'DEFAULT':
            found[pair.group(1)] = pair.group(2)
    return found


def merged_configuration(text, wanted):
    """The guest's configuration with what decides set as wanted, and what it lacks added. `wanted`: text in the same form."""
    wanted, present = settings_of(wanted), settings_of(text)
    lines, done, section = [], set(), 'DEFAULT'
    for line in text.splitlines():
        header = re.match(r'^\s*\[(.+)\]\s*$', line)
        section = header.group(1) if header else section
        pair = re.match(r'^\s*([A-Za-z_]\w*)\s*=', line)
        if pair and section == 'DEFAULT' and pair.group(1) in _DECISIVE and pair.group(1) in wanted:
            if pair.group(1) in done:
                continue
            done.add(pair.group(1))
            line = '%s=%s' % (pair.group(1), wanted[pair.group(1)])
        elif pair is None and line[:1] in (' ', '\t') and line.strip() and lines and re.match(r'^(%s)=' % '|'.join(_DECISIVE), lines[-1]):
            # A value that goes on in the next line.
            continue
        lines.append(line)
    missing = ['%s=%s' % (name, wanted[name]) for name in sorted(wanted) if name not in present]
    head = next((index for index, line in enumerate(lines) if line.strip() == '[DEFAULT]'), None)
    if head is None:
        lines.insert(0, '[DEFAULT]')
        head = 0
    return '\r\n'.join(lines[: head + 1] + missing + lines[head + 1 :]) + '\r\n'


def configure_own(installation, own, configuration):
    """Sets the guest's own agent up as a new one would be, and has it start. Returns (changed, notes)."""
    wanted = re.sub(r'C:\\%s' % re.escape(FOLDER), lambda _: _DRIVE + own.folder.replace('/', '\\'), configuration, flags=re.IGNORECASE)
    text = installation.tree.read(own.configuration).decode('utf-8-sig', 'replace') if installation.tree.is_file(own.configuration) else ''
    changed = installation.tree.write(own.configuration, merged_configuration(text, wanted).encode('utf-8'))
    notes = ['configured the guest\'s own agent in %s' % own.folder] if changed else ['the guest has the agent already, in %s' % own.folder]
    if installation.system.set('%s\\%s' % (installation.services, SERVICE), 'Start', DWORD, 2):
        changed = True
        notes.append('the service %s starts with the system' % SERVICE)
    installation.tree.make_folder(own.scripts)
    return changed, notes


def unfit(installation):
    """Why the agent can't be installed whatever is given, as text; None when it can."""
    return None if installation.architecture == 'x86_64' else 'the guest initialization agent is for x86_64, the guest is %s' % installation.architecture


def install(installation, request, folder):
    """Returns (changed, notes, folder of its first-boot scripts or None)."""
    wanted = request.get('initAgent')
    own = own_installation(installation)
    if own is not None:
        changed, notes = configure_own(installation, own, request['agentConfiguration'])
        return changed, notes, own.scripts
    why = None
    if not wanted:
        why = 'no guest initialization agent was given'
    else:
        why = unfit(installation)
    if why:
        if request.get('cloudInit', 'required') == 'required':
            raise MorphError('osmorphing.init-agent-missing', why)
        protocol.warn(why)
        return False, [why], None
    changed, count = _unpack(installation, _fetch(wanted, folder))
    changed = installation.tree.write(FOLDER + '/conf/cloudbase-init.conf', request['agentConfiguration'].encode('utf-8')) or changed
    for name in ('Log', 'LocalScripts'):
        installation.tree.make_folder('%s/%s' % (FOLDER, name))
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
    """Returns (changed, number of files)."""
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
                    raise MorphError('osmorphing.init-agent-missing', 'the agent\'s archive contains a path outside its folder: %s' % name)
                total += one.file_size
                if total > 4 * _LARGEST:
                    raise MorphError('osmorphing.init-agent-missing', 'the agent\'s archive is too large')
                changed = installation.tree.write('%s/%s' % (FOLDER, name), archive.read(one)) or changed
                count += 1
    except (zipfile.BadZipFile, OSError) as error:
        raise MorphError('osmorphing.init-agent-missing', 'the agent\'s archive cannot be read: %s' % error)
    return changed, count

"""The guest initialization agent: installed, pointed at the destination's data sources, and kept from doing
anything else."""

import re

from .agent import hypervisors_packages
from .protocol import Cancelled, MorphError, warn
from .services import enable_unit

OWN = '/etc/cloud/cloud.cfg.d/99_causeway.cfg'
NETWORK = '/etc/cloud/cloud.cfg.d/99_causeway_network.cfg'
# What cloud-init takes with the packages that it needs.
_ROOM = 24 << 20
_UNITS = (
    'cloud-init-local.service',
    'cloud-init-main.service',
    'cloud-init-network.service',
    'cloud-init.service',
    'cloud-config.service',
    'cloud-final.service',
)


def install(morph):
    """From the package cache or the guest's repositories, unless it is installed."""
    guest = morph.guest
    if 'cloud-init' in morph.manager.installed() or guest.has_program('cloud-init'):
        return False, ['already installed']
    place = '/usr' if guest.is_folder('/usr') else '/'
    if morph.planned and guest.free_bytes(place) < _ROOM:
        warn('%s has %d MiB free: cloud-init and what it needs may not fit' % (place, guest.free_bytes(place) >> 20))
    try:
        morph.manager.install(['cloud-init'], hypervisors_packages(morph))
        version = morph.manager.installed().get('cloud-init')
        if not version and not guest.has_program('cloud-init'):
            raise MorphError('osmorphing.packages-unreachable', 'the package manager reported no error but did not install cloud-init')
    except Cancelled:
        raise
    except MorphError as error:
        if morph.request.get('cloudInit') != 'if-possible':
            raise
        warn('cloud-init was not installed: ' + error.message)
        return False, ['could not be installed']
    return True, ['installed cloud-init %s' % version if version else 'installed cloud-init']


def sources_of(request):
    return request.get('datasources') or ['OpenStack', 'ConfigDrive', 'NoCloud']


def settings_text(request, key_types=(), upgrades=()):
    """Settings for the destination. Neither is password login switched on nor are host keys thrown away or added, package
    sources rewritten or the language changed: what a moved machine is known by stays. With retained credentials, no user
    is made, no key comes in, nobody is locked out. `key_types`: of the host keys that the guest has. `upgrades`: its settings by
    which a new machine gets newer packages at its first start; this one is none."""
    lines = [
        '# How this machine is initialized on the platform that it was moved to.',
        'datasource_list: [%s]' % ', '.join(sources_of(request)),
        'ssh_deletekeys: false',
    ]
    if key_types:
        # A guest without host keys gets those that cloud-init generates by default.
        lines.append('ssh_genkeytypes: [%s]' % ', '.join(key_types))
    lines += ['ssh_pwauth: unchanged', 'locale: false', 'apt: {preserve_sources_list: true}']
    if 'Azure' in (request.get('datasources') or []):
        # It would name the cards as that platform does; they keep the names that the rules give them.
        lines.append('datasource: {Azure: {apply_network_config: false}}')
    lines += ['%s: %s' % (name, _NO_UPGRADES[name]) for name in upgrades]
    if request.get('preserveHostname', True):
        lines.append('preserve_hostname: true')
    if request.get('retainUserCredentials'):
        lines += ['users: []', 'disable_root: false', 'allow_public_ssh_keys: false']
    return '\n'.join(lines) + '\n'


_NO_UPGRADES = {'package_upgrade': 'false', 'repo_upgrade': 'none', 'package_reboot_if_required': 'false'}


def _upgrades(guest):
    files = ['/etc/cloud/cloud.cfg'] + [path for path in guest.find('/etc/cloud/cloud.cfg.d', '.cfg') if path != OWN]
    said = '\n'.join(guest.read(path, '') for path in files)
    return [name for name in sorted(_NO_UPGRADES) if re.search(r'^%s:' % name, said, re.MULTILINE)]


def _key_types(guest):
    found = (re.match(r'ssh_host_(rsa|ecdsa|ed25519)_key$', name) for name in guest.names('/etc/ssh'))
    return sorted(match.group(1) for match in found if match)


def configure(morph):
    guest, notes = morph.guest, []
    changed = guest.write(OWN, settings_text(morph.request, _key_types(guest), _upgrades(guest)))
    if changed:
        notes.append('wrote ' + OWN)
    if guest.present('/etc/cloud/cloud-init.disabled'):
        guest.remove('/etc/cloud/cloud-init.disabled')
        notes.append('removed /etc/cloud/cloud-init.disabled')
    for path in guest.find('/etc/cloud/cloud.cfg.d', '.cfg'):
        # Installers pin the data source to the installation medium.
        if path.rsplit('/', 1)[1] in (
            '99-installer.cfg',
            '90-installer-network.cfg',
            '99_installer.cfg',
        ) and guest.remove(path):
            notes.append('removed ' + path)
    identify = guest.read('/etc/cloud/ds-identify.cfg', '')
    pinned = re.findall(r'^\s*datasource\s*[:=]\s*([A-Za-z0-9]+)', identify, re.MULTILINE)
    if 'disabled' in identify or any(name not in sources_of(morph.request) for name in pinned):
        guest.remove('/etc/cloud/ds-identify.cfg')
        notes.append('removed /etc/cloud/ds-identify.cfg')
    notes += _forget_instance(guest)
    notes += _enable(guest)
    return bool(notes), notes


def _forget_instance(guest):
    """Removes what it stored about the VM on the old platform."""
    notes = []
    for name in ('instance', 'instances', 'data'):
        path = '/var/lib/cloud/' + name
        if guest.is_link(path) or guest.names(path):
            guest.remove(path)
            if name != 'instance':
                guest.make_folder('/var/lib/cloud/' + name)
            notes.append('forgot /var/lib/cloud/%s of the old platform' % name)
    return notes


def _enable(guest):
    if not guest.has_systemd:
        if guest.exists('/etc/init.d/cloud-init') and guest.has_program('chkconfig'):
            for name in ('cloud-init-local', 'cloud-init', 'cloud-config', 'cloud-final'):
                guest.run(['chkconfig', name, 'on'], check=False)
        return []
    wanted = set()
    for folder in ('/etc/systemd/system', '/usr/lib/systemd/system', '/lib/systemd/system'):
        for name in guest.names(folder):
            wanted |= set(guest.names('%s/%s' % (folder, name))) if name.endswith('.wants') else set()
    masked = [
        unit
        for unit in _UNITS
        if guest.is_link('/etc/systemd/system/' + unit)
        and guest.link_target('/etc/systemd/system/' + unit) == '/dev/null'
    ]
    for unit in masked:
        guest.remove('/etc/systemd/system/' + unit)
    missing = [unit for unit in _UNITS if unit not in wanted and enable_unit(guest, unit)]
    return ['unmasked ' + unit for unit in masked] + (['enabled ' + ', '.join(missing)] if missing else [])

"""The agents of the destination: its hypervisor's, and the platform's own. A guest works without them, so a problem with one never
fails a deployment."""

import hashlib
import os
import urllib.parse

from . import protocol
from .command import CommandFailed
from .download import download
from .services import enable_unit

_LIMIT = 300 << 20


# Of the package of the hypervisor's agent, in all distributions.
_HYPERVISOR_AGENT = 'qemu-guest-agent'
_FORMATS = {'debian': (b'!<arch>\n', '.deb', 'Debian'), 'redhat': (b'\xed\xab\xee\xdb', '.rpm', 'RPM'), 'suse': (b'\xed\xab\xee\xdb', '.rpm', 'RPM')}


def install(morph):
    """The platform's agent from a file on the worker or a URL that the worker reaches. Returns (changed, notes)."""
    if morph.planned:
        notes = _planned(morph)
        return bool(notes), notes
    hypervisor, notes = _hypervisors(morph)
    changed, told = _platforms(morph)
    return hypervisor or changed, notes + told


def hypervisors_packages(morph):
    """Packages that a guest gets for the destination's hypervisor, unless it has them already."""
    other = (morph.request.get('hypervisor') or 'kvm') != 'kvm' or 'xen' in (morph.request.get('diskBuses') or ())
    return [] if other or _HYPERVISOR_AGENT in morph.manager.installed() else [_HYPERVISOR_AGENT]


def _hypervisors(morph):
    """Only where the guest's package sources had to answer anyway, or the package was brought along: a guest without a way out
    would wait for them in vain."""
    manager = morph.manager
    if _HYPERVISOR_AGENT not in manager.brought:
        if not hypervisors_packages(morph):
            return False, []
        if not manager.install_if_there(_HYPERVISOR_AGENT):
            return False, ['the hypervisor\'s agent (%s) is not installed' % _HYPERVISOR_AGENT]
    enable_unit(morph.guest, 'qemu-guest-agent.service')
    return True, ['installed %s %s' % (_HYPERVISOR_AGENT, manager.installed()[_HYPERVISOR_AGENT])]


def _planned(morph):
    """Nothing is fetched for a plan. `platformAgent`: which one a deployment would get from the platform; images are inspected
    without one."""
    wanted = morph.request.get('platformAgent')
    notes = []
    if morph.manager.reached is not None and hypervisors_packages(morph):
        notes.append('installed %s, if the guest\'s package sources have it' % _HYPERVISOR_AGENT)
    if wanted:
        unfit = _unfit(morph, wanted)
        if unfit:
            protocol.warn(unfit)
        return notes if unfit else notes + ['installed the agent of the destination platform']
    return notes + (['installed the agent of the destination platform, if it has one'] if morph.request.get('local') else [])


def _unfit(morph, wanted):
    """Why an agent does not fit the guest, as far as its name and architecture tell; None if it may."""
    _, ending, name = _FORMATS[morph.guest.family]
    given = (wanted.get('path') or urllib.parse.urlsplit(wanted['url']).path).lower()
    # The platform's URL ends with the format alone.
    if given.endswith(('.deb', '.rpm', '/deb', '/rpm')) and not given.endswith(ending[1:]):
        return 'the destination\'s agent is not installed: %s is no %s package, which this guest needs; install it by hand' % (given.rsplit('/', 1)[-1], name)
    if wanted.get('architecture') and morph.guest_facts['architecture'] != wanted['architecture']:
        return 'the destination\'s agent is not installed: it is for %s, the guest is %s' % (wanted['architecture'], morph.guest_facts['architecture'])
    return None


def _platforms(morph):
    wanted = morph.request.get('agent')
    if not wanted:
        return False, ['no agent was given']
    guest = morph.guest
    start, ending, name = _FORMATS[guest.family]
    unfit = _unfit(morph, wanted)
    if unfit:
        return False, _noted(unfit)
    try:
        path = _fetch(wanted, morph.undo_log.folder, ending)
    except (OSError, ValueError) as error:
        return False, _noted('the agent could not be fetched: %s' % error)
    with open(path, 'rb') as file:
        if file.read(len(start)) != start:
            return False, _noted('what was fetched as the agent is no %s package' % name)
    lent = morph.manager.lend([path])[0]
    try:
        return (_install_deb if guest.family == 'debian' else _install_rpm)(morph, lent)
    finally:
        morph.manager.return_lent()


def _noted(message):
    protocol.warn(message)
    return [message]


def _fetch(wanted, folder, ending):
    path = wanted.get('path')
    if path:
        with open(path, 'rb') as file:
            digest = hashlib.sha256(file.read()).hexdigest()
    else:
        path = os.path.join(folder, 'agent' + ending)
        digest = download(wanted['url'], path, _LIMIT, timeout=30)[1]
    if wanted.get('sha256') and digest != wanted['sha256'].lower():
        raise ValueError('its SHA-256 is %s, not the expected one' % digest)
    return path


def _install_deb(morph, lent):
    guest = morph.guest
    told = guest.run(['dpkg-deb', '-f', lent, 'Package', 'Version', 'Architecture'], check=False).out
    fields = dict(line.split(': ', 1) for line in told.splitlines() if ': ' in line)
    name, version = fields.get('Package', ''), fields.get('Version', '')
    if morph.manager.installed().get(name) == version:
        enabled = _enable(guest, name)
        return bool(enabled), ['%s %s is installed already' % (name, version)] + enabled
    try:
        guest.run(
            ['dpkg', '--force-confold', '-i', lent], env={'DEBIAN_FRONTEND': 'noninteractive'}, timeout=900, shown=True
        )
    except CommandFailed as error:
        # A half-installed package is worse than none: it would break the guest's package manager.
        guest.run(['dpkg', '--purge', '--force-all', name], check=False)
        return False, _noted('the agent\'s package could not be installed: %s' % error.message)
    _enable(guest, name)
    return True, ['installed %s %s' % (name, version)]


def _install_rpm(morph, lent):
    guest = morph.guest
    told = guest.run(['rpm', '-qp', '--nosignature', '--qf', '%{NAME}|%{VERSION}-%{RELEASE}', lent], check=False).out.strip()
    name, _, version = told.partition('|')
    if not version:
        return False, _noted('the guest\'s rpm does not read the agent\'s package')
    if morph.manager.installed().get(name) == version:
        enabled = _enable(guest, name)
        return bool(enabled), ['%s %s is installed already' % (name, version)] + enabled
    try:
        # What it needs is not fetched. Unlike dpkg, rpm leaves nothing behind when something is missing.
        guest.run(['rpm', '-U', '--replacepkgs', '--oldpackage', lent], timeout=900, shown=True)
    except CommandFailed as error:
        return False, _noted('the agent\'s package could not be installed: %s' % error.message)
    _enable(guest, name)
    return True, ['installed %s %s' % (name, version)]


def _enable(guest, name):
    """Enables the package's services. Returns notes on those that could not be enabled."""
    list_files = ['dpkg', '-L', name] if guest.family == 'debian' else ['rpm', '-ql', name]
    listed = guest.run(list_files, check=False).out.splitlines()
    units = [line.rsplit('/', 1)[1] for line in listed if '/systemd/system/' in line and line.endswith('.service')]
    return ['enabled ' + unit for unit in units if enable_unit(guest, unit)]

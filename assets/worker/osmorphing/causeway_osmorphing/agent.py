"""The destination platform's own agent. A guest works without it, so a problem with it never fails a deployment."""

import hashlib
import os

from . import protocol
from .command import CommandFailed
from .download import download
from .services import enable_unit

_LIMIT = 300 << 20


def install(morph):
    """From a file on the worker or a URL that the worker reaches. Returns (changed, notes)."""
    wanted = morph.request.get('agent')
    if not wanted:
        return False, ['no agent was given']
    guest = morph.guest
    if guest.family != 'debian':
        return False, _noted('the destination\'s agent is not installed: it is a Debian package, and this guest needs another format; install it by hand')
    if wanted.get('architecture') and morph.guest_facts['architecture'] != wanted['architecture']:
        return False, _noted('the destination\'s agent is not installed: it is for %s, the guest is %s' % (wanted['architecture'], morph.guest_facts['architecture']))
    try:
        path = _fetch(wanted, morph.undo_log.folder)
    except (OSError, ValueError) as error:
        return False, _noted('the agent could not be fetched: %s' % error)
    if not _is_deb(path):
        return False, _noted('what was fetched as the agent is no Debian package')
    lent = morph.manager.lend([path])[0]
    try:
        return _install(morph, lent)
    finally:
        morph.manager.return_lent()


def _noted(message):
    protocol.warn(message)
    return [message]


def _fetch(wanted, folder):
    path = wanted.get('path')
    if path:
        with open(path, 'rb') as file:
            digest = hashlib.sha256(file.read()).hexdigest()
    else:
        path = os.path.join(folder, 'agent.deb')
        digest = download(wanted['url'], path, _LIMIT, timeout=30)[1]
    if wanted.get('sha256') and digest != wanted['sha256'].lower():
        raise ValueError('its SHA-256 is %s, not the expected one' % digest)
    return path


def _is_deb(path):
    with open(path, 'rb') as file:
        return file.read(8) == b'!<arch>\n'


def _install(morph, lent):
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


def _enable(guest, name):
    """Enables the package's services. Returns notes on those that could not be enabled."""
    listed = guest.run(['dpkg', '-L', name], check=False).out.splitlines()
    units = [line.rsplit('/', 1)[1] for line in listed if '/systemd/system/' in line and line.endswith('.service')]
    return ['enabled ' + unit for unit in units if enable_unit(guest, unit)]

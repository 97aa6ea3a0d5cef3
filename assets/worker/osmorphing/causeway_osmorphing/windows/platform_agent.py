"""The destination platform's own agent, as an installer that runs at the first boot. Windows works without it, so that a problem with it
never fails a deployment."""

import hashlib
import os
import urllib.parse

from .. import protocol
from ..download import download

_LIMIT = 300 << 20
_NAME = 'platform-agent.msi'
# What installers of Windows begin with.
_START = b'\xd0\xcf\x11\xe0'


def lay_down(installation, wanted, session_folder, scripts):
    """`scripts`: the folder of the scripts for the first boot, or None where nothing runs them. Returns (changed, notes)."""
    if not wanted:
        return False, []
    given = (wanted.get('path') or urllib.parse.urlsplit(wanted['url']).path).lower()
    if not given.endswith('.msi'):
        # What a platform offers by itself is for Linux.
        return False, ['no agent of the destination for Windows was given']
    if scripts is None:
        return False, _noted('nothing would install the destination\'s agent at the first boot: install it by hand')
    try:
        content = _content(wanted, session_folder)
    except (OSError, ValueError) as error:
        return False, _noted('the destination\'s agent could not be fetched: %s' % error)
    if content[:4] != _START:
        return False, _noted('what was given as the destination\'s agent is no installer of Windows')
    changed = installation.tree.write('%s/FirstBoot/packages/%s' % (scripts.rsplit('/', 1)[0], _NAME), content)
    return changed, ['the destination\'s agent is installed at the first boot']


def is_there(installation, scripts):
    return installation.tree.is_file('%s/FirstBoot/packages/%s' % (scripts.rsplit('/', 1)[0], _NAME))


def _content(wanted, session_folder):
    path = wanted.get('path')
    if not path:
        path = os.path.join(session_folder, _NAME)
        download(wanted['url'], path, _LIMIT, timeout=30)
    with open(path, 'rb') as file:
        content = file.read(_LIMIT)
    digest = hashlib.sha256(content).hexdigest()
    if wanted.get('sha256') and digest != wanted['sha256'].lower():
        raise ValueError('its SHA-256 is %s, not the expected one' % digest)
    return content


def _noted(message):
    protocol.warn(message)
    return [message]

"""Scripts of the user and of the preparation itself: in the mounted guest, and on its first boot, run by the guest
initialization agent."""

import os
import re

from .. import protocol
from ..command import run
from ..protocol import MorphError
from . import old_platform, platform_agent, source_tools
from .drivers import TARGET
from .network import has_fixed, kept_addresses, static_script, was_private

_ENDINGS = ('.ps1', '.cmd', '.bat', '.py', '.exe')


def _named(script):
    return re.sub(r'[^A-Za-z0-9._-]', '_', script.get('name') or 'script')[:80]


def run_in_guest(installation, request, session_folder):
    """The user's scripts run on the worker, in the folder of the mounted guest. Returns (changed, notes, outputs)."""
    outputs = []
    for script in (request.get('scripts') or {}).get('inGuest') or []:
        name = _named(script)
        path = os.path.join(session_folder, 'script-' + name)
        content = script['content'] if script['content'].startswith('#!') else '#!/bin/sh\n' + script['content']
        with open(path, 'w', encoding='utf-8', errors='surrogateescape') as file:
            file.write(content)
        os.chmod(path, 0o700)
        protocol.log('running the script %s' % name)
        try:
            result = run(
                ['/bin/sh', '-c', 'cd "$CAUSEWAY_GUEST" && exec "$0"', path],
                timeout=int(script.get('timeoutSeconds') or 600),
                check=False,
                env={'CAUSEWAY_GUEST': installation.tree.root},
                code='osmorphing.script-failed',
            )
        finally:
            os.unlink(path)
        output = (result.out + result.err)[-16000:]
        if result.code != 0:
            raise MorphError(
                'osmorphing.script-failed',
                '%s ended with %s: %s' % (name, result.code, output.strip()[-600:]),
                {'script': name, 'exitCode': result.code, 'output': output},
            )
        outputs.append({'script': name, 'exitCode': result.code, 'output': output})
    return bool(outputs), ['ran ' + one['script'] for one in outputs], outputs


def first_boot(installation, request, folder):
    """Lays the scripts down for the first boot, and what runs each of them once; `folder` is where the agent looks. Returns
    (changed, notes)."""
    wanted = []
    if request.get('setDhcp', True) is False:
        script = static_script(installation, request.get('nics') or [], request['firstBootScripts']['network']) if not request.get('planned') else None
        if request.get('planned'):
            # Which addresses the new cards have is not known yet.
            wanted += [('10-causeway-network.ps1', request['firstBootScripts']['network'])] if has_fixed(installation) else []
        elif script is None:
            protocol.warn('no fixed address belongs to a known network card; the guest will use DHCP')
        else:
            wanted.append(('10-causeway-network.ps1', script))
    if folder is not None and was_private(installation):
        wanted.append(('15-causeway-network-profile.ps1', request['firstBootScripts']['networkProfile'].replace('\n', '\r\n')))
    for index, script in enumerate((request.get('scripts') or {}).get('firstBoot') or []):
        name = _named(script)
        name = name if name.lower().endswith(_ENDINGS) else name + '.ps1'
        content = script['content'].replace('\r\n', '\n').replace('\n', '\r\n')
        wanted.append(('50-%02d-%s' % (index, name), content))
    if folder is None:
        if wanted:
            raise MorphError('osmorphing.init-agent-missing', 'nothing would run %s on the first boot' % wanted[0][0])
        return False, []
    if installation.tree.is_folder(TARGET):
        wanted.insert(0, ('05-causeway-drivers.ps1', request['firstBootScripts']['drivers'].replace('\n', '\r\n')))
    # Whatever was the source: its cards are not the destination's, and its clock may not be.
    wanted.append(('08-causeway-old-cards.ps1', request['firstBootScripts']['oldCards'].replace('\n', '\r\n')))
    wanted.append(('25-causeway-clock.ps1', request['firstBootScripts']['clock'].replace('\n', '\r\n')))
    stops = old_platform.stop_at_blue_screens(installation)
    if stops:
        wanted.append(('29-causeway-crashes.ps1', request['firstBootScripts']['crashes'].replace('\n', '\r\n')))
    if platform_agent.is_there(installation, folder):
        wanted.append(('28-causeway-packages.ps1', request['firstBootScripts']['packages'].replace('\n', '\r\n')))
    uninstaller = source_tools.uninstaller(installation, request['firstBootScripts']['sourceTools'], request.get('hypervisor') or 'kvm', request.get('diskBuses') or ())
    if uninstaller is not None:
        wanted.append(('20-causeway-source-tools.ps1', uninstaller.replace('\n', '\r\n')))
    if request.get('hypervisor') == 'hyperv':
        wanted.append(('30-causeway-serial-console.ps1', request['firstBootScripts']['hyperv'].replace('\n', '\r\n')))
    notes = []
    runner = (folder + '/00-causeway.ps1', request['firstBootScripts']['runner'].replace('\n', '\r\n'))
    for path, content in [runner] + [('%s/FirstBoot/%s' % (folder.rsplit('/', 1)[0], name), content) for name, content in wanted]:
        if installation.tree.write(path, content.encode('utf-8', 'surrogateescape')):
            notes.append(path.rsplit('/', 1)[1])
    if any(name == '10-causeway-network.ps1' for name in notes):
        notes.append('the first boot sets fixed addresses on the new network cards: %s' % ', '.join(kept_addresses(installation)))
    if stops and notes:
        notes.append('Windows stops at a blue screen until its first boot is done')
    return bool(notes), notes

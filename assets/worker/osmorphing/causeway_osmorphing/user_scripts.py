"""Scripts of the user: on the worker before anything is mounted, in the mounted guest, in the guest on its first
boot."""

import os
import re
import stat

from . import protocol
from .command import run
from .confined import write_all
from .protocol import MorphError

FIRST_BOOT = '/var/lib/causeway/first-boot'
UNIT = 'causeway-first-boot.service'
_RUNNER = '''#!/bin/sh
# Runs each script once, with its time limit, and keeps its output.
cd %(folder)s || exit 0
umask 077
for script in [0-9]*-*; do
  [ -f "$script" ] || continue
  seconds=$(cat "timeout.$script" 2>/dev/null || echo 600)
  mkdir -p done
  mv "$script" "done/$script"
  chmod 700 "done/$script"
  echo "== $script, $(date -u +%%FT%%TZ)" >> output.log
  timeout -k 10 "$seconds" "./done/$script" >> output.log 2>&1 < /dev/null
  echo "== $script ended with $?" >> output.log
done
'''
_UNIT_TEXT = '''[Unit]
Description=Scripts for the first boot after the machine was moved
After=network-online.target cloud-init.service
Wants=network-online.target
ConditionPathExistsGlob=%(folder)s/[0-9]*-*

[Service]
Type=oneshot
ExecStart=/bin/sh %(folder)s/run
TimeoutStartSec=infinity

[Install]
WantedBy=multi-user.target
'''


def _named(script):
    return re.sub(r'[^A-Za-z0-9._-]', '_', script.get('name') or 'script')[:80]


def run_on_worker(scripts, folder, devices):
    """Returns the output of each script. Raises osmorphing.script-failed."""
    outputs = []
    for script in scripts:
        path = os.path.join(folder, 'script-' + _named(script))
        _write(path, script['content'])
        try:
            outputs.append(_run([path], script, {'CAUSEWAY_DEVICES': ' '.join(devices)}))
        finally:
            os.unlink(path)
    return outputs


def run_in_guest(morph):
    """Returns (changed, notes); the scripts' output is in `morph.outputs`."""
    scripts = (morph.request.get('scripts') or {}).get('inGuest') or []
    for script in scripts:
        inside = '/run/causeway-script-' + _named(script)
        files = morph.guest.files
        content = _with_interpreter(script['content'])
        files.create(inside, lambda handle: write_all(handle, content), stat.S_IRWXU)
        try:
            morph.outputs.append(_run([inside], script, {}, morph.guest.enclosure))
        finally:
            if morph.guest.present(inside):
                files.unlink(inside)
    return bool(scripts), ['ran ' + _named(script) for script in scripts]


def _write(path, content):
    with open(path, 'wb') as file:
        file.write(_with_interpreter(content))
    os.chmod(path, stat.S_IRWXU)


def _with_interpreter(content):
    """A script without an interpreter line runs in the shell."""
    return (content if content.startswith('#!') else '#!/bin/sh\n' + content).encode('utf-8', 'surrogateescape')


def _run(args, script, env, enclosure=None):
    name = _named(script)
    protocol.log('running the script %s' % name)
    result = run(
        args, timeout=int(script.get('timeoutSeconds') or 600), check=False, env=env, code='osmorphing.script-failed', enclosure=enclosure
    )
    output = (result.out + result.err)[-16000:]
    if result.code != 0:
        raise MorphError(
            'osmorphing.script-failed',
            '%s ended with %s: %s' % (name, result.code, output.strip()[-600:]),
            {'script': name, 'exitCode': result.code, 'output': output},
        )
    return {'script': name, 'exitCode': result.code, 'output': output}


def install_first_boot(morph):
    """Returns (changed, notes)."""
    guest = morph.guest
    scripts = (morph.request.get('scripts') or {}).get('firstBoot') or []
    if not scripts:
        return False, []
    changed = False
    for index, script in enumerate(scripts):
        name = '%02d-%s' % (index, _named(script))
        content = script['content'] if script['content'].startswith('#!') else '#!/bin/sh\n' + script['content']
        changed = guest.write('%s/%s' % (FIRST_BOOT, name), content, 0o700) or changed
        changed = (
            guest.write('%s/timeout.%s' % (FIRST_BOOT, name), '%d\n' % int(script.get('timeoutSeconds') or 600))
            or changed
        )
    changed = guest.write(FIRST_BOOT + '/run', _RUNNER % {'folder': FIRST_BOOT}, 0o700) or changed
    if guest.has_systemd:
        changed = guest.write('/etc/systemd/system/' + UNIT, _UNIT_TEXT % {'folder': FIRST_BOOT}) or changed
        changed = (
            guest.link('/etc/systemd/system/multi-user.target.wants/' + UNIT, '/etc/systemd/system/' + UNIT) or changed
        )
    else:
        changed = _rc_local(guest) or changed
    return changed, ['%d scripts for the first boot' % len(scripts)] if changed else []


def _rc_local(guest):
    path = '/etc/rc.d/rc.local' if guest.is_folder('/etc/rc.d') else '/etc/rc.local'
    text = guest.read(path, '#!/bin/sh\n')
    line = '/bin/sh %s/run\n' % FIRST_BOOT
    if line in text:
        return False
    # Debian's file ends with `exit 0`.
    before, separator, after = text.rpartition('exit 0')
    return guest.write(path, before + line + separator + after if separator else text + line, 0o755)

"""The commands for Windows guests. They come between the same others as those for Linux ones: `script` before, `unmount`
after."""

import os
import time

from .. import bitlocker, protocol
from ..open_block_stack import open_block_stack
from ..mounting import is_mounted
from ..protocol import Cancelled, MorphError
from ..session import pack_device, unpack_device
from . import drivers, efi_loader, emulated_disks, hyperv, init_agent, network, old_platform, plan, platform_agent, scripts, source_tools, volume, xen
from .disc import open_disc
from .hive import diff_of
from .installation import Installation, is_windows
from .tree import WindowsTree


def _open(request, session, read_only=False):
    """All devices, and the one that holds the installation that is meant."""
    protocol.emit('step', step='open-disks', title='Open disks and volumes', state='running')
    keys = request.get('luksKeys') or []
    for key in keys:
        protocol.keep_secret(key['key'])
    volume.ensure_tools(session.undo_log, bool(keys), install=not request.get('local'))
    devices = open_block_stack(request['devices'], keys, session.undo_log, read_only=read_only)
    if any(bitlocker.is_suspended(device) for device in bitlocker.locked(devices)):
        volume.ensure_tools(session.undo_log, with_mapper=True, install=not request.get('local'))
        devices.extend(bitlocker.open_suspended(devices, session.undo_log, read_only))
    roots = _find_roots(devices, session)
    device = _choose(roots, request.get('root'), devices, keys)
    if device.kind == 'decrypted' and device.path.startswith('/dev/mapper/causeway-bitlocker-'):
        bitlocker.warn_of_source_keys(device)
    protocol.emit('step', step='open-disks', title='Open disks and volumes', state='done')
    return devices, roots, device


def _find_roots(devices, session):
    found = []
    point = os.path.join(session.folder, 'look')
    for device in devices:
        if not volume.is_ntfs(device):
            continue
        try:
            volume.mount(device, point, session.undo_log, read_only=True)
        except MorphError as error:
            protocol.warn('%s cannot be read: %s' % (device.path, error.message))
            continue
        try:
            if is_windows(WindowsTree(point)):
                found.append(device)
        finally:
            session.undo_log.undo_last()
            session.undo_log.undo_last()
    return found


def _refuse_locked(devices, keys):
    for device in bitlocker.locked(devices):
        if bitlocker.is_halfway(device):
            raise MorphError(
                'osmorphing.locked',
                'Windows had not ended encrypting or decrypting %s with BitLocker when the disks were copied: wait until it has (manage-bde -status shows 0 or 100 %%), and execute the replica again' % device.path,
                {'device': device.path},
            )
        if bitlocker.is_suspended(device):
            raise MorphError(
                'osmorphing.locked',
                'the protection of %s by BitLocker is suspended, and the worker cannot open it: %sresume it on the source (manage-bde -protectors -enable), '
                'or decrypt it (manage-bde -off), and execute the replica again' % (device.path, '' if keys else 'give its recovery key and '),
                {'device': device.path},
            )
        why = 'none of the keys opens it' if keys else 'no recovery key was given'
        raise MorphError(
            'osmorphing.locked', '%s is encrypted with BitLocker, and %s; or decrypt it on the source (manage-bde -off)' % (device.path, why), {'device': device.path}
        )


# Partitions of Windows' own volume manager.
_DYNAMIC = ('0x42', '5808c8aa-7e8f-42e0-85d2-e1e90434cfb3', 'af9b60a0-1431-4f62-bc68-3311714a69ad')


def _choose(roots, pinned, devices, keys):
    wanted = (pinned or '').strip()
    fitting = [one for one in roots if not wanted or wanted in (one.path, one.uuid, 'UUID=%s' % one.uuid)]
    if len(fitting) == 1:
        return fitting[0]
    told = {'candidates': [_root(one, None) for one in roots]}
    if fitting:
        raise MorphError('osmorphing.several-roots', '; '.join(one.path for one in fitting), told)
    _refuse_locked(devices, keys)
    if any(one.properties.get('PART_ENTRY_TYPE', '').lower() in _DYNAMIC for one in devices):
        raise MorphError(
            'osmorphing.root-not-found', 'the disks are dynamic ones, which no worker reads: make them basic ones on the source', told
        )
    seen = ', '.join('%s (%s)' % (one.path, one.content or 'nothing known') for one in devices)
    raise MorphError('osmorphing.root-not-found', 'no Windows installation found on ' + seen, told)


def _root(device, installation):
    return dict(
        device.describe(),
        id='UUID=%s' % device.uuid,
        distribution='windows',
        version=installation.version_text if installation else '',
        name=installation.name if installation else '',
    )


def guest_facts_of(installation, device, devices):
    """In the form that the facts of all guests have."""
    efi = [one for one in devices if one.properties.get('PART_ENTRY_TYPE', '').startswith('c12a7328')]
    agent = installation.system.node('%s\\%s' % (installation.services, init_agent.SERVICE)) is not None
    return {
        'distribution': 'windows',
        'version': installation.version_text,
        'name': installation.name,
        'family': 'windows',
        'architecture': installation.architecture,
        'hostname': installation.hostname,
        'root': _root(device, installation),
        'mounts': {'C:': device.describe()},
        'kernels': [installation.version_text],
        'bootloader': 'bootmgr',
        'firmware': 'uefi' if efi else 'bios',
        'init': 'windows',
        'network': ['registry'],
        'selinux': 'absent',
        'cloudInit': 'installed' if agent else None,
        'hypervisorTools': source_tools.installed(installation),
    }


def command_inspect(request, session):
    """Lists what is on the disks. Writes nothing and leaves nothing mounted."""
    try:
        devices, roots, device = _open(request, session, read_only=True)
        point = os.path.join(session.folder, 'guest')
        found = _findings(device, session)
        volume.mount(device, point, session.undo_log, read_only=True)
        with Installation(WindowsTree(point), write=False) as installation:
            if installation.replayed:
                protocol.warn_once(_WAS_RUNNING)
            facts = guest_facts_of(installation, device, devices)
            supported = installation.version[:2] >= (6, 1)
        told = plan.plan_of(point, devices, request, session, _steps)
        return dict(
            told,
            dossier=facts,
            candidates=[_root(one, None) for one in roots],
            devices=[one.describe() for one in devices],
            supported=supported,
            findings=found + [one for one in told['findings'] if one not in found],
            doubts=protocol.doubts(),
        )
    finally:
        session.undo_log.undo_all()


_WAS_RUNNING = 'Windows was running when its disks were copied: the journal of its file system and the logs of its registry are replayed, as at a start after a power failure'


def _findings(device, session):
    """What a preparation would stop at."""
    try:
        if volume.is_unclean(device, session):
            protocol.warn_once(_WAS_RUNNING)
        return []
    except Cancelled:
        raise
    except MorphError as error:
        return [{'code': error.code, 'message': error.message}]


def command_mount(request, session):
    """Mounts the guest for its preparation. On failure nothing stays mounted."""
    if is_mounted(session.undo_log):
        raise MorphError('osmorphing.busy', 'the guest is mounted already')
    try:
        devices, roots, device = _open(request, session)
        protocol.emit('step', step='mount', title='Mount the installation', state='running')
        facts = _made_consistent(device, devices, session)
        volume.mount(device, os.path.join(session.folder, 'guest'), session.undo_log)
        session.keep('mounted', {'root': pack_device(device), 'devices': [pack_device(one) for one in devices]})
        protocol.emit('step', step='mount', title='Mount the installation', state='done')
        return {'dossier': facts, 'candidates': [_root(one, None) for one in roots]}
    except BaseException:
        session.undo_log.undo_all()
        raise


def _made_consistent(device, devices, session):
    """Replays the journal if it has to. Returns the facts."""
    unclean = volume.is_unclean(device, session)
    try:
        facts = _refuse_unfit(device, devices, session)
    except MorphError as error:
        # What the registry lacks may be in the journal.
        if not unclean or error.code not in ('osmorphing.not-shut-down', 'osmorphing.registry-damaged'):
            raise
        facts = None
    if not unclean:
        return facts
    protocol.warn_once(_WAS_RUNNING)
    volume.recover(device)
    return _refuse_unfit(device, devices, session)


def _refuse_unfit(device, devices, session):
    """Before the volume is written to, which a mount for writing does already. Returns the facts."""
    point = os.path.join(session.folder, 'look')
    volume.mount(device, point, session.undo_log, read_only=True)
    try:
        with Installation(WindowsTree(point), write=False) as installation:
            installation.refuse_unsupported()
            if installation.replayed:
                protocol.warn_once(_WAS_RUNNING)
            return guest_facts_of(installation, device, devices)
    finally:
        session.undo_log.undo_last()
        session.undo_log.undo_last()


def command_prepare(request, session):
    """Prepares the mounted guest. It stays mounted, unless the run was cancelled. The registry is written at the end, in
    one go, so that a failed step leaves it as it was."""
    devices = [unpack_device(packed) for packed in session.kept('mounted')['devices']]
    try:
        with Installation(WindowsTree(os.path.join(session.folder, 'guest'))) as installation:
            services = _services(installation)
            outputs = []
            kept = [] if request.get('setDhcp', True) else network.fixed_addresses(installation, request.get('nics') or [])
            done = _run_steps(installation, devices, request, session, outputs)
            return {'steps': done, 'diff': _diff(installation, services), 'outputs': outputs, 'fixedAddresses': kept}
    except Cancelled:
        session.undo_log.undo_all()
        raise


def _steps(installation, devices, request, session, outputs):
    """(name, title, action); an action gives (changed, notes)."""
    # A plan takes it for granted that a deployment is given the agent.
    state = {'scripts': init_agent.FOLDER + '/LocalScripts' if request.get('planned') else None}

    def in_guest():
        changed, notes, said = scripts.run_in_guest(installation, request, session.folder)
        outputs.extend(said)
        return changed, notes

    def install_drivers():
        if hyperv.is_destination(request):
            return hyperv.start_drivers(installation)
        if xen.is_destination(request):
            given = request.get('virtioDisc')
            return xen.install(installation, None if given is None else open_disc(given, session.folder))
        return drivers.install(installation, open_disc(request['virtioDisc'], session.folder))

    def start_disk_drivers():
        notes = emulated_disks.start_drivers(installation, request)
        return bool(notes), notes

    def install_agent():
        changed, notes, state['scripts'] = init_agent.install(installation, request, session.folder)
        laid_down, told = platform_agent.lay_down(installation, request.get('agent'), session.folder, state['scripts'])
        return changed or laid_down, notes + told

    def configure_network():
        changed, notes = network.to_dhcp(installation) if request.get('setDhcp', True) is not False else (False, [])
        if hyperv.is_destination(request):
            opened, said = hyperv.open_remote_desktop(installation)
            return changed or opened, notes + said
        return changed, notes

    def write_registry():
        return installation.save(), []

    return (
        ('scripts-in-guest', 'Run scripts in the guest', in_guest),
        ('install-drivers', _driver_title(request), install_drivers),
        ('start-disk-drivers', 'Start drivers of emulated disks', start_disk_drivers),
        ('disable-hypervisor-services', 'Disable services of the source platform', lambda: source_tools.disable(installation, request.get('hypervisor') or 'kvm', request.get('diskBuses') or ())),
        ('keep-disks-online', 'Keep data disks online', lambda: source_tools.keep_disks_online(installation)),
        ('settle-old-platform', 'Take out settings of the old platform', lambda: old_platform.settle(installation, devices, request)),
        ('ensure-efi-loader', 'Provide the UEFI fallback boot loader', lambda: efi_loader.ensure(installation, devices, session, bool(request.get('planned')))),
        ('install-agent', 'Install the guest initialization agent', install_agent),
        ('install-first-boot-scripts', 'Install scripts for the first boot', lambda: scripts.first_boot(installation, request, state['scripts'])),
        ('configure-network', 'Configure the network', configure_network),
        ('write-registry', 'Write the registry', write_registry),
    )


def _driver_title(request):
    if hyperv.is_destination(request):
        return 'Start the drivers of Hyper-V'
    return 'Install drivers for Xen' if xen.is_destination(request) else 'Install VirtIO drivers'


def _run_steps(installation, devices, request, session, outputs):
    done = []
    for name, title, action in _steps(installation, devices, request, session, outputs):
        protocol.check_cancelled()
        protocol.emit('step', step=name, title=title, state='running')
        started = time.time()
        try:
            changed, notes = action()
        except Exception as error:
            protocol.emit('step', step=name, title=title, state='failed', seconds=round(time.time() - started, 3))
            if isinstance(error, MorphError):
                error.details.setdefault('step', name)
            raise
        seconds = round(time.time() - started, 3)
        outcome = {'step': name, 'title': title, 'seconds': seconds, 'changed': changed, 'notes': notes}
        protocol.emit('step', state='done', **outcome)
        done.append(outcome)
    return done


def _services(installation):
    """Services that start by themselves."""
    system, key = installation.system, installation.services
    return set(name for name in system.keys(key) if system.number('%s\\%s' % (key, name), 'Start', 4) <= 2)


def _diff(installation, services_before):
    none = {'added': {}, 'removed': {}, 'changed': {}}
    after = _services(installation)
    return {
        'files': installation.tree.diff(),
        'packages': none,
        'services': {'enabled': sorted(after - services_before), 'disabled': sorted(services_before - after)},
        'users': none,
        'sshPolicy': none,
        'sshHostKeys': none,
        'network': {},
        'registry': diff_of((installation.system, installation.software)),
    }

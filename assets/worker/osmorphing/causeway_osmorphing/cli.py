"""The commands. Each is asked for by one request, says what it does line by line, and ends with a result or an error."""

import os
import re
import shutil
import sys
import traceback
import urllib.parse

from . import local_images, plan, protocol
from .diff import diff_of, is_empty
from .guest_facts import guest_facts_of
from .guest import Guest
from .guest_tree import GuestTree
from .hibernation import refuse_hibernated
from .open_block_stack import open_block_stack
from .luks import guests_names, locked, warn_of_unattended
from .mounting import is_mounted, mount_guest, mount_system
from .block_service_starts import block_service_starts
from .packages import package_manager
from .protocol import Cancelled, MorphError
from .root_stack import volumes_below
from .roots import Root, choose_root, find_roots, read_release, refuse_foreign
from .session import Session, pack_device, unpack_device
from .snapshot import snapshot_of
from .steps import Morph, prepare
from .user_scripts import run_on_worker


def _open(request, session, read_only=False):
    """Devices, all installations, and the one that is meant."""
    keys = request.get('luksKeys') or []
    for key in keys:
        protocol.keep_secret(key['key'])
    protocol.emit('step', step='open-disks', title='Open disks and volumes', state='running')
    devices = open_block_stack(request['devices'], keys, session.undo_log, read_only=read_only)
    roots = find_roots(devices, session.undo_log)
    if not roots:
        refuse_foreign(devices)
    root = choose_root(roots, request.get('root'), devices, locked(devices))
    names = guests_names(devices, root.encrypted)
    if names:
        # Their names are known only from their content.
        left = session.undo_log.undo_all()
        if left:
            raise MorphError('osmorphing.not-unmounted', '; '.join(left), {'left': left})
        hibernated = dict(((device.content, device.uuid), device.properties['HIBERNATED']) for device in devices if 'HIBERNATED' in device.properties)
        devices = open_block_stack(request['devices'], keys, session.undo_log, names, read_only)
        for device in devices:
            if hibernated.get((device.content, device.uuid)):
                device.properties['HIBERNATED'] = hibernated[(device.content, device.uuid)]
        root.device = next(
            device for device in devices if (device.content, device.uuid) == (root.device.content, root.device.uuid)
        )
    protocol.emit('step', step='open-disks', title='Open disks and volumes', state='done')
    return devices, roots, root


def _supported(guest, root):
    if not guest.family:
        name = guest.release.get('PRETTY_NAME') or guest.release.get('ID') or 'an unknown system'
        raise MorphError(
            'osmorphing.not-supported', '%s on %s' % (name, root.id), {'distribution': guest.release.get('ID', '')}
        )


def warn_of_older_worker(guest, worker):
    """Tools of a worker that is older than the guest may not know its file systems. Only versions of one distribution can
    be compared."""
    versions = [tuple(int(part) for part in re.findall(r'\d+', release.get('VERSION_ID', ''))) for release in (guest, worker)]
    if guest.get('ID') == worker.get('ID') and all(versions) and versions[0] > versions[1]:
        protocol.warn(
            'the worker runs %s, which is older than the guest (%s); choose a worker image with the same or a newer version'
            % (worker.get('PRETTY_NAME') or worker['VERSION_ID'], guest.get('PRETTY_NAME') or guest['VERSION_ID'])
        )


def command_inspect(request, session):
    """Lists what is on the disks. Writes nothing and leaves nothing mounted."""
    try:
        devices, roots, root = _open(request, session, read_only=True)
        tree, mounted = mount_guest(root, devices, session.undo_log, read_only=True)
        guest = Guest(tree.root, devices, runs=not request.get('local'))
        if not guest.runs and guest.family not in ('', 'debian'):
            protocol.about('packages')
            protocol.warn('programs of the guest are not run on this computer, so that its installed packages are not known')
        facts = guest_facts_of(guest, root, mounted)
        return dict(
            plan.plan_of(guest, devices, root, mounted, request, session.undo_log),
            dossier=facts,
            candidates=[one.describe() for one in roots],
            devices=[device.describe() for device in devices],
            supported=bool(guest.family),
        )
    finally:
        _clean_up(session)


def command_mount(request, session):
    """Mounts the guest for its preparation. On failure nothing stays mounted."""
    if is_mounted(session.undo_log):
        raise MorphError('osmorphing.busy', 'the guest is mounted already')
    try:
        devices, roots, root = _open(request, session)
        refuse_hibernated(devices)
        protocol.emit('step', step='mount', title='Mount the installation', state='running')
        tree, mounted = mount_guest(root, devices, session.undo_log)
        guest = Guest(tree.root, devices)
        _supported(guest, root)
        warn_of_older_worker(guest.release, read_release(GuestTree('/')))
        warn_of_unattended(devices, volumes_below([root.device], devices))
        mount_system(tree, session.undo_log)
        block_service_starts(guest, session.undo_log)
        for note in package_manager(guest).settle():
            protocol.log(note)
        session.keep(
            'mounted',
            {
                'devices': [pack_device(device) for device in devices],
                'root': pack_device(root.device),
                'subvolume': root.subvolume,
                'points': dict((point, pack_device(device)) for point, device in mounted.items()),
            },
        )
        protocol.emit('step', step='mount', title='Mount the installation', state='done')
        return {'dossier': guest_facts_of(guest, root, mounted), 'candidates': [one.describe() for one in roots]}
    except BaseException:
        _clean_up(session)
        raise


def command_prepare(request, session):
    """Prepares the mounted guest. It stays mounted, unless the run was cancelled."""
    kept = session.kept('mounted')
    devices = [unpack_device(packed) for packed in kept['devices']]
    guest = Guest(os.path.join(session.folder, 'guest'), devices)
    try:
        root = Root(unpack_device(kept['root']), kept['subvolume'], guest.release)
        mounted = dict((point, unpack_device(packed)) for point, packed in kept['points'].items())
        for key in request.get('luksKeys') or []:
            protocol.keep_secret(key['key'])
        protocol.keep_secret(urllib.parse.urlsplit(request.get('httpProxy') or '').password)
        before = snapshot_of(guest)
        session.keep('before', before)
        morph = Morph(guest, devices, root, mounted, session.undo_log, request)
        done = prepare(morph)
        after = snapshot_of(guest)
        session.keep('after', after)
        diff = diff_of(before, after, guest)
        return {'steps': done, 'diff': diff, 'unchanged': is_empty(diff), 'outputs': morph.outputs, 'fixedAddresses': morph.fixed_addresses}
    except Cancelled:
        _clean_up(session)
        raise


def command_script(request, session):
    """The user's scripts on the worker, before anything is mounted."""
    return {'outputs': run_on_worker(request['scripts'], session.folder, request['devices'])}


def command_diff(request, session):
    """The difference between the state that was recorded before a preparation and the state now."""
    guest = Guest(os.path.join(session.folder, 'guest'))
    return {'diff': diff_of(session.kept('before'), snapshot_of(guest), guest)}


def command_unmount(request, session):
    """Undoes everything that the session did to the worker. May be called at any time, any number of times."""
    protocol.emit('step', step='unmount', title='Unmount', state='running')
    left = _clean_up(session)
    if left:
        raise MorphError('osmorphing.not-unmounted', '; '.join(left), {'left': left})
    protocol.emit('step', step='unmount', title='Unmount', state='done')
    if not request.get('keepFolder'):
        shutil.rmtree(session.folder, ignore_errors=True)
    os.sync()
    return {'left': []}


def _clean_up(session):
    left = session.undo_log.undo_all()
    mounted = os.path.join(session.folder, 'mounted.json')
    if not left and os.path.exists(mounted):
        os.unlink(mounted)
    return left


def _for_windows(name):
    """Loaded when it is asked for: for other guests, an emulated worker would read it in vain, for seconds."""

    def command(request, session):
        from .windows import commands

        return getattr(commands, name)(request, session)

    return command


COMMANDS = {
    'inspect': command_inspect,
    'mount': command_mount,
    'prepare': command_prepare,
    'script': command_script,
    'diff': command_diff,
    'unmount': command_unmount,
    'windows-inspect': _for_windows('command_inspect'),
    'windows-mount': _for_windows('command_mount'),
    'windows-prepare': _for_windows('command_prepare'),
}


# Commands that write to no disk.
_READING = ('inspect', 'windows-inspect')
# Takes one request after another, each of which names its command, until standard input ends: a start of the program takes seconds
# where the worker is slow.
_SERVE = 'serve'


def main(arguments):
    """Exit code 0: the last line is a result. 1: it is an error. 2: not a command."""
    if len(arguments) != 1 or arguments[0] not in COMMANDS and arguments[0] != _SERVE:
        sys.stderr.write('usage: %s\n' % '|'.join(sorted(list(COMMANDS) + [_SERVE])))
        return 2
    protocol.listen()
    if arguments[0] != _SERVE:
        return 0 if _answer(lambda request: arguments[0]) else 1
    while _answer(lambda request: request['command']) is not None:
        pass
    return 0


def _answer(command_of):
    """Does what the next request asks for. Returns whether that was done, or None when there is no further request."""
    session = None
    try:
        request = protocol.next_request()
        if request is None:
            return None
        command = command_of(request)
        session = Session(request['session'], request.get('folder'))
        if request.get('local'):
            if command not in _READING:
                raise MorphError('osmorphing.program-failed', '%s writes, and is not for images on this computer' % command)
            request['devices'] = local_images.attach(request['fileNumbers'])
        session.enter(end_other=command == 'unmount')
        result = COMMANDS[command](request, session)
        if request.get('local'):
            shutil.rmtree(session.folder, ignore_errors=True)
        protocol.emit('result', result=result)
        return True
    except MorphError as error:
        protocol.emit('error', code=error.code, message=error.message, details=error.details)
    except Exception as error:  # a defect must be told as well as any other failure
        place = traceback.extract_tb(sys.exc_info()[2])[-1]
        protocol.emit(
            'error',
            code='osmorphing.program-failed',
            message='%s: %s (%s:%d)' % (type(error).__name__, error, os.path.basename(place[0]), place[1]),
            details={},
        )
    finally:
        if session is not None:
            session.leave()
    return False

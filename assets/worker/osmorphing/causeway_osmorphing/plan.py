"""What a preparation would change, stop at or do doubtfully, found by trying it without writing to the guest."""

import os
import re
import shutil

from . import fstab, fstab_names, kernel_command_line, luks, protocol
from .diff import shown_lines
from .guest_tree import BACKUP
from .hibernation import refuse_hibernated
from .planned_guest import PlannedGuest, PlannedPackages
from .protocol import Cancelled, MorphError
from .root_stack import volumes_below
from .steps import STEPS, Morph

# These act on volumes, or on what is given to a deployment alone.
_NOT_TRIED = ('scripts-in-guest', 'unbind-volumes', 'install-first-boot-scripts')
# What the warnings of a step are about; those of all others are about settings.
_TOPICS = {
    'remove-hypervisor-tools': 'packages', 'install-cloud-init': 'packages', 'install-agent': 'packages', 'configure-network': 'network', 'name-disks-by-uuid': 'disks',
    'rebuild-initramfs': 'boot', 'configure-kernel': 'boot', 'ensure-efi-loader': 'boot',
}
_TO_DO = (
    ('removed', 'remove'), ('wrote', 'write'), ('rebuilt', 'rebuild'), ('edited', 'edit'), ('added', 'add'), ('copied', 'copy'), ('installed', 'install'), ('enabled', 'enable'),
    ('unmasked', 'unmask'), ('configured', 'configure'), ('forgot', 'forget'), ('replaced', 'replace'), ('ran', 'run'), ('finished', 'finish'), ('changed', 'change'),
)
_MOST_FILES = 500


def plan_of(guest, devices, root, mounted, request, undo_log):
    """{findings, changes, files, doubts}. Findings are what it would stop at, in the order in which it would meet them."""
    findings, changes, files = [], [], []
    for check in (_hibernation, _disk_names, _unlocking):
        tried(findings, check, guest, devices, root)
    # Of guests that can be prepared at all.
    if guest.family:
        folder = os.path.join(undo_log.folder, 'plan')
        os.makedirs(folder)
        try:
            changes, files = _changes(findings, PlannedGuest(guest, folder), devices, root, mounted, request, undo_log)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return {'findings': findings, 'changes': changes, 'files': files, 'doubts': protocol.doubts()}


def tried(findings, action, *args):
    """What the action returns; None if it would stop."""
    try:
        return action(*args)
    except Cancelled:
        raise
    except MorphError as error:
        found = {'code': error.code, 'message': error.message}
        if found not in findings:
            findings.append(found)
    return None


def _changes(findings, guest, devices, root, mounted, request, undo_log):
    morph = Morph(guest, devices, root, mounted, undo_log, dict(request, nics=request.get('nics') or []))
    morph.planned = True
    morph.manager = PlannedPackages(morph.manager)
    changes = []
    settled = morph.manager.settle()
    if settled:
        changes.append(change('settle-packages', 'Remove what interrupted package tools left', settled))
    repaired = morph.manager.repair()
    if repaired:
        changes.append(change('repair-packages', 'Finish interrupted installations', repaired))
    for name, title, action in STEPS:
        if name in _NOT_TRIED:
            continue
        protocol.check_cancelled()
        protocol.about(_TOPICS.get(name, 'settings'))
        outcome = tried(findings, action, morph)
        if outcome and outcome[0]:
            morph.changed = True
            changes.append(change(name, title, outcome[1]))
    files = [
        dict({'path': path, 'change': change}, **({} if change == 'removed' else shown_lines(guest, path, change == 'added')))
        for path, change in guest.files.changes() if not path.startswith((BACKUP + '/', '/run/'))
    ]
    return changes, files[:_MOST_FILES]


def change(step, title, notes):
    return {'step': step, 'title': title, 'notes': [_to_do(note) for note in notes]}


def _to_do(note):
    """Notes tell what was done."""
    return next((re.sub('^%s\\b' % done, todo, note) for done, todo in _TO_DO if re.match('%s\\b' % done, note)), note)


def _hibernation(guest, devices, root):
    protocol.about('disks')
    refuse_hibernated(devices)


def _disk_names(guest, devices, root):
    fstab_names.check_names(guest, fstab.resolver_for(guest, devices, root.device, kernel_command_line.device_arguments(guest)))


def _unlocking(guest, devices, root):
    luks.warn_of_unattended(devices, volumes_below([root.device], devices))

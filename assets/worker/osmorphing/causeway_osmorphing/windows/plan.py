"""What a preparation of a Windows would change, found by doing it on files and a registry that are only planned."""

import os
import shutil

from .. import protocol
from ..confined import write_all
from ..planned_files import PlannedFiles
from ..plan import change, tried
from ..protocol import MorphError
from . import hyperv, init_agent, xen
from .installation import Installation
from .tree import WindowsTree

# What comes with a deployment; without it, a step is named all the same.
_GIVEN = (('install-drivers', 'virtioDisc', 'install the drivers of the disc that a deployment is given'), ('install-agent', 'initAgent', 'install the agent that a deployment is given'))
_NOT_TRIED = ('scripts-in-guest',)
_TOPICS = {'install-drivers': 'boot', 'start-disk-drivers': 'boot', 'ensure-efi-loader': 'boot', 'keep-disks-online': 'disks', 'configure-network': 'network'}
_MOST_FILES = 500
_MOST_LINES = 400


class PlannedTree(WindowsTree):
    """What is written goes to a folder of the worker."""

    def __init__(self, root, folder):
        WindowsTree.__init__(self, root)
        os.makedirs(folder)
        self.files = PlannedFiles(self.root, folder)

    def write(self, path, content):
        old = self.state(path)
        if old is not None and self.read(path) == content:
            return False
        self.files.create(self.spelt(path), lambda made: write_all(made, content), 0o644)
        self.changed(path, old)
        return True

    def back_up(self, path):
        """Nothing is lost by a plan."""


class PlannedInstallation(Installation):
    """Its hives are copies that nobody keeps."""

    def _content(self, path, recovered):
        return recovered if recovered is not None else self.tree.read(path)

    def save(self):
        self.system.repeat_below(self.control_set, self.other_control_sets())
        return any(hive.is_changed() for hive in (self.system, self.software))


def plan_of(point, devices, request, session, steps_of):
    """{changes, files, findings} of the Windows mounted at `point`."""
    findings, changes, files = [], [], []
    folder = os.path.join(session.folder, 'plan')
    try:
        tree = PlannedTree(point, os.path.join(folder, 'windows'))
        with PlannedInstallation(tree) as installation:
            tried(findings, installation.refuse_unsupported)
            if not findings:
                changes = _changes(findings, installation, devices, request, session, steps_of)
                files = sorted(_files(tree) + _registry(installation), key=lambda one: one['path'])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {'findings': findings, 'changes': changes, 'files': files[:_MOST_FILES]}


def _changes(findings, installation, devices, request, session, steps_of):
    changes = []
    for name, title, action in steps_of(installation, devices, dict(request, cloudInit='if-possible', planned=True), session, []):
        if name in _NOT_TRIED:
            continue
        protocol.check_cancelled()
        protocol.about(_TOPICS.get(name, 'settings'))
        note = next((note for step, field, note in _GIVEN if step == name and not _has(request, field) and not _is_own(name, installation, request)), None)
        if note:
            if name == 'install-agent':
                tried(findings, _refuse_unfit_agent, installation)
            changes.append(change(name, title, [note]))
            continue
        outcome = tried(findings, action)
        if outcome and outcome[0]:
            changes.append(change(name, title, outcome[1] or ['write what was changed']))
    return changes


def _refuse_unfit_agent(installation):
    why = init_agent.unfit(installation)
    if why:
        raise MorphError('osmorphing.init-agent-missing', why)


def _has(request, field):
    return bool(request.get(field))


def _is_own(step, installation, request):
    """Whether a step does without what a deployment is given."""
    if step == 'install-drivers':
        return hyperv.is_destination(request) or xen.is_destination(request)
    return init_agent.own_installation(installation) is not None


def _files(tree):
    return [{'path': path, 'change': kind} for path, kind in tree.files.changes()]


def _registry(installation):
    """Each hive as a file, its values as lines."""
    found = []
    for hive in (installation.system, installation.software):
        lines = []
        for key, (before, after) in sorted(hive.changes.items()):
            if before != after:
                lines += ['-%s = %s' % (key, before)] if before is not None else []
                lines += ['+%s = %s' % (key, after)] if after is not None else []
        if lines:
            found.append({'path': '/' + hive.path, 'change': 'changed', 'lines': lines[:_MOST_LINES]})
    return found

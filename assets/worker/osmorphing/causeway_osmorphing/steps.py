"""The preparation of a mounted guest: named steps in order. Each can be repeated and then changes nothing."""

import time

from . import (
    agent,
    cloud_init,
    efi_fallback,
    fstab,
    fstab_names,
    hypervisor_tools,
    initramfs,
    kernel_command_line,
    leftovers,
    network_step,
)
from . import protocol, selinux, unattended, user_scripts
from .guest_facts import guest_facts_of
from .packages import package_manager
from .protocol import MorphError


class Morph(object):
    """What steps work on, and the data that they pass on."""

    def __init__(self, guest, devices, root, mounted, undo_log, request):
        self.guest = guest
        self.devices = devices
        self.root_device = root.device
        self._mounted = mounted
        self.undo_log = undo_log
        self.request = request
        self.manager = package_manager(guest, request)
        self.guest_facts = guest_facts_of(guest, root, mounted)
        # Read before any file changes: later steps need the meaning of the old names.
        self.resolver = fstab.resolver_for(guest, devices, root.device, kernel_command_line.device_arguments(guest))
        self.rebuild_initramfs = False
        # Versions of kernels that do not find the destination's disks.
        self.unable_kernels = set()
        self.fixed_addresses = []
        self.outputs = []
        self.changed = False
        # Whether the guest only tells what would change.
        self.planned = False

    def mounted_at(self, points):
        """Devices that are mounted at these places."""
        return [self._mounted[point] for point in points if point in self._mounted]

    def labelled_places(self):
        """Mount points of file systems that have security labels."""
        return sorted(point for point, device in self._mounted.items() if device.content not in ('vfat', 'msdos'))


def _remove_tools(morph):
    return hypervisor_tools.remove_tools(morph.guest, morph.manager, morph.request.get('hypervisor') or 'kvm')


# Removals come first, so that no script of an old package spoils what later steps write. Card names and modules
# come before the initial RAM disk, which may contain copies of them. Labels come last.
STEPS = (
    ('scripts-in-guest', 'Run scripts in the guest', user_scripts.run_in_guest),
    ('remove-hypervisor-tools', 'Remove the tools of the source platform', _remove_tools),
    ('install-cloud-init', 'Install cloud-init', cloud_init.install),
    ('configure-cloud-init', 'Configure cloud-init', cloud_init.configure),
    ('install-agent', 'Install the agent of the destination platform', agent.install),
    ('configure-network', 'Configure the network', network_step.apply),
    ('remove-leftovers', 'Remove what ties to the old hardware', leftovers.remove),
    ('name-disks-by-uuid', 'Find file systems by UUID', fstab_names.by_uuid),
    ('unbind-volumes', 'Leave encrypted volumes with passphrases alone', unattended.unbind),
    ('rebuild-initramfs', 'Add virtual hardware to the initial RAM disk', initramfs.rebuild),
    ('configure-kernel', 'Configure the kernel\'s console and root', kernel_command_line.apply),
    ('ensure-efi-loader', 'Provide the UEFI fallback boot loader', efi_fallback.ensure),
    ('install-first-boot-scripts', 'Install scripts for the first boot', user_scripts.install_first_boot),
    ('relabel-files', 'Ask for new security labels', selinux.relabel),
)


def prepare(morph):
    """Runs all steps. Returns them with durations; a step that fails names itself in the error's details."""
    done = []
    for note in morph.manager.repair():
        morph.changed = True
        protocol.log(note)
    for name, title, action in STEPS:
        protocol.check_cancelled()
        protocol.emit('step', step=name, title=title, state='running')
        started = time.time()
        try:
            changed, notes = action(morph)
        except Exception as error:
            protocol.emit('step', step=name, title=title, state='failed', seconds=_since(started))
            if isinstance(error, MorphError):
                error.details.setdefault('step', name)
            raise
        morph.changed = morph.changed or changed
        outcome = {'step': name, 'title': title, 'seconds': _since(started), 'changed': changed, 'notes': notes}
        protocol.emit('step', state='done', **outcome)
        done.append(outcome)
    return done


def _since(started):
    return round(time.time() - started, 3)

"""What a preparation would stop at, found without writing anything. What is merely doubtful is told as warnings."""

import os

from . import fstab, fstab_names, initramfs, kernel_command_line, kernel_drivers, luks
from .hibernation import refuse_hibernated
from .protocol import Cancelled, MorphError


def findings(guest, devices, root, request):
    """[{code, message}], in the order in which the preparation would meet them."""
    found = []
    for check in (_hibernation, _disk_names, _kernels, _unlocking):
        try:
            check(guest, devices, root, request)
        except Cancelled:
            raise
        except MorphError as error:
            found.append({'code': error.code, 'message': error.message})
    return found


def _hibernation(guest, devices, root, request):
    refuse_hibernated(devices)


def _disk_names(guest, devices, root, request):
    fstab_names.check_names(guest, fstab.resolver_for(guest, devices, root.device, kernel_command_line.device_arguments(guest)))


def _kernels(guest, devices, root, request):
    """Of guests that can be prepared at all."""
    if not guest.family:
        return
    drivers = kernel_drivers.drivers_for(request)
    _, able, tool = initramfs.able_kernels(guest, drivers)
    for version in able:
        image = initramfs.image_of(guest, version, tool)
        if guest.is_folder(os.path.dirname(image)):
            initramfs.check_room(guest, image)


def _unlocking(guest, devices, root, request):
    luks.warn_of_unattended(devices, initramfs.volumes_below([root.device], devices))

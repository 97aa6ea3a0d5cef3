"""Disks that are no VirtIO disks: Windows has the drivers, but it starts from those alone that it was installed with."""

from .. import protocol
from .driver_start import set_start

# Which of them drives such a disk depends on the type of the machine and on the version of Windows.
SERVICES = ('storahci', 'msahci', 'pciide', 'intelide', 'atapi')
_USB = 'Windows starts from no USB disk: choose another disk bus for the boot disk'


def is_needed(request):
    """On Xen, and for the boot disk of Hyper-V's first generation, the loader finds such disks before others take their place."""
    buses = request.get('diskBuses') or ()
    return request.get('hypervisor') == 'hyperv' or 'ide' in buses or 'xen' in buses


def start_drivers(installation, request):
    """Returns notes."""
    if list(request.get('diskBuses') or ())[:1] == ['usb']:
        protocol.warn_once(_USB)
    if not is_needed(request):
        return []
    system, notes = installation.system, []
    there = set(name.lower() for name in system.keys(installation.services))
    for name in SERVICES:
        if name not in there:
            continue
        if set_start(installation, name, 0):
            notes.append('the driver %s starts at boot' % name)
    if not there.intersection(SERVICES):
        protocol.warn_once('this Windows has no drivers for IDE and SATA disks (%s)' % ', '.join(SERVICES))
    return notes

"""Drivers for Xen from a disc that somebody gives: Plug and Play installs them when the guest starts on Xen, where it has emulated
disks and network cards until then."""

from ..protocol import MorphError
from . import driver_search, drivers
from .installation import DISC_ARCHITECTURES

# The platform device of Xen, and what hangs below its bus.
_DEVICES = ('PCI\\VEN_5853', 'PCI\\VEN_FFFD', 'XEN\\', 'XENBUS\\', 'XENVIF\\', 'XENDEVICE\\')


def is_destination(request):
    return list(request.get('diskBuses') or ()) == ['xen']


def install(installation, disc):
    """`disc` is None where nobody gave one. Returns (changed, notes)."""
    if disc is None:
        return False, ['no disc with drivers for Xen was given: the emulated disks and network cards are used']
    architecture = DISC_ARCHITECTURES[installation.architecture].lower()
    found = driver_search.search(disc, architecture, installation.version, installation.is_server, lambda one: one.startswith(_DEVICES))
    packages = dict(((one.folder, one.inf_name), one) for one in found.values())
    if not packages:
        raise MorphError('osmorphing.drivers-missing', 'the disc %s has no drivers for Xen that are for %s (%s)' % (disc.label, installation.name, architecture))
    drivers.refuse_unloadable(disc, list(packages.values()), installation)
    changed, notes = False, []
    for (_, inf_name), package in sorted(packages.items()):
        folder = 'Windows\\Drivers\\Xen\\' + package.name
        for _, (name, content) in sorted(package.files.items()):
            changed = installation.tree.write('%s/%s' % (folder.replace('\\', '/'), name), content) or changed
        changed = drivers.search_there(installation, '%SystemRoot%' + folder[len('Windows'):]) or changed
        notes.append('%s of the folder %s' % (inf_name, package.folder))
    return changed, notes if changed else ['the drivers are there already']

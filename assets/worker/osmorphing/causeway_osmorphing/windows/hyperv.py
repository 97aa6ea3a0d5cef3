"""What Windows needs to start on Hyper-V, whose drivers are part of it, and to be reached there."""

from ..protocol import MorphError, warn
from .driver_start import set_start
from .hive import SZ

# Service → when it starts: 0 with the boot loader. The first two drive the disk that the system is on.
_STARTS = (('vmbus', 0), ('storvsc', 0), ('storflt', 0), ('netvsc', 3))
_NEEDED = ('vmbus', 'storvsc')
_DISABLED = 4
_RULES = ('RemoteDesktop-UserMode-In-TCP', 'RemoteDesktop-In-TCP')


def start_drivers(installation):
    """Returns (changed, notes). Raises osmorphing.drivers-missing for a Windows that is too old to have them."""
    system, services = installation.system, installation.services
    there = set(name.lower() for name in system.keys(services))
    lacking = [name for name in _NEEDED if name not in there]
    if lacking:
        raise MorphError('osmorphing.drivers-missing', 'this Windows has no drivers for Hyper-V (%s)' % ', '.join(lacking))
    notes = []
    for name, start in _STARTS:
        if name in there and set_start(installation, name, start):
            notes.append('the driver %s starts %s' % (name, 'at boot' if start == 0 else 'on demand'))
    return bool(notes), notes


def open_remote_desktop(installation):
    """Where Remote Desktop is on, its rule of the firewall lets connections in: the console of the platform takes no input.
    Where it is off, nothing is switched on."""
    system, services = installation.system, installation.services
    control = services.rsplit('\\', 1)[0] + '\\Control\\Terminal Server'
    if system.number(control, 'fDenyTSConnections', 1) != 0:
        warn('Remote Desktop is off in this guest; nothing is switched on')
        return False, []
    key = services + '\\SharedAccess\\Parameters\\FirewallPolicy\\FirewallRules'
    notes = []
    for name in _RULES:
        rule = system.text(key, name)
        if '|Active=FALSE|' in rule and system.set(key, name, SZ, rule.replace('|Active=FALSE|', '|Active=TRUE|')):
            notes.append('the firewall rule %s is on' % name)
    return bool(notes), notes


def is_destination(request):
    return request.get('hypervisor') == 'hyperv'

"""The source hypervisor's services: those whose absence is known to be safe do not start any more."""

from .. import protocol
from .hive import DWORD

# Programs that talk to a hypervisor which is no longer there, and balloons. Drivers of disks, cards and screens stay:
# without their devices they do nothing, and the way back needs them.
_SERVICES = {
    'vmware': ('VMTools', 'VGAuthService', 'vm3dservice', 'VMware Physical Disk Helper Service', 'VMMemCtl'),
    'virtualbox': ('VBoxService',),
    'xen': ('xenagent', 'XenSvc', 'xensvc'),
    'parallels': ('prl_tools_service', 'prl_service'),
    'nutanix': ('Nutanix Guest Agent', 'NutanixGuestAgent'),
    'resource-group-cloud': ('WindowsAzureGuestAgent', 'RdAgent', 'WindowsAzureTelemetryService', 'WindowsAzureNetAgentSvc'),
    'large-public-cloud': ('AmazonSSMAgent', 'Ec2Config', 'Amazon EC2Launch', 'AmazonCloudWatchAgent', 'AWSLiteAgent'),
    'other-cloud': ('GCEAgent', 'google_osconfig_agent', 'OracleCloudAgent', 'OCAU'),
}
# Hypervisor of the destination → platforms whose services are its own.
_OWN = {'hyperv': ('resource-group-cloud',)}
# Filters in front of every device's driver that need their hypervisor.
_FILTERS = ('xenfilt',)
_DISABLED = 4


def installed(installation):
    """Platform → services."""
    there = set(name.lower() for name in installation.system.keys(installation.services))
    found = {}
    for platform, names in _SERVICES.items():
        services = sorted(set(name for name in names if name.lower() in there))
        if services:
            found[platform] = services
    return found


def disable(installation, hypervisor='kvm'):
    """Returns (changed, notes)."""
    notes = []
    for platform, services in installed(installation).items():
        for name in services if platform not in _OWN.get(hypervisor, ()) else ():
            key = '%s\\%s' % (installation.services, name)
            if installation.system.set(key, 'Start', DWORD, _DISABLED):
                notes.append('the service %s no longer starts' % name)
    for name in _FILTERS:
        if installation.system.node('%s\\%s' % (installation.services, name)) is not None:
            protocol.warn('the filter driver %s is installed; if the system does not start, remove it on the source' % name)
    return bool(notes), notes


def keep_disks_online(installation):
    """Disks behind another controller are new ones to Windows, and a server leaves new shared ones offline."""
    key = installation.services + '\\partmgr\\Parameters'
    changed = installation.system.set(key, 'SanPolicy', DWORD, 1)
    return changed, ['new disks come online'] if changed else []

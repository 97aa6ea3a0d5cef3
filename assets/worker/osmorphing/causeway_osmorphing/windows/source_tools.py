"""The source hypervisor's services: those whose absence is known to be safe do not start any more."""

import re

from .hive import DWORD, MULTI

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
# Agents of a cloud that manage machines elsewhere as well, where they were registered for that.
_HYBRID = ('AmazonSSMAgent', 'AmazonCloudWatchAgent')
_REGISTRATION = 'ProgramData/Amazon/SSM/InstanceData/registration'
# Hypervisor of the destination → platforms whose services are its own.
_OWN = {'hyperv': ('resource-group-cloud',), 'xen': ('xen',)}
# …and the names of products that the first boot does not uninstall there.
_STAYING = {'xen': '^(Citrix|XenServer) '}
# Filters in front of the drivers of disks and buses: without their hypervisor, those do not start.
_FILTERS = {'xen': ('xenfilt', 'xenpci', 'scsifilt'), 'parallels': ('prl_strg', 'prl_boot'), 'kvm': ('rhelscsi',)}
# Drivers that start with the system and wait for their hypervisor, or stop the system without it.
_DRIVERS = {'xen': ('xenpci',), 'parallels': ('prl_boot', 'prl_strg', 'prl_tg', 'prl_dd', 'prl_pv32', 'prl_pv64'), 'kvm': ('rhelscsi',)}
_DISABLED = 4


def installed(installation):
    """Platform → services."""
    there = set(name.lower() for name in installation.system.keys(installation.services))
    found = {}
    staying = _HYBRID if _is_registered(installation.tree) else ()
    for platform, names in _SERVICES.items():
        services = sorted(set(name for name in names if name.lower() in there and name not in staying))
        if services:
            found[platform] = services
    return found


def _is_registered(tree):
    """A machine of that cloud has another kind of identifier."""
    try:
        return tree.is_file(_REGISTRATION) and bool(re.search(rb'"ManagedInstanceID"\s*:\s*"mi-', tree.read(_REGISTRATION)))
    except OSError:
        return False


def disable(installation, hypervisor='kvm', buses=()):
    """Returns (changed, notes)."""
    notes = []
    own = _own(hypervisor, buses)
    for platform, services in installed(installation).items():
        for name in services if platform not in own else ():
            key = '%s\\%s' % (installation.services, name)
            if installation.system.set(key, 'Start', DWORD, _DISABLED):
                notes.append('the service %s no longer starts' % name)
    there = set(name.lower() for name in installation.system.keys(installation.services))
    for name in _without(own, _DRIVERS):
        key = '%s\\%s' % (installation.services, name)
        if name in there and installation.system.set(key, 'Start', DWORD, _DISABLED):
            notes.append('the driver %s no longer starts' % name)
    notes += _without_filters(installation, _without(own, _FILTERS))
    return bool(notes), notes


def _own(hypervisor, buses):
    return _OWN.get('xen' if 'xen' in buses else hypervisor, ())


def uninstaller(installation, template, hypervisor='kvm', buses=()):
    """The first-boot script that uninstalls the source's tools; None where there are none but the destination's own."""
    own = _own(hypervisor, buses)
    if all(platform in own for platform in installed(installation)):
        return None
    return template.replace('{{staying}}', '|'.join(_STAYING[platform] for platform in own if platform in _STAYING))


def _without(own, names):
    return [name for platform, each in sorted(names.items()) if platform not in own for name in each]


def _without_filters(installation, unwanted):
    """Takes the source's filters out of the lists that each class of devices has."""
    system, notes = installation.system, []
    top = installation.control_set + '\\Control\\Class'
    for guid in system.keys(top):
        key = '%s\\%s' % (top, guid)
        for name in ('UpperFilters', 'LowerFilters'):
            filters = system.texts(key, name)
            kept = [one for one in filters if one.lower() not in unwanted]
            if len(kept) != len(filters):
                system.set(key, name, MULTI, kept)
                gone = ', '.join(one for one in filters if one not in kept)
                notes.append('the filter %s is no longer in front of devices of the class %s' % (gone, system.text(key, 'Class', guid)))
    return notes


def keep_disks_online(installation):
    """Disks behind another controller are new ones to Windows, and a server leaves new shared ones offline."""
    key = installation.services + '\\partmgr\\Parameters'
    changed = installation.system.set(key, 'SanPolicy', DWORD, 1)
    return changed, ['new disks come online'] if changed else []

"""Tools of the hypervisor or cloud that the guest comes from. Those of KVM stay, and those of the destination."""

import re

from . import protocol
from .command import CommandFailed

# Platform → pattern of package names.
_PACKAGES = (
    ('vmware', r'open-vm-tools.*|vmware-tools.*|VMwareTools|kmod-vmware-tools.*|libvmtools.*|open-vm-dkms'),
    (
        'hyper-v',
        r'hyperv-daemons|hypervkvpd|hypervvssd|hypervfcopyd|hyperv-tools|hyper-v|linux-cloud-tools-(?!common$).*|linux-cloud-tools-common|hv-kvp-daemon-init',
    ),
    ('xen', r'xe-guest-utilities(-latest|-xenstore)?|xenstoreprovider|ovmd|libovmapi'),
    ('resource-group-cloud', r'walinuxagent|WALinuxAgent(-udev)?|python-azure-agent|waagent|azure-vm-utils'),
    (
        'large-public-cloud',
        r'amazon-ssm-agent|ec2-net-utils|amazon-ec2-net-utils|ec2-instance-connect|ec2-hibinit-agent|amazon-cloudwatch-agent',
    ),
    ('virtualbox', r'virtualbox-guest-(utils|x11|dkms|additions.*)|VBoxGuestAdditions'),
    ('nutanix', r'nutanix-guest-(tools|agent)'),
    ('other-cloud', r'google-guest-agent|google-compute-engine(-oslogin)?|google-osconfig-agent|oracle-cloud-agent'),
)

# Left over by packages that don't clean up, or by installers that are no packages.
_LEFTOVERS = {
    'vmware': (
        '/etc/vmware-tools',
        '/etc/modprobe.d/vmware-fuse.conf',
        '/etc/modprobe.d/vmw_pvscsi.conf',
        '/etc/udev/rules.d/99-vmware-scsi-udev.rules',
        '/etc/xdg/autostart/vmware-user.desktop',
        '/etc/pam.d/vmtoolsd',
        '/etc/cloud/cloud.cfg.d/99-DataSourceVMware.cfg',
    ),
    'resource-group-cloud': (
        '/etc/waagent.conf',
        '/etc/udev/rules.d/66-azure-storage.rules',
        '/etc/udev/rules.d/99-azure-product-uuid.rules',
        '/etc/cloud/cloud.cfg.d/90-azure.cfg',
        '/etc/cloud/cloud.cfg.d/90_dpkg_azure.cfg',
        '/etc/cloud/cloud.cfg.d/10-azure-kvp.cfg',
        '/etc/cloud/cloud.cfg.d/91-azure_datasource.cfg',
    ),
    'large-public-cloud': (
        '/etc/udev/rules.d/51-ec2-hvm-devices.rules',
        '/etc/udev/rules.d/53-ec2-network-interfaces.rules',
        '/etc/udev/rules.d/75-persistent-net-generator.rules.ec2',
    ),
}

# Hypervisor of the destination → platforms whose tools are its own.
_OWN = {'hyperv': ('hyper-v', 'resource-group-cloud')}

# Agents of a cloud that manage machines elsewhere as well, where they were registered for that.
_HYBRID = ('amazon-ssm-agent', 'amazon-cloudwatch-agent')
_REGISTRATION = '/var/lib/amazon/ssm/registration'

_TOOLS_SERVER = re.compile(r'^[^#\n]*packages\.vmware\.com/tools', re.MULTILINE)

_UNIT_FOLDERS = ('/usr/lib/systemd/system', '/lib/systemd/system')


def installed_tools(guest, packages):
    """Platform → names of installed packages; 'tarball' marks an installation without a package."""
    found = {}
    staying = _HYBRID if _is_registered(guest) else ()
    for platform, pattern in _PACKAGES:
        names = sorted(name for name in packages if re.match('(%s)$' % pattern, name) and name not in staying)
        if names:
            found[platform] = names
    for platform, _ in _installers(guest):
        found.setdefault(platform, []).append('tarball')
    return found


def _installers(guest):
    """(platform, command) for tools that came without a package, by their own programs."""
    found = []
    if guest.exists('/usr/bin/vmware-uninstall-tools.pl'):
        found.append(('vmware', ['perl', '/usr/bin/vmware-uninstall-tools.pl', 'force']))
    folder = re.search(r'^INSTALL_DIR=["\']?(/[\w./-]+?)["\']?[ \t]*$', guest.read('/var/lib/VBoxGuestAdditions/config', ''), re.MULTILINE)
    if folder and guest.is_file(folder.group(1) + '/uninstall.sh'):
        found.append(('virtualbox', ['sh', folder.group(1) + '/uninstall.sh']))
    if guest.is_file('/usr/lib/parallels-tools/install'):
        found.append(('parallels', ['/usr/lib/parallels-tools/install', '-r']))
    return found


def remove_tools(guest, manager, hypervisor='kvm'):
    """Removes them, their leftovers, and links to services that are gone. Returns (changed, notes)."""
    before = manager.installed()
    own = _OWN.get(hypervisor, ())
    tools = dict((platform, names) for platform, names in installed_tools(guest, before).items() if platform not in own)
    notes, changed = [], False
    names = [name for names in tools.values() for name in names if name != 'tarball']
    units = set(guest_units(guest))
    if names:
        removed, kept = manager.remove(sorted(names))
        gone = sorted(set(before) - set(manager.installed()))
        changed = bool(gone)
        if gone:
            notes.append('removed ' + ', '.join(gone))
        still = [name for name in kept if name.split(' ')[0] in manager.installed()]
        if still:
            protocol.warn('could not be removed: ' + ', '.join(still))
    for platform, command in _installers(guest):
        changed = True
        try:
            result = guest.run(command, check=False, timeout=600, shown=True)
        except CommandFailed as error:
            # One that does not end is of the guest, which can go without its end.
            protocol.warn('the uninstaller of %s did not end: %s' % (_TITLES[platform], error))
            continue
        notes.append('ran the uninstaller of %s' % _TITLES[platform] + ('' if result.code == 0 else ', which ended with %d' % result.code))
    for path in _snaps(guest):
        guest.remove(path)
        changed = True
        notes.append('removed %s: the agent no longer starts' % path)
    for platform, paths in _LEFTOVERS.items():
        for path in paths if platform not in own else ():
            if guest.present(path) and guest.remove(path):
                changed = True
                notes.append('removed ' + path)
    for path in _repositories(guest):
        changed = True
        notes.append('%s is no longer a source of packages' % path)
    for path in dangling_units(guest, units - set(guest_units(guest))):
        guest.remove(path)
        changed = True
        notes.append('removed the link %s to a service that is gone' % path)
    return changed, notes


_TITLES = {'vmware': 'the VMware tools', 'virtualbox': 'the VirtualBox Guest Additions', 'parallels': 'the Parallels tools'}
# Agents of clouds that Ubuntu's images have as snaps: only a running system removes those.
_SNAP = re.compile(r'^snap\.(amazon-ssm-agent|oracle-cloud-agent)\.[\w.-]+\.service$')


def _snaps(guest):
    """Links by which they start."""
    staying = _is_registered(guest)
    folders = ['/etc/systemd/system/' + name for name in guest.names('/etc/systemd/system') if name.endswith('.wants')]
    paths = [('%s/%s' % (folder, name), _SNAP.match(name)) for folder in folders for name in guest.names(folder)]
    return [path for path, found in paths if found and not (staying and found.group(1) in _HYBRID)]


def _is_registered(guest):
    """A machine of that cloud has another kind of identifier."""
    return bool(re.search(r'"ManagedInstanceID"\s*:\s*"mi-', guest.read(_REGISTRATION, '')))


def _repositories(guest):
    """Sources of packages of VMware's tools; its server has been switched off. Returns those that were changed."""
    found = []
    for folder in ('/etc/yum.repos.d', '/etc/zypp/repos.d', '/etc/apt/sources.list.d'):
        for path in guest.find(folder, '.list' if 'apt' in folder else '.repo'):
            text = guest.read(path, '')
            if not _TOOLS_SERVER.search(text):
                continue
            new = re.sub(r'^([ \t]*deb(?:-src)?[ \t].*packages\.vmware\.com/tools)', r'# \1', text, flags=re.MULTILINE)
            new = re.sub(r'^enabled[ \t]*=[ \t]*1', 'enabled=0', new, flags=re.MULTILINE) if folder != '/etc/apt/sources.list.d' else new
            if guest.write(path, new):
                found.append(path)
    return found


def guest_units(guest):
    return [name for folder in _UNIT_FOLDERS for name in guest.names(folder)]


_ALIASES = re.compile(
    r'(vmtoolsd|vmware-tools|open-vm-tools|vgauth|hv-(kvp|vss|fcopy)-daemon|hypervkvpd|hypervvssd|waagent|walinuxagent|xe-linux-distribution|'
    r'xe-daemon|amazon-ssm-agent|vboxadd|vboxservice|google-guest-agent|google-osconfig-agent)([.-].*)?\.?service$'
)


def dangling_units(guest, gone):
    """Links in /etc/systemd/system that lead nowhere and belong to removed tools."""
    found = []
    folders = ['/etc/systemd/system'] + [
        '/etc/systemd/system/' + name
        for name in guest.names('/etc/systemd/system')
        if name.endswith(('.wants', '.requires'))
    ]
    for folder in folders:
        for name in guest.names(folder):
            path = '%s/%s' % (folder, name)
            if not guest.is_link(path) or guest.exists(path):
                continue
            target = guest.link_target(path).rsplit('/', 1)[-1]
            if name in gone or target in gone or _ALIASES.match(name) or _ALIASES.match(target):
                found.append(path)
    return found

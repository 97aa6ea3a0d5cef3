"""What a guest on Hyper-V has beside its drivers: network cards in pairs, and a clock of the host."""

RULES = '/etc/udev/rules.d/68-causeway-hyperv.rules'
LINKS = '/etc/systemd/network/01-causeway-hyperv.network'
_CHRONY = (('/etc/chrony/chrony.conf', '/etc/chrony/conf.d'), ('/etc/chrony.conf', '/etc/chrony.d'))
_REFCLOCK = 'refclock PHC /dev/ptp_hyperv poll 3 dpoll -2 offset 0 stratum 2'

# A card that passes packets around the host (SR-IOV) stands beside the synthetic one with the same address. The kernel
# joins them; nothing else may configure it.
_RULES_TEXT = (
    '# Cards that belong to a synthetic one are left alone; the clock of the host has a name of its own.\n'
    'SUBSYSTEM=="net", ACTION=="add", DRIVERS=="hv_pci", ENV{NM_UNMANAGED}="1", ENV{ID_NET_MANAGED_BY}="none"\n'
    'SUBSYSTEM=="ptp", ATTR{clock_name}=="hyperv", SYMLINK+="ptp_hyperv"\n'
)
_LINKS_TEXT = '# Cards that belong to a synthetic one are left alone.\n[Match]\nDriver=mlx4_en mlx5_core mana\n\n[Link]\nUnmanaged=yes\n'


def configure(guest):
    """Returns notes. Does nothing the second time."""
    notes = []
    if guest.write(RULES, _RULES_TEXT):
        notes.append('wrote ' + RULES)
    if guest.exists('/usr/lib/systemd/systemd-networkd') or guest.exists('/lib/systemd/systemd-networkd'):
        if guest.write(LINKS, _LINKS_TEXT):
            notes.append('wrote ' + LINKS)
    return notes + _clock(guest)


def _clock(guest):
    """Chrony follows the clock of the host, if every kernel that may start has it: without its device chrony does not start."""
    if not guest.kernels() or not all(_has_clock(guest, version) for version in guest.kernels()):
        return []
    for path, folder in _CHRONY:
        text = guest.read(path, '') if guest.is_file(path) else ''
        if not text or '/dev/ptp_hyperv' in text:
            continue
        if folder in text:
            own = folder + '/causeway-hyperv.conf'
            return ['wrote ' + own] if guest.write(own, _REFCLOCK + '\n') else []
        return ['edited ' + path] if guest.write(path, text.rstrip('\n') + '\n' + _REFCLOCK + '\n') else []
    return []


def _has_clock(guest, version):
    """Its driver is part of the utilities, which every kernel with the other drivers has in one way or the other."""
    if 'hv_utils' in guest.read('/lib/modules/%s/modules.builtin' % version, ''):
        return True
    return any('/hv_utils.ko' in path for path in guest.module_paths(version))

"""When Windows starts a driver."""

from .hive import DWORD


def set_start(installation, service, start):
    """0 is with the boot loader. Returns whether anything changed."""
    system, key = installation.system, '%s\\%s' % (installation.services, service)
    changed = system.set(key, 'Start', DWORD, start)
    # Since Windows 8, what was not needed at the first start is held back by these: one for each configuration of the hardware.
    override = key + '\\StartOverride'
    for name in list(system.values(override)) if start == 0 else ():
        changed = system.set(override, name, DWORD, 0) or changed
    return changed

import type { Mechanism, RunPolicy } from '../../../ports/run-policy.ts';

/**
 * What the engine has to know of an environment that was validated before. MAC addresses are assigned at the first boot, so that guests use DHCP
 * always: an address that is kept is the interface's, and comes by DHCP as well.
 */
export function runPolicy(mechanism: Mechanism): RunPolicy {
  return {
    mechanism,
    // New managed disks read as zeros.
    volumesAreZeroed: true,
    setDhcp: true,
    preserveFixedIps: false,
    retainUserCredentials: false,
    hypervisor: 'hyperv',
    guestDatasources: ['Azure', 'NoCloud'],
    diskBuses: ['scsi'],
    // A Windows worker finds disks by their serials, which these disks do not have: the Linux worker prepares Windows guests offline.
    hasWindowsWorkerImage: false,
    windowsDriversUrl: undefined,
    windowsAgentUrl: undefined,
  };
}

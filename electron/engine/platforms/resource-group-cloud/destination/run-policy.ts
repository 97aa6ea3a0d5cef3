import { isJsonObject, type JsonObject } from '../../../../../shared/model/json.ts';
import type { Mechanism, RunPolicy } from '../../../ports/run-policy.ts';

/**
 * What the engine has to know of an environment that was validated before. MAC addresses are assigned at the first boot, so that guests use DHCP
 * always: an address that is kept is the interface's, and comes by DHCP as well.
 */
export function runPolicy(environment: JsonObject, mechanism: Mechanism): RunPolicy {
  const image = environment['windows_migr_image'];
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
    hasWindowsWorkerImage: image !== undefined && image !== null && isJsonObject(image),
    windowsDriversUrl: undefined,
    windowsAgentUrl: undefined,
  };
}

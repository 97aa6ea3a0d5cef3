import { isJsonObject, type JsonObject } from '../../../../../shared/model/json.ts';
import type { Mechanism, RunPolicy } from '../../../ports/run-policy.ts';

/**
 * What the engine has to know of an environment that was validated before. MAC addresses are assigned at the first boot, so that guests use DHCP
 * always: an address that is kept is the interface's, and comes by DHCP as well.
 */
export function runPolicy(mechanism: Mechanism, environment: JsonObject): RunPolicy {
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
    // The image has a default, so that naming one is what asks for a Windows worker; a Linux worker prepares Windows guests as well, and starts sooner.
    hasWindowsWorkerImage: isJsonObject(environment['windows_migr_image'] ?? null),
    windowsDriversUrl: undefined,
    windowsAgentUrl: undefined,
  };
}

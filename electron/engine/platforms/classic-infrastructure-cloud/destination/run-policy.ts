import type { JsonObject } from '../../../../../shared/model/json.ts';
import { hasWindowsEntry } from '../../../cloud-resources/common-run-policy.ts';
import type { RunPolicy } from '../../../ports/run-policy.ts';
import type { ClassicConnection } from '../client/connection.ts';

/** What the engine has to know of this platform. */
export function runPolicy(
  { dataTransferMechanism }: Pick<ClassicConnection, 'dataTransferMechanism'>,
  environment: JsonObject,
): RunPolicy {
  return {
    mechanism: dataTransferMechanism,
    // New volumes are blank.
    volumesAreZeroed: true,
    // Addresses are the platform's, and its networks have DHCP.
    setDhcp: true,
    preserveFixedIps: false,
    retainUserCredentials: true,
    hypervisor: 'kvm',
    // The platform's metadata are in none of the forms that cloud-init knows.
    guestDatasources: ['None'],
    diskBuses: ['xen'],
    hasWindowsWorkerImage: hasWindowsEntry(environment, 'migr_image_map'),
    windowsDriversUrl: undefined,
    windowsAgentUrl: undefined,
  };
}

import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { RunPolicy } from '../../../ports/run-policy.ts';
import { hasWindowsEntry } from '../../../cloud-resources/common-run-policy.ts';
import type { OciConnection } from '../client/connection.ts';

/** Reads what the engine has to know of an environment that was validated before. */
export function runPolicy(
  { dataTransferMechanism }: Pick<OciConnection, 'dataTransferMechanism'>,
  environment: JsonObject,
): RunPolicy {
  const isParavirtualized = environment['use_pv_mode'] === true;
  return {
    mechanism: dataTransferMechanism,
    // New volumes are blank, and boot volumes are made from zeros.
    volumesAreZeroed: true,
    // Addresses are the platform's, and their networks have DHCP.
    setDhcp: true,
    preserveFixedIps: false,
    retainUserCredentials: true,
    hypervisor: 'kvm',
    guestDatasources: ['Oracle'],
    // A VM with UEFI is paravirtualized whatever the environment says: its guest needs the drivers for both.
    diskBuses: isParavirtualized ? ['scsi', 'virtio'] : ['ide', 'scsi', 'virtio'],
    hasWindowsWorkerImage: hasWindowsEntry(environment, 'migr_image_map'),
    windowsDriversUrl: undefined,
    windowsAgentUrl: undefined,
  };
}

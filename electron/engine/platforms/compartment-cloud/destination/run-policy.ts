import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { RunPolicy } from '../../../ports/run-policy.ts';
import type { OciConnection } from '../client/connection.ts';

/** Reads what the engine has to know of an environment that was validated before. */
export function runPolicy({ dataTransferMechanism }: Pick<OciConnection, 'dataTransferMechanism'>, environment: JsonObject): RunPolicy {
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
    // Volumes have neither serial numbers nor LUNs here, by which a Windows worker would tell them: guests are prepared offline.
    hasWindowsWorkerImage: false,
    windowsDriversUrl: undefined,
    windowsAgentUrl: undefined,
  };
}


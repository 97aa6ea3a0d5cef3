import { isJsonObject, type JsonObject } from '../../../../../shared/model/json.ts';
import type { RunPolicy } from '../../../ports/run-policy.ts';

/**
 * Reads what the engine has to know of an environment that was validated before. `migr_image` overrides `migr_image_map`: the same
 * image is used for every worker, and the disk copy worker runs Linux.
 */
export function runPolicy(environment: JsonObject): RunPolicy {
  const { migr_image: oneForAll, migr_image_map: images } = environment;
  const hasOneForAll = typeof oneForAll === 'string' && oneForAll.trim() !== '';
  return {
    mechanism: environment['data_transfer_mechanism'] === 'SSH' ? 'SSH' : 'HTTPS',
    volumesAreZeroed: environment['volumes_are_zeroed'] === true,
    setDhcp: environment['set_dhcp'] !== false,
    preserveFixedIps: environment['preserve_fixed_ips'] === true,
    retainUserCredentials: environment['retain_user_credentials'] === true,
    hypervisor: environment['hypervisor_type'] === 'hyperv' ? 'hyperv' : 'kvm',
    diskBuses: ['virtio'],
    hasWindowsWorkerImage: !hasOneForAll && images !== undefined && isJsonObject(images) && typeof images['windows'] === 'string',
    windowsDriversUrl: text(environment['windows_virtio_iso_url']),
    windowsAgentUrl: text(environment['winguestinit_x64_url']),
  };
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

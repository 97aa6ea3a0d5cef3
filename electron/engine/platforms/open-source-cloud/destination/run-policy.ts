import { isJsonObject, type JsonObject } from '../../../../../shared/model/json.ts';
import { commonRunPolicy } from '../../../cloud-resources/common-run-policy.ts';
import type { RunPolicy } from '../../../ports/run-policy.ts';

/**
 * Reads what the engine has to know of an environment that was validated before. `migr_image` overrides `migr_image_map`: the same
 * image is used for every worker, and the disk copy worker runs Linux.
 */
export function runPolicy(environment: JsonObject): RunPolicy {
  const { migr_image: oneForAll, migr_image_map: images } = environment;
  const hasOneForAll = typeof oneForAll === 'string' && oneForAll.trim() !== '';
  return {
    ...commonRunPolicy(environment),
    hypervisor: environment['hypervisor_type'] === 'hyperv' ? 'hyperv' : 'kvm',
    diskBuses: ['virtio'],
    hasWindowsWorkerImage:
      !hasOneForAll && images !== undefined && isJsonObject(images) && typeof images['windows'] === 'string',
  };
}

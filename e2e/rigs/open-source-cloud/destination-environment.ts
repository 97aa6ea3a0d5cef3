import type { JsonObject } from '../../../shared/model/json.ts';
import type { RigApi } from './admin-api.ts';

/** Name of a project's private network. */
export const privateNetwork = ({ projectId }: Pick<RigApi, 'projectId'>): string => `private-${projectId.slice(0, 6)}`;

/**
 * A destination environment in which everything works; to be changed by a test.
 *
 * @param sourceNetwork the network of the source that is mapped to the project's private one
 */
export function workingEnvironment(api: Pick<RigApi, 'projectId'>, sourceNetwork: string): JsonObject {
  const network = privateNetwork(api);
  return {
    network_map: { [sourceNetwork]: network },
    storage_mappings: { default: 'standard' },
    flavor_name: 'rig.small',
    migr_image: 'worker',
    migr_network: network,
    migr_flavor_name: 'rig.worker',
    migr_worker_use_fip: true,
    migr_fip_pool_name: 'outside',
    migr_worker_boot_from_volume: true,
    migr_worker_volume_size: 1,
    migr_worker_use_config_drive: true,
  };
}

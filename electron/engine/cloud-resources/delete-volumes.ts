import type { DestinationRun } from '../ports/destination-platform.ts';
import type { CloudApi } from './cloud-api.ts';
import { deleteAll } from './resource-deletion.ts';

/**
 * Deletes all volumes of a replica, those of disks that the VM no longer has as well.
 *
 * @throws `cloud.clean-up-incomplete` listing what is left
 */
export function deleteVolumes(cloud: Pick<CloudApi, 'deleterFor'>, run: DestinationRun, signal: AbortSignal): Promise<void> {
  const entries = run.ledger.list({ kind: 'volume', lifetime: 'replica' }).filter((entry) => entry.state !== 'removed');
  return deleteAll(cloud, run.ledger, entries, () => false, signal);
}

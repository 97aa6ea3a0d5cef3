import type { DestinationRun } from '../ports/destination-platform.ts';
import type { CloudScope } from './cloud-scope.ts';
import { releaseAll } from './release-owned.ts';

/**
 * Deletes all volumes of a replica, those of disks that the VM no longer has as well.
 *
 * @throws `cloud.clean-up-incomplete` listing what is left
 */
export function deleteVolumes(cloud: Pick<CloudScope, 'removerOf'>, run: DestinationRun, signal: AbortSignal): Promise<void> {
  const entries = run.ledger.list({ kind: 'volume', lifetime: 'replica' }).filter((entry) => entry.state !== 'removed');
  return releaseAll(cloud, run.ledger, entries, () => false, signal);
}

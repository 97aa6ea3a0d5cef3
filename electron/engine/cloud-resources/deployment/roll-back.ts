import type { DeploymentRun } from '../../ports/deployment-platform.ts';
import type { LedgerEntry, ResourceKind } from '../../ports/ledger.ts';
import type { CloudApi } from '../cloud-api.ts';
import { deleteAll } from '../resource-deletion.ts';
import { deploymentKey, discardedPart } from './deployment-keys.ts';

type Removing = Pick<CloudApi, 'deleterFor'>;

const removalOrder: readonly ResourceKind[] = ['server', 'public-ip', 'nic', 'volume', 'volume-snapshot'];

/** Removes all that a deployment made, the server first. The replica's own volumes stay. */
export function rollBack(cloud: Removing, run: DeploymentRun, signal: AbortSignal): Promise<void> {
  return removeAll(cloud, run, () => true, signal);
}

/** Removes the virtual machine alone, so that its volumes are free. */
export function removeServer(cloud: Removing, run: DeploymentRun, signal: AbortSignal): Promise<void> {
  return removeAll(cloud, run, (entry) => entry.kind === 'server', signal);
}

/** Removes the snapshots that a deployment was made from. */
export function deleteSnapshots(cloud: Removing, run: DeploymentRun, signal: AbortSignal): Promise<void> {
  return removeAll(cloud, run, (entry) => entry.kind === 'volume-snapshot', signal);
}

/** A volume goes before its snapshot if it was made from it, and after it if the snapshot was made of it. */
function rankOf(run: DeploymentRun, entry: LedgerEntry): number {
  const isDiscarded = entry.key.startsWith(deploymentKey(run, discardedPart('')));
  return isDiscarded ? removalOrder.length : removalOrder.indexOf(entry.kind);
}

function removeAll(
  cloud: Removing,
  run: DeploymentRun,
  isMeant: (entry: LedgerEntry) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const entries = run.ledger
    .list({ lifetime: 'deployment' })
    .filter((entry) => entry.key.startsWith(deploymentKey(run, '')) && entry.state !== 'removed' && isMeant(entry))
    .sort((a, b) => rankOf(run, a) - rankOf(run, b));
  return deleteAll(cloud, run.ledger, entries, (entry) => entry.kind !== 'public-ip', signal);
}

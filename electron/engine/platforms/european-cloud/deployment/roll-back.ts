import { CausewayError, toErrorRecord } from '../../../../../shared/model/causeway-error.ts';
import type { DeploymentRun } from '../../../ports/deployment-platform.ts';
import type { LedgerEntry, ResourceKind } from '../../../ports/ledger.ts';
import { releaseOwned } from '../remove-resource.ts';
import type { CloudSession } from '../session.ts';
import { deploymentKey, discardedPart } from './deployment-keys.ts';

const removalOrder: readonly ResourceKind[] = ['server', 'public-ip', 'nic', 'volume', 'volume-snapshot'];

/** Removes all that a deployment made, the server first. The replica's own volumes stay. */
export function rollBack(session: CloudSession, run: DeploymentRun, signal: AbortSignal): Promise<void> {
  return removeAll(session, run, () => true, signal);
}

/** Removes the snapshots that a deployment was made from. */
export function deleteSnapshots(session: CloudSession, run: DeploymentRun, signal: AbortSignal): Promise<void> {
  return removeAll(session, run, (entry) => entry.kind === 'volume-snapshot', signal);
}

/** A volume goes before its snapshot if it was made from it, and after it if the snapshot was made of it. */
function rankOf(run: DeploymentRun, entry: LedgerEntry): number {
  const isDiscarded = entry.key.startsWith(deploymentKey(run, discardedPart('')));
  return isDiscarded ? removalOrder.length : removalOrder.indexOf(entry.kind);
}

async function removeAll(session: CloudSession, run: DeploymentRun, isMeant: (entry: LedgerEntry) => boolean, signal: AbortSignal): Promise<void> {
  const entries = run.ledger
    .list({ lifetime: 'deployment' })
    .filter((entry) => entry.key.startsWith(deploymentKey(run, '')) && entry.state !== 'removed' && isMeant(entry))
    .sort((a, b) => rankOf(run, a) - rankOf(run, b));
  const failures: { readonly entry: LedgerEntry; readonly reason: string }[] = [];
  for (const entry of entries) {
    signal.throwIfAborted();
    if (entry.kind !== 'public-ip' && failures.some((failure) => failure.entry.kind === 'server')) {
      failures.push({ entry, reason: 'its server is still there' });
      continue;
    }
    try {
      await releaseOwned(session, run.ledger, entry, signal);
    } catch (error) {
      signal.throwIfAborted();
      failures.push({ entry, reason: toErrorRecord(error).message });
    }
  }
  if (failures.length === 0) return;
  const left = failures.map(({ entry, reason }) => `${entry.kind} ${entry.resourceId ?? entry.name}: ${reason}`);
  throw new CausewayError('cloud.clean-up-incomplete', left.join('; '), { details: { left } });
}

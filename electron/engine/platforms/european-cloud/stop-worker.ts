import { CausewayError, toErrorRecord } from '../../../../shared/model/causeway-error.ts';
import type { DestinationRun, WorkerRole } from '../../ports/destination-platform.ts';
import type { LedgerEntry, ResourceKind } from '../../ports/ledger.ts';
import { releaseOwned } from './remove-resource.ts';
import type { CloudSession } from './session.ts';
import { keyOf, type WorkerKeyRing } from './worker-entries.ts';

const removalOrder: readonly ResourceKind[] = ['server', 'public-ip', 'nic', 'security-group-rule', 'security-group'];

/**
 * Removes a worker and all that was made for it. Goes on over single failures and reports them all; what can't go
 * because the server is still there is not tried.
 *
 * @throws `cloud.clean-up-incomplete`
 */
export async function stopWorker(session: CloudSession, keyRing: WorkerKeyRing, run: DestinationRun, role: WorkerRole, signal: AbortSignal): Promise<void> {
  const entries = run.ledger
    .list({ lifetime: 'temporary' })
    .filter((entry) => entry.key.startsWith(keyOf(role, '')) && entry.state !== 'removed')
    .sort((a, b) => removalOrder.indexOf(a.kind) - removalOrder.indexOf(b.kind));
  const failures: { readonly entry: LedgerEntry; readonly reason: string }[] = [];
  for (const entry of entries) {
    signal.throwIfAborted();
    const serverLeft = failures.some((failure) => failure.entry.kind === 'server');
    if (serverLeft && (entry.kind === 'nic' || entry.kind === 'security-group')) {
      failures.push({ entry, reason: 'its server is still there' });
      continue;
    }
    try {
      await releaseOwned(session, run.ledger, entry, signal);
      if (entry.kind === 'server') keyRing.delete(entry.entryId);
    } catch (error) {
      signal.throwIfAborted();
      failures.push({ entry, reason: toErrorRecord(error).message });
    }
  }
  if (failures.length === 0) return;
  throw new CausewayError('cloud.clean-up-incomplete', failures.map(({ entry, reason }) => `${entry.kind} ${entry.resourceId ?? entry.name}: ${reason}`).join('; '), {
    details: { left: failures.map(({ entry, reason }) => ({ kind: entry.kind, name: entry.name, resourceId: entry.resourceId ?? null, reason })) },
  });
}

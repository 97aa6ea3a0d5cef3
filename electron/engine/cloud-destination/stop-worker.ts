import type { DestinationRun, WorkerRole } from '../ports/destination-platform.ts';
import type { ResourceKind } from '../ports/ledger.ts';
import type { CloudScope } from './cloud-scope.ts';
import { releaseAll } from './release-owned.ts';
import { keyOf, type WorkerKeyRing } from './worker-entries.ts';

const removalOrder: readonly ResourceKind[] = ['server', 'volume', 'public-ip', 'nic', 'security-group-rule', 'security-group'];
const usedByServer: readonly ResourceKind[] = ['volume', 'nic', 'security-group'];

/**
 * Removes a worker and all that was made for it. Goes on over single failures and reports them all; what can't go
 * because the server is still there is not tried.
 *
 * @throws `cloud.clean-up-incomplete`
 */
export function stopWorker(
  cloud: Pick<CloudScope, 'removerOf'>, keyRing: WorkerKeyRing, run: Pick<DestinationRun, 'ledger'>, role: WorkerRole, signal: AbortSignal,
): Promise<void> {
  const entries = run.ledger
    .list({ lifetime: 'temporary' })
    .filter((entry) => entry.key.startsWith(keyOf(role, '')) && entry.state !== 'removed')
    .sort((a, b) => removalOrder.indexOf(a.kind) - removalOrder.indexOf(b.kind));
  return releaseAll(cloud, run.ledger, entries, (entry) => usedByServer.includes(entry.kind), signal, (entry) => {
    if (entry.kind === 'server') keyRing.delete(entry.entryId);
  });
}

import type { DestinationRun, WorkerRole } from '../ports/destination-platform.ts';
import type { LedgerEntry, ResourceKind } from '../ports/ledger.ts';
import type { CloudApi } from '../cloud-resources/cloud-api.ts';
import { deleteAll } from '../cloud-resources/resource-deletion.ts';
import { keyOf, type WorkerKeyRing } from './worker-entries.ts';

/** What goes first: what uses others goes before them. Every kind has its place, whether or not a platform makes it for workers. */
export const removalRank: Readonly<Record<ResourceKind, number>> = {
  attachment: 0,
  server: 1,
  volume: 2,
  'volume-snapshot': 3,
  'volume-backup': 4,
  'public-ip': 5,
  nic: 6,
  'security-group-rule': 7,
  'security-group': 8,
  'key-pair': 9,
  image: 10,
  'source-snapshot': 11,
  other: 12,
};
const usedByServer: readonly ResourceKind[] = ['volume', 'nic', 'security-group'];

/**
 * Whether a part of a worker can't go while its server is there. A server uses what was made before it; the security group is shared
 * by the workers of an execution.
 */
export function waitsForServer(part: LedgerEntry, server: LedgerEntry): boolean {
  return usedByServer.includes(part.kind) && (part.kind === 'security-group' || part.createdAt <= server.createdAt);
}

/**
 * Removes a worker and all that was made for it. Continues after failures and reports them all; what can't go
 * because the server is still there is not tried.
 *
 * @throws `cloud.clean-up-incomplete`
 */
export function stopWorker(
  cloud: Pick<CloudApi, 'deleterFor'>,
  keyRing: WorkerKeyRing,
  run: Pick<DestinationRun, 'ledger'>,
  role: WorkerRole,
  signal: AbortSignal,
): Promise<void> {
  const entries = run.ledger
    .list({ lifetime: 'temporary' })
    .filter((entry) => entry.key.startsWith(keyOf(role, '')) && entry.state !== 'removed')
    .sort((a, b) => removalRank[a.kind] - removalRank[b.kind]);
  return deleteAll(cloud, run.ledger, entries, waitsForServer, signal, (entry) => {
    if (entry.kind === 'server') keyRing.delete(entry.entryId);
  });
}

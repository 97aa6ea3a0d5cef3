import type { DestinationRun, WorkerRole } from '../ports/destination-platform.ts';
import type { ResourceKind } from '../ports/ledger.ts';
import { addNeeds, requireQuota, type QuotaNeeds, type Quotas, type QuotaWords } from '../cloud-resources/quota-needs.ts';
import { keyOf } from './worker-entries.ts';

/** The parts of a worker that have ledger entries of their own, and of which kind those are. */
const parts = { server: 'server', nic: 'nic', 'public-ip': 'public-ip', 'security-group': 'security-group', 'boot-volume': 'volume' } as const satisfies Record<string, ResourceKind>;

/** What each part of a worker takes of the project's quotas. */
export type WorkerNeeds = Readonly<Partial<Record<keyof typeof parts, QuotaNeeds>>>;

export function needsOfWorker(needs: WorkerNeeds): QuotaNeeds {
  return addNeeds(...Object.values(needs));
}

/**
 * Refuses a worker that the project has no room for. Parts that an earlier, interrupted start created count already; with the server
 * nothing is missing.
 *
 * @throws `cloud.quota-exceeded`
 */
export async function requireWorkerQuota(
  run: Pick<DestinationRun, 'ledger'>, role: WorkerRole, needs: WorkerNeeds, quotas: () => Promise<Quotas>, words: QuotaWords,
): Promise<void> {
  const isThere = (part: keyof typeof parts): boolean => run.ledger.find(parts[part], keyOf(role, part))?.resourceId !== undefined;
  if (isThere('server')) return;
  const missing = (Object.keys(parts) as (keyof typeof parts)[]).filter((part) => !isThere(part));
  requireQuota(addNeeds(...missing.map((part) => needs[part] ?? {})), await quotas(), words);
}

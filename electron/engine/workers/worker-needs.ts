import { CausewayError } from '../../../shared/model/causeway-error.ts';
import {
  addNeeds,
  requireQuota,
  type QuotaNeeds,
  type Quotas,
  type QuotaWords,
} from '../cloud-resources/quota-needs.ts';
import { missing } from '../cloud-resources/read-environment.ts';
import type { DestinationRun, WorkerRole } from '../ports/destination-platform.ts';
import type { ResourceKind } from '../ports/ledger.ts';
import { keyOf } from './worker-entries.ts';

/** The parts of a worker that have ledger entries of their own, and of which kind those are. */
const parts = {
  server: 'server',
  nic: 'nic',
  'public-ip': 'public-ip',
  'security-group': 'security-group',
  'boot-volume': 'volume',
} as const satisfies Record<string, ResourceKind>;

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
  run: Pick<DestinationRun, 'ledger'>,
  role: WorkerRole,
  needs: WorkerNeeds,
  quotas: () => Promise<Quotas>,
  words: QuotaWords,
): Promise<void> {
  const isThere = (part: keyof typeof parts): boolean =>
    run.ledger.find(parts[part], keyOf(role, part))?.resourceId !== undefined;
  if (isThere('server')) return;
  const missing = (Object.keys(parts) as (keyof typeof parts)[]).filter((part) => !isThere(part));
  requireQuota(addNeeds(...missing.map((part) => needs[part] ?? {})), await quotas(), words);
}

/**
 * GiB of a worker's boot volume: as requested if the image fits, otherwise what the cloud suggests.
 *
 * @param image its name, and the GiB that it needs
 * @param suggested GiB when none are asked; 0: neither the image nor the machine says any
 * @param machine what else could have said a size, in words
 * @param parameter the environment's name for `asked`
 * @throws `general.invalid-input`, `cloud.parameter-missing`
 */
export function bootVolumeGib(
  asked: number | undefined,
  image: { readonly name: string; readonly needs: number },
  suggested: number,
  machine: string,
  parameter: string,
): number {
  if (asked !== undefined && asked < image.needs) {
    throw new CausewayError(
      'general.invalid-input',
      `${parameter} is ${asked} GB, but image ${image.name} needs ${image.needs} GB`,
      {
        details: { parameter, asked, minimum: image.needs },
      },
    );
  }
  const size = asked ?? suggested;
  return size > 0
    ? size
    : missing(parameter, `${parameter} is not set, and neither image ${image.name} nor ${machine} specifies a size`);
}

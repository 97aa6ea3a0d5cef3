import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { DestinationRun, Volume } from '../ports/destination-platform.ts';
import type { Ownership } from '../ports/ledger.ts';
import { computerOf } from '../store/store-identity.ts';
import type { CloudApi } from './cloud-api.ts';
import { labelKeys, labelValue } from './labels.ts';

/**
 * Two computers that replicate into one volume would each trust its own record of what is on it: the second one stops
 * before it writes.
 *
 * @throws `store.replica-elsewhere` when the labels name an owner that is not this one, nor one that it took over from
 */
export function refuseOtherOwner(
  owner: Ownership | undefined,
  labels: Readonly<Record<string, unknown>>,
  what: string,
): void {
  const other = otherOwner(owner, labels);
  if (other === undefined) return;
  throw new CausewayError('store.replica-elsewhere', `${what} of ${computerOf(other)}`, {
    details: { owner: computerOf(other), mark: other },
  });
}

/**
 * Marks volumes as this owner's before a worker is started that writes to them, so that another copy of the project's
 * data stops at them.
 *
 * @throws `store.replica-elsewhere` when another computer took them over in the meantime
 */
export async function claimVolumes(
  cloud: Pick<CloudApi, 'volumes'>,
  { ledger }: Pick<DestinationRun, 'ledger'>,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<void> {
  const { owner } = ledger;
  if (owner === undefined) return;
  for (const { id } of volumes) {
    const { labels = {} } = (await cloud.volumes.get(id, signal)) ?? {};
    refuseOtherOwner(owner, labels, `volume ${id} belongs to the project data`);
    if (labels[labelKeys.owner] !== owner.mark)
      await cloud.volumes.label(id, { [labelKeys.owner]: labelValue(owner.mark) }, signal);
  }
}

/** The mark of the owner that labels name, unless it is this one or a former one of it. */
export function otherOwner(
  owner: Ownership | undefined,
  labels: Readonly<Record<string, unknown>>,
): string | undefined {
  const marked = labels[labelKeys.owner];
  if (owner === undefined || typeof marked !== 'string' || marked === owner.mark || owner.former.includes(marked))
    return undefined;
  return marked;
}

import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { pollUntil } from '../../http/poll.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import { pollPlan } from './context.ts';
import type { Iaas } from './iaas/iaas.ts';
import { hasLabels } from './iaas/labels.ts';
import type { CloudVolume } from './iaas/volumes.ts';
import { entryLabel } from './owned.ts';
import type { CloudSession } from './session.ts';

/** Statuses are an open set; every failed one starts like this. */
export function isFailed(volume: CloudVolume): boolean {
  return volume.status.toUpperCase().startsWith('ERROR');
}

export function isGone(volume: CloudVolume): boolean {
  return volume.status === 'DELETED' || volume.status === 'DELETING';
}

/**
 * Waits until a volume is as wanted.
 *
 * @throws `cloud.operation-failed` when it ends in an error status, `cloud.not-found` when it is gone, `cloud.not-ready`
 */
export function awaitVolume(
  session: CloudSession,
  iaas: Iaas,
  id: string,
  purpose: string,
  isReady: (volume: CloudVolume) => boolean,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<CloudVolume> {
  const operation = `volume ${id}: ${purpose}`;
  return pollUntil(
    { operation, details: { volumeId: id } },
    async (s) => {
      const volume = await iaas.volumes.get(id, s);
      if (volume === undefined) throw new CausewayError('cloud.not-found', `${operation}: the volume is gone`, { details: { operation, volumeId: id } });
      if (isFailed(volume)) {
        throw new CausewayError('cloud.operation-failed', `${operation}: status ${volume.status}`, { details: { operation, volumeId: id, state: volume.status } });
      }
      return isReady(volume) ? { done: true, value: volume } : { done: false, state: volume.status };
    },
    pollPlan(session.timing, deadlineMs),
    session.clock,
    signal,
  );
}

/** How the volume of an entry is found: by its id, or by its label when the answer to its creation was lost. */
export function volumeFinders(iaas: Iaas) {
  return {
    find: (entry: LedgerEntry, signal: AbortSignal) => findVolume(iaas, entry, signal),
    async get(id: string, _entry: LedgerEntry, signal: AbortSignal) {
      const volume = await iaas.volumes.get(id, signal);
      return volume === undefined || isGone(volume) ? undefined : volume;
    },
  };
}

/** The volume that the lost creation of an entry made, by its label. */
export async function findVolume(iaas: Iaas, entry: LedgerEntry, signal: AbortSignal): Promise<CloudVolume | undefined> {
  const label = entryLabel(entry);
  const found = await iaas.volumes.list(label, signal);
  return found.find((volume) => hasLabels(volume, label) && !isGone(volume));
}

import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { waitForState } from '../http/wait-for-state.ts';
import type { LedgerEntry } from '../ports/ledger.ts';
import type { CloudVolume, WorkerCloud } from './cloud-api.ts';
import { hasLabels } from './labels.ts';
import { entryLabel } from './ledgered-resource.ts';
import { pollPlan } from './retry-context.ts';

/**
 * Waits until a volume is as wanted.
 *
 * @throws `cloud.operation-failed` when it ends in an error status, `cloud.not-found` when it is gone, `cloud.not-ready`
 */
export function awaitVolume(
  cloud: Pick<WorkerCloud, 'clock' | 'timing'> & { readonly volumes: Pick<WorkerCloud['volumes'], 'get'> },
  id: string,
  purpose: string,
  isReady: (volume: CloudVolume) => boolean,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<CloudVolume> {
  const operation = `volume ${id}: ${purpose}`;
  return waitForState(
    { operation, details: { volumeId: id } },
    async (s) => {
      const volume = await cloud.volumes.get(id, s);
      if (volume === undefined)
        throw new CausewayError('cloud.not-found', `${operation}: the volume no longer exists`, {
          details: { operation, volumeId: id },
        });
      if (volume.state === 'failed') {
        throw new CausewayError('cloud.operation-failed', `${operation}: status ${volume.status}`, {
          details: { operation, volumeId: id, state: volume.status },
        });
      }
      return isReady(volume) ? { done: true, value: volume } : { done: false, state: volume.status };
    },
    pollPlan(cloud.timing, deadlineMs),
    cloud.clock,
    signal,
  );
}

/** How the volume of an entry is found: by its id, or by its label when the answer to its creation was lost. */
export function volumeFinders(cloud: Pick<WorkerCloud, 'volumes'>) {
  return {
    find: (entry: LedgerEntry, signal: AbortSignal) => findVolume(cloud, entry, signal),
    async get(id: string, _entry: LedgerEntry, signal: AbortSignal) {
      const volume = await cloud.volumes.get(id, signal);
      return volume === undefined || volume.state === 'going' ? undefined : volume;
    },
  };
}

/** The volume that the lost creation of an entry made, by its label. */
export async function findVolume(
  cloud: { readonly volumes: Pick<WorkerCloud['volumes'], 'list'> },
  entry: LedgerEntry,
  signal: AbortSignal,
): Promise<CloudVolume | undefined> {
  const label = entryLabel(entry);
  const found = await cloud.volumes.list(label, signal);
  return found.find((volume) => hasLabels(volume, label) && volume.state !== 'going');
}

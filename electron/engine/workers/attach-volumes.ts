import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { AttachedVolume, DestinationPlatform, DestinationRun, Volume, WorkerAccess, WorkerRole } from '../ports/destination-platform.ts';

/** A worker and what is attached to it, in the order of attachment. */
export interface WorkerWithVolumes extends WorkerAccess {
  readonly attached: readonly AttachedVolume[];
}

/**
 * Claims volumes, starts a worker and attaches them to it, one after the other; of more than it takes, those of the first turn. Safe to
 * repeat: adopts the worker and what is attached.
 */
export async function startWorkerWith(
  destination: Pick<DestinationPlatform, 'claimVolumes' | 'startWorker' | 'attachVolume' | 'detachVolume'>, run: DestinationRun, role: WorkerRole, volumes: readonly Volume[], signal: AbortSignal,
): Promise<WorkerWithVolumes> {
  await destination.claimVolumes?.(run, volumes, signal);
  const worker = await destination.startWorker(run, role, signal);
  const attached: AttachedVolume[] = [];
  const [first = [], ...later] = turnsOf(volumes, worker);
  // An interrupted copy may have left those of a later turn attached.
  for (const volume of later.flat()) await destination.detachVolume(run, worker.workerId, volume, signal);
  for (const volume of first) attached.push({ volume, identity: await destination.attachVolume(run, worker.workerId, volume, signal) });
  return { ...worker, attached };
}

/** The volumes, or disks, that a worker has at the same time: one turn, unless it takes fewer. */
export function turnsOf<T>(all: readonly T[], { volumesAtOnce = all.length }: Pick<WorkerAccess, 'volumesAtOnce'>): readonly (readonly T[])[] {
  const size = Math.max(1, volumesAtOnce);
  return Array.from({ length: Math.ceil(all.length / size) }, (_, turn) => all.slice(turn * size, (turn + 1) * size));
}

/** Attaches the volumes of a turn to a worker, after those of another turn are detached. */
export async function attachTurn(
  destination: Pick<DestinationPlatform, 'attachVolume' | 'detachVolume'>, run: DestinationRun, workerId: string, attached: readonly AttachedVolume[], wanted: readonly Volume[], signal: AbortSignal,
): Promise<readonly AttachedVolume[]> {
  for (const { volume } of attached) if (!wanted.some(({ id }) => id === volume.id)) await destination.detachVolume(run, workerId, volume, signal);
  const now: AttachedVolume[] = [];
  for (const volume of wanted) now.push(attached.find((each) => each.volume.id === volume.id) ?? { volume, identity: await destination.attachVolume(run, workerId, volume, signal) });
  return now;
}

/**
 * Deletes a worker before another one starts in its place. What can't be deleted is reported and does not keep the next one from
 * starting: the start finishes the deletion or gives it up, and the end of the run tries it again.
 */
export async function stopFormerWorker(destination: Pick<DestinationPlatform, 'stopWorker'>, run: DestinationRun, role: WorkerRole, signal: AbortSignal): Promise<void> {
  try {
    await destination.stopWorker(run, role, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CausewayError) || error.code !== 'cloud.clean-up-incomplete') throw error;
    run.note(`not all of the former worker could be deleted: ${error.message}. Starting another worker`, { code: error.code, ...error.details });
  }
}

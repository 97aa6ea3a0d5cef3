import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type {
  AttachedVolume,
  DestinationPlatform,
  DestinationRun,
  Volume,
  WorkerAccess,
  WorkerRole,
} from '../ports/destination-platform.ts';

/** A worker and what is attached to it, in the order of attachment. */
export interface WorkerWithVolumes extends WorkerAccess {
  readonly attached: readonly AttachedVolume[];
}

/**
 * Claims volumes, starts a worker and attaches them to it, one after the other; of more than it takes, those of the first turn. Safe to
 * repeat: adopts the worker and what is attached.
 */
export async function startWorkerWith(
  destination: Pick<DestinationPlatform, 'claimVolumes' | 'startWorker' | 'attachVolume' | 'detachVolume'>,
  run: DestinationRun,
  role: WorkerRole,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<WorkerWithVolumes> {
  await destination.claimVolumes?.(run, volumes, signal);
  return attachVolumes(destination, run, await destination.startWorker(run, role, signal), volumes, signal);
}

/** Attaches volumes to a worker that runs, one after the other; of more than it takes, those of the first turn. Safe to repeat. */
export async function attachVolumes(
  destination: Pick<DestinationPlatform, 'attachVolume' | 'detachVolume'>,
  run: DestinationRun,
  worker: WorkerAccess,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<WorkerWithVolumes> {
  const attached: AttachedVolume[] = [];
  const [first = [], ...later] = turnsOf(volumes, worker);
  // An interrupted copy may have left those of a later turn attached.
  for (const volume of later.flat()) await destination.detachVolume(run, worker.workerId, volume, signal);
  for (const volume of first)
    attached.push({ volume, identity: await destination.attachVolume(run, worker.workerId, volume, signal) });
  return { ...worker, attached };
}

/** The volumes, or disks, that a worker has at the same time: one turn, unless it takes fewer. */
export function turnsOf<T>(
  all: readonly T[],
  { volumesAtOnce = all.length }: Pick<WorkerAccess, 'volumesAtOnce'>,
): readonly (readonly T[])[] {
  const size = Math.max(1, volumesAtOnce);
  return Array.from({ length: Math.ceil(all.length / size) }, (_, turn) => all.slice(turn * size, (turn + 1) * size));
}

/**
 * Detaches the volumes of another turn from a worker, waits until it no longer has their devices, and attaches those of this one. A volume of
 * the next turn may get the number of one of the last turn: it must not be taken for it.
 *
 * @param attached what the worker has. It is changed with each step, so that after a failure it names no volume that may be detached.
 * @returns the volumes of this turn
 */
export async function attachTurn(
  destination: Pick<DestinationPlatform, 'attachVolume' | 'detachVolume'>,
  run: DestinationRun,
  workerId: string,
  attached: AttachedVolume[],
  wanted: readonly Volume[],
  whenGone: (former: readonly AttachedVolume[]) => Promise<void>,
  signal: AbortSignal,
): Promise<readonly AttachedVolume[]> {
  const former = attached.filter(({ volume }) => !wanted.some(({ id }) => id === volume.id));
  for (const each of former) {
    attached.splice(attached.indexOf(each), 1);
    await destination.detachVolume(run, workerId, each.volume, signal);
  }
  if (former.length > 0) await whenGone(former);
  for (const volume of wanted) {
    if (attached.some((each) => each.volume.id === volume.id)) continue;
    attached.push({ volume, identity: await destination.attachVolume(run, workerId, volume, signal) });
  }
  return [...attached];
}

/**
 * Deletes a worker before another one starts in its place. What can't be deleted is reported and does not keep the next one from
 * starting: the start finishes the deletion or gives it up, and the end of the run tries it again.
 */
export async function stopFormerWorker(
  destination: Pick<DestinationPlatform, 'stopWorker'>,
  run: DestinationRun,
  role: WorkerRole,
  signal: AbortSignal,
): Promise<void> {
  try {
    await destination.stopWorker(run, role, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CausewayError) || error.code !== 'cloud.clean-up-incomplete') throw error;
    run.note(`not all of the former worker could be deleted: ${error.message}. Starting another worker`, {
      code: error.code,
      ...error.details,
    });
  }
}

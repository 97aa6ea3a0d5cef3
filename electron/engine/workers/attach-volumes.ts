import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { AttachedVolume, DestinationPlatform, DestinationRun, Volume, WorkerAccess, WorkerRole } from '../ports/destination-platform.ts';

/** A worker and what is attached to it, in the order of attachment. */
export interface WorkerWithVolumes extends WorkerAccess {
  readonly attached: readonly AttachedVolume[];
}

/** Claims volumes, starts a worker and attaches them to it, one after the other. Safe to repeat: adopts the worker and what is attached. */
export async function startWorkerWith(
  destination: Pick<DestinationPlatform, 'claimVolumes' | 'startWorker' | 'attachVolume'>, run: DestinationRun, role: WorkerRole, volumes: readonly Volume[], signal: AbortSignal,
): Promise<WorkerWithVolumes> {
  await destination.claimVolumes?.(run, volumes, signal);
  const worker = await destination.startWorker(run, role, signal);
  const attached: AttachedVolume[] = [];
  for (const volume of volumes) attached.push({ volume, identity: await destination.attachVolume(run, worker.workerId, volume, signal) });
  return { ...worker, attached };
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

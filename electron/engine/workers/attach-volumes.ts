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

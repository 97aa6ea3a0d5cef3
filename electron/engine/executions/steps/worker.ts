import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Vm } from '../../../../shared/model/vm.ts';
import type { Volume, WorkerAccess } from '../../ports/destination-platform.ts';
import { systemClock } from '../../time/clock.ts';
import { pollUntil } from '../../time/poll.ts';
import {
  attachVolumes,
  startWorkerWith,
  stopFormerWorker,
  type WorkerWithVolumes,
} from '../../workers/attach-volumes.ts';
import { hasDeviceOf } from '../../workers/match-devices.ts';
import { destinationRun, replicaOf, type ExecutionContext } from '../execution-context.ts';
import { releaseAttachments } from '../own-vm-attachments.ts';
import type { ReplicaStep } from '../replica-graph.ts';
import { onThisComputer } from './on-this-computer.ts';
import { attachedBy, deviceChange } from './replicate.ts';

/** The worker of the pool that an execution uses, as it was last attached to. */
const pooled = new WeakMap<ExecutionContext, WorkerWithVolumes>();

/** Step 3: a running worker with the volumes attached. Repeated after a crash or loss; the destination adopts what is there. */
export function startWorker(run: ExecutionContext): ReplicaStep<'start-worker'> {
  let former: string | undefined;
  return async ({ values: { vm, volumes }, signal }) => {
    await run.workers.close();
    const worker = await start(run, vm, volumes, signal);
    const known = worker.workerId === former;
    former = worker.workerId;
    // This computer: there is nothing that could be replaced.
    if (worker.ownVm !== undefined) return { worker };
    // A new one has all the time that it takes to start.
    if (!known || (await answers(run, worker, signal))) return { worker };
    // The cloud reports it as running, but it does not answer: it crashed, or its network failed.
    run.event('note', 'the worker stopped responding; starting a new one');
    if (worker.isPooled === true) await run.pool?.discard(run.executionId);
    else await stopFormerWorker(run.destination, destinationRun(run, vm), 'disk-copy', signal);
    const next = await start(run, vm, volumes, signal);
    former = next.workerId;
    return { worker: next };
  };
}

/** This computer, where it is a VM of the destination; one of the pool, where there is one for this execution; else one of its own. */
async function start(
  run: ExecutionContext,
  vm: Vm,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<WorkerWithVolumes> {
  const inRun = destinationRun(run, vm);
  const here = await onThisComputer(run, inRun, volumes, signal);
  if (here !== undefined) return here;
  const access = await run.pool?.lease(
    {
      executionId: run.executionId,
      endpointId: replicaOf(run).destinationEndpointId,
      environment: run.environments.destination,
      vm,
      note: inRun.note,
    },
    signal,
  );
  if (access === undefined) return startWorkerWith(run.destination, inRun, 'disk-copy', volumes, signal);
  await run.destination.claimVolumes?.(inRun, volumes, signal);
  const worker = await attachVolumes(run.destination, inRun, access, volumes, signal);
  pooled.set(run, worker);
  return worker;
}

/** Whether a worker that was lost can be reached again soon. The session is kept for what comes next. */
async function answers(run: ExecutionContext, worker: WorkerAccess, signal: AbortSignal): Promise<boolean> {
  try {
    await run.workers.get(worker, AbortSignal.any([signal, AbortSignal.timeout(run.workerPatienceMs)]));
    return true;
  } catch (error) {
    signal.throwIfAborted();
    run.event('note', `reconnecting to the worker failed: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

/** Step 5: detaches the volumes and deletes the worker with all that was made for it; one of the pool is given back, and this computer stays as it is. */
export function stopWorker(run: ExecutionContext): ReplicaStep<'stop-worker'> {
  return async ({ values: { vm }, signal }) => {
    try {
      await giveBack(run, vm, signal);
    } finally {
      await run.workers.close();
      await run.pool?.discard(run.executionId);
    }
    await releaseAttachments(
      { ...run, note: (message, details) => run.event('note', message, details) },
      undefined,
      signal,
    );
    run.ownVms?.giveBack(run.executionId, 'destination');
    await run.destination.stopWorker(destinationRun(run, vm), 'disk-copy', signal);
  };
}

/** The next execution must find nothing of this one: neither volumes nor their devices. What can't be freed is deleted with the worker. */
async function giveBack(run: ExecutionContext, vm: Vm, signal: AbortSignal): Promise<void> {
  const worker = pooled.get(run);
  if (worker === undefined || run.pool === undefined) return;
  pooled.delete(run);
  const attached = attachedBy(worker);
  try {
    for (const { volume } of attached)
      await run.destination.detachVolume(destinationRun(run, vm), worker.workerId, volume, signal);
    const session = await run.workers.get(worker, AbortSignal.any([signal, AbortSignal.timeout(run.workerPatienceMs)]));
    await pollUntil(
      async (within) =>
        hasDeviceOf(attached, await session.devices(within))
          ? { done: false, state: 'there' }
          : { done: true, value: undefined },
      deviceChange,
      systemClock,
      signal,
      () => new CausewayError('engine.volume-not-matched', 'devices of volumes that were detached are still there'),
    );
    // Its agent ends with the session.
    await run.workers.close();
    run.pool.giveBack(run.executionId);
  } catch (error) {
    signal.throwIfAborted();
    run.event(
      'note',
      `the worker is not given back to the pool: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

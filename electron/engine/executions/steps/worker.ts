import type { WorkerAccess } from '../../ports/destination-platform.ts';
import { startWorkerWith, stopFormerWorker } from '../../workers/attach-volumes.ts';
import { destinationRun, type ExecutionContext } from '../execution-context.ts';
import type { ReplicaStep } from '../replica-graph.ts';

/** Step 3: a running worker with the volumes attached. Repeated after a crash or loss; the destination adopts what is there. */
export function startWorker(run: ExecutionContext): ReplicaStep<'start-worker'> {
  let former: string | undefined;
  return async ({ values: { vm, volumes }, signal }) => {
    await run.workers.close();
    const start = () => startWorkerWith(run.destination, destinationRun(run, vm), 'disk-copy', volumes, signal);
    const worker = await start();
    const known = worker.workerId === former;
    former = worker.workerId;
    // A new one has all the time that it takes to start.
    if (!known || (await answers(run, worker, signal))) return { worker };
    // The cloud reports it as running, but it does not answer: it crashed, or its network failed.
    run.event('note', 'the worker stopped responding; starting a new one');
    await stopFormerWorker(run.destination, destinationRun(run, vm), 'disk-copy', signal);
    const next = await start();
    former = next.workerId;
    return { worker: next };
  };
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

/** Step 5: detaches the volumes and deletes the worker with all that was made for it. */
export function stopWorker(run: ExecutionContext): ReplicaStep<'stop-worker'> {
  return async ({ values: { vm }, signal }) => {
    await run.workers.close();
    await run.destination.stopWorker(destinationRun(run, vm), 'disk-copy', signal);
  };
}

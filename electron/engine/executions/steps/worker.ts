import type { TaskHandler } from '../../jobs/runner.ts';
import { destinationRun, vmOf, volumesOf, type RunContext } from '../run-context.ts';

/** Step 3: a running worker with the volumes attached. Repeated after a crash or loss; the destination adopts what is there. */
export function startWorker(run: RunContext): TaskHandler {
  return async ({ values, signal }) => {
    await run.workers.close();
    const worker = await run.destination.startWorker(destinationRun(run, vmOf(values)), 'disk-copy', volumesOf(values), signal);
    return { worker };
  };
}

/** Step 5: detaches the volumes and deletes the worker with all that was made for it. */
export function stopWorker(run: RunContext): TaskHandler {
  return async ({ values, signal }) => {
    await run.workers.close();
    await run.destination.stopWorker(destinationRun(run, vmOf(values)), 'disk-copy', signal);
  };
}

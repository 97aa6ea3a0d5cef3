import { CausewayError, toErrorRecord } from '../../../../shared/model/causeway-error.ts';
import type { DeploymentRun } from '../../ports/deployment-platform.ts';
import type { Volume } from '../../ports/destination-run.ts';
import { startWorkerWith, stopFormerWorker } from '../../workers/attach-volumes.ts';
import {
  bootFirst,
  deploymentRun,
  workerRole,
  type DeploymentContext,
  type ReplicaContext,
} from '../deployment-context.ts';
import { stopWorkerAttempts, type DeploymentStep } from '../deployment-graph.ts';

/** Step 2: a worker of the guest's kind with the volumes attached. What failed once is tried on a new one. */
export function startWorker(run: DeploymentContext): DeploymentStep<'start-worker'> {
  return async ({ values: { vm, deployedVolumes }, signal, attempt, stateOf }) => {
    const [asDeployment, role] = [deploymentRun(run, vm), workerRole(run, vm)];
    if (attempt > 1 && stateOf('prepare-guest') !== 'pending')
      await stopFormerWorker(run.destination, asDeployment, role, signal);
    return {
      worker: await startWorkerWith(run.destination, asDeployment, role, bootFirst(vm, deployedVolumes), signal),
    };
  };
}

/**
 * Step 4: detaches the volumes and deletes the worker with all that was made for it. A worker that can't be deleted keeps the
 * deployment from going on only while it may still hold a volume; otherwise it stays in the ledger, as after an execution.
 */
export function stopWorker(run: DeploymentContext): DeploymentStep<'stop-worker'> {
  return async ({ values: { vm, deployedVolumes }, signal, attempt, stateOf }) => {
    if (run.options.keepWorkerOnFailure === true && stateOf('prepare-guest') === 'failed') {
      run.event('note', 'the OSMorphing worker is kept, as requested; delete the deployment to remove it');
      return;
    }
    const asDeployment = deploymentRun(run, vm);
    try {
      await run.destination.stopWorker(asDeployment, workerRole(run, vm), signal);
    } catch (error) {
      signal.throwIfAborted();
      const { code, message, retryable } = toErrorRecord(error);
      const failure = (why: string): CausewayError =>
        new CausewayError('deployment.clean-up-failed', why, { cause: error, retryable });
      if (retryable && attempt < stopWorkerAttempts) throw failure(message);
      try {
        await detachFromWorkers(run, asDeployment, deployedVolumes, signal);
      } catch (held) {
        signal.throwIfAborted();
        throw failure(`${message}; ${toErrorRecord(held).message}`);
      }
      run.event(
        'note',
        `the OSMorphing worker could not be deleted and stays in the ledger. No volume is attached to it: ${message}`,
        { code },
      );
    }
  };
}

/** Makes sure that no worker of this deployment holds one of its volumes. */
export async function detachFromWorkers(
  run: ReplicaContext,
  asDeployment: DeploymentRun,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<void> {
  for (const { kind, state, resourceId } of run.ledger.list({ lifetime: 'temporary' })) {
    if (kind !== 'server' || state === 'removed' || resourceId === undefined) continue;
    for (const volume of volumes) await run.destination.detachVolume(asDeployment, resourceId, volume, signal);
  }
}

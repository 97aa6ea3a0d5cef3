import { CausewayError, toErrorRecord } from '../../../../shared/model/causeway-error.ts';
import { startWorkerWith, stopFormerWorker } from '../../workers/attach-volumes.ts';
import { bootFirst, deploymentRun, workerRole, type DeploymentContext } from '../deployment-context.ts';
import type { DeploymentStep } from '../deployment-graph.ts';

/** Step 2: a worker of the guest's kind with the volumes attached. What failed once is tried on a new one. */
export function startWorker(run: DeploymentContext): DeploymentStep<'start-worker'> {
  return async ({ values: { vm, deployedVolumes }, signal, attempt, stateOf }) => {
    const [asDeployment, role] = [deploymentRun(run, vm), workerRole(run, vm)];
    if (attempt > 1 && stateOf('prepare-guest') !== 'pending') await stopFormerWorker(run.destination, asDeployment, role, signal);
    return { worker: await startWorkerWith(run.destination, asDeployment, role, bootFirst(vm, deployedVolumes), signal) };
  };
}

/** Step 4: detaches the volumes and deletes the worker with all that was made for it. */
export function stopWorker(run: DeploymentContext): DeploymentStep<'stop-worker'> {
  return async ({ values: { vm }, signal, stateOf }) => {
    if (run.options.keepWorkerOnFailure === true && stateOf('prepare-guest') === 'failed') {
      run.event('note', 'the OSMorphing worker is kept, as requested; delete the deployment to remove it');
      return;
    }
    try {
      await run.destination.stopWorker(deploymentRun(run, vm), workerRole(run, vm), signal);
    } catch (error) {
      signal.throwIfAborted();
      const { message, retryable } = toErrorRecord(error);
      throw new CausewayError('deployment.clean-up-failed', message, { cause: error, retryable });
    }
  };
}

import type { TaskState } from '../../../../shared/model/task.ts';
import type { TaskHandler } from '../../jobs/runner.ts';
import { deploymentRun, platformOf, snapshotsOf, vmOf, type DeploymentContext } from '../deployment-context.ts';

/** The end of every deployment: success needs its snapshots no more, anything else is undone (or kept, as asked). */
export function settleDeployment(run: DeploymentContext): TaskHandler {
  return async ({ values, signal, stateOf }) => {
    const platform = platformOf(run);
    const asDeployment = deploymentRun(run, vmOf(values));
    if (stateOf('record-deployment') === 'completed') {
      await platform.deleteSnapshots(asDeployment, signal);
      return;
    }
    run.kept = isKept(run, stateOf);
    if (run.kept) {
      run.event('note', 'the resources of the deployment are kept, as requested; delete the deployment to remove them');
      return;
    }
    const snapshots = snapshotsOf(values);
    if (run.options.inPlace === true && snapshots !== undefined && wasTouched(stateOf)) {
      for (const volume of await platform.restoreVolumes(asDeployment, snapshots, signal)) {
        run.store.replicas.replaceVolume(run.replicaId, volume.diskId, volume.id);
      }
    }
    await platform.rollBack(asDeployment, signal);
  };
}

function isKept(run: DeploymentContext, stateOf: (id: string) => TaskState): boolean {
  const { onFailedBoot, keepWorkerOnFailure } = run.options;
  return (onFailedBoot === 'keep' && stateOf('check-boot') === 'failed') || (keepWorkerOnFailure === true && stateOf('prepare-guest') === 'failed');
}

/** Whether anything may have written to the replica's own volumes. */
function wasTouched(stateOf: (id: string) => TaskState): boolean {
  return ['start-worker', 'create-server'].some((id) => !['pending', 'skipped'].includes(stateOf(id)));
}

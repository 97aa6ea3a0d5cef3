import type { TaskState } from '../../../../shared/model/task.ts';
import { deploymentRun, platformOf, type DeploymentContext } from '../deployment-context.ts';
import type { DeploymentNode, DeploymentStep } from '../deployment-graph.ts';

type StateOf = (id: DeploymentNode['id']) => TaskState;

/** The end of every deployment: after success the snapshots are deleted, otherwise everything is rolled back (or kept, as requested). */
export function settleDeployment(run: DeploymentContext): DeploymentStep<'settle-deployment'> {
  return async ({ values: { vm, snapshots }, signal, stateOf }) => {
    const platform = platformOf(run);
    const asDeployment = deploymentRun(run, vm);
    if (stateOf('record-deployment') === 'completed') {
      await platform.deleteSnapshots(asDeployment, signal);
      return;
    }
    run.kept = isKept(run, stateOf);
    if (run.kept) {
      run.event('note', 'the resources of the deployment are kept, as requested; delete the deployment to remove them');
      return;
    }
    if (run.options.inPlace === true && snapshots !== undefined && wasTouched(stateOf)) {
      for (const volume of await platform.restoreVolumes(asDeployment, snapshots, signal)) {
        run.store.replicas.replaceVolume(run.replicaId, volume.diskId, volume.id);
      }
    }
    await platform.rollBack(asDeployment, signal);
  };
}

function isKept(run: DeploymentContext, stateOf: StateOf): boolean {
  const { onFailedBoot, keepWorkerOnFailure } = run.options;
  return (
    (onFailedBoot === 'keep' && (stateOf('check-boot') === 'failed' || stateOf('check-services') === 'failed')) ||
    (keepWorkerOnFailure === true && stateOf('prepare-guest') === 'failed')
  );
}

/** Whether anything may have written to the replica's own volumes. */
function wasTouched(stateOf: StateOf): boolean {
  return (['start-worker', 'create-server'] as const).some((id) => !['pending', 'skipped'].includes(stateOf(id)));
}

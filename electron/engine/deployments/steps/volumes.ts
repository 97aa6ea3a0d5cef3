import { deploymentRun, platformOf, type DeploymentContext } from '../deployment-context.ts';
import type { DeploymentStep } from '../deployment-graph.ts';

/** Step 1: snapshots, to make new volumes from, or to go back to. */
export function snapshotVolumes(run: DeploymentContext): DeploymentStep<'snapshot-volumes'> {
  return async ({ values: { vm, volumes }, signal }) => ({
    snapshots: await platformOf(run).snapshotVolumes(deploymentRun(run, vm), volumes, signal),
  });
}

/** Step 1: new volumes, so that the replica stays as it is; or, in place, the replica's own. */
export function createVolumes(run: DeploymentContext): DeploymentStep<'create-volumes'> {
  return async ({ values: { vm, volumes, snapshots }, signal }) => {
    if (run.options.inPlace === true) return { deployedVolumes: volumes };
    return { deployedVolumes: await platformOf(run).volumesFromSnapshots(deploymentRun(run, vm), snapshots, signal) };
  };
}

/** Before the guest is prepared, which has to know their MAC addresses. */
export function createNics(run: DeploymentContext): DeploymentStep<'create-nics'> {
  return async ({ values: { vm, plan }, signal }) => ({
    nics: await platformOf(run).createNics(deploymentRun(run, vm), plan, signal),
  });
}

import type { TaskHandler } from '../../jobs/runner.ts';
import { deploymentRun, planOf, platformOf, snapshotsOf, vmOf, volumesOf, type DeploymentContext } from '../deployment-context.ts';

/** Step 1: snapshots, to make new volumes from, or to go back to. */
export function snapshotVolumes(run: DeploymentContext): TaskHandler {
  return async ({ values, signal }) => ({ snapshots: await platformOf(run).snapshotVolumes(deploymentRun(run, vmOf(values)), volumesOf(values), signal) });
}

/** Step 1: new volumes, so that the replica stays as it is; or, in place, the replica's own. */
export function createVolumes(run: DeploymentContext): TaskHandler {
  return async ({ values, signal }) => {
    if (run.options.inPlace === true) return { deployedVolumes: volumesOf(values) };
    return { deployedVolumes: await platformOf(run).volumesFromSnapshots(deploymentRun(run, vmOf(values)), snapshotsOf(values) ?? [], signal) };
  };
}

/** Before the guest is prepared, which has to know their MAC addresses. */
export function createNics(run: DeploymentContext): TaskHandler {
  return async ({ values, signal }) => ({ nics: await platformOf(run).createNics(deploymentRun(run, vmOf(values)), planOf(values), signal) });
}

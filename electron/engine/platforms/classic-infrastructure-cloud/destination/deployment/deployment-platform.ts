import { snapshotVolumes, volumesFromSnapshots } from '../../../../cloud-resources/deployment/deployment-volumes.ts';
import { restoreVolumes } from '../../../../cloud-resources/deployment/restore-volumes.ts';
import { deleteSnapshots, rollBack } from '../../../../cloud-resources/deployment/roll-back.ts';
import { labelKeys, labelValue } from '../../../../cloud-resources/labels.ts';
import type { DeploymentPlatform, DeploymentRun } from '../../../../ports/deployment-platform.ts';
import type { Classic } from '../../client/open-classic.ts';
import { cloudApi } from '../../cloud/remove-resource.ts';
import { bootDiskOf } from '../environment.ts';
import { createNics, createServer } from './deployment-server.ts';
import { planDeployment } from './plan-deployment.ts';

/**
 * Deployments on the classic infrastructure cloud. Not in place: an instance boots from a volume that was made bootable when it was
 * created, which an empty one, as replicas have them, can't be.
 */
export function createDeploymentPlatform(classic: Classic): DeploymentPlatform {
  const cloud = cloudApi(classic);
  const cloudOf = (run: DeploymentRun) => {
    const boot = labelValue(bootDiskOf(run.vm)?.id ?? '');
    return cloudApi(classic, { isBoot: (labels) => labels[labelKeys.disk] === boot });
  };
  return {
    macAddressesAtBoot: true,
    plan: (run, volumes, signal) => planDeployment(classic, run, volumes, signal),
    snapshotVolumes: (run, volumes, signal) => snapshotVolumes(cloudOf(run), run, volumes, signal),
    volumesFromSnapshots: (run, snapshots, signal) =>
      volumesFromSnapshots(cloudOf(run), run, snapshots, undefined, signal),
    restoreVolumes: (run, snapshots, signal) => restoreVolumes(cloud, run, snapshots, undefined, signal),
    createNics: async (_run, plan) => createNics(plan),
    createServer: (run, plan, volumes, _nics, signal) => createServer(classic, run, plan, volumes, signal),
    deleteSnapshots: (run, signal) => deleteSnapshots(cloud, run, signal),
    rollBack: (run, signal) => rollBack(cloud, run, signal),
  };
}

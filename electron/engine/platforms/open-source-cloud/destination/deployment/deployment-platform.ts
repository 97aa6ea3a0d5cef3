import { transferVolumesToDeployment } from '../../../../cloud-resources/deployment/transfer-volumes.ts';
import { snapshotVolumes, volumesFromSnapshots } from '../../../../cloud-resources/deployment/deployment-volumes.ts';
import { restoreVolumes } from '../../../../cloud-resources/deployment/restore-volumes.ts';
import { deleteSnapshots, rollBack } from '../../../../cloud-resources/deployment/roll-back.ts';
import type { DeploymentPlatform } from '../../../../ports/deployment-platform.ts';
import type { OpenStackSession } from '../context.ts';
import { cloudApi } from '../cloud-api.ts';
import { createPorts } from './deployment-ports.ts';
import { createServer } from './deployment-server.ts';
import { planDeployment } from './plan-deployment.ts';

const consoleLines = 2_000;

/** Deployments on the open-source cloud. Volumes are made where the cloud likes: it has no parameter for a zone. */
export function createDeploymentPlatform(session: OpenStackSession): DeploymentPlatform {
  const cloud = cloudApi(session);
  return {
    plan: (run, volumes, signal) => planDeployment(session, run, volumes, signal),
    snapshotVolumes: (run, volumes, signal) => snapshotVolumes(cloud, run, volumes, signal),
    volumesFromSnapshots: (run, snapshots, signal) => volumesFromSnapshots(cloud, run, snapshots, undefined, signal),
    restoreVolumes: (run, snapshots, signal) => restoreVolumes(cloud, run, snapshots, undefined, signal),
    transferVolumesToDeployment: (run, volumes, signal) => transferVolumesToDeployment(cloud, run, volumes, signal),
    createNics: (run, plan, signal) => createPorts(session, run, plan, signal),
    createServer: (run, plan, volumes, nics, signal) => createServer(session, run, plan, volumes, nics, signal),
    consoleLog: (serverId, _run, signal) => session.cloud.compute.servers.consoleText(serverId, consoleLines, signal),
    deleteSnapshots: (run, signal) => deleteSnapshots(cloud, run, signal),
    rollBack: (run, signal) => rollBack(cloud, run, signal),
  };
}

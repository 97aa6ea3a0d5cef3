import { transferVolumesToDeployment } from '../../../cloud-resources/deployment/transfer-volumes.ts';
import { snapshotVolumes, volumesFromSnapshots } from '../../../cloud-resources/deployment/deployment-volumes.ts';
import { restoreVolumes } from '../../../cloud-resources/deployment/restore-volumes.ts';
import { deleteSnapshots, rollBack } from '../../../cloud-resources/deployment/roll-back.ts';
import type { CloudApi } from '../../../cloud-resources/cloud-api.ts';
import type { DeploymentPlatform, DeploymentRun } from '../../../ports/deployment-platform.ts';
import { readEnvironment, required } from '../environment.ts';
import { cloudApi } from '../cloud-api.ts';
import type { CloudSession } from '../session.ts';
import { createNics } from './deployment-nics.ts';
import { createServer } from './deployment-server.ts';
import { planDeployment } from './plan-deployment.ts';

const consoleLines = 2_000;
/** The metadata service gives it to every server, over a link that no other server is on. There are no other formats. */
const agentPackage = {
  url: 'http://169.254.169.254/stackit/v1/server-agent/amd64/deb',
  architecture: 'x86_64',
} as const;

/** Deployments on the European cloud. */
export function createDeploymentPlatform(session: CloudSession): DeploymentPlatform {
  const cloudOf = (run: DeploymentRun): CloudApi =>
    cloudApi(session, session.iaas(readEnvironment(run.environment).project));
  const zoneOf = (run: DeploymentRun): string => required(readEnvironment(run.environment), 'availability_zone');
  return {
    agentPackage,
    plan: (run, volumes, signal) => planDeployment(session, run, volumes, signal),
    snapshotVolumes: async (run, volumes, signal) => snapshotVolumes(cloudOf(run), run, volumes, signal),
    volumesFromSnapshots: async (run, snapshots, signal) =>
      volumesFromSnapshots(cloudOf(run), run, snapshots, zoneOf(run), signal),
    restoreVolumes: async (run, snapshots, signal) => restoreVolumes(cloudOf(run), run, snapshots, zoneOf(run), signal),
    transferVolumesToDeployment: async (run, volumes, signal) =>
      transferVolumesToDeployment(cloudOf(run), run, volumes, signal),
    createNics: (run, plan, signal) => createNics(session, run, plan, signal),
    createServer: (run, plan, volumes, nics, signal) => createServer(session, run, plan, volumes, nics, signal),
    consoleLog: async (serverId, run, signal) =>
      session.iaas(readEnvironment(run.environment).project).servers.log(serverId, consoleLines, signal),
    deleteSnapshots: async (run, signal) => deleteSnapshots(cloudOf(run), run, signal),
    rollBack: async (run, signal) => rollBack(cloudOf(run), run, signal),
  };
}

import { adoptVolumes } from '../../../cloud-destination/deployment/adopt-volumes.ts';
import { snapshotVolumes, volumesFromSnapshots } from '../../../cloud-destination/deployment/deployment-volumes.ts';
import { restoreVolumes } from '../../../cloud-destination/deployment/restore-volumes.ts';
import { deleteSnapshots, rollBack } from '../../../cloud-destination/deployment/roll-back.ts';
import type { CloudScope } from '../../../cloud-destination/cloud-scope.ts';
import type { DeploymentPlatform, DeploymentRun } from '../../../ports/deployment-platform.ts';
import { readEnvironment, required } from '../environment.ts';
import { scopeOf } from '../scope.ts';
import type { CloudSession } from '../session.ts';
import { createNics } from './deployment-nics.ts';
import { createServer } from './deployment-server.ts';
import { planDeployment } from './plan-deployment.ts';

const consoleLines = 2_000;

/** Deployments on the European cloud. */
export function createDeploymentPlatform(session: CloudSession): DeploymentPlatform {
  const cloudOf = (run: DeploymentRun): CloudScope => scopeOf(session, session.iaas(readEnvironment(run.environment).project));
  const zoneOf = (run: DeploymentRun): string => required(readEnvironment(run.environment), 'availability_zone');
  return {
    plan: (run, volumes, signal) => planDeployment(session, run, volumes, signal),
    snapshotVolumes: async (run, volumes, signal) => snapshotVolumes(cloudOf(run), run, volumes, signal),
    volumesFromSnapshots: async (run, snapshots, signal) => volumesFromSnapshots(cloudOf(run), run, snapshots, zoneOf(run), signal),
    restoreVolumes: async (run, snapshots, signal) => restoreVolumes(cloudOf(run), run, snapshots, zoneOf(run), signal),
    adoptVolumes: async (run, volumes, signal) => adoptVolumes(cloudOf(run), run, volumes, signal),
    createNics: (run, plan, signal) => createNics(session, run, plan, signal),
    createServer: (run, plan, volumes, nics, signal) => createServer(session, run, plan, volumes, nics, signal),
    consoleLog: async (serverId, run, signal) => session.iaas(readEnvironment(run.environment).project).servers.log(serverId, consoleLines, signal),
    deleteSnapshots: async (run, signal) => deleteSnapshots(cloudOf(run), run, signal),
    rollBack: async (run, signal) => rollBack(cloudOf(run), run, signal),
  };
}

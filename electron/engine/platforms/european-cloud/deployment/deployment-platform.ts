import type { DeploymentPlatform } from '../../../ports/deployment-platform.ts';
import { readEnvironment } from '../environment.ts';
import type { CloudSession } from '../session.ts';
import { adoptVolumes } from './adopt-volumes.ts';
import { createNics } from './deployment-nics.ts';
import { createServer } from './deployment-server.ts';
import { snapshotVolumes, volumesFromSnapshots } from './deployment-volumes.ts';
import { planDeployment } from './plan-deployment.ts';
import { restoreVolumes } from './restore-volumes.ts';
import { deleteSnapshots, rollBack } from './roll-back.ts';

const consoleLines = 2_000;

/** Deployments on the European cloud. */
export function createDeploymentPlatform(session: CloudSession): DeploymentPlatform {
  return {
    plan: (run, volumes, signal) => planDeployment(session, run, volumes, signal),
    snapshotVolumes: (run, volumes, signal) => snapshotVolumes(session, run, volumes, signal),
    volumesFromSnapshots: (run, snapshots, signal) => volumesFromSnapshots(session, run, snapshots, signal),
    restoreVolumes: (run, snapshots, signal) => restoreVolumes(session, run, snapshots, signal),
    adoptVolumes: (run, volumes, signal) => adoptVolumes(session, run, volumes, signal),
    createNics: (run, plan, signal) => createNics(session, run, plan, signal),
    createServer: (run, plan, volumes, nics, signal) => createServer(session, run, plan, volumes, nics, signal),
    consoleLog: (serverId, run, signal) => session.iaas(readEnvironment(run.environment).project).servers.log(serverId, consoleLines, signal),
    deleteSnapshots: (run, signal) => deleteSnapshots(session, run, signal),
    rollBack: (run, signal) => rollBack(session, run, signal),
  };
}

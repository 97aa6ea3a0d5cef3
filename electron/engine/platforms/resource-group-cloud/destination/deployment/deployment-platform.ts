import { transferVolumesToDeployment } from '../../../../cloud-resources/deployment/transfer-volumes.ts';
import { snapshotVolumes, volumesFromSnapshots } from '../../../../cloud-resources/deployment/deployment-volumes.ts';
import { restoreVolumes } from '../../../../cloud-resources/deployment/restore-volumes.ts';
import { deleteSnapshots, rollBack } from '../../../../cloud-resources/deployment/roll-back.ts';
import type { CloudApi } from '../../../../cloud-resources/cloud-api.ts';
import type { DeploymentPlatform, DeploymentRun } from '../../../../ports/deployment-platform.ts';
import { cloudApi } from '../cloud-api.ts';
import { readEnvironment } from '../environment.ts';
import { readOffers } from '../offers.ts';
import { placeOf, type AzureSession } from '../session.ts';
import { endUploads } from '../direct-upload.ts';
import { diskRules, zoneFor } from '../disk-types.ts';
import { consoleLog } from './console-log.ts';
import { createNics } from './deployment-nics.ts';
import { createServer } from './deployment-server.ts';
import { planDeployment } from './plan-deployment.ts';

/** Deployments on the resource-group cloud. */
export function createDeploymentPlatform(session: AzureSession): DeploymentPlatform {
  const cloudOf = (run: DeploymentRun): CloudApi => cloudApi(session, placeOf(session, readEnvironment(run.environment)), diskRules(run.vm));
  const zoneOf = async (run: DeploymentRun, signal: AbortSignal): Promise<string | undefined> => {
    const environment = readEnvironment(run.environment);
    return zoneFor(session, environment, run.vm, await readOffers(session, placeOf(session, environment).location, signal));
  };
  return {
    plan: (run, volumes, signal) => planDeployment(session, run, volumes, signal),
    async snapshotVolumes(run, volumes, signal) {
      // An execution whose end failed may have left them waiting.
      await endUploads(session, run, signal);
      return snapshotVolumes(cloudOf(run), run, volumes, signal);
    },
    volumesFromSnapshots: async (run, snapshots, signal) => volumesFromSnapshots(cloudOf(run), run, snapshots, await zoneOf(run, signal), signal),
    restoreVolumes: async (run, snapshots, signal) => restoreVolumes(cloudOf(run), run, snapshots, await zoneOf(run, signal), signal),
    async transferVolumesToDeployment(run, volumes, signal) {
      await endUploads(session, run, signal);
      return transferVolumesToDeployment(cloudOf(run), run, volumes, signal);
    },
    createNics: (run, plan, signal) => createNics(session, run, plan, signal),
    createServer: (run, plan, volumes, nics, signal) => createServer(session, run, plan, volumes, nics, signal),
    consoleLog: (serverId, _run, signal) => consoleLog(session, serverId, signal),
    deleteSnapshots: async (run, signal) => deleteSnapshots(cloudOf(run), run, signal),
    rollBack: async (run, signal) => rollBack(cloudOf(run), run, signal),
  };
}

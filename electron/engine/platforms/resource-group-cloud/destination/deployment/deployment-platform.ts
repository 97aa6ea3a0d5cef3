import { transferVolumesToDeployment } from '../../../../cloud-resources/deployment/transfer-volumes.ts';
import { snapshotVolumes, volumesFromSnapshots } from '../../../../cloud-resources/deployment/deployment-volumes.ts';
import { restoreVolumes } from '../../../../cloud-resources/deployment/restore-volumes.ts';
import { deleteSnapshots, rollBack } from '../../../../cloud-resources/deployment/roll-back.ts';
import type { CloudApi } from '../../../../cloud-resources/cloud-api.ts';
import { bytesOfGib } from '../../../../cloud-resources/volume-sizes.ts';
import type { DeploymentPlatform, DeploymentRun, VolumeSnapshot } from '../../../../ports/deployment-platform.ts';
import type { Volume } from '../../../../ports/destination-platform.ts';
import { cloudApi } from '../cloud-api.ts';
import { readEnvironment } from '../environment.ts';
import { readOffers } from '../offers.ts';
import { placeOf, type AzureSession } from '../session.ts';
import { endUploads } from '../direct-upload.ts';
import { diskRules, zoneFor } from '../disk-types.ts';
import { isBlobId } from '../page-blobs.ts';
import { consoleLog } from './console-log.ts';
import { createNics } from './deployment-nics.ts';
import { createServer } from './deployment-server.ts';
import { planDeployment } from './plan-deployment.ts';

/** Nothing attaches page blobs, so that no deployment can have changed them. */
async function untouchedBlobs(
  cloud: CloudApi,
  snapshots: readonly VolumeSnapshot[],
  signal: AbortSignal,
): Promise<readonly Volume[]> {
  return Promise.all(
    snapshots.map(async ({ volumeId: id, diskId }) => ({
      id,
      diskId,
      sizeBytes: bytesOfGib((await cloud.volumes.get(id, signal))?.sizeGib ?? 0),
      createdByThisCall: false,
    })),
  );
}

/** Deployments on the resource-group cloud. */
export function createDeploymentPlatform(session: AzureSession): DeploymentPlatform {
  const cloudOf = (run: DeploymentRun): CloudApi =>
    cloudApi(
      session,
      placeOf(session, readEnvironment(run.environment)),
      diskRules(run.vm),
      readEnvironment(run.environment),
    );
  const zoneOf = async (run: DeploymentRun, signal: AbortSignal): Promise<string | undefined> => {
    const environment = readEnvironment(run.environment);
    return zoneFor(
      session,
      environment,
      run.vm,
      await readOffers(session, placeOf(session, environment).location, signal),
    );
  };
  return {
    macAddressesAtBoot: true,
    plan: (run, volumes, signal) => planDeployment(session, run, volumes, signal),
    async snapshotVolumes(run, volumes, signal) {
      // An execution whose end failed may have left them waiting.
      await endUploads(session, run, signal);
      return snapshotVolumes(cloudOf(run), run, volumes, signal);
    },
    volumesFromSnapshots: async (run, snapshots, signal) =>
      volumesFromSnapshots(cloudOf(run), run, snapshots, await zoneOf(run, signal), signal),
    restoreVolumes: async (run, snapshots, signal) =>
      snapshots.some(({ volumeId }) => isBlobId(volumeId))
        ? untouchedBlobs(cloudOf(run), snapshots, signal)
        : restoreVolumes(cloudOf(run), run, snapshots, await zoneOf(run, signal), signal),
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

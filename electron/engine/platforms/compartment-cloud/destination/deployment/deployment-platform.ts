import type { CloudApi } from '../../../../cloud-resources/cloud-api.ts';
import { snapshotVolumes, volumesFromSnapshots } from '../../../../cloud-resources/deployment/deployment-volumes.ts';
import { restoreVolumes } from '../../../../cloud-resources/deployment/restore-volumes.ts';
import { deleteSnapshots, rollBack } from '../../../../cloud-resources/deployment/roll-back.ts';
import { transferVolumesToDeployment } from '../../../../cloud-resources/deployment/transfer-volumes.ts';
import type { DeploymentPlatform, DeploymentRun } from '../../../../ports/deployment-platform.ts';
import { readEnvironment } from '../environment.ts';
import { cloudApi, deleterFor } from '../remove-resource.ts';
import { placeOf, type OciSession, type Place } from '../session.ts';
import { consoleLog } from './console-log.ts';
import { createNics, createServer } from './deployment-server.ts';
import { planDeployment } from './plan-deployment.ts';

/** Deployments on the compartment cloud. */
export function createDeploymentPlatform(session: OciSession): DeploymentPlatform {
  const removing: Pick<CloudApi, 'deleterFor'> = { deleterFor: (entry) => deleterFor(session, entry) };
  async function at(
    run: DeploymentRun,
    signal: AbortSignal,
  ): Promise<{ readonly cloud: CloudApi; readonly place: Place }> {
    const place = await placeOf(session, readEnvironment(run.environment), signal);
    return { cloud: cloudApi(session, place), place };
  }
  return {
    macAddressesAtBoot: true,
    plan: (run, volumes, signal) => planDeployment(session, run, volumes, signal),
    snapshotVolumes: async (run, volumes, signal) =>
      snapshotVolumes((await at(run, signal)).cloud, run, volumes, signal),
    async volumesFromSnapshots(run, snapshots, signal) {
      const { cloud, place } = await at(run, signal);
      return volumesFromSnapshots(cloud, run, snapshots, place.domain, signal);
    },
    async restoreVolumes(run, snapshots, signal) {
      const { cloud, place } = await at(run, signal);
      return restoreVolumes(cloud, run, snapshots, place.domain, signal);
    },
    transferVolumesToDeployment: async (run, volumes, signal) =>
      transferVolumesToDeployment((await at(run, signal)).cloud, run, volumes, signal),
    createNics: async (_run, plan) => createNics(plan),
    createServer: (run, plan, volumes, _nics, signal) => createServer(session, run, plan, volumes, signal),
    consoleLog: (serverId, _run, signal) => consoleLog(session, serverId, signal),
    deleteSnapshots: (run, signal) => deleteSnapshots(removing, run, signal),
    rollBack: (run, signal) => rollBack(removing, run, signal),
  };
}

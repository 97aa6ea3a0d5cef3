import { claimVolumes } from '../../../cloud-resources/other-owner.ts';
import { deleteVolumes, ensureVolumes, type VolumeRules } from '../../../cloud-resources/replica-volumes.ts';
import { ownVmAccess } from '../../../cloud-resources/own-vm.ts';
import { deleteResource, findResourceOf } from '../../../cloud-resources/resource-deletion.ts';
import { detachVolume } from '../../../cloud-resources/volume-attachments.ts';
import type { DestinationPlatform } from '../../../ports/destination-platform.ts';
import { callerRanges } from '../../../workers/caller-address.ts';
import { whyDown } from '../../../workers/server-state.ts';
import { stopWorker } from '../../../workers/stop-worker.ts';
import type { WorkerKeyRing } from '../../../workers/worker-entries.ts';
import { mostVolumes } from '../client/object-names.ts';
import { openClassic, type Classic, type ClassicContext } from '../client/open-classic.ts';
import { attachToWorker, deviceOf } from '../cloud/attach-to-worker.ts';
import { readOptions } from '../cloud/options.ts';
import { cloudApi, listManaged } from '../cloud/remove-resource.ts';
import { callerOf, planWorker, startWorker, workerNetwork } from '../cloud/start-worker.ts';
import { readCatalog } from './catalog.ts';
import { checkEndpoint } from './check-endpoint.ts';
import { checkEnvironment } from './check-environment.ts';
import { createDeploymentPlatform } from './deployment/deployment-platform.ts';
import { poolOf, readEnvironment, workerWish, type DestinationEnvironment } from './environment.ts';
import { destinationPolicy } from './policy.ts';
import { runPolicy } from './run-policy.ts';

/**
 * The classic infrastructure cloud as a destination.
 *
 * @param connection as the endpoint's form gives it, secrets filled in
 * @throws `general.invalid-input` when the connection lacks a key
 */
export function createClassicDestination(connection: unknown, context: ClassicContext = {}): DestinationPlatform {
  const classic = openClassic(connection, context);
  const cloud = cloudApi(classic);
  const keyRing: WorkerKeyRing = new Map();
  return {
    check: (signal) => checkEndpoint(classic, signal),
    policy: destinationPolicy,
    options: (names, _environment, signal) => readOptions(classic, names, signal),
    catalog: (_environment, signal) => readCatalog(classic, new Date(classic.clock.wallTime()), signal),
    checkEnvironment: (environment, vm, signal) => checkEnvironment(classic, environment, vm, signal),
    runPolicy: (environment) => runPolicy(classic.connection, environment),
    ensureVolumes: (run, disks, signal) =>
      ensureVolumes(cloud, run, disks, volumeRules(classic, readEnvironment(run.environment)), signal),
    claimVolumes: (run, volumes, signal) => claimVolumes(cloud, run, volumes, signal),
    async startWorker(run, role, signal) {
      const plan = await planWorker(
        classic,
        workerWish(readEnvironment(run.environment), role),
        role,
        undefined,
        signal,
      );
      return startWorker(classic, keyRing, run, role, plan, signal);
    },
    attachVolume: (run, workerId, volume, signal) => attachToWorker(classic, run, workerId, volume, signal),
    detachVolume: (_run, workerId, volume, signal) => detachVolume(cloud, workerId, volume.id, signal),
    workerFailure: (_environment, workerId, signal) => whyDown(cloud, workerId, signal),
    // The kernel there names a volume by the index of its attachment.
    ownVm: ownVmAccess(() => cloud, {
      room: async (_environment, vmId, signal) =>
        mostVolumes - (await classic.storage.attachments(signal)).filter((each) => each.instance_name === vmId).length,
      deviceOf: (_run, vmId, volume, signal) => deviceOf(classic, vmId, volume, signal),
    }),
    stopWorker: (run, role, signal) => stopWorker(cloud, keyRing, run, role, signal),
    deleteVolumes: (run, signal) => deleteVolumes(cloud, run, signal),
    removeResource: (entry, ledger, signal) => deleteResource(cloud, ledger, entry, signal),
    findResource: (entry, signal) => findResourceOf(cloud, entry, signal),
    listManaged: (_within, signal) => listManaged(classic, signal),
    deployment: createDeploymentPlatform(classic),
    async close() {
      keyRing.clear();
      classic.close();
    },
  };
}

function volumeRules(classic: Classic, environment: DestinationEnvironment): VolumeRules {
  return {
    zone: undefined,
    typeOf: (disk) => poolOf(disk, environment),
    // The interface does not tell quotas. What the worker needs is looked up before the first volume is made.
    async checkQuota(_plans, signal) {
      await planWorker(classic, workerWish(environment, 'disk-copy'), 'disk-copy', undefined, signal);
      await callerRanges(callerOf(classic), workerNetwork, signal);
    },
  };
}

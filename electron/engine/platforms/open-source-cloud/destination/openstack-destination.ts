import { attachToWorker, detachVolume } from '../../../cloud-resources/volume-attachments.ts';
import { ownVmAccess } from '../../../cloud-resources/own-vm.ts';
import { deleteVolumes, ensureVolumes } from '../../../cloud-resources/replica-volumes.ts';
import { findResourceOf, deleteResource } from '../../../cloud-resources/resource-deletion.ts';
import { claimVolumes } from '../../../cloud-resources/other-owner.ts';
import { openStackHints } from '../../../cloud-resources/vm-hints.ts';
import { whyDown } from '../../../workers/server-state.ts';
import { stopWorker } from '../../../workers/stop-worker.ts';
import type { WorkerKeyRing } from '../../../workers/worker-entries.ts';
import type { DestinationPlatform } from '../../../ports/destination-platform.ts';
import { readCatalog, readOptions } from './catalog.ts';
import { checkEndpoint } from './check-endpoint.ts';
import { checkEnvironment } from './check-environment.ts';
import { openSession, type OpenStackContext } from './context.ts';
import { createDeploymentPlatform } from './deployment/deployment-platform.ts';
import { listsAllNetworks, readEnvironment } from './environment.ts';
import { listManaged } from './list-managed.ts';
import { runPolicy } from './run-policy.ts';
import { cloudApi } from './cloud-api.ts';
import { startWorker } from './start-worker.ts';
import { volumeRules } from './volume-rules.ts';

/**
 * The open-source cloud as a destination.
 *
 * @param connection as the endpoint's form gives it, secrets filled in
 * @throws `general.invalid-input` when the connection lacks a key
 */
export function createOpenStackDestination(connection: unknown, context: OpenStackContext = {}): DestinationPlatform {
  const session = openSession(connection, context);
  const cloud = cloudApi(session);
  const keyRing: WorkerKeyRing = new Map();
  return {
    check: (signal) => checkEndpoint(session, signal),
    options: (names, environment, signal) => readOptions(session.cloud, names, listsAllNetworks(environment), signal),
    catalog: (_environment, signal) => readCatalog(session.cloud, new Date(session.clock.wallTime()), signal),
    checkEnvironment: (environment, vm, signal) => checkEnvironment(session, environment, vm, signal),
    runPolicy,
    async ensureVolumes(run, disks, signal) {
      return ensureVolumes(
        cloud,
        run,
        disks,
        await volumeRules(session, readEnvironment(run.environment), signal),
        signal,
      );
    },
    claimVolumes: (run, volumes, signal) => claimVolumes(cloud, run, volumes, signal),
    startWorker: (run, role, signal) => startWorker(session, keyRing, run, role, signal),
    attachVolume: (run, workerId, volume, signal) => attachToWorker(cloud, run, workerId, volume, signal),
    detachVolume: (_run, workerId, volume, signal) => detachVolume(cloud, workerId, volume.id, signal),
    workerFailure: (_environment, workerId, signal) => whyDown(cloud, workerId, signal),
    ownVm: ownVmAccess(() => cloud, { hints: openStackHints }),
    stopWorker: (run, role, signal) => stopWorker(cloud, keyRing, run, role, signal),
    deleteVolumes: (run, signal) => deleteVolumes(cloud, run, signal),
    removeResource: (entry, ledger, signal) => deleteResource(cloud, ledger, entry, signal),
    findResource: (entry, signal) => findResourceOf(cloud, entry, signal),
    listManaged: (_within, signal) => listManaged(session.cloud, signal),
    deployment: createDeploymentPlatform(session),
    async close() {
      keyRing.clear();
      session.cloud.close();
    },
  };
}

import { deleteVolumes } from '../../../cloud-destination/delete-volumes.ts';
import { findOwned, releaseOwned } from '../../../cloud-destination/release-owned.ts';
import { ensureVolumes } from '../../../cloud-destination/replica-volumes.ts';
import { whyDown } from '../../../cloud-destination/server-state.ts';
import { stopWorker } from '../../../cloud-destination/stop-worker.ts';
import type { WorkerKeyRing } from '../../../cloud-destination/worker-entries.ts';
import type { DestinationPlatform } from '../../../ports/destination-platform.ts';
import { readCatalog, readOptions } from './catalog.ts';
import { checkEndpoint } from './check-endpoint.ts';
import { checkEnvironment } from './check-environment.ts';
import { openSession, type OpenStackContext } from './context.ts';
import { createDeploymentPlatform } from './deployment/deployment-platform.ts';
import { listsAllNetworks, readEnvironment } from './environment.ts';
import { listManaged } from './list-managed.ts';
import { scopeOf } from './scope.ts';
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
  const cloud = scopeOf(session);
  const keyRing: WorkerKeyRing = new Map();
  return {
    check: (signal) => checkEndpoint(session, signal),
    options: (names, environment, signal) => readOptions(session.cloud, names, listsAllNetworks(environment), signal),
    catalog: (_environment, signal) => readCatalog(session.cloud, new Date(session.clock.wallTime()), signal),
    checkEnvironment: (environment, vm, signal) => checkEnvironment(session, environment, vm, signal),
    async ensureVolumes(run, disks, signal) {
      return ensureVolumes(cloud, run, disks, await volumeRules(session, readEnvironment(run.environment), signal), signal);
    },
    startWorker: (run, role, volumes, signal) => startWorker(session, keyRing, run, role, volumes, signal),
    whyWorkerIsDown: (_environment, workerId, signal) => whyDown(cloud, workerId, signal),
    stopWorker: (run, role, signal) => stopWorker(cloud, keyRing, run, role, signal),
    deleteVolumes: (run, signal) => deleteVolumes(cloud, run, signal),
    removeResource: (entry, ledger, signal) => releaseOwned(cloud, ledger, entry, signal),
    findResource: (entry, signal) => findOwned(cloud, entry, signal),
    listManaged: (_environment, signal) => listManaged(session.cloud, signal),
    deployment: createDeploymentPlatform(session),
    async close() {
      keyRing.clear();
      session.cloud.close();
    },
  };
}

import type { DestinationPlatform } from '../../ports/destination-platform.ts';
import { readCatalog, readOptions } from './catalog.ts';
import { checkEndpoint } from './check-endpoint.ts';
import { checkEnvironment } from './check-environment.ts';
import type { EuropeanCloudContext } from './context.ts';
import { deleteVolumes } from './delete-volumes.ts';
import { createDeploymentPlatform } from './deployment/deployment-platform.ts';
import { readScope } from './environment.ts';
import { listManaged } from './list-managed.ts';
import { findOwned, releaseOwned } from './remove-resource.ts';
import { ensureVolumes } from './replica-volumes.ts';
import { openSession } from './session.ts';
import { stopWorker } from './stop-worker.ts';
import { startWorker } from './start-worker.ts';
import type { WorkerKeyRing } from './worker-entries.ts';

/**
 * The European cloud as a destination.
 *
 * @param connection as the endpoint's form gives it, secrets filled in
 * @throws `general.invalid-input` when the connection lacks a key
 */
export function createEuropeanCloudDestination(connection: unknown, context: EuropeanCloudContext = {}): DestinationPlatform {
  const session = openSession(connection, context);
  const keyRing: WorkerKeyRing = new Map();
  return {
    check: (signal) => checkEndpoint(session, signal),
    options(names, environment, signal) {
      const scope = readScope(environment);
      return readOptions(session.iaas(scope.project), names, scope, signal);
    },
    catalog(environment, signal) {
      const scope = readScope(environment);
      return readCatalog(session.iaas(scope.project), scope, new Date(session.clock.wallTime()), signal);
    },
    checkEnvironment: (environment, vm, signal) => checkEnvironment(session, environment, vm, signal),
    ensureVolumes: (run, disks, signal) => ensureVolumes(session, run, disks, signal),
    startWorker: (run, role, volumes, signal) => startWorker(session, keyRing, run, role, volumes, signal),
    stopWorker: (run, role, signal) => stopWorker(session, keyRing, run, role, signal),
    deleteVolumes: (run, signal) => deleteVolumes(session, run, signal),
    removeResource: (entry, ledger, signal) => releaseOwned(session, ledger, entry, signal),
    findResource: (entry, signal) => findOwned(session, entry, signal),
    listManaged: (environment, signal) => listManaged(session.iaas(readScope(environment).project), signal),
    deployment: createDeploymentPlatform(session),
    async close() {
      keyRing.clear();
      session.close();
    },
  };
}

import { deleteVolumes } from '../../cloud-destination/delete-volumes.ts';
import { findOwned, releaseOwned } from '../../cloud-destination/release-owned.ts';
import { ensureVolumes } from '../../cloud-destination/replica-volumes.ts';
import { whyDown } from '../../cloud-destination/server-state.ts';
import { stopWorker } from '../../cloud-destination/stop-worker.ts';
import type { WorkerKeyRing } from '../../cloud-destination/worker-entries.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import type { DestinationPlatform } from '../../ports/destination-platform.ts';
import { readCatalog, readOptions } from './catalog.ts';
import { checkEndpoint } from './check-endpoint.ts';
import { checkEnvironment } from './check-environment.ts';
import type { EuropeanCloudContext } from './context.ts';
import { createDeploymentPlatform } from './deployment/deployment-platform.ts';
import { readEnvironment, readScope } from './environment.ts';
import { listManaged } from './list-managed.ts';
import { removerOf } from './remove-resource.ts';
import { scopeOf } from './scope.ts';
import { openSession } from './session.ts';
import { startWorker } from './start-worker.ts';
import { volumeRules } from './volume-rules.ts';

/**
 * The European cloud as a destination.
 *
 * @param connection as the endpoint's form gives it, secrets filled in
 * @throws `general.invalid-input` when the connection lacks a key
 */
export function createEuropeanCloudDestination(connection: unknown, context: EuropeanCloudContext = {}): DestinationPlatform {
  const session = openSession(connection, context);
  const keyRing: WorkerKeyRing = new Map();
  const removing = { removerOf: (entry: LedgerEntry) => removerOf(session, entry) };
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
    async ensureVolumes(run, disks, signal) {
      const environment = readEnvironment(run.environment);
      const iaas = session.iaas(environment.project);
      return ensureVolumes(scopeOf(session, iaas), run, disks, volumeRules(session, iaas, environment), signal);
    },
    startWorker: (run, role, volumes, signal) => startWorker(session, keyRing, run, role, volumes, signal),
    whyWorkerIsDown: (environment, workerId, signal) => whyDown(scopeOf(session, session.iaas(readScope(environment).project)), workerId, signal),
    stopWorker: (run, role, signal) => stopWorker(removing, keyRing, run, role, signal),
    deleteVolumes: (run, signal) => deleteVolumes(removing, run, signal),
    removeResource: (entry, ledger, signal) => releaseOwned(removing, ledger, entry, signal),
    findResource: (entry, signal) => findOwned(removing, entry, signal),
    listManaged: (environment, signal) => listManaged(session.iaas(readScope(environment).project), signal),
    deployment: createDeploymentPlatform(session),
    async close() {
      keyRing.clear();
      session.close();
    },
  };
}

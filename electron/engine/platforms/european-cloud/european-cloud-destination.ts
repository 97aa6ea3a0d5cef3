import { attachToWorker, detachVolume } from '../../cloud-resources/volume-attachments.ts';
import { ownVmAccess } from '../../cloud-resources/own-vm.ts';
import { deleteVolumes, ensureVolumes } from '../../cloud-resources/replica-volumes.ts';
import { findResourceOf, deleteResource } from '../../cloud-resources/resource-deletion.ts';
import { claimVolumes } from '../../cloud-resources/other-owner.ts';
import { openStackHints } from '../../cloud-resources/vm-hints.ts';
import { whyDown } from '../../workers/server-state.ts';
import { stopWorker } from '../../workers/stop-worker.ts';
import type { WorkerKeyRing } from '../../workers/worker-entries.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import type { DestinationPlatform, DestinationRun } from '../../ports/destination-platform.ts';
import { readCatalog, readOptions } from './catalog.ts';
import { checkEndpoint } from './check-endpoint.ts';
import { checkEnvironment } from './check-environment.ts';
import { openSession, type EuropeanCloudContext } from './session.ts';
import { createDeploymentPlatform } from './deployment/deployment-platform.ts';
import { readEnvironment, readScope } from './environment.ts';
import { listManaged } from './list-managed.ts';
import { deleterFor } from './remove-resource.ts';
import { runPolicy } from './run-policy.ts';
import { cloudApi } from './cloud-api.ts';
import { startWorker } from './start-worker.ts';
import { volumeRules } from './volume-rules.ts';

/**
 * The European cloud as a destination.
 *
 * @param connection as the endpoint's form gives it, secrets filled in
 * @throws `general.invalid-input` when the connection lacks a key
 */
export function createEuropeanCloudDestination(
  connection: unknown,
  context: EuropeanCloudContext = {},
): DestinationPlatform {
  const session = openSession(connection, context);
  const keyRing: WorkerKeyRing = new Map();
  const removing = { deleterFor: (entry: LedgerEntry) => deleterFor(session, entry) };
  const cloudOf = (run: DestinationRun) => cloudApi(session, session.iaas(readEnvironment(run.environment).project));
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
    runPolicy,
    async ensureVolumes(run, disks, signal) {
      const environment = readEnvironment(run.environment);
      const iaas = session.iaas(environment.project);
      return ensureVolumes(cloudApi(session, iaas), run, disks, volumeRules(session, iaas, environment), signal);
    },
    claimVolumes: (run, volumes, signal) => claimVolumes(cloudOf(run), run, volumes, signal),
    startWorker: (run, role, signal) => startWorker(session, keyRing, run, role, signal),
    attachVolume: (run, workerId, volume, signal) => attachToWorker(cloudOf(run), run, workerId, volume, signal),
    detachVolume: (run, workerId, volume, signal) => detachVolume(cloudOf(run), workerId, volume.id, signal),
    workerFailure: (environment, workerId, signal) =>
      whyDown(cloudApi(session, session.iaas(readScope(environment).project)), workerId, signal),
    ownVm: ownVmAccess((environment) => cloudApi(session, session.iaas(readScope(environment).project)), {
      hints: openStackHints,
    }),
    stopWorker: (run, role, signal) => stopWorker(removing, keyRing, run, role, signal),
    deleteVolumes: (run, signal) => deleteVolumes(removing, run, signal),
    removeResource: (entry, ledger, signal) => deleteResource(removing, ledger, entry, signal),
    findResource: (entry, signal) => findResourceOf(removing, entry, signal),
    async listManaged(within, signal) {
      const projects = new Map(
        [undefined, ...within.map((each) => readScope(each).project)]
          .map((project) => session.iaas(project))
          .map((iaas) => [iaas.projectId, iaas]),
      );
      const found = [];
      for (const iaas of projects.values()) found.push(...(await listManaged(iaas, signal)));
      return found;
    },
    deployment: createDeploymentPlatform(session),
    async close() {
      keyRing.clear();
      session.close();
    },
  };
}

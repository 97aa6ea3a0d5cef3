import { claimVolumes } from '../../../cloud-resources/other-owner.ts';
import { managedOf } from '../../../cloud-resources/managed-resources.ts';
import { deleteVolumes, ensureVolumes } from '../../../cloud-resources/replica-volumes.ts';
import { deleteResource, findResourceOf } from '../../../cloud-resources/resource-deletion.ts';
import { volumeTypeOf } from '../../../cloud-resources/volume-type.ts';
import { attachVolume, detachVolume } from '../../../cloud-resources/volume-attachments.ts';
import type { DestinationPlatform, DestinationRun } from '../../../ports/destination-platform.ts';
import type { LedgerEntry } from '../../../ports/ledger.ts';
import { whyDown } from '../../../workers/server-state.ts';
import { stopWorker } from '../../../workers/stop-worker.ts';
import type { WorkerKeyRing } from '../../../workers/worker-entries.ts';
import { mappingsOf } from '../client/changes.ts';
import { readTags } from '../client/created.ts';
import { openManager, type OpenManagerOptions } from '../client/open-manager.ts';
import { managerOptions } from '../client/options.ts';
import { nameOfObject, type OvmId } from '../client/shapes.ts';
import { startWorkerVm, type Enrol, type Reached } from '../workers/template-worker.ts';
import { readCatalog } from './catalog.ts';
import { checkEndpoint } from './check-endpoint.ts';
import { checkEnvironment } from './check-environment.ts';
import { cloudApi, deleterFor, getVm, isSnapshot, isWorkerDisk } from './cloud-calls.ts';
import { createDeploymentPlatform } from './deployment/deployment-platform.ts';
import { placeOf, planWorker, readEnvironment } from './environment.ts';
import { runPolicy } from './run-policy.ts';

/** What may be brought along in place of the usual; for tests. */
export interface OvmDestinationOptions extends OpenManagerOptions {
  readonly reached?: Reached;
  readonly enrol?: Enrol;
}

/** One manager as a destination. Opens nothing yet. @throws `general.invalid-input` when the connection lacks a key */
export function createOvmDestination(connection: unknown, options: OvmDestinationOptions = {}): DestinationPlatform {
  const manager = openManager(connection, options);
  const keyRing: WorkerKeyRing = new Map();
  const enrolled = new Map<string, string>();
  const reached = options.reached ?? ((host, port) => ({ host, port }));
  const removing = { deleterFor: (entry: LedgerEntry) => deleterFor(manager, entry) };
  const cloudOf = (run: DestinationRun) =>
    cloudApi(manager, { run, cloneType: readEnvironment(run.environment).virtual_disk_clone_type });
  return {
    check: (signal) => checkEndpoint(manager, signal),
    options: (names, _environment, signal) => managerOptions(manager, names, signal),
    catalog: (_environment, signal) => readCatalog(manager, new Date(manager.clock.wallTime()), signal),
    checkEnvironment: (environment, vm, signal) => checkEnvironment(manager, environment, vm, signal),
    runPolicy,
    async ensureVolumes(run, disks, signal) {
      const environment = readEnvironment(run.environment);
      const place = await placeOf(manager, environment, signal);
      return ensureVolumes(
        cloudOf(run),
        run,
        disks,
        {
          zone: undefined,
          typeOf(disk) {
            const wanted = volumeTypeOf(disk, environment.storage_mappings);
            return wanted === undefined ? place.repositoryId : place.repository(wanted);
          },
          // The manager has no quotas. What the worker needs is to be there before anything is made.
          checkQuota: async (_plans, within) => void (await planWorker(manager, environment, 'disk-copy', within)),
        },
        signal,
      );
    },
    claimVolumes: (run, volumes, signal) => claimVolumes(cloudOf(run), run, volumes, signal),
    startWorker: async (run, role, signal) =>
      startWorkerVm(
        manager,
        keyRing,
        run,
        role,
        await planWorker(manager, readEnvironment(run.environment), role, signal),
        { reached, enrolled, enrol: options.enrol },
        signal,
      ),
    async attachVolume(run, workerId, volume, signal) {
      await attachVolume(cloudOf(run), run, workerId, volume.id, signal);
      const mappings = await mappingsOf(manager, await getVm(manager, workerId, signal), signal);
      // Xen's disks have no serial: they are told by the order of their targets.
      return {
        kind: 'order',
        order: mappings.find(({ virtualDiskId }) => virtualDiskId?.value === volume.id)?.diskTarget ?? 0,
        sizeBytes: volume.sizeBytes,
      };
    },
    detachVolume: (run, workerId, volume, signal) => detachVolume(cloudOf(run), workerId, volume.id, signal),
    workerFailure: (_environment, workerId, signal) => whyDown(cloudApi(manager), workerId, signal),
    stopWorker: (run, role, signal) => stopWorker(removing, keyRing, run, role, signal),
    deleteVolumes: (run, signal) => deleteVolumes(removing, run, signal),
    removeResource: (entry, ledger, signal) => deleteResource(removing, ledger, entry, signal),
    findResource: (entry, signal) => findResourceOf(removing, entry, signal),
    async listManaged(_within, signal) {
      const labelled = (
        objects: readonly {
          readonly id: OvmId;
          readonly name?: string | null | undefined;
          readonly description?: string | null | undefined;
        }[],
      ) =>
        objects.map((object) => ({
          id: object.id.value,
          name: nameOfObject(object),
          labels: readTags(object.description),
        }));
      const [disks, vms] = await Promise.all([manager.disks.list(signal), manager.vms.list(signal)]);
      const ours = disks.filter((disk) => !isWorkerDisk(disk));
      return managedOf([
        ['volume', labelled(ours.filter((disk) => !isSnapshot(disk)))],
        ['volume-snapshot', labelled(ours.filter(isSnapshot))],
        ['server', labelled(vms)],
      ]);
    },
    deployment: createDeploymentPlatform(manager),
    async close() {
      keyRing.clear();
      manager.close();
    },
  };
}

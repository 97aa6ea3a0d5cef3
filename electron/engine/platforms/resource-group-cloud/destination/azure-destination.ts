import { detachVolume, attachVolume } from '../../../cloud-resources/volume-attachments.ts';
import { deleteVolumes, ensureVolumes } from '../../../cloud-resources/replica-volumes.ts';
import { findResourceOf, deleteResource } from '../../../cloud-resources/resource-deletion.ts';
import { claimVolumes } from '../../../cloud-resources/other-owner.ts';
import { whyDown } from '../../../workers/server-state.ts';
import { stopWorker } from '../../../workers/stop-worker.ts';
import type { WorkerKeyRing } from '../../../workers/worker-entries.ts';
import type { CloudApi } from '../../../cloud-resources/cloud-api.ts';
import type { LedgerEntry } from '../../../ports/ledger.ts';
import type { DestinationPlatform, DestinationRun } from '../../../ports/destination-platform.ts';
import { customRole } from '../client/permissions.ts';
import { readCatalog, readOptions } from './catalog.ts';
import { checkEndpoint } from './check-endpoint.ts';
import { checkEnvironment } from './check-environment.ts';
import { lunOf } from './cloud-calls.ts';
import { cloudApi } from './cloud-api.ts';
import { createDeploymentPlatform } from './deployment/deployment-platform.ts';
import { directAccess, directIdentity, directWorkerId, endUpload, endUploads, isUploaded } from './direct-upload.ts';
import { blobAccess, refuseAttachment, refuseOtherKind } from './blob-volumes.ts';
import { readEnvironment, readScope } from './environment.ts';
import { blobPlaceOf } from './page-blobs.ts';
import { listManaged, listManagedBlobs } from './list-managed.ts';
import { destinationPrivileges } from './permissions.ts';
import { deleterFor } from './remove-resource.ts';
import { ownVm } from './own-vm.ts';
import { runPolicy } from './run-policy.ts';
import { openSession, placeOf, type AzureContext } from './session.ts';
import { startWorker } from './start-worker.ts';
import { diskRules } from './disk-types.ts';
import { volumeRules } from './volume-rules.ts';

/**
 * The resource-group cloud as a destination.
 *
 * @param connection as the endpoint's form gives it, secrets filled in
 * @throws `general.invalid-input` when the connection lacks a key
 */
export function createAzureDestination(connection: unknown, context: AzureContext = {}): DestinationPlatform {
  const session = openSession(connection, context);
  const keyRing: WorkerKeyRing = new Map();
  const removing = { deleterFor: (entry: LedgerEntry) => deleterFor(session, entry) };
  const cloudOf = (run: DestinationRun): CloudApi =>
    cloudApi(
      session,
      placeOf(session, readEnvironment(run.environment)),
      diskRules(run.vm),
      readEnvironment(run.environment),
    );
  return {
    check: (signal) => checkEndpoint(session, signal),
    policy: () => destinationPrivileges,
    policyDocument: (features) => customRole('Causeway', session.connection.subscriptionId, features),
    options: (names, environment, signal) => readOptions(session, names, readScope(environment), environment, signal),
    catalog: (environment, signal) => readCatalog(session, environment, new Date(session.clock.wallTime()), signal),
    checkEnvironment: (environment, vm, signal) => checkEnvironment(session, environment, vm, signal),
    runPolicy: (environment) => runPolicy(session.connection.dataTransferMechanism, environment),
    async ensureVolumes(run, disks, signal) {
      const rules = await volumeRules(
        session,
        readEnvironment(run.environment),
        { ...run.vm, disks: [...disks] },
        signal,
      );
      const environment = readEnvironment(run.environment);
      refuseOtherKind(run, blobPlaceOf(environment));
      const uploaded = isUploaded(session, environment, run.vm);
      const cloud = cloudApi(session, placeOf(session, environment), diskRules(run.vm, uploaded), environment);
      const { grow } = cloud.volumes;
      const volumes = {
        ...cloud.volumes,
        // A disk that waits for its upload keeps the size that it has.
        async grow(id: string, sizeGib: number, within: AbortSignal): Promise<void> {
          await endUpload(session, id, within);
          await grow(id, sizeGib, within);
        },
      };
      return ensureVolumes({ ...cloud, volumes }, run, disks, rules, signal);
    },
    claimVolumes: (run, volumes, signal) => claimVolumes(cloudOf(run), run, volumes, signal),
    async startWorker(run, role, signal) {
      const direct =
        role === 'disk-copy' ? (blobAccess(session, run) ?? (await directAccess(session, run, signal))) : undefined;
      return direct ?? startWorker(session, keyRing, run, role, signal);
    },
    async attachVolume(run, workerId, volume, signal) {
      if (workerId === directWorkerId) return directIdentity(volume);
      refuseAttachment(volume.id);
      await endUpload(session, volume.id, signal);
      await attachVolume(cloudOf(run), run, workerId, volume.id, signal);
      return { kind: 'lun', lun: await lunOf(session, workerId, volume.id, signal), sizeBytes: volume.sizeBytes };
    },
    detachVolume: async (run, workerId, volume, signal) =>
      workerId === directWorkerId ? undefined : detachVolume(cloudOf(run), workerId, volume.id, signal),
    workerFailure: (environment, workerId, signal) =>
      whyDown(cloudApi(session, placeOf(session, readEnvironment(environment))), workerId, signal),
    ownVm: ownVm(session),
    async stopWorker(run, role, signal) {
      if (role === 'disk-copy') await endUploads(session, run, signal);
      await stopWorker(removing, keyRing, run, role, signal);
    },
    deleteVolumes: (run, signal) => deleteVolumes(removing, run, signal),
    removeResource: (entry, ledger, signal) => deleteResource(removing, ledger, entry, signal),
    findResource: (entry, signal) => findResourceOf(removing, entry, signal),
    async listManaged(within, signal) {
      // An environment names its group; an entry of the ledger the one that its resource is in.
      const named = within
        .flatMap((each) => [readScope(each).group, each['resourceGroup']])
        .filter((group): group is string => typeof group === 'string');
      const groups = new Map(
        [session.connection.defaultResourceGroup, ...named].flatMap((group) =>
          group === undefined ? [] : [[group.toLowerCase(), group]],
        ),
      );
      const found = [];
      for (const group of groups.values()) found.push(...(await listManaged(session, group, signal)));
      found.push(...(await listManagedBlobs(session, within, signal)));
      return found;
    },
    deployment: createDeploymentPlatform(session),
    async close() {
      keyRing.clear();
      session.close();
    },
  };
}

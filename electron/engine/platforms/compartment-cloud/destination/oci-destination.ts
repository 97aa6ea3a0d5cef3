import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { labelKeys, labelValue } from '../../../cloud-resources/labels.ts';
import { claimVolumes } from '../../../cloud-resources/other-owner.ts';
import { addNeeds, requireQuota } from '../../../cloud-resources/quota-needs.ts';
import { deleteVolumes, ensureVolumes, type VolumeRules } from '../../../cloud-resources/replica-volumes.ts';
import { deleteResource, findResourceOf } from '../../../cloud-resources/resource-deletion.ts';
import { attachVolume, detachVolume } from '../../../cloud-resources/volume-attachments.ts';
import type {
  DestinationPlatform,
  DestinationRun,
  DeviceIdentity,
  Volume,
  WorkerRole,
} from '../../../ports/destination-platform.ts';
import type { LedgerEntry } from '../../../ports/ledger.ts';
import { whyDown } from '../../../workers/server-state.ts';
import { stopWorker } from '../../../workers/stop-worker.ts';
import type { WorkerKeyRing } from '../../../workers/worker-entries.ts';
import type { VolumeAttachment } from '../client/compute.ts';
import { dropBootVolumeParts, makeBootVolume } from './boot-volume.ts';
import { readCatalog, readOptions } from './catalog.ts';
import { checkEndpoint } from './check-endpoint.ts';
import { checkEnvironment, copyWorkerNeeds } from './check-environment.ts';
import { createDeploymentPlatform } from './deployment/deployment-platform.ts';
import { attachmentOf, bootDiskOf, readEnvironment, readScope, type DestinationEnvironment } from './environment.ts';
import { listManaged } from './list-managed.ts';
import { destinationPolicy } from './policy.ts';
import { quotaWords, readQuotas, volumeNeeds } from './quotas.ts';
import { cloudApi, deleterFor } from './remove-resource.ts';
import { ownVm } from './own-vm.ts';
import { runPolicy } from './run-policy.ts';
import {
  compartmentId,
  nowhere,
  openSession,
  placeOf,
  type CompartmentCloudContext,
  type OciSession,
  type Place,
} from './session.ts';
import { startWorker } from './start-worker.ts';

/**
 * The compartment cloud as a destination.
 *
 * @param connection as the endpoint's form gives it, secrets filled in
 * @throws `general.invalid-input` when the connection lacks a key
 */
export function createCompartmentCloudDestination(
  connection: unknown,
  context: CompartmentCloudContext = {},
): DestinationPlatform {
  const session = openSession(connection, context);
  const keyRing: WorkerKeyRing = new Map();
  const removing = { deleterFor: (entry: LedgerEntry) => deleterFor(session, entry) };
  const cloudOf = async (run: DestinationRun, signal: AbortSignal) =>
    cloudApi(session, await placeOf(session, readEnvironment(run.environment), signal));
  return {
    check: (signal) => checkEndpoint(session, signal),
    policy: destinationPolicy,
    options: (names, environment, signal) => readOptions(session, names, readScope(environment), signal),
    catalog: (environment, signal) =>
      readCatalog(session, readScope(environment), new Date(session.clock.wallTime()), signal),
    checkEnvironment: (environment, vm, signal) => checkEnvironment(session, environment, vm, signal),
    runPolicy: (environment) => runPolicy(session.connection, environment),
    async ensureVolumes(run, disks, signal) {
      const environment = readEnvironment(run.environment);
      const place = await placeOf(session, environment, signal);
      const bootDisk = labelValue(bootDiskOf(run.vm)?.id ?? '');
      const cloud = cloudApi(session, place, {
        makeBootVolume: (volume, s) =>
          volume.labels[labelKeys.disk] === bootDisk
            ? makeBootVolume(session, place, run, environment, volume, s)
            : undefined,
      });
      return ensureVolumes(cloud, run, disks, volumeRules(session, place, environment), signal);
    },
    claimVolumes: async (run, volumes, signal) => claimVolumes(await cloudOf(run, signal), run, volumes, signal),
    startWorker: (run, role, signal) => startWorker(session, keyRing, run, role, signal),
    attachVolume: (run, workerId, volume, signal) => attachToWorker(session, run, workerId, volume, signal),
    detachVolume: async (run, workerId, volume, signal) =>
      detachVolume(await cloudOf(run, signal), workerId, volume.id, signal),
    workerFailure: (_environment, workerId, signal) => whyDown(cloudApi(session, nowhere), workerId, signal),
    ownVm: ownVm(session),
    async stopWorker(run, role, signal) {
      await stopWorker(removing, keyRing, run, role, signal);
      await dropBootVolumeParts(session, run, signal);
    },
    async deleteVolumes(run, signal) {
      await dropBootVolumeParts(session, run, signal);
      await deleteVolumes(removing, run, signal);
    },
    removeResource: (entry, ledger, signal) => deleteResource(removing, ledger, entry, signal),
    findResource: (entry, signal) => findResourceOf(removing, entry, signal),
    async listManaged(within, signal) {
      const named = within.flatMap((each) => readScope(each).compartment ?? []);
      const ids = await Promise.all(
        [...new Set(named)].map((wanted) => compartmentId(session, 'compartment', wanted, signal)),
      );
      const found = [];
      for (const id of new Set(ids)) found.push(...(await listManaged(session, id, signal)));
      return found;
    },
    deployment: createDeploymentPlatform(session),
    async close() {
      keyRing.clear();
      session.close();
    },
  };
}

function volumeRules(session: OciSession, place: Place, environment: DestinationEnvironment): VolumeRules {
  return {
    zone: place.domain,
    typeOf: () => undefined,
    async checkQuota(plans, signal) {
      for (const { disk } of plans) attachmentOf(disk, environment);
      const needs = addNeeds(volumeNeeds(plans), await copyWorkerNeeds(session, place, environment, signal));
      requireQuota(needs, await readQuotas(session, place, needs, signal), quotaWords);
    },
  };
}

/**
 * Attaches a volume to a worker.
 *
 * @returns how the worker sees it: as an iSCSI target, by its consistent device path where the worker's image has those, else by its place
 * among the volumes
 */
async function attachToWorker(
  session: OciSession,
  run: DestinationRun,
  workerId: string,
  volume: Volume,
  signal: AbortSignal,
): Promise<DeviceIdentity> {
  const environment = readEnvironment(run.environment);
  const place = await placeOf(session, environment, signal);
  const disk = run.vm.disks.find(({ id }) => id === volume.diskId);
  // Emulated disks can't be attached to a worker that runs, and root disks have no type.
  const isMapped =
    disk !== undefined && disk.id !== bootDiskOf(run.vm)?.id && attachmentOf(disk, environment) === 'iscsi';
  // Nothing logs in for a Windows worker.
  const isIscsi =
    isMapped &&
    (await session.compute.get(workerId, signal))?.freeformTags[labelKeys.role] !==
      ('osmorphing-windows' satisfies WorkerRole);
  await attachVolume(
    cloudApi(session, place, { attachmentOf: () => (isIscsi ? 'iscsi' : 'paravirtualized') }),
    run,
    workerId,
    volume.id,
    signal,
  );
  const attachments = await session.compute.attachments(
    { compartmentId: place.compartmentId, instanceId: workerId },
    signal,
  );
  const own = attachments.find(({ volumeId }) => volumeId === volume.id);
  if (own === undefined)
    throw new CausewayError(
      'cloud.unexpected-answer',
      `volume ${volume.id} is attached, but the instance does not list it`,
      { details: { volumeId: volume.id, serverId: workerId } },
    );
  const { sizeBytes } = volume;
  if (typeof own.iqn === 'string') return { ...targetOf(own), sizeBytes };
  if (typeof own.device === 'string') return { kind: 'by-path', path: own.device.replace(/^\/dev\//, ''), sizeBytes };
  const earlier = attachments.filter(
    ({ lifecycleState, timeCreated }) => lifecycleState === 'ATTACHED' && (timeCreated ?? '') < (own.timeCreated ?? ''),
  );
  return { kind: 'order', order: earlier.length + 1, sizeBytes };
}

/** An attachment by iSCSI: what the worker logs in to, and how its disk is named then. */
function targetOf({
  id,
  iqn,
  ipv4,
  port,
  chapUsername,
  chapSecret,
}: VolumeAttachment): Pick<Extract<DeviceIdentity, { kind: 'by-path' }>, 'kind' | 'path' | 'login'> {
  if (typeof iqn !== 'string' || typeof ipv4 !== 'string')
    throw new CausewayError('cloud.unexpected-answer', `attachment ${id} has no iSCSI target`, {
      details: { attachmentId: id },
    });
  const portal = `${ipv4}:${port ?? 3260}`;
  const chap =
    typeof chapSecret === 'string' && chapSecret !== '' ? { user: chapUsername ?? '', secret: chapSecret } : {};
  return { kind: 'by-path', path: `ip-${portal}-iscsi-${iqn}`, login: { target: iqn, portal, ...chap } };
}

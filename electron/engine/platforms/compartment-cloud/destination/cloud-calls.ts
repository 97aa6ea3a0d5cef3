import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type {
  CloudCalls,
  CloudServer,
  CloudSnapshot,
  CloudVolume,
  NewCloudVolume,
  ServerState,
  VolumeState,
} from '../../../cloud-resources/cloud-api.ts';
import { hasLabels, type Labels } from '../../../cloud-resources/labels.ts';
import { pollPlan } from '../../../cloud-resources/retry-context.ts';
import { waitForState } from '../../../http/wait-for-state.ts';
import { isBootVolume, type OciVolume } from '../client/block-storage.ts';
import type { AttachmentType, OciInstance, VolumeAttachment } from '../client/compute.ts';
import { isBackup, type OciBackup } from '../client/volume-backups.ts';
import type { OciSession, Place } from './session.ts';

/** GiB of the smallest and the largest volume that there is. */
export const smallestVolumeGib = 50;
export const largestVolumeGib = 32_768;

/**
 * What a volume is for: `pending` is a boot volume that still belongs to the instance that it is made with; `snapshot` a clone that
 * a deployment keeps to go back to.
 */
export const useTag = 'causeway-use';
export type VolumeUse = 'volume' | 'pending' | 'snapshot';

export const useOf = ({ freeformTags }: OciVolume): VolumeUse =>
  (['pending', 'snapshot'] as const).find((use) => freeformTags[useTag] === use) ?? 'volume';

/** How volumes are made and attached for one VM. */
export interface VolumeWork {
  /** Makes an empty volume that an instance can boot from, where the wanted one is to be that. */
  readonly makeBootVolume?:
    | ((volume: NewCloudVolume, signal: AbortSignal) => Promise<OciVolume> | undefined)
    | undefined;
  readonly attachmentOf?: ((volumeId: string) => AttachmentType) | undefined;
}

/** One compartment as the shared steps of a destination see it. */
export function cloudCalls(session: OciSession, place: Place, work: VolumeWork = {}): CloudCalls {
  const { timing, clock, random, volumes, compute, connection } = session;
  const { compartmentId, domain } = place;
  const newVolume = ({ name, sizeGib, zone, contentOf, labels }: NewCloudVolume, use: VolumeUse) => ({
    compartmentId,
    availabilityDomain: zone ?? domain,
    displayName: name,
    sizeInGBs: Math.max(smallestVolumeGib, sizeGib),
    freeformTags: { ...labels, [useTag]: use },
    ...(connection.volumePerformance === undefined ? {} : { vpusPerGB: connection.volumePerformance }),
    ...(contentOf === undefined
      ? {}
      : { sourceId: 'snapshotId' in contentOf ? contentOf.snapshotId : contentOf.volumeId }),
  });
  return {
    timing,
    clock,
    random,
    entryDetails: { compartment: compartmentId, networkCompartment: place.networkCompartmentId, domain },
    // A clone of a volume can be used within seconds and is filled in the background; a backup is copied to another storage and back, and may go while what was made of it lives.
    copiesFrom: connection.deploymentCopies === 'backups' ? 'snapshot' : 'volume',
    largestVolumeGib,
    volumes: {
      async list(labels, signal) {
        const found = (await volumesWith(session, compartmentId, labels, signal)).filter(
          (volume) => useOf(volume) === 'volume',
        );
        if (found.length === 0) return [];
        const holders = await holdersOf(
          session,
          place,
          {},
          found.some(({ id }) => isBootVolume(id)),
          signal,
        );
        return found.map((volume) =>
          asVolume(
            volume,
            holders.filter(({ volumeId }) => volumeId === volume.id),
          ),
        );
      },
      async get(id, signal) {
        const volume = await getVolume(session, id, signal);
        return volume === undefined
          ? undefined
          : asVolume(volume, await holdersOf(session, place, { volumeId: id }, isBootVolume(id), signal));
      },
      async create(volume, signal) {
        const boot = volume.contentOf === undefined ? await work.makeBootVolume?.(volume, signal) : undefined;
        return asVolume(boot ?? (await volumes.create(newVolume(volume, 'volume'), signal)), []);
      },
      async label(id, labels, signal) {
        const volume = await volumes.change(id, { freeformTags: labels }, signal);
        return asVolume(volume, await holdersOf(session, place, { volumeId: id }, isBootVolume(id), signal));
      },
      async grow(id, sizeGib, signal) {
        await volumes.change(id, { sizeInGBs: sizeGib }, signal);
      },
      delete: (id, signal) => volumes.delete(id, signal),
    },
    snapshots:
      connection.deploymentCopies === 'backups'
        ? backupSnapshots(session, compartmentId)
        : {
            list: async (labels, signal) =>
              (await volumesWith(session, compartmentId, labels, signal))
                .filter((volume) => useOf(volume) === 'snapshot')
                .map(asSnapshot),
            async get(id, signal) {
              const volume = isBackup(id) ? await getBackup(session, id, signal) : await getVolume(session, id, signal);
              return volume === undefined ? undefined : asSnapshot(volume);
            },
            async create({ volumeId, name, labels }, signal) {
              const original = await getVolume(session, volumeId, signal);
              if (original === undefined)
                throw new CausewayError('cloud.not-found', `volume ${volumeId} no longer exists`, {
                  details: { volumeId },
                });
              const copy = newVolume(
                {
                  name,
                  sizeGib: original.sizeInGBs ?? 0,
                  type: undefined,
                  zone: original.availabilityDomain,
                  contentOf: { volumeId },
                  labels,
                },
                'snapshot',
              );
              return asSnapshot(await volumes.create(copy, signal));
            },
            delete: (id, signal) => (isBackup(id) ? session.backups.delete(id, signal) : volumes.delete(id, signal)),
          },
    servers: {
      get: (id, signal) => getServer(session, id, signal),
      async attach(id, volumeId, signal) {
        const type = work.attachmentOf?.(volumeId) ?? 'paravirtualized';
        const device = type === 'paravirtualized' ? (await compute.devices(id, signal))[0] : undefined;
        const attachment = await compute.attach(
          {
            type,
            instanceId: id,
            volumeId,
            ...(device === undefined ? {} : { device }),
            ...(type === 'iscsi' ? { useChap: true } : {}),
          },
          signal,
        );
        await followAttachment(session, attachment, 'ATTACHED', signal);
      },
      async detach(id, volumeId, signal) {
        for (const attachment of await compute.attachments({ compartmentId, instanceId: id, volumeId }, signal))
          await followAttachment(session, attachment, 'DETACHED', signal);
      },
    },
  };
}

/** Backups in the place of clones. A clone that was made before is still known by its id. */
function backupSnapshots(session: OciSession, compartmentId: string): CloudCalls['snapshots'] {
  const { backups } = session;
  return {
    list: async (labels, signal) =>
      (await backups.list(compartmentId, signal))
        .filter(
          (backup) => backup.lifecycleState !== 'TERMINATED' && hasLabels({ labels: backup.freeformTags }, labels),
        )
        .map(asSnapshot),
    async get(id, signal) {
      const found = isBackup(id) ? await getBackup(session, id, signal) : await getVolume(session, id, signal);
      return found === undefined ? undefined : asSnapshot(found);
    },
    create: async ({ volumeId, name, labels }, signal) =>
      asSnapshot(
        await backups.create(
          { volumeId, displayName: name, freeformTags: { ...labels, [useTag]: 'snapshot' } },
          signal,
        ),
      ),
    delete: (id, signal) => (isBackup(id) ? backups.delete(id, signal) : session.volumes.delete(id, signal)),
  };
}

export async function getBackup(session: OciSession, id: string, signal: AbortSignal): Promise<OciBackup | undefined> {
  const backup = await session.backups.get(id, signal);
  return backup?.lifecycleState === 'TERMINATED' ? undefined : backup;
}

/** Those with all of these tags that are not gone. The service can't search by tags. */
async function volumesWith(
  session: OciSession,
  compartmentId: string,
  labels: Labels,
  signal: AbortSignal,
): Promise<readonly OciVolume[]> {
  return (await session.volumes.list(compartmentId, signal)).filter(
    (volume) => volume.lifecycleState !== 'TERMINATED' && hasLabels({ labels: volume.freeformTags }, labels),
  );
}

/** What is gone is shown for some time. */
export async function getVolume(session: OciSession, id: string, signal: AbortSignal): Promise<OciVolume | undefined> {
  const volume = await session.volumes.get(id, signal);
  return volume?.lifecycleState === 'TERMINATED' ? undefined : volume;
}

interface Holder {
  readonly volumeId: string;
  readonly instanceId: string;
  readonly lifecycleState: string;
}

/** Which instances have volumes: as data, and to boot from. */
async function holdersOf(
  session: OciSession,
  { compartmentId, domain }: Place,
  of: { readonly volumeId?: string },
  withBoot: boolean,
  signal: AbortSignal,
): Promise<readonly Holder[]> {
  const { volumeId } = of;
  const data: readonly Holder[] = await session.compute.attachments(
    { compartmentId, ...(volumeId === undefined ? {} : { volumeId }) },
    signal,
  );
  if (!withBoot) return data;
  const boot = await session.compute.bootAttachments(
    { compartmentId, availabilityDomain: domain, ...(volumeId === undefined ? {} : { bootVolumeId: volumeId }) },
    signal,
  );
  return [
    ...data,
    ...boot.map(({ bootVolumeId, instanceId, lifecycleState }) => ({
      volumeId: bootVolumeId,
      instanceId,
      lifecycleState,
    })),
  ];
}

function asVolume(volume: OciVolume, holders: readonly Holder[]): CloudVolume {
  const [holder] = holders;
  const { id, displayName, lifecycleState, sizeInGBs, availabilityDomain, freeformTags } = volume;
  return {
    id,
    name: displayName ?? id,
    state: volumeState(lifecycleState, holder),
    status: holder === undefined ? lifecycleState : holder.lifecycleState,
    sizeGib: sizeInGBs ?? 0,
    // How it is attached can be another way each time.
    type: undefined,
    zone: availabilityDomain,
    serverId: holder?.instanceId,
    labels: freeformTags,
  };
}

function volumeState(lifecycleState: string, holder: Holder | undefined): VolumeState {
  if (lifecycleState === 'FAULTY') return 'failed';
  if (lifecycleState === 'TERMINATING' || lifecycleState === 'TERMINATED') return 'going';
  if (lifecycleState !== 'AVAILABLE') return 'changing';
  if (holder === undefined) return 'available';
  return holder.lifecycleState === 'ATTACHED' ? 'attached' : 'changing';
}

function asSnapshot({ id, lifecycleState, freeformTags }: OciVolume | OciBackup): CloudSnapshot {
  return {
    id,
    status: lifecycleState,
    labels: freeformTags,
    state: lifecycleState === 'FAULTY' ? 'failed' : lifecycleState === 'AVAILABLE' ? 'available' : 'changing',
  };
}

/** An instance that never came to run is terminated by the service: why, its work request says. */
async function getServer(session: OciSession, id: string, signal: AbortSignal): Promise<CloudServer | undefined> {
  const instance = await session.compute.get(id, signal);
  if (instance === undefined) return undefined;
  if (instance.lifecycleState !== 'TERMINATED') return asServer(instance);
  const problem = await session.workRequests.failureOf(instance.compartmentId, id, signal);
  return problem === undefined ? undefined : { ...asServer(instance), state: 'failed', problem };
}

const states: Readonly<Record<string, ServerState>> = {
  RUNNING: 'running',
  STOPPING: 'off',
  STOPPED: 'off',
  TERMINATING: 'off',
  TERMINATED: 'gone',
};

export function asServer({ id, displayName, lifecycleState, freeformTags }: OciInstance): CloudServer {
  return {
    id,
    name: displayName ?? id,
    state: states[lifecycleState] ?? 'changing',
    status: lifecycleState,
    problem: undefined,
    labels: freeformTags,
  };
}

/** How often a detachment that was not carried out is asked for again. */
const detachments = 3;

/** Waits until an attachment is made, or over. */
async function followAttachment(
  session: OciSession,
  attachment: VolumeAttachment,
  wanted: 'ATTACHED' | 'DETACHED',
  signal: AbortSignal,
): Promise<void> {
  const { compute, timing, clock } = session;
  const operation = `${wanted === 'ATTACHED' ? 'attach volume' : 'detach volume'} ${attachment.volumeId}`;
  const details = { volumeId: attachment.volumeId, serverId: attachment.instanceId };
  let asked = 0;
  await waitForState(
    { operation, details },
    async (s) => {
      const now = await compute.attachment(attachment.id, s);
      const state = now?.lifecycleState ?? 'DETACHED';
      if (state === wanted) return { done: true, value: undefined };
      if (wanted === 'ATTACHED' && state === 'DETACHED')
        throw new CausewayError('cloud.operation-failed', `${operation}: the cloud took the attachment back`, {
          details: { operation, ...details, state },
        });
      if (wanted === 'DETACHED' && state === 'ATTACHED') {
        if (asked >= detachments)
          throw new CausewayError('cloud.operation-failed', `${operation}: it is attached after ${asked} requests`, {
            details: { operation, ...details, state },
          });
        asked += 1;
        await compute.detach(attachment.id, s).catch((error: unknown) => {
          if (!(error instanceof CausewayError) || error.code !== 'cloud.conflict') throw error;
        });
      }
      return { done: false, state };
    },
    pollPlan(timing, timing.attachMs),
    clock,
    signal,
  );
}

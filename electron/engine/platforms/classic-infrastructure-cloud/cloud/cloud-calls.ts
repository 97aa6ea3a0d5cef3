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
import type { Labels } from '../../../cloud-resources/labels.ts';
import { pollPlan } from '../../../cloud-resources/retry-context.ts';
import { createOnce } from '../../../http/create-once.ts';
import { waitForState } from '../../../http/wait-for-state.ts';
import type { ClassicInstance } from '../client/compute.ts';
import { isTagged, labelsOf, lastPart, mostVolumes } from '../client/object-names.ts';
import type { Classic } from '../client/open-classic.ts';
import { storagePools, type ClassicAttachment, type ClassicSnapshot, type ClassicVolume } from '../client/storage.ts';

/** GiB of the largest volume that there is: 2 TB. */
export const largestVolumeGib = 2048;

/** How volumes are made for one VM. */
export interface VolumeWork {
  /** Whether what has these labels is to be booted from. Only a volume of a snapshot can be made so, not an empty one. */
  readonly isBoot?: (labels: Labels) => boolean;
}

/** One account as the shared steps see it. Whole names are ids. */
export function cloudCalls(classic: Classic, { isBoot = () => false }: VolumeWork = {}): CloudCalls {
  const { timing, clock, random, storage, compute } = classic;
  async function contentOf(content: NewCloudVolume['contentOf'], labels: Labels, signal: AbortSignal) {
    if (content === undefined) return {};
    if (!('snapshotId' in content))
      throw new CausewayError('general.bug', 'the platform copies no volume but from a snapshot');
    const snapshot = await storage.snapshot(content.snapshotId, signal);
    if (typeof snapshot?.snapshot_id !== 'string')
      throw new CausewayError('cloud.not-found', `snapshot ${content.snapshotId} no longer exists`, {
        details: { snapshotId: content.snapshotId },
      });
    return { snapshotId: snapshot.snapshot_id, bootable: isBoot(labels) };
  }
  return {
    timing,
    clock,
    random,
    entryDetails: {},
    // Of a snapshot that is a copy elsewhere: it may go while volumes that were made of it live on.
    copiesFrom: 'snapshot',
    largestVolumeGib,
    volumes: {
      async list(labels, signal) {
        const found = (await storage.volumes(signal)).filter((volume) => isTagged(volume, labels));
        if (found.length === 0) return [];
        const attachments = await storage.attachments(signal);
        return found.map((volume) => asVolume(volume, attachments));
      },
      async get(id, signal) {
        const volume = await storage.volume(id, signal);
        return volume === undefined ? undefined : asVolume(volume, await storage.attachments(signal));
      },
      async create({ name, sizeGib, type, labels, contentOf: content }, signal) {
        return asVolume(
          await storage.createVolume(
            {
              name,
              size: { gib: sizeGib },
              pool: type ?? storagePools[0],
              labels,
              ...(await contentOf(content, labels, signal)),
            },
            signal,
          ),
          [],
        );
      },
      async label(id, labels, signal) {
        const volume = await demandVolume(classic, id, signal);
        const all = { ...labelsOf(volume.tags), ...labels };
        await storage.updateVolume(volume, { labels: all }, signal);
        return { ...asVolume(volume, await storage.attachments(signal)), labels: all };
      },
      async grow(id, sizeGib, signal) {
        await storage.updateVolume(await demandVolume(classic, id, signal), { sizeGib }, signal);
      },
      delete: (id, signal) => storage.deleteVolume(id, signal),
    },
    snapshots: {
      list: async (labels, signal) =>
        (await storage.snapshots(signal)).filter((snapshot) => isTagged(snapshot, labels)).map(asSnapshot),
      async get(id, signal) {
        const snapshot = await storage.snapshot(id, signal);
        return snapshot === undefined ? undefined : asSnapshot(snapshot);
      },
      create: async ({ volumeId, name, labels }, signal) =>
        asSnapshot(
          await storage.createSnapshot(
            { volume: volumeId, name, labels, isCollocated: false, bootable: isBoot(labels) },
            signal,
          ),
        ),
      delete: (id, signal) => storage.deleteSnapshot(id, signal),
    },
    servers: {
      async get(id, signal) {
        const instance = await compute.instance(id, signal);
        return instance === undefined ? undefined : asServer(instance);
      },
      async attach(id, volumeId, signal) {
        const attachments = await storage.attachments(signal);
        const taken = attachments.filter((each) => each.instance_name === id).map(({ index }) => index);
        const index = Array.from({ length: mostVolumes }, (_, at) => at + 1).find((each) => !taken.includes(each));
        if (index === undefined)
          throw new CausewayError(
            'cloud.quota-exceeded',
            `instance ${lastName(id)} has ${taken.length} volumes and takes no more`,
            { details: { serverId: id, volumeId } },
          );
        // The interface would make a second attachment elsewhere, or refuse one that a lost request made.
        const attachment = await createOnce<ClassicAttachment>(
          {
            create: (s) => storage.attach({ instance: id, volume: volumeId, index }, s),
            find: async (s) =>
              (await storage.attachments(s)).find(
                (each) => each.instance_name === id && each.storage_volume_name === volumeId,
              ),
          },
          { backOff: timing.backOff, clock, random, looks: timing.looksBeforeCreatingAgain },
          signal,
        );
        await followAttachment(classic, attachment, 'attached', signal);
      },
      async detach(id, volumeId, signal) {
        const own = (await storage.attachments(signal)).filter(
          (each) => each.instance_name === id && each.storage_volume_name === volumeId,
        );
        for (const attachment of own) await followAttachment(classic, attachment, 'gone', signal);
      },
    },
  };
}

async function demandVolume({ storage }: Classic, id: string, signal: AbortSignal): Promise<ClassicVolume> {
  const volume = await storage.volume(id, signal);
  if (volume !== undefined) return volume;
  throw new CausewayError('cloud.not-found', `volume ${id} no longer exists`, { details: { volumeId: id } });
}

export function asVolume(
  { name, status, status_detail: detail, size, properties, tags }: ClassicVolume,
  attachments: readonly ClassicAttachment[],
): CloudVolume {
  const attachment = attachments.find((each) => each.storage_volume_name === name);
  return {
    id: name,
    name: lastPart(name),
    state: volumeState(status ?? '', attachment?.state),
    status:
      attachment?.state ??
      ([status, detail].filter((each) => typeof each === 'string' && each !== '').join(': ') || 'unknown'),
    sizeGib: Math.floor(size / 2 ** 30),
    type: properties?.find((each) => each.startsWith('/oracle/public/storage/')),
    zone: undefined,
    serverId: attachment?.instance_name ?? undefined,
    labels: labelsOf(tags),
  };
}

function volumeState(status: string, attachment: string | null | undefined): VolumeState {
  if (/error/i.test(status)) return 'failed';
  if (/delet/i.test(status)) return 'going';
  if (!/^online$/i.test(status)) return 'changing';
  if (attachment === undefined) return 'available';
  return attachment === 'attached' ? 'attached' : 'changing';
}

export function asSnapshot({ name, status, status_detail: detail, tags }: ClassicSnapshot): CloudSnapshot {
  const said = status ?? 'unknown';
  return {
    id: name,
    status: typeof detail === 'string' && detail !== '' ? `${said}: ${detail}` : said,
    labels: labelsOf(tags),
    state: /^completed?$/i.test(said) ? 'available' : /error|fail/i.test(said) ? 'failed' : 'changing',
  };
}

const states: Readonly<Record<string, ServerState>> = {
  running: 'running',
  stopping: 'off',
  stopped: 'off',
  shutdown: 'off',
  error: 'failed',
};

export function asServer({ name, label, state, error_reason: reason, tags }: ClassicInstance): CloudServer {
  return {
    id: name,
    name: label ?? lastName(name),
    state: states[state] ?? 'changing',
    status: state,
    problem: typeof reason === 'string' && reason !== '' ? reason : undefined,
    labels: labelsOf(tags),
  };
}

/** The part of an instance's name that was given, without the one that the platform added. */
export function lastName(instance: string): string {
  return instance.split('/')[3] ?? instance;
}

/** How often a detachment that was not carried out is asked for again. */
const detachments = 3;

/** Waits until an attachment is made, or over. */
async function followAttachment(
  { storage, timing, clock }: Classic,
  attachment: ClassicAttachment,
  wanted: 'attached' | 'gone',
  signal: AbortSignal,
): Promise<void> {
  const operation = `${wanted === 'attached' ? 'attach volume' : 'detach volume'} ${attachment.storage_volume_name}`;
  const details = { volumeId: attachment.storage_volume_name, serverId: attachment.instance_name ?? '' };
  let asked = 0;
  await waitForState(
    { operation, details },
    async (s) => {
      const state = (await storage.attachment(attachment.name, s))?.state ?? 'gone';
      if (state === wanted) return { done: true, value: undefined };
      if (wanted === 'attached' && (state === 'gone' || state === 'unavailable')) {
        throw new CausewayError('cloud.operation-failed', `${operation}: the cloud took the attachment back`, {
          details: { operation, ...details, state },
        });
      }
      if (wanted === 'gone' && state !== 'detaching' && state !== 'attaching') {
        if (asked >= detachments)
          throw new CausewayError('cloud.operation-failed', `${operation}: it is ${state} after ${asked} requests`, {
            details: { operation, ...details, state },
          });
        asked += 1;
        await storage.detach(attachment.name, s).catch((error: unknown) => {
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

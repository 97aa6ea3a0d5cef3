import { z } from 'zod';
import type { Labels } from '../../../cloud-resources/labels.ts';
import type { ComputeApi } from './compute-api.ts';
import { bytesOf, gibText, objectName, tagsOf } from './object-names.ts';

const tags = z.array(z.string()).nullish();
const sizeSchema = z.union([z.string(), z.number()]).transform((size) => bytesOf(size));
const volumeSchema = z.looseObject({
  name: z.string(),
  status: z.string().nullish(),
  status_detail: z.string().nullish(),
  size: sizeSchema,
  properties: z.array(z.string()).nullish(),
  bootable: z.boolean().nullish(),
  description: z.string().nullish(),
  imagelist: z.string().nullish(),
  platform: z.string().nullish(),
  snapshot_id: z.string().nullish(),
  tags,
});
const snapshotSchema = z.looseObject({
  name: z.string(),
  snapshot_id: z.string().nullish(),
  status: z.string().nullish(),
  status_detail: z.string().nullish(),
  snapshot_timestamp: z.string().nullish(),
  volume: z.string(),
  property: z.string().nullish(),
  tags,
});
const attachmentSchema = z.looseObject({
  name: z.string(),
  index: z.number(),
  instance_name: z.string().nullish(),
  storage_volume_name: z.string(),
  state: z.string().nullish(),
});

export type ClassicVolume = z.infer<typeof volumeSchema>;
export type ClassicSnapshot = z.infer<typeof snapshotSchema>;
export type ClassicAttachment = z.infer<typeof attachmentSchema>;

/** A snapshot beside its volume, which is there at once; volumes of it share its blocks, so that it can't go before them. Without it the snapshot is a copy elsewhere. */
export const collocated = '/oracle/private/storage/snapshot/collocated';
/** Pools of storage that the platform has. There is no list of them. */
export const storagePools = [
  '/oracle/public/storage/default',
  '/oracle/public/storage/latency',
  '/oracle/public/storage/ssd/gpl',
] as const;

export interface NewClassicVolume {
  readonly name: string;
  /** Whole GiB, or just as many bytes as a snapshot's volume has. */
  readonly size: { readonly gib: number } | { readonly bytes: number };
  readonly pool: string;
  readonly labels: Labels;
  readonly snapshotId?: string;
  readonly bootable?: boolean;
  /** To boot from, with what an image list has as its default. */
  readonly imageList?: { readonly name: string; readonly entry: number };
}

export interface Storage {
  volumes(signal: AbortSignal): Promise<readonly ClassicVolume[]>;
  volume(name: string, signal: AbortSignal): Promise<ClassicVolume | undefined>;
  createVolume(volume: NewClassicVolume, signal: AbortSignal): Promise<ClassicVolume>;
  /** Whatever is not given stays. A volume grows while it is attached as well; it never shrinks. */
  updateVolume(
    volume: ClassicVolume,
    change: { readonly sizeGib?: number; readonly labels?: Labels },
    signal: AbortSignal,
  ): Promise<void>;
  deleteVolume(name: string, signal: AbortSignal): Promise<void>;
  snapshots(signal: AbortSignal): Promise<readonly ClassicSnapshot[]>;
  snapshot(name: string, signal: AbortSignal): Promise<ClassicSnapshot | undefined>;
  createSnapshot(
    snapshot: {
      readonly volume: string;
      readonly name: string;
      readonly labels: Labels;
      readonly isCollocated: boolean;
      readonly bootable?: boolean;
    },
    signal: AbortSignal,
  ): Promise<ClassicSnapshot>;
  deleteSnapshot(name: string, signal: AbortSignal): Promise<void>;
  attachments(signal: AbortSignal): Promise<readonly ClassicAttachment[]>;
  attachment(name: string, signal: AbortSignal): Promise<ClassicAttachment | undefined>;
  attach(
    attachment: { readonly instance: string; readonly volume: string; readonly index: number },
    signal: AbortSignal,
  ): Promise<ClassicAttachment>;
  detach(name: string, signal: AbortSignal): Promise<void>;
}

export function storageOf(
  api: ComputeApi,
  { account, user }: { readonly account: string; readonly user: string },
): Storage {
  const [volumePath, snapshotPath, attachmentPath] = ['/storage/volume', '/storage/snapshot', '/storage/attachment'];
  const container = `${account}/`;
  return {
    volumes: (signal) => api.list(volumeSchema, 'volumes', volumePath, container, signal),
    volume: (name, signal) => api.get(volumeSchema, 'volume', volumePath, name, signal),
    createVolume: ({ name, size, pool, labels, snapshotId, bootable, imageList }, signal) =>
      api.create(
        volumeSchema,
        `volume ${name}`,
        volumePath,
        {
          name: objectName(user, name),
          size: 'gib' in size ? gibText(size.gib) : String(size.bytes),
          properties: [pool],
          tags: tagsOf(labels),
          ...(snapshotId === undefined ? {} : { snapshot_id: snapshotId }),
          ...(bootable === true || imageList !== undefined ? { bootable: true } : {}),
          ...(imageList === undefined ? {} : { imagelist: imageList.name, imagelist_entry: imageList.entry }),
        },
        signal,
      ),
    async updateVolume(volume, { sizeGib, labels }, signal) {
      // The interface replaces what it is given, and takes the size and the pool as needed.
      await api.update(
        volumeSchema,
        'volume',
        volumePath,
        volume.name,
        {
          name: volume.name,
          size: sizeGib === undefined ? String(volume.size) : gibText(sizeGib),
          properties: volume.properties ?? [],
          tags: labels === undefined ? (volume.tags ?? []) : tagsOf(labels),
          ...(typeof volume.description === 'string' && volume.description !== ''
            ? { description: volume.description }
            : {}),
        },
        signal,
      );
    },
    deleteVolume: (name, signal) => api.delete('volume', volumePath, name, signal),
    snapshots: (signal) => api.list(snapshotSchema, 'snapshots', snapshotPath, container, signal),
    snapshot: (name, signal) => api.get(snapshotSchema, 'snapshot', snapshotPath, name, signal),
    createSnapshot: ({ volume, name, labels, isCollocated, bootable }, signal) =>
      api.create(
        snapshotSchema,
        `snapshot ${name}`,
        snapshotPath,
        {
          volume,
          name: objectName(user, name),
          tags: tagsOf(labels),
          ...(isCollocated ? { property: collocated } : {}),
          ...(bootable === true ? { parent_volume_bootable: 'true' } : {}),
        },
        signal,
      ),
    deleteSnapshot: (name, signal) => api.delete('snapshot', snapshotPath, name, signal),
    attachments: (signal) => api.list(attachmentSchema, 'attachments', attachmentPath, container, signal),
    attachment: (name, signal) => api.get(attachmentSchema, 'attachment', attachmentPath, name, signal),
    attach: ({ instance, volume, index }, signal) =>
      api.create(
        attachmentSchema,
        `attachment of volume ${volume}`,
        attachmentPath,
        { index, instance_name: instance, storage_volume_name: volume },
        signal,
      ),
    detach: (name, signal) => api.delete('attachment', attachmentPath, name, signal),
  };
}

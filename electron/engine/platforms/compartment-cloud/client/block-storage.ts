import { z } from 'zod';
import type { Labels } from '../../../cloud-resources/labels.ts';
import type { ServiceApi } from './service-api.ts';

export const tagsSchema = z
  .record(z.string(), z.string())
  .nullish()
  .transform((tags) => tags ?? {});

const volumeSchema = z.looseObject({
  id: z.string(),
  displayName: z.string().nullish(),
  lifecycleState: z.string(),
  sizeInGBs: z.number().nullish(),
  sizeInMBs: z.number().nullish(),
  availabilityDomain: z.string(),
  compartmentId: z.string(),
  vpusPerGB: z.number().nullish(),
  /** Of a boot volume: what it was made from in the end. */
  imageId: z.string().nullish(),
  isHydrated: z.boolean().nullish(),
  freeformTags: tagsSchema,
});

/** A boot volume or a block volume: two resources of the API with the same members. */
export type OciVolume = z.infer<typeof volumeSchema>;

export interface NewOciVolume {
  readonly compartmentId: string;
  readonly availabilityDomain: string;
  readonly displayName: string;
  readonly sizeInGBs?: number;
  readonly vpusPerGB?: number;
  readonly freeformTags: Labels;
  /** The volume that it is a clone of, or the backup that it is restored from. A boot volume can't be made without a source. */
  readonly sourceId?: string;
}

export interface VolumeChange {
  readonly displayName?: string;
  readonly sizeInGBs?: number;
  readonly vpusPerGB?: number;
  /** Added to those that are there. */
  readonly freeformTags?: Labels;
}

export interface BlockStorage {
  /** Volumes of both kinds, also those that are gone but still shown. */
  list(compartmentId: string, signal: AbortSignal): Promise<readonly OciVolume[]>;
  get(id: string, signal: AbortSignal): Promise<OciVolume | undefined>;
  /** A copy of a boot volume is a boot volume, everything else a block volume. */
  create(volume: NewOciVolume, signal: AbortSignal): Promise<OciVolume>;
  change(id: string, change: VolumeChange, signal: AbortSignal): Promise<OciVolume>;
  delete(id: string, signal: AbortSignal): Promise<void>;
}

export function isBootVolume(id: string): boolean {
  return id.startsWith('ocid1.bootvolume.');
}

const sourceTypes = {
  bootvolumebackup: 'bootVolumeBackup',
  volumebackup: 'volumeBackup',
  bootvolume: 'bootVolume',
  volume: 'volume',
} as const;

/** Kinds of volumes differ in the first part of the path only. */
const pathOf = (id: string): string => `${collectionOf(isBootVolume(id))}/${encodeURIComponent(id)}`;
const collectionOf = (isBoot: boolean): string => (isBoot ? '/20160918/bootVolumes' : '/20160918/volumes');

export function blockStorageOf(api: ServiceApi): BlockStorage {
  return {
    async list(compartmentId, signal) {
      const [boot, block] = await Promise.all(
        [true, false].map((isBoot) =>
          api.list(
            volumeSchema,
            isBoot ? 'list boot volumes' : 'list volumes',
            collectionOf(isBoot),
            { compartmentId },
            signal,
          ),
        ),
      );
      return [...(boot ?? []), ...(block ?? [])];
    },
    get: (id, signal) =>
      api.find(volumeSchema, { operation: `read volume ${id}`, method: 'GET', path: pathOf(id) }, signal),
    create({ sourceId, ...volume }, signal) {
      const type =
        Object.entries(sourceTypes).find(([kind]) => sourceId?.startsWith(`ocid1.${kind}.`) === true)?.[1] ?? 'volume';
      const isBoot = type.startsWith('boot');
      const sourceDetails = sourceId === undefined ? {} : { sourceDetails: { type, id: sourceId } };
      return api.create(
        volumeSchema,
        `create volume ${volume.displayName}`,
        collectionOf(isBoot),
        { ...volume, ...sourceDetails },
        signal,
      );
    },
    change: (id, { freeformTags, ...change }, signal) =>
      api.update(
        volumeSchema,
        `change volume ${id}`,
        pathOf(id),
        (now) => ({
          ...change,
          ...(freeformTags === undefined ? {} : { freeformTags: { ...now.freeformTags, ...freeformTags } }),
        }),
        signal,
      ),
    delete: (id, signal) => api.remove({ operation: `delete volume ${id}`, path: pathOf(id) }, signal),
  };
}

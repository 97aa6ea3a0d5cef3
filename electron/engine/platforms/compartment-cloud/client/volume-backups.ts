import { z } from 'zod';
import type { Labels } from '../../../cloud-resources/labels.ts';
import { isBootVolume, tagsSchema } from './block-storage.ts';
import type { ServiceApi } from './service-api.ts';

const backupSchema = z.looseObject({
  id: z.string(),
  displayName: z.string().nullish(),
  lifecycleState: z.string(),
  compartmentId: z.string(),
  freeformTags: tagsSchema,
});

/** A backup of a boot volume or of a block volume: two resources of the API with the same members. */
export type OciBackup = z.infer<typeof backupSchema>;

export interface VolumeBackups {
  /** Backups of both kinds, also those that are gone but still shown. */
  list(compartmentId: string, signal: AbortSignal): Promise<readonly OciBackup[]>;
  get(id: string, signal: AbortSignal): Promise<OciBackup | undefined>;
  /** What has changed since the volume's last backup is stored; all of it the first time. */
  create(
    backup: { readonly volumeId: string; readonly displayName: string; readonly freeformTags: Labels },
    signal: AbortSignal,
  ): Promise<OciBackup>;
  delete(id: string, signal: AbortSignal): Promise<void>;
}

const isBoot = (id: string): boolean => id.startsWith('ocid1.bootvolumebackup.');
export const isBackup = (id: string): boolean => isBoot(id) || id.startsWith('ocid1.volumebackup.');
const collectionOf = (boot: boolean): string => (boot ? '/20160918/bootVolumeBackups' : '/20160918/volumeBackups');
const pathOf = (id: string): string => `${collectionOf(isBoot(id))}/${encodeURIComponent(id)}`;

export function volumeBackupsOf(api: ServiceApi): VolumeBackups {
  return {
    async list(compartmentId, signal) {
      const [boot, block] = await Promise.all(
        [true, false].map((each) =>
          api.list(
            backupSchema,
            each ? 'list boot volume backups' : 'list volume backups',
            collectionOf(each),
            { compartmentId },
            signal,
          ),
        ),
      );
      return [...(boot ?? []), ...(block ?? [])];
    },
    get: (id, signal) =>
      api.find(backupSchema, { operation: `read backup ${id}`, method: 'GET', path: pathOf(id) }, signal),
    create({ volumeId, ...backup }, signal) {
      const boot = isBootVolume(volumeId);
      return api.create(
        backupSchema,
        `create backup ${backup.displayName}`,
        collectionOf(boot),
        { ...backup, type: 'INCREMENTAL', ...(boot ? { bootVolumeId: volumeId } : { volumeId }) },
        signal,
      );
    },
    delete: (id, signal) => api.remove({ operation: `delete backup ${id}`, path: pathOf(id) }, signal),
  };
}

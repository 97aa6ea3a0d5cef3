import { z } from 'zod';
import { CausewayError } from '../../../../../../../shared/model/causeway-error.ts';
import type { CloudBackup } from '../../../client/volume.ts';
import type { StorageCluster } from '../../rbd/storage-cluster.ts';

const snapshotsSchema = z.array(z.looseObject({ name: z.string() }));

/**
 * Where a backup is in the distributed storage: a snapshot `backup.<id>.snap.<time>` of an image that bears the volume's
 * id and belongs to the chain's full backup.
 *
 * @throws `source.backup-unreadable` when there is none: the cloud keeps its backups elsewhere, or in another form
 */
export async function findBackupImage(
  cluster: StorageCluster,
  backup: Pick<CloudBackup, 'id' | 'volume_id' | 'container'>,
  signal: AbortSignal,
): Promise<{ readonly pool: string; readonly image: string; readonly snapshot: string }> {
  const pool = backup.container ?? 'backups';
  const all = await cluster.rbd(['ls', '--format', 'json', pool], signal).catch((error: unknown) => {
    if (error instanceof CausewayError && error.code === 'source.request-refused')
      throw missing(backup, `pool ${pool} cannot be listed (${error.message})`);
    throw error;
  });
  const images = z
    .array(z.string())
    .parse(JSON.parse(all))
    .filter((image) => image.startsWith(`volume-${backup.volume_id}.backup.`));
  for (const image of images) {
    const snapshots = snapshotsSchema.parse(
      JSON.parse(await cluster.rbd(['snap', 'ls', '--format', 'json', `${pool}/${image}`], signal)),
    );
    const snapshot = snapshots.find(({ name }) => name.startsWith(`backup.${backup.id}.snap.`))?.name;
    if (snapshot !== undefined) return { pool, image, snapshot };
  }
  throw missing(
    backup,
    `pool ${pool} has ${images.length} images of backups of the volume, and none with a snapshot of this one`,
  );
}

function missing(backup: Pick<CloudBackup, 'id'>, why: string): CausewayError {
  return new CausewayError(
    'source.backup-unreadable',
    `backup ${backup.id} is not in the distributed storage: ${why}`,
    { details: { backupId: backup.id } },
  );
}

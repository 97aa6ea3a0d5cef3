import type { DiskReader } from '../../../../../ports/disk-reader.ts';
import { CausewayError } from '../../../../../../../shared/model/causeway-error.ts';
import type { CloudBackup } from '../../../client/volume.ts';
import { markText } from '../../disk-mark.ts';
import type { ExportMechanism } from '../export-mechanism.ts';
import { keptBackups } from '../backup-chain-retention.ts';
import { findBackupImage } from './backup-image.ts';
import { openRbd } from '../../rbd/rbd-reader.ts';
import { openCluster, probeCluster } from '../../rbd/storage-cluster.ts';
import type { SourceContext } from '../../source-context.ts';
import { makeBackups, type BackupMark } from '../cinder-backups.ts';

/**
 * `distributed_backups`: backups that the cloud keeps in the distributed storage, read from there. Backups that stand on
 * each other are snapshots of one image, between which the storage tells what changed.
 */
export function cinderRbdMechanism(context: SourceContext): ExportMechanism {
  const { cloud } = context;
  return {
    prepare: (_environment, signal) => probeCluster(context.storage, signal),

    async take({ tag, disks, base }, signal) {
      const cluster = await openCluster(context.storage);
      const chains = new Map(base.map((disk) => [disk.diskId, markText(disk.mark, 'chain')]));
      const accept = async (backup: CloudBackup, within: AbortSignal): Promise<BackupMark> => {
        const image = await findBackupImage(cluster, backup, within);
        // A full backup starts a chain; an incremental one continues that of the base.
        const former = backup.is_incremental === true ? chains.get(backup.volume_id) : undefined;
        return { backupId: backup.id, chain: former === undefined ? backup.id : `${backup.id} ${former}`, ...image };
      };
      try {
        return await makeBackups(
          context,
          disks,
          { tag, of: 'volumes', container: undefined, incremental: keptBackups.incrementalFor(base), accept },
          signal,
        );
      } finally {
        await cluster.close();
      }
    },

    async isAlive({ mark }, signal) {
      const backup = await cloud.volume.backups.get(markText(mark, 'backupId'), signal);
      return backup !== undefined && ['available', 'restoring'].includes(backup.status);
    },

    async open({ mark, sizeBytes }, base, signal): Promise<DiskReader> {
      const image = {
        pool: markText(mark, 'pool'),
        image: markText(mark, 'image'),
        snapshot: markText(mark, 'snapshot'),
      };
      const comparable =
        base !== undefined &&
        base.sizeBytes === sizeBytes &&
        base.mark['image'] === image.image &&
        (await cloud.volume.backups.get(markText(base.mark, 'backupId'), signal))?.status === 'available';
      const reader = await openRbd(
        context.storage,
        image,
        comparable ? markText(base.mark, 'snapshot') : undefined,
        signal,
      );
      if (reader.sizeBytes === sizeBytes) return reader;
      await reader.close();
      throw new CausewayError(
        'source.backup-unreadable',
        `${image.pool}/${image.image} has ${reader.sizeBytes} bytes instead of the volume's ${sizeBytes}`,
      );
    },

    commit: (tag, disks, signal) => keptBackups.commit(context, tag, disks, signal),
    drop: (tag, disks, scope, signal) => keptBackups.drop(context, tag, disks, scope, signal),
    close: () => Promise.resolve(),
  };
}

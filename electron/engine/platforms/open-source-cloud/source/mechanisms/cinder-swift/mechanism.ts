import { isJsonObject, type JsonObject } from '../../../../../../../shared/model/json.ts';
import { CausewayError } from '../../../../../../../shared/model/causeway-error.ts';
import type { DiskReader } from '../../../../../ports/disk-reader.ts';
import { markText } from '../../disk-mark.ts';
import type { ExportMechanism } from '../export-mechanism.ts';
import { findChain } from './backup-chain.ts';
import { findDigests, findStoredBackup } from './backup-layout.ts';
import { BackupReader } from './backup-reader.ts';
import { keptBackups } from '../backup-chain-retention.ts';
import type { MarkedDisk, SourceContext } from '../../source-context.ts';
import { makeBackups } from '../cinder-backups.ts';

/**
 * `objectstore_backups`: backups that the cloud keeps in the project's own account of the object store, read from there.
 * Each backup carries the digests of the whole volume, so that the changes between any two of them are known whatever
 * backups others made in between.
 */
export function cinderSwiftMechanism(context: SourceContext): ExportMechanism {
  const { cloud } = context;
  return {
    async prepare(_environment, signal) {
      // A missing object store or role is reported before backups are created.
      await cloud.objectStore.containers(signal);
    },

    async take({ tag, environment, disks, base }, signal) {
      const mayCount = keptBackups.incrementalFor(base);
      return makeBackups(
        context,
        disks,
        {
          tag,
          of: 'snapshots',
          container: containerOf(environment),
          incremental: mayCount,
          accept: async (backup, within) => {
            const chain = await findChain(cloud, backup.id, within);
            if (chain !== undefined)
              return { backupId: backup.id, chain: chain.map(({ backupId }) => backupId).join(' ') };
            if (backup.is_incremental === true) return undefined;
            throw new CausewayError(
              'source.backup-unreadable',
              `container ${backup.container ?? ''} of this project has no objects of backup ${backup.id}`,
              {
                details: { backupId: backup.id },
              },
            );
          },
        },
        signal,
      );
    },

    async isAlive({ mark }, signal) {
      const backup = await cloud.volume.backups.get(markText(mark, 'backupId'), signal);
      return backup !== undefined && ['available', 'restoring'].includes(backup.status);
    },

    async open({ mark, sizeBytes }, base, signal): Promise<DiskReader> {
      const backupId = markText(mark, 'backupId');
      const chain = await findChain(cloud, backupId, signal);
      const [newest] = chain ?? [];
      if (chain === undefined || newest === undefined)
        throw new CausewayError(
          'source.snapshot-lost',
          `backup ${backupId} or one that it depends on no longer exists`,
        );
      const digests = await findDigests(cloud.objectStore, newest, signal);
      return new BackupReader(
        cloud.objectStore,
        chain,
        sizeBytes,
        digests,
        await baseDigests(base, sizeBytes, digests.blockBytes, signal),
      );
    },

    commit: (tag, disks, signal) => keptBackups.commit(context, tag, disks, signal),
    drop: (tag, disks, scope, signal) => keptBackups.drop(context, tag, disks, scope, signal),
    close: () => Promise.resolve(),
  };

  async function baseDigests(base: MarkedDisk | undefined, sizeBytes: number, blockBytes: number, signal: AbortSignal) {
    if (base === undefined || base.sizeBytes !== sizeBytes) return undefined;
    const backup = await cloud.volume.backups.get(markText(base.mark, 'backupId'), signal);
    const stored = backup === undefined ? undefined : await findStoredBackup(cloud.objectStore, backup, signal);
    const digests = stored === undefined ? undefined : await findDigests(cloud.objectStore, stored, signal);
    return digests?.blockBytes === blockBytes ? digests : undefined;
  }
}

function containerOf(environment: JsonObject): string | undefined {
  const options = environment['objectstore_backups_options'];
  const container = options !== undefined && isJsonObject(options) ? options['volume_backups_container'] : undefined;
  return typeof container === 'string' ? container : undefined;
}

import type { DiskReader } from '../../../../../ports/disk-reader.ts';
import type { ExportMechanism } from '../export-mechanism.ts';
import { openCluster, poolOf, probeCluster } from '../../rbd/storage-cluster.ts';
import { openRbd } from '../../rbd/rbd-reader.ts';
import { recordedOf } from '../../recorded.ts';
import { removeRecorded } from '../../remove-recorded.ts';
import { ledgerOf, type DiskMark, type MarkedDisk, type SourceContext } from '../../source-context.ts';
import { takeVolumeSnapshots } from '../../volume-snapshots.ts';
import { markText } from '../../disk-mark.ts';

/**
 * `distributed_snapshots`: the cloud's own snapshots of the volumes, read straight from the distributed storage. The
 * snapshots of the last success stay, so that the storage can tell what changed since.
 */
export function rbdSnapshotMechanism(context: SourceContext): ExportMechanism {
  return {
    prepare: (_environment, signal) => probeCluster(context.storage, signal),

    async take({ tag, disks }, signal): Promise<readonly DiskMark[]> {
      const cluster = await openCluster(context.storage);
      try {
        // Whether the storage can be read is learned before anything is made.
        const pools = await Promise.all(
          disks.map((disk) => poolOf(cluster, context.storage, `volume-${disk.volumeId ?? ''}`, signal)),
        );
        const snapshots = await takeVolumeSnapshots(context, tag, 'replica', disks, signal);
        return snapshots.map((snapshot, index) => ({
          pool: pools[index] ?? '',
          image: `volume-${snapshot.volume_id}`,
          snapshot: `snapshot-${snapshot.id}`,
          snapshotId: snapshot.id,
        }));
      } finally {
        await cluster.close();
      }
    },

    async isAlive({ mark }, signal) {
      return (await context.cloud.volume.snapshots.get(markText(mark, 'snapshotId'), signal))?.status === 'available';
    },

    async open({ mark, sizeBytes }: MarkedDisk, base, signal): Promise<DiskReader> {
      const image = {
        pool: markText(mark, 'pool'),
        image: markText(mark, 'image'),
        snapshot: markText(mark, 'snapshot'),
      };
      return openRbd(
        context.storage,
        image,
        await comparable(context, { image: image.image, sizeBytes }, base, signal),
        signal,
      );
    },

    async commit(tag, _disks, signal) {
      // Those of earlier successes and of failures alike: the newest one is all that the next execution needs.
      for (const entry of recordedOf(ledgerOf(context), { notOf: tag })) await removeRecorded(context, entry, signal);
    },

    async drop(tag, _disks, _scope, signal) {
      for (const entry of recordedOf(ledgerOf(context), { of: tag })) await removeRecorded(context, entry, signal);
    },

    close: () => Promise.resolve(),
  };
}

/** The base's snapshot, if changes can be counted from it: the same image in the same size, and still there. */
async function comparable(
  context: SourceContext,
  now: { readonly image: string; readonly sizeBytes: number },
  base: MarkedDisk | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (base === undefined || base.sizeBytes !== now.sizeBytes || base.mark['image'] !== now.image) return undefined;
  const seen = await context.cloud.volume.snapshots.get(markText(base.mark, 'snapshotId'), signal);
  return seen?.status === 'available' ? markText(base.mark, 'snapshot') : undefined;
}

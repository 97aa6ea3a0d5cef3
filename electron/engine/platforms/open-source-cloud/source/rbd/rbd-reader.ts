import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import { extentsFrom, type Extent } from '../../../../../../shared/model/extent.ts';
import { BASE_ALLOCATION, NbdDiskReader } from '../../../../nbd/nbd-disk-reader.ts';
import { serveImage } from '../../../../nbd/qemu-nbd.ts';
import { alignExtents } from '../../../../nbd/status-extents.ts';
import type { DiskReader } from '../../../../ports/disk-reader.ts';
import { isModuleMissing, noStorageModule } from './local-tools.ts';
import { rbdDiff } from './rbd-diff.ts';
import { openCluster, type RbdImage, type StorageOptions } from './storage-cluster.ts';

const SECTOR = 512;

/**
 * Opens a snapshot of an image in the distributed storage: QEMU reads the data and tells holes; with `since`, the storage
 * tells what differs from that snapshot of the same image.
 */
export async function openRbd(
  options: StorageOptions,
  image: RbdImage,
  since: string | undefined,
  signal: AbortSignal,
): Promise<DiskReader> {
  const cluster = await openCluster(options);
  try {
    const served = await serveImage(cluster.node(image), [BASE_ALLOCATION], signal).catch((error: unknown) => {
      throw explained(error);
    });
    const whole = new NbdDiskReader(served.client, {
      onClose: async () => {
        await served.stop();
        await cluster.close();
      },
    });
    if (since === undefined) return whole;
    return {
      sizeBytes: whole.sizeBytes,
      coverage: 'changed',
      granularityBytes: SECTOR,
      extents: (within, fromBytes = 0): AsyncIterable<Extent> =>
        extentsFrom(alignExtents(rbdDiff(cluster, image, since, within), SECTOR, whole.sizeBytes), fromBytes),
      read: (offset, into, within) => whole.read(offset, into, within),
      close: () => whole.close(),
    };
  } catch (error) {
    await cluster.close();
    throw error;
  }
}

/** What QEMU says of the distributed storage, in the terms of sources. */
function explained(error: unknown): unknown {
  if (!(error instanceof CausewayError) || error.code !== 'source.image-unreadable') return error;
  if (isModuleMissing(error.message)) return noStorageModule(error);
  if (/No such file/i.test(error.message))
    return new CausewayError('source.snapshot-lost', error.message, { cause: error });
  if (/error connecting|timed out/i.test(error.message))
    return new CausewayError('source.unreachable', `the distributed storage: ${error.message}`, { cause: error });
  return error;
}

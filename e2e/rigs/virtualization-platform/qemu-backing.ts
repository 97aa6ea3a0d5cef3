import type { DiskReader } from '../../../electron/engine/ports/disk-reader.ts';
import type { Snapshot, SourcePlatform } from '../../../electron/engine/ports/source-platform.ts';
import type { Extent } from '../../../shared/model/extent.ts';
import type { Backing, FrozenContent } from './backing.ts';

const signal = new AbortController().signal;

/** A moment of all disks of the machine. */
interface Moment {
  readonly snapshot: Snapshot;
  readonly base: Snapshot | undefined;
  readonly given: Set<string>;
  readonly released: Set<string>;
}

/**
 * The disks of a machine that runs on QEMU as disks of the rig: frozen all at one moment, with what the guest has written since the moment
 * before. A moment has to be released before the next one is frozen.
 *
 * @param source the QEMU source, which has the machine as its VM; it is closed with the last disk
 */
export async function qemuBackings(source: SourcePlatform, vmId: string): Promise<readonly Backing[]> {
  const { disks } = await source.describeVm(vmId, signal);
  let moment: Moment | undefined;
  let base: Snapshot | undefined;
  let count = 0;
  const freezeAll = async (): Promise<Moment> => {
    if (moment !== undefined) throw new Error('an earlier moment of the machine is still in use');
    const snapshot = await source.createSnapshot(
      { vmId, tag: `rig-${process.pid}-${(count += 1)}`, environment: {}, ...(base === undefined ? {} : { base }) },
      signal,
    );
    moment = { snapshot, base, given: new Set(), released: new Set() };
    return moment;
  };
  const open = async (diskId: string): Promise<FrozenContent> => {
    const now = moment === undefined || moment.given.has(diskId) ? await freezeAll() : moment;
    now.given.add(diskId);
    const whole = await source.openDisk(now.snapshot, diskId, undefined, signal);
    const changes = now.base === undefined ? undefined : await changesOf(source, now.snapshot, diskId, now.base);
    return {
      sizeBytes: whole.sizeBytes,
      changes,
      allocated: () => listed(whole),
      async read(offset, length) {
        const bytes = Buffer.alloc(length);
        await whole.read(offset, bytes, signal);
        return bytes;
      },
      async release() {
        await whole.close();
        now.released.add(diskId);
        if (now.released.size < disks.length) return;
        await source.promoteToBase(now.snapshot, now.base, signal);
        base = now.snapshot;
        moment = undefined;
      },
    };
  };
  let left = disks.length;
  return disks.map(({ id, size_bytes: sizeBytes }) => ({
    sizeBytes,
    freeze: () => open(id),
    async close() {
      left -= 1;
      if (left > 0) return;
      if (base !== undefined) await source.deleteBase(base, signal).catch(() => undefined);
      await source.close();
    },
  }));
}

async function changesOf(
  source: SourcePlatform,
  snapshot: Snapshot,
  diskId: string,
  base: Snapshot,
): Promise<readonly Extent[] | undefined> {
  const reader = await source.openDisk(snapshot, diskId, base, signal);
  try {
    return reader.coverage === 'changed' ? await listed(reader) : undefined;
  } finally {
    await reader.close();
  }
}

async function listed(reader: DiskReader): Promise<readonly Extent[]> {
  const extents: Extent[] = [];
  for await (const extent of reader.extents(signal)) extents.push(extent);
  return extents;
}

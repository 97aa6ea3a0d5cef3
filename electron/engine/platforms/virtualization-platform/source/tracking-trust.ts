import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Snapshot } from '../../../ports/source-platform.ts';
import { diskMark } from './snapshot-state.ts';
import { listSnapshots, readSnapshotDisks } from './snapshots.ts';
import type { SourceContext } from './source-context.ts';
import type { VirtualDisk } from './vm-devices.ts';

/** `uuid/number`: the uuid changes when tracking starts anew. */
export const trackingUuid = (changeId: string): string => changeId.slice(0, Math.max(0, changeId.lastIndexOf('/')));

/** Whether tracking has to start anew: a disk grew under it since the base, or it is known to miss changes. */
export function missesChanges(disks: readonly VirtualDisk[], base: Snapshot): boolean {
  return disks.some(({ key, sizeBytes }) => {
    const former = diskMark(base, String(key));
    return (
      former?.changeId !== undefined && (former.sizeBytes !== sizeBytes || former.distrustedTracking !== undefined)
    );
  });
}

/**
 * The tracking of disks that misses changes for as long as it keeps its uuid, by the key of the disk: the disk grew under it, or it was
 * enabled on top of a snapshot. The platform reports neither. What is found once is carried from base to base.
 *
 * @param taken the id of the snapshot that the disks are of
 */
export async function distrustedTracking(
  context: SourceContext,
  {
    vmId,
    taken,
    disks,
    base,
  }: {
    readonly vmId: string;
    readonly taken: string;
    readonly disks: readonly VirtualDisk[];
    readonly base: Snapshot | undefined;
  },
  signal: AbortSignal,
): Promise<ReadonlyMap<number, string>> {
  const distrusted = new Map<number, string>();
  const isNew: { readonly disk: VirtualDisk; readonly uuid: string }[] = [];
  for (const disk of disks) {
    if (disk.changeId === undefined) continue;
    const uuid = trackingUuid(disk.changeId);
    const former = base === undefined ? undefined : diskMark(base, String(disk.key));
    const formerUuid = former?.changeId === undefined ? undefined : trackingUuid(former.changeId);
    // Of tracking that began since the base, nobody knows whether it began before the disk grew.
    const grew =
      former !== undefined && former.sizeBytes !== disk.sizeBytes && (formerUuid === undefined || formerUuid === uuid);
    if (grew || former?.distrustedTracking === uuid) distrusted.set(disk.key, uuid);
    else if (formerUuid !== uuid) isNew.push({ disk, uuid });
  }
  if (isNew.length === 0) return distrusted;
  for (const { id } of await listSnapshots(context, vmId, signal)) {
    if (id === taken) continue;
    const older = await disksOf(context, id, signal);
    for (const { disk, uuid } of isNew) {
      const before = older?.find(
        ({ key, uuid: diskUuid }) =>
          key === disk.key && (diskUuid === undefined || disk.uuid === undefined || diskUuid === disk.uuid),
      );
      // A snapshot that was taken while the disk was tracked says so.
      const isTracked =
        before === undefined
          ? older !== undefined
          : before.changeId !== undefined && trackingUuid(before.changeId) === uuid;
      if (!isTracked) distrusted.set(disk.key, uuid);
    }
  }
  return distrusted;
}

/** Undefined when the snapshot was removed meanwhile: then nobody knows whether the disks were tracked when it was taken. */
async function disksOf(
  context: SourceContext,
  snapshotId: string,
  signal: AbortSignal,
): Promise<readonly VirtualDisk[] | undefined> {
  try {
    return await readSnapshotDisks(context, snapshotId, signal);
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'source.snapshot-lost') return undefined;
    throw error;
  }
}

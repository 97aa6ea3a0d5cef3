import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { extentsFrom, type Extent } from '../../../../../shared/model/extent.ts';
import type { DiskReader } from '../../../ports/disk-reader.ts';
import type { Snapshot } from '../../../ports/source-platform.ts';
import { isFault } from '../client/fault.ts';
import { vm as vmObject } from '../client/request.ts';
import { changedAreas } from './changed-areas.ts';
import { readVm } from './inventory.ts';
import { readSnapshotDisks, snapshotObject } from './snapshots.ts';
import type { SourceContext } from './source-context.ts';
import { trackingUuid } from './tracking-trust.ts';
import { diskMark, gapOf, snapshotIdOf, type DiskMark } from './snapshot-state.ts';
import { usedAreas } from './used-areas.ts';

/** What tracking knows is in multiples of this in practice; nothing promises it. */
const granularityBytes = 64 * 1024;

/** Faults of the query that mean that the change id is worth nothing any more. */
const idRefused = [
  'FileFault',
  'InvalidArgument',
  'NotFound',
  'FileNotFound',
  'InvalidRequest',
  'NotSupported',
  'MethodNotFound',
];

/** Opens a disk of a snapshot with whatever the source knows for sure of its changes since the base. */
export async function openDisk(
  context: SourceContext,
  snapshot: Snapshot,
  diskId: string,
  base: Snapshot | undefined,
  signal: AbortSignal,
): Promise<DiskReader> {
  const mark = diskMark(snapshot, diskId);
  if (mark === undefined)
    throw new CausewayError('source.disk-not-found', `the snapshot ${snapshot.tag} has no disk ${diskId}`, {
      details: { diskId },
    });
  const changed = base === undefined ? undefined : await changesSince(context, snapshot, mark, base, signal);
  const used = base === undefined ? await areasInUse(context, snapshot, mark, signal) : undefined;
  const path = async (within: AbortSignal): Promise<string> => {
    const disks = mark.isIndependent
      ? (await readVm(context.session, snapshot.vmId, within)).devices.disks
      : await readSnapshotDisks(context, snapshotIdOf(snapshot), within);
    const disk = disks.find(({ key }) => key === mark.key);
    if (disk?.fileName === undefined)
      throw new CausewayError('source.disk-not-found', `snapshot ${snapshot.tag} has no file for disk ${diskId}`, {
        details: { diskId },
      });
    return disk.fileName;
  };
  const content = await context.access.open(
    {
      vm: vmObject(snapshot.vmId),
      holder: mark.isIndependent ? vmObject(snapshot.vmId) : snapshotObject(snapshotIdOf(snapshot)),
      deviceKey: mark.key,
      label: mark.label,
      sizeBytes: mark.sizeBytes,
      isEncrypted: mark.isEncrypted,
      attachment: mark.attachment,
      path,
      environment: environmentOf(snapshot),
      readsOnlyChanges: changed !== undefined,
    },
    signal,
  );
  if (content.sizeBytes !== mark.sizeBytes) {
    await content.close();
    throw new CausewayError(
      'source.snapshot-lost',
      `disk ${diskId} has ${content.sizeBytes} bytes where its snapshot has ${mark.sizeBytes}`,
      { details: { diskId } },
    );
  }
  const release = context.session.hold();
  const listed = changed ?? used;
  const whole: readonly Extent[] = [{ offset: 0, length: mark.sizeBytes, kind: 'data' }];
  let closing: Promise<void> | undefined;
  return {
    sizeBytes: mark.sizeBytes,
    coverage: changed === undefined ? 'allocated' : 'changed',
    granularityBytes: changed === undefined ? 512 : granularityBytes,
    extents: (within, fromBytes = 0) =>
      listed === undefined && content.allocated !== undefined
        ? content.allocated(within, fromBytes)
        : extentsFrom(listed ?? whole, fromBytes),
    read: (offset, into, within) => content.read(offset, into, within),
    close: () =>
      (closing ??= (async () => {
        release();
        await content.close();
      })()),
  };
}

function environmentOf({ state }: Snapshot): Readonly<Record<string, unknown>> {
  const given = state['environment'];
  return typeof given === 'object' && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
}

/** What was written to the disk since the base; undefined when only a comparison of the whole disk can tell. People are told why. */
async function changesSince(
  context: SourceContext,
  snapshot: Snapshot,
  mark: DiskMark,
  base: Snapshot,
  signal: AbortSignal,
): Promise<readonly Extent[] | undefined> {
  const former = diskMark(base, String(mark.key));
  const untold = (why: string): undefined => {
    context.note(`VM ${snapshot.vmId}, disk ${mark.label}: ${why}. The whole disk is read and compared.`);
    return undefined;
  };
  if (snapshot.state['base'] !== base.tag) return undefined;
  const gap = gapOf(snapshot);
  if (gap !== undefined) return untold(`tracked changes are not reliable, because ${gap}`);
  if (former === undefined) return untold('it was added since the last execution');
  if (former.changeId === undefined || mark.changeId === undefined)
    return untold(mark.isIndependent ? 'changes of independent disks are not tracked' : 'changes are not tracked');
  if (former.sizeBytes !== mark.sizeBytes)
    return untold(`its size changed from ${former.sizeBytes} to ${mark.sizeBytes} bytes`);
  if (former.uuid !== mark.uuid) return untold('it is another disk than in the last execution');
  if (trackingUuid(former.changeId) !== trackingUuid(mark.changeId))
    return untold('change tracking was reset since the last execution');
  if (mark.distrustedTracking === trackingUuid(mark.changeId)) {
    return untold(
      'its change tracking misses changes, as the disk grew since tracking began, or tracking was enabled on top of a snapshot; disable changed block tracking of the VM and enable it again while it has no snapshots',
    );
  }
  if (former.place !== mark.place)
    return untold(`it was moved from ${former.place ?? 'an unknown place'} to ${mark.place ?? 'an unknown place'}`);
  try {
    return await changedAreas(
      context.session,
      {
        vm: vmObject(snapshot.vmId),
        snapshotId: snapshotIdOf(snapshot),
        deviceKey: mark.key,
        sizeBytes: mark.sizeBytes,
        changeId: former.changeId,
      },
      signal,
    );
  } catch (error) {
    if (!isFault(error, ...idRefused) || !(error instanceof CausewayError)) throw error;
    return untold(`the server does not know what changed (${error.message})`);
  }
}

/** The whole disk by what the server knows to be in use; undefined where it does not know that for sure. */
async function areasInUse(
  context: SourceContext,
  snapshot: Snapshot,
  mark: DiskMark,
  signal: AbortSignal,
): Promise<readonly Extent[] | undefined> {
  if (!mark.areasAreKnown) return undefined;
  try {
    return await usedAreas(
      context,
      {
        vm: vmObject(snapshot.vmId),
        snapshotId: snapshotIdOf(snapshot),
        deviceKey: mark.key,
        sizeBytes: mark.sizeBytes,
      },
      signal,
    );
  } catch (error) {
    if (
      !(error instanceof CausewayError) ||
      !(isFault(error, ...idRefused) || error.code === 'source.tracking-incomplete')
    )
      throw error;
    return undefined;
  }
}

import type { Snapshot as CloudSnapshot } from '@azure/arm-compute';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { deleteAndWait, ensureResource, nameOf, resourceTags } from '../../../cloud-resources/ledgered-resource.ts';
import { pollPlan } from '../../../cloud-resources/retry-context.ts';
import { waitForState } from '../../../http/wait-for-state.ts';
import type { LedgerEntry, LedgerScope } from '../../../ports/ledger.ts';
import { revokeAccess, type AccessTarget } from '../client/disk-access.ts';
import { parseResourceId, resourceId } from '../client/resource-id.ts';
import { isLate, sizeOf, type VmDisk } from './inventory.ts';
import type { SnapshotMark } from './snapshot-mark.ts';
import { ledgerOf, runOf, type SourceContext } from './source-context.ts';
import {
  askForBlobSnapshot,
  blobOf,
  blobSnapshotMark,
  deleteBlobSnapshot,
  etagOf,
  findBlobSnapshot,
} from './unmanaged/blob-snapshots.ts';
import { isBlobId } from './unmanaged/vhd-blobs.ts';

/** The key of a disk's snapshot in the ledger. */
const snapshotKey = (tag: string, diskId: string): string => `${tag}/${diskId}/snapshot`;

/** Snapshots of Ultra Disks and Premium SSD v2 are copied in the background: hours for a large disk. */
const backgroundCopyMs = 24 * 3600_000;

/**
 * Incremental snapshots of all disks, asked for at the same time, so that they are as close in time as the cloud lets them be, and
 * waited for after that.
 *
 * @throws `source.snapshot-failed` when the cloud could not take one; `cloud.*`
 */
export async function takeSnapshots(
  context: SourceContext,
  tag: string,
  disks: readonly VmDisk[],
  signal: AbortSignal,
): Promise<readonly SnapshotMark[]> {
  const asked = await Promise.allSettled(disks.map((disk) => ask(context, tag, disk, signal)));
  const failed = asked.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  const entries = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const settled = await Promise.allSettled(
    entries.map(({ id }, index) => whenReadable(context, id, disks[index], signal)),
  );
  for (const [index, one] of settled.entries()) {
    if (one.status !== 'rejected') continue;
    const entry = entries[index]?.entry;
    // One that failed is of no use, and would be met again by a repetition.
    if (entry !== undefined && one.reason instanceof CausewayError && one.reason.code === 'source.snapshot-failed')
      await removeSnapshot(context, ledgerOf(context), entry, signal).catch(() => undefined);
    throw one.reason;
  }
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

async function ask(
  context: SourceContext,
  tag: string,
  disk: VmDisk,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly entry: LedgerEntry }> {
  if (disk.blob !== undefined) return askForBlobSnapshot(context, disk.blob, snapshotKey(tag, disk.id), signal);
  const { cloud } = context;
  const compute = await cloud.compute();
  const { group } = parseResourceId(disk.resourceId);
  const idOf = (entry: LedgerEntry): string =>
    resourceId(cloud.connection.subscriptionId, group, 'Microsoft.Compute/snapshots', nameOf(entry));
  const get = async (entry: LedgerEntry, within: AbortSignal) => {
    const found = await readSnapshot(context, { kind: 'snapshot', group, name: nameOf(entry) }, within);
    return found === undefined ? undefined : { id: idOf(entry) };
  };
  const intent = {
    kind: 'volume-snapshot',
    key: snapshotKey(tag, disk.id),
    lifetime: 'replica',
    details: { resourceGroup: group, location: disk.disk.location, diskId: disk.resourceId },
  } as const;
  const { resource, entry } = await ensureResource(
    cloud,
    ledgerOf(context),
    intent,
    {
      find: get,
      get: (_id, given, within) => get(given, within),
      async create(given, within) {
        await cloud.submit(
          `create snapshot ${nameOf(given)} of disk ${disk.id}`,
          (options) =>
            compute.snapshots.createOrUpdate(
              group,
              nameOf(given),
              {
                location: disk.disk.location,
                tags: resourceTags(runOf(context), given),
                incremental: true,
                creationData: { createOption: 'Copy', sourceResourceId: disk.resourceId },
                // The cheapest type: what is kept of a snapshot is what differs from the one before.
                sku: { name: 'Standard_LRS' },
              },
              options,
            ),
          within,
        );
        return { id: idOf(given) };
      },
    },
    signal,
  );
  return { id: resource.id, entry };
}

function whenReadable(
  context: SourceContext,
  id: string,
  disk: VmDisk | undefined,
  signal: AbortSignal,
): Promise<SnapshotMark> {
  if (disk?.blob !== undefined) return blobSnapshotMark(context, id, disk.blob, disk.sizeBytes, signal);
  const { cloud } = context;
  const target = targetOf(id);
  const deadlineMs = disk !== undefined && isLate(disk.disk) ? backgroundCopyMs : cloud.timing.volumeMs;
  return waitForState(
    { operation: `snapshot ${target.name}` },
    async (within) => {
      const seen = await readSnapshot(context, target, within);
      const state = seen?.provisioningState ?? 'missing';
      const error = seen?.copyCompletionError?.errorMessage;
      if (seen === undefined || state === 'Failed' || state === 'Canceled' || error !== undefined) {
        throw new CausewayError(
          'source.snapshot-failed',
          `the snapshot ${target.name} of disk ${disk?.id ?? ''} is ${state}${error === undefined ? '' : `: ${error}`}`,
          { details: { snapshotId: id } },
        );
      }
      const percent = seen.completionPercent ?? 100;
      if (state !== 'Succeeded' || percent < 100)
        return { done: false, state: state === 'Succeeded' ? `copied to ${percent} %` : state };
      if (disk !== undefined && sizeOf(seen) !== disk.sizeBytes) {
        throw new CausewayError(
          'source.snapshot-failed',
          `the disk ${disk.id} changed its size while its snapshot was taken`,
          { details: { snapshotId: id } },
        );
      }
      return {
        done: true,
        value: { snapshotId: id, uniqueId: seen.uniqueId ?? '', family: seen.incrementalSnapshotFamilyId ?? '' },
      };
    },
    pollPlan(cloud.timing, deadlineMs),
    cloud.clock,
    signal,
  );
}

export async function readSnapshot(
  { cloud }: Pick<SourceContext, 'cloud'>,
  { group, name }: AccessTarget,
  signal: AbortSignal,
): Promise<CloudSnapshot | undefined> {
  const compute = await cloud.compute();
  return cloud.find(`get snapshot ${name}`, (options) => compute.snapshots.get(group, name, options), signal);
}

/** Whether it is still there, and not another one of its name. */
export async function isThere(context: SourceContext, mark: SnapshotMark, signal: AbortSignal): Promise<boolean> {
  if (isBlobId(mark.snapshotId)) return (await etagOf(context, mark.snapshotId, signal)) === mark.uniqueId;
  const seen = await readSnapshot(context, targetOf(mark.snapshotId), signal);
  return seen !== undefined && seen.uniqueId === mark.uniqueId && seen.provisioningState === 'Succeeded';
}

export function targetOf(snapshotId: string): AccessTarget {
  const { group, name } = parseResourceId(snapshotId);
  return { kind: 'snapshot', group, name };
}

function targetOfEntry(entry: LedgerEntry): AccessTarget {
  if (entry.resourceId !== undefined) return targetOf(entry.resourceId);
  const group = entry.details['resourceGroup'] ?? entry.details['group'];
  return { kind: 'snapshot', group: typeof group === 'string' ? group : '', name: nameOf(entry) };
}

/** Removes a recorded snapshot and waits until it is gone. One that somebody may still read by its address would be kept by the cloud. */
export async function removeSnapshot(
  context: Pick<SourceContext, 'cloud' | 'vhds'>,
  ledger: LedgerScope,
  entry: LedgerEntry,
  signal: AbortSignal,
): Promise<void> {
  const { cloud } = context;
  await ledger.release(
    entry,
    {
      findId: (given, within) => findSnapshotId(context, given, within),
      async remove(id, given, within) {
        if (isBlobId(id)) return deleteBlobSnapshot(context, id, given, within);
        const compute = await cloud.compute();
        const target = targetOf(id);
        const { group, name } = target;
        await deleteAndWait(
          cloud,
          `snapshot ${name}`,
          {
            async remove(inner) {
              if ((await readSnapshot({ cloud }, target, inner)) === undefined) return;
              await revokeAccess(cloud, target, inner);
              await cloud.remove(
                `delete snapshot ${name}`,
                (options) => compute.snapshots.delete(group, name, options),
                inner,
              );
            },
            get: (inner) => readSnapshot({ cloud }, target, inner),
            cameBack: (snapshot) =>
              snapshot.provisioningState === 'Succeeded' || snapshot.provisioningState === 'Failed',
          },
          within,
        );
      },
    },
    signal,
  );
}

/** Whether the snapshot of an entry is there. The name of one of a managed disk carries the entry, so that it needs no list. */
export async function findSnapshotId(
  context: Pick<SourceContext, 'cloud' | 'vhds'>,
  entry: LedgerEntry,
  signal: AbortSignal,
): Promise<string | undefined> {
  const blob = blobOf(entry);
  if (blob !== undefined) return findBlobSnapshot(context, blob, entry, signal);
  const target = targetOfEntry(entry);
  const found = await readSnapshot(context, target, signal);
  return found === undefined
    ? undefined
    : resourceId(context.cloud.connection.subscriptionId, target.group, 'Microsoft.Compute/snapshots', target.name);
}

/** What the source recorded for a snapshot (`of`), or for all others of the replica (`notOf`); the last one first. */
export function recordedOf(
  ledger: LedgerScope,
  filter: { readonly of?: string; readonly notOf?: string },
): readonly LedgerEntry[] {
  const belongsTo = (entry: LedgerEntry, tag: string): boolean => entry.key.startsWith(`${tag}/`);
  return ledger
    .list({ kind: 'volume-snapshot' })
    .filter(
      (entry) =>
        (filter.of === undefined || belongsTo(entry, filter.of)) &&
        (filter.notOf === undefined || !belongsTo(entry, filter.notOf)),
    )
    .reverse();
}

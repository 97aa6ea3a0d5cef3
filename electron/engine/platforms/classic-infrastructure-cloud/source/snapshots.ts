import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { ensureResource, entryLabel, nameOf, resourceTags } from '../../../cloud-resources/ledgered-resource.ts';
import { labelKeys, labelValue } from '../../../cloud-resources/labels.ts';
import { deleteResource } from '../../../cloud-resources/resource-deletion.ts';
import { pollPlan } from '../../../cloud-resources/retry-context.ts';
import { waitForState } from '../../../http/wait-for-state.ts';
import type { LedgerEntry } from '../../../ports/ledger.ts';
import { isTagged } from '../client/object-names.ts';
import type { ClassicSnapshot } from '../client/storage.ts';
import { asSnapshot } from '../cloud/cloud-calls.ts';
import { cloudApi } from '../cloud/remove-resource.ts';
import type { InstanceParts } from './inventory.ts';
import { keyOf, runOf, type DiskMark, type SourceContext } from './source-context.ts';

type Owned = ClassicSnapshot & { readonly id: string };
const owned = (found: ClassicSnapshot | undefined): Owned | undefined =>
  found === undefined ? undefined : { ...found, id: found.name };

/**
 * Takes a collocated snapshot of each volume, or takes up those that an earlier call asked for, and waits until they are complete. All
 * are asked for before the first one is waited for, so that little time lies between them.
 *
 * @returns marks of the disks, in their order
 * @throws `source.snapshot-failed`; `cloud.*`
 */
export async function takeSnapshots(
  context: SourceContext,
  tag: string,
  parts: InstanceParts,
  signal: AbortSignal,
): Promise<readonly DiskMark[]> {
  const { classic } = context;
  const { storage } = classic;
  const run = runOf(context);
  const made: { readonly snapshot: Owned; readonly entry: LedgerEntry }[] = [];
  for (const { volume } of parts.disks) {
    const { resource, entry } = await ensureResource<Owned>(
      classic,
      run.ledger,
      {
        kind: 'volume-snapshot',
        key: keyOf(tag, `snapshot/${volume.name}`),
        lifetime: 'replica',
        details: { vmId: parts.instance.name, volumeId: volume.name },
      },
      {
        find: async (each, s) =>
          owned((await storage.snapshots(s)).find((snapshot) => isTagged(snapshot, entryLabel(each)))),
        get: async (id, _entry, s) => owned(await storage.snapshot(id, s)),
        async create(each, s) {
          const labels = resourceTags(run, each, { [labelKeys.vm]: labelValue(parts.instance.name) });
          const snapshot = await storage.createSnapshot(
            { volume: volume.name, name: nameOf(each), labels, isCollocated: true },
            s,
          );
          return { ...snapshot, id: snapshot.name };
        },
      },
      signal,
    );
    made.push({ snapshot: resource, entry });
  }
  try {
    for (const { snapshot } of made) await completed(context, snapshot.id, signal);
  } catch (error) {
    // A set that failed is of no use, and would be met again by a repetition.
    if (error instanceof CausewayError && error.code === 'source.snapshot-failed') {
      for (const { entry } of made)
        await deleteResource(cloudApi(classic), run.ledger, entry, signal).catch(() => undefined);
    }
    throw error;
  }
  return parts.disks.map(({ volume, pool }, index) => ({
    diskId: volume.name,
    sizeBytes: volume.size,
    snapshot: made[index]?.snapshot.id ?? '',
    pool,
  }));
}

async function completed(
  { classic: { storage, timing, clock } }: SourceContext,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const operation = `snapshot ${id}: waiting until it is complete`;
  await waitForState(
    { operation, details: { snapshotId: id } },
    async (s) => {
      const found = await storage.snapshot(id, s);
      const now = found === undefined ? undefined : asSnapshot(found);
      if (now === undefined || now.state === 'failed') {
        throw new CausewayError('source.snapshot-failed', `${operation}: ${now?.status ?? 'it no longer exists'}`, {
          details: { snapshotId: id },
        });
      }
      return now.state === 'available' ? { done: true, value: undefined } : { done: false, state: now.status };
    },
    pollPlan(timing, timing.volumeMs),
    clock,
    signal,
  );
}

/** Snapshots never change: it is enough that all of them are there. */
export async function areComplete(
  { classic: { storage } }: SourceContext,
  marks: readonly DiskMark[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const { snapshot } of marks) {
    const found = await storage.snapshot(snapshot, signal);
    if (found === undefined || asSnapshot(found).state !== 'available') return false;
  }
  return true;
}

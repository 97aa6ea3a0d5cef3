import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { createOnce, usualLooks } from '../../../http/create-once.ts';
import { isStatus } from '../../../http/http-error.ts';
import { waitForState } from '../../../http/wait-for-state.ts';
import type { LedgerEntry, Lifetime } from '../../../ports/ledger.ts';
import type { PollPlan } from '../../../time/poll.ts';
import type { CloudSnapshot } from '../client/volume.ts';
import { ledgerOf, type CloudDisk, type SourceContext } from './source-context.ts';

const planOf = (deadlineMs: number): PollPlan => ({ deadlineMs, firstMs: 300, capMs: 5000 });

/** The key of a disk's snapshot in the ledger. */
export const snapshotKey = (tag: string, diskId: string): string => `${tag}/${diskId}/snapshot`;

/**
 * Snapshots of the volumes, requested together so that they are as close in time as the cloud lets them be, and
 * waited for after that. Each is of its volume alone: across volumes the state is that of a power failure.
 *
 * @throws `source.snapshot-failed` when the cloud could not take one; `cloud.*`
 */
export async function takeVolumeSnapshots(
  context: SourceContext,
  tag: string,
  lifetime: Lifetime,
  disks: readonly CloudDisk[],
  signal: AbortSignal,
): Promise<readonly CloudSnapshot[]> {
  const asked = await Promise.all(disks.map((disk) => askForSnapshot(context, tag, lifetime, disk, signal)));
  const settled = await Promise.allSettled(asked.map(({ snapshot }) => whenAvailable(context, snapshot, signal)));
  for (const [index, { entry }] of asked.entries()) {
    const outcome = settled[index];
    if (outcome?.status !== 'rejected') continue;
    // One that failed is of no use, and would be met again by a repetition.
    if (outcome.reason instanceof CausewayError && outcome.reason.code === 'source.snapshot-failed')
      await removeVolumeSnapshot(context, entry, signal).catch(() => undefined);
    throw outcome.reason;
  }
  return settled.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
}

interface AskedSnapshot {
  readonly snapshot: CloudSnapshot;
  readonly entry: LedgerEntry;
}

async function askForSnapshot(
  context: SourceContext,
  tag: string,
  lifetime: Lifetime,
  disk: CloudDisk,
  signal: AbortSignal,
): Promise<AskedSnapshot> {
  const { snapshots } = context.cloud.volume;
  const volumeId = disk.volumeId;
  if (volumeId === undefined) throw new CausewayError('general.bug', `disk ${disk.id} is not a volume`);
  const find = async (given: LedgerEntry, within: AbortSignal): Promise<CloudSnapshot | undefined> =>
    (await snapshots.list({ name: given.name, volumeId }, within))[0];
  const { resource, entry } = await ledgerOf(context).ensure(
    { kind: 'volume-snapshot', key: snapshotKey(tag, disk.id), lifetime, details: { volumeId } },
    {
      find,
      get: (id, _entry, within) => snapshots.get(id, within),
      create: (given, within) =>
        createOnce(
          {
            create: (inner) => snapshots.create({ volume_id: volumeId, name: given.name, force: true }, inner),
            find: (inner) => find(given, inner),
          },
          { ...context, looks: usualLooks },
          within,
        ),
    },
    signal,
  );
  return { snapshot: resource, entry };
}

function whenAvailable(context: SourceContext, snapshot: CloudSnapshot, signal: AbortSignal): Promise<CloudSnapshot> {
  return waitForState(
    { operation: `snapshot ${snapshot.id} of volume ${snapshot.volume_id}` },
    async (within) => {
      const seen = await context.cloud.volume.snapshots.get(snapshot.id, within);
      if (seen === undefined || seen.status.startsWith('error')) {
        throw new CausewayError(
          'source.snapshot-failed',
          `the snapshot ${snapshot.id} of volume ${snapshot.volume_id} is ${seen?.status ?? 'missing'}`,
          {
            details: { snapshotId: snapshot.id, volumeId: snapshot.volume_id },
          },
        );
      }
      return seen.status === 'available' ? { done: true, value: seen } : { done: false, state: seen.status };
    },
    planOf(context.deadlines.snapshotMs),
    context.clock,
    signal,
  );
}

/**
 * Removes a recorded snapshot and waits until it is gone. A back end that is not done with it yet accepts the request
 * and then makes the snapshot available again: it is requested again.
 *
 * @throws `source.resource-busy` when volumes were made of it or the cloud could not delete it; `cloud.*`
 */
export function removeVolumeSnapshot(context: SourceContext, entry: LedgerEntry, signal: AbortSignal): Promise<void> {
  const { snapshots } = context.cloud.volume;
  return ledgerOf(context).release(
    entry,
    {
      findId: async (given, within) => (await snapshots.list({ name: given.name }, within))[0]?.id,
      remove: (id, _entry, within) =>
        waitForState(
          { operation: `delete snapshot ${id}` },
          async (inner) => {
            const seen = await snapshots.get(id, inner);
            if (seen === undefined) return { done: true, value: undefined };
            if (seen.status === 'error_deleting') throw busy(`snapshot ${id} could not be deleted by its back end`, id);
            if (seen.status !== 'deleting') {
              try {
                await snapshots.delete(id, inner);
              } catch (error) {
                if (!isStatus(error, 400, 409)) throw error;
                return { done: false, state: `${seen.status}, ${error instanceof Error ? error.message : ''}` };
              }
            }
            return { done: false, state: seen.status };
          },
          planOf(context.deadlines.removeMs),
          context.clock,
          within,
        ),
    },
    signal,
  );
}

export function busy(what: string, resourceId: string): CausewayError {
  return new CausewayError('source.resource-busy', what, { details: { resourceId } });
}

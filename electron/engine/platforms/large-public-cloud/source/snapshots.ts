import { randomBytes } from 'node:crypto';
import type { Snapshot as EbsSnapshot } from '@aws-sdk/client-ec2';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { textStart } from '../../../../../shared/model/cut-text.ts';
import {
  deleteAndWait,
  ensureResource,
  entryLabel,
  nameOf,
  resourceTags,
} from '../../../cloud-resources/ledgered-resource.ts';
import { labelKeys, labelValue } from '../../../cloud-resources/labels.ts';
import { pollPlan } from '../../../cloud-resources/retry-context.ts';
import { waitForState } from '../../../http/wait-for-state.ts';
import type { LedgerEntry } from '../../../ports/ledger.ts';
import { asTags, deleteSnapshot, labelsOf, listSnapshots, snapshotsById, tagFilters } from '../client/compute.ts';
import type { InstanceParts } from './inventory.ts';
import { ledgerOf, removeKnown, runOf, type DiskMark, type SourceContext } from './source-context.ts';

/** What the source recorded for a snapshot begins with its tag. */
export const keyOf = (tag: string, part: string): string => `${tag}/${part}`;
export const belongsTo = ({ key }: Pick<LedgerEntry, 'key'>, tag: string): boolean => key.startsWith(keyOf(tag, ''));

/** The snapshots of all volumes of an instance, taken at one moment: one entry of the ledger, and one request. */
interface SnapshotSet {
  /** Their ids, with commas. */
  readonly id: string;
  readonly snapshots: readonly EbsSnapshot[];
}

const idsOf = (setId: string): readonly string[] => setId.split(',').filter((id) => id !== '');
/** Tells the snapshots of one request from those of another one for the same entry, whose answer was lost: only those of one request are of one moment. */
const requestLabel = 'causeway-request';
/** One that this process did not just create, and that is missing so often, was deleted. */
const mostMisses = 5;

const setOf = (snapshots: readonly EbsSnapshot[]): SnapshotSet => ({
  id: snapshots
    .flatMap(({ SnapshotId: id }) => id ?? [])
    .toSorted()
    .join(','),
  snapshots,
});

/**
 * Takes the snapshots, or takes up those that an earlier call asked for, and waits until they are complete.
 *
 * @returns marks of the disks, in their order
 * @throws `source.snapshot-failed`; `cloud.*`
 */
export async function takeSnapshots(
  context: SourceContext,
  tag: string,
  parts: InstanceParts,
  signal: AbortSignal,
): Promise<{ readonly takenAt: string; readonly marks: readonly DiskMark[] }> {
  const { cloud } = context;
  const run = runOf(context);
  const find = async (entry: LedgerEntry, within: AbortSignal): Promise<SnapshotSet | undefined> => {
    const requests = Object.groupBy(
      await listSnapshots(cloud, tagFilters(entryLabel(entry)), within),
      ({ Tags: tags }) => labelsOf(tags)[requestLabel] ?? '',
    );
    // A listing may be behind for a moment and name only some of them.
    const whole = Object.values(requests).find((made = []) =>
      parts.disks.every(({ id }) => made.some(({ VolumeId: volumeId }) => volumeId === id)),
    );
    return whole === undefined ? undefined : setOf(whole);
  };
  const { resource, entry } = await ensureResource<SnapshotSet>(
    context,
    run.ledger,
    {
      kind: 'volume-snapshot',
      key: keyOf(tag, 'snapshots'),
      lifetime: 'replica',
      details: { vmId: parts.id, volumeIds: parts.disks.map(({ id }) => id) },
    },
    {
      find,
      async get(id, _entry, within) {
        const found = await snapshotsById(cloud, idsOf(id), within);
        // As long as one of them is there, the entry is needed for its removal.
        return found.length === 0 ? undefined : { id, snapshots: found };
      },
      async create(each, within) {
        const labels = {
          Name: nameOf(each),
          ...resourceTags(run, each, {
            [labelKeys.vm]: labelValue(parts.id),
            [requestLabel]: randomBytes(8).toString('hex'),
          }),
        };
        const answer = await cloud.ask(
          `create snapshots of VM ${parts.name}`,
          'ec2:CreateSnapshots',
          ({ sdk, ec2Once }, options) =>
            ec2Once.send(
              new sdk.CreateSnapshotsCommand({
                InstanceSpecification: { InstanceId: parts.id },
                Description: textStart(`Causeway: ${parts.name}`, 200),
                TagSpecifications: [{ ResourceType: 'snapshot', Tags: asTags(labels) }],
              }),
              options,
            ),
          within,
        );
        const made = setOf(answer.Snapshots ?? []);
        context.recent.add(...idsOf(made.id));
        return made;
      },
    },
    signal,
  );
  try {
    const done = await completed(context, resource, parts, signal);
    const moments = done.flatMap(({ StartTime: at }) => (at === undefined ? [] : [at.getTime()]));
    return {
      takenAt: new Date(moments.length === 0 ? context.clock.wallTime() : Math.min(...moments)).toISOString(),
      marks: marksOf(context, parts, done),
    };
  } catch (error) {
    // A set that failed is of no use, and would be met again by a repetition.
    if (error instanceof CausewayError && error.code === 'source.snapshot-failed')
      await removeSnapshots(context, entry, signal).catch(() => undefined);
    throw error;
  }
}

function marksOf(context: SourceContext, parts: InstanceParts, done: readonly EbsSnapshot[]): readonly DiskMark[] {
  return parts.disks.map((disk): DiskMark => {
    const made = done.find(({ VolumeId: volumeId }) => volumeId === disk.id);
    if (made?.SnapshotId === undefined || made.VolumeSize === undefined) {
      throw new CausewayError(
        'source.snapshot-failed',
        `VM ${parts.name}: volume ${disk.id} is not among the snapshots, it was attached or detached meanwhile`,
        { details: { volumeId: disk.id } },
      );
    }
    return {
      diskId: disk.id,
      sizeBytes: made.VolumeSize * context.gib,
      snapshotId: made.SnapshotId,
      kmsKeyId: made.Encrypted === true ? (made.KmsKeyId ?? disk.kmsKeyId) : undefined,
    };
  });
}

function completed(
  context: SourceContext,
  set: SnapshotSet,
  { name }: InstanceParts,
  signal: AbortSignal,
): Promise<readonly EbsSnapshot[]> {
  const ids = idsOf(set.id);
  let told = 0;
  let misses = 0;
  return waitForState(
    { operation: `snapshots of VM ${name}` },
    async (within) => {
      const seen = await snapshotsById(context.cloud, ids, within);
      for (const { SnapshotId: id = '' } of seen) context.recent.saw(id);
      const failed = seen.find(({ State: state }) => state === 'error');
      if (failed !== undefined) {
        const why = failed.StateMessage ?? 'no reason given';
        throw new CausewayError(
          'source.snapshot-failed',
          `the snapshot ${failed.SnapshotId} of volume ${failed.VolumeId} failed: ${why}`,
          {
            details: {
              snapshotId: failed.SnapshotId ?? '',
              volumeId: failed.VolumeId ?? '',
              ...(failed.KmsKeyId === undefined ? {} : { key: failed.KmsKeyId }),
            },
          },
        );
      }
      const lost = ids.find((id) => !context.recent.has(id) && !seen.some(({ SnapshotId: found }) => found === id));
      misses = lost === undefined ? 0 : misses + 1;
      if (lost !== undefined && misses >= mostMisses)
        throw new CausewayError('source.snapshot-failed', `VM ${name}: the snapshot ${lost} no longer exists`, {
          details: { snapshotId: lost },
        });
      // Hours pass with the first snapshots of large volumes.
      const percent = Math.min(100, ...seen.map(({ Progress: progress }) => Number.parseInt(progress ?? '0', 10) || 0));
      if (seen.length > 0 && percent < 100 && percent >= told + 20) {
        told = percent;
        context.note(`Snapshots of VM ${name}: ${percent} % complete`);
      }
      const isComplete = seen.length === ids.length && seen.every(({ State: state }) => state === 'completed');
      return isComplete
        ? { done: true, value: seen }
        : {
            done: false,
            state:
              seen.map(({ SnapshotId: id, Progress: progress }) => `${id} ${progress ?? 'pending'}`).join(', ') ||
              'not listed',
          };
    },
    pollPlan(context.timing, context.snapshotMs),
    context.clock,
    signal,
  );
}

/** Whether all of the snapshots are there and complete. */
export async function areComplete(
  context: SourceContext,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const seen = await snapshotsById(context.cloud, ids, signal);
  return ids.every((id) => seen.some(({ SnapshotId: found, State: state }) => found === id && state === 'completed'));
}

/** Removes the snapshots of an entry: those that are recorded, and those that carry its tag. */
export function removeSnapshots(context: SourceContext, entry: LedgerEntry, signal: AbortSignal): Promise<void> {
  return ledgerOf(context).release(
    entry,
    {
      findId: async (given, within) =>
        setOf(await listSnapshots(context.cloud, tagFilters(entryLabel(given)), within)).id || undefined,
      async remove(setId, given, within) {
        const tagged = await listSnapshots(context.cloud, tagFilters(entryLabel(given)), within);
        const ids = new Set([...idsOf(setId), ...tagged.flatMap(({ SnapshotId: id }) => id ?? [])]);
        for (const id of ids) {
          const get = async (inner: AbortSignal) => (await snapshotsById(context.cloud, [id], inner))[0];
          await deleteAndWait(
            context,
            `snapshot ${id}`,
            {
              remove: (inner) =>
                removeKnown(
                  context,
                  id,
                  () => deleteSnapshot(context.cloud, id, inner),
                  () => get(inner),
                ),
              get,
            },
            within,
          );
        }
      },
    },
    signal,
  );
}

/** The snapshots of an entry as far as they are there. */
export async function findSnapshots(
  context: SourceContext,
  entry: LedgerEntry,
  signal: AbortSignal,
): Promise<{ readonly id: string } | undefined> {
  const found =
    entry.resourceId === undefined
      ? await listSnapshots(context.cloud, tagFilters(entryLabel(entry)), signal)
      : await snapshotsById(context.cloud, idsOf(entry.resourceId), signal);
  return found.length === 0 ? undefined : { id: setOf(found).id };
}

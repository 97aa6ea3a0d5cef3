import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import { createOnce, usualLooks } from '../../../../http/create-once.ts';
import { isStatus } from '../../../../http/http-error.ts';
import { waitForState } from '../../../../http/wait-for-state.ts';
import type { LedgerEntry } from '../../../../ports/ledger.ts';
import type { PollPlan } from '../../../../time/poll.ts';
import type { CloudBackup } from '../../client/volume.ts';
import { recordedOf } from '../recorded.ts';
import { ledgerOf, type CloudDisk, type SourceContext } from '../source-context.ts';
import { busy, removeVolumeSnapshot, takeVolumeSnapshots } from '../volume-snapshots.ts';

const planOf = (deadlineMs: number): PollPlan => ({ deadlineMs, firstMs: 500, capMs: 10_000 });

export const backupKey = (tag: string, diskId: string, form: 'incremental' | 'full'): string =>
  `${tag}/${diskId}/backup-${form}`;

export interface BackupWishes {
  readonly tag: string;
  readonly container: string | undefined;
  /**
   * `snapshots`: of snapshots that are taken first, close in time. `volumes`: of the volumes themselves, asked for at once;
   * some drivers only then make more than a plain copy.
   */
  readonly of: 'snapshots' | 'volumes';
  /** Whether the disk's backup may count from the newest one that the cloud has. */
  readonly incremental: (disk: CloudDisk) => boolean;
  /**
   * Looks at a finished backup: what is to be kept of it, or undefined when it is an incremental one that is of no use,
   * so that a full one is made instead.
   */
  readonly accept: (backup: CloudBackup, signal: AbortSignal) => Promise<BackupMark | undefined>;
}

export type BackupMark = Readonly<Record<string, string>> & { readonly backupId: string };

/**
 * Backups of the volumes as they are at one moment, or nearly so.
 *
 * @throws `source.backup-failed`, `source.snapshot-failed`, `cloud.*`
 */
export async function makeBackups(
  context: SourceContext,
  disks: readonly CloudDisk[],
  wishes: BackupWishes,
  signal: AbortSignal,
): Promise<readonly BackupMark[]> {
  const { tag } = wishes;
  if (wishes.of === 'volumes')
    return Promise.all(disks.map((disk) => backUp(context, disk, undefined, wishes, signal)));
  const snapshots = await takeVolumeSnapshots(context, tag, 'replica', disks, signal);
  const made: BackupMark[] = [];
  // One after the other: a backup service has few workers, and many of its drivers use much memory for each.
  for (const [index, disk] of disks.entries()) {
    const snapshotId = snapshots[index]?.id;
    if (snapshotId === undefined) throw new CausewayError('general.bug', `disk ${disk.id} has no snapshot`);
    made.push(await backUp(context, disk, snapshotId, wishes, signal));
  }
  await removeSnapshotsOf(context, tag, signal);
  return made;
}

export async function removeSnapshotsOf(context: SourceContext, tag: string, signal: AbortSignal): Promise<void> {
  for (const entry of recordedOf(ledgerOf(context), { kind: 'volume-snapshot', of: tag }))
    await removeVolumeSnapshot(context, entry, signal);
}

async function backUp(
  context: SourceContext,
  disk: CloudDisk,
  snapshotId: string | undefined,
  wishes: BackupWishes,
  signal: AbortSignal,
): Promise<BackupMark> {
  if (wishes.incremental(disk)) {
    const backup = await ensureBackup(context, disk, snapshotId, wishes, 'incremental', signal).catch(
      (error: unknown) => {
        // No parent that can be counted from (removed, or newer than the snapshot), or the volume grew since.
        if (!isStatus(error, 400) && !(error instanceof CausewayError && error.code === 'source.backup-failed'))
          throw error;
        noteFullBackup(context, disk, error instanceof Error ? error.message : String(error));
        return undefined;
      },
    );
    const accepted = backup === undefined ? undefined : await wishes.accept(backup, signal);
    if (accepted !== undefined) return accepted;
    if (backup !== undefined)
      noteFullBackup(context, disk, `backup ${backup.id} depends on one that is stored elsewhere`);
    for (const entry of recordedOf(ledgerOf(context), { kind: 'volume-backup', of: wishes.tag })) {
      if (entry.key === backupKey(wishes.tag, disk.id, 'incremental')) await removeBackup(context, entry, signal);
    }
  }
  const backup = await ensureBackup(context, disk, snapshotId, wishes, 'full', signal);
  const accepted = await wishes.accept(backup, signal);
  if (accepted === undefined)
    throw new CausewayError(
      'source.backup-unreadable',
      `backup ${backup.id} of volume ${backup.volume_id} is not in the expected location`,
    );
  return accepted;
}

async function ensureBackup(
  context: SourceContext,
  disk: CloudDisk,
  snapshotId: string | undefined,
  wishes: BackupWishes,
  form: 'incremental' | 'full',
  signal: AbortSignal,
): Promise<CloudBackup> {
  const { backups } = context.cloud.volume;
  const volumeId = disk.volumeId ?? '';
  const find = async (entry: LedgerEntry, within: AbortSignal): Promise<{ id: string } | undefined> =>
    (await backups.list({ name: entry.name, volumeId }, within))[0];
  const { resource, entry: recorded } = await ledgerOf(context).ensure(
    { kind: 'volume-backup', key: backupKey(wishes.tag, disk.id, form), lifetime: 'replica', details: { volumeId } },
    {
      find,
      get: (id, _entry, within) => backups.get(id, within),
      create: (entry, within) =>
        createOnce(
          {
            create: (inner) =>
              backups.create(
                {
                  volume_id: volumeId,
                  name: entry.name,
                  incremental: form === 'incremental',
                  force: true,
                  ...(snapshotId === undefined ? {} : { snapshot_id: snapshotId }),
                  ...(wishes.container === undefined ? {} : { container: wishes.container }),
                },
                inner,
              ),
            find: (inner) => find(entry, inner),
          },
          { ...context, looks: usualLooks },
          within,
        ),
    },
    signal,
  );
  return waitForState(
    { operation: `backup ${resource.id} of volume ${volumeId}` },
    async (within) => {
      const seen = await backups.get(resource.id, within);
      if (seen === undefined || seen.status === 'error') {
        // One that failed is of no use, and would be met again by a repetition.
        await removeBackup(context, recorded, within).catch(() => undefined);
        throw new CausewayError(
          'source.backup-failed',
          `backup ${resource.id} of volume ${volumeId}: ${seen?.fail_reason ?? (seen === undefined ? 'it no longer exists' : 'no reason given')}`,
          {
            details: { volumeId, backupId: resource.id },
          },
        );
      }
      return seen.status === 'available' ? { done: true, value: seen } : { done: false, state: seen.status };
    },
    planOf(context.deadlines.backupMs),
    context.clock,
    signal,
  );
}

/**
 * Removes a recorded backup and waits until it is gone.
 *
 * @throws `source.resource-busy` while other backups depend on it; `cloud.*`
 */
export function removeBackup(context: SourceContext, entry: LedgerEntry, signal: AbortSignal): Promise<void> {
  const { backups } = context.cloud.volume;
  return ledgerOf(context).release(
    entry,
    {
      findId: async (given, within) => (await backups.list({ name: given.name }, within))[0]?.id,
      remove: (id, _entry, within) =>
        waitForState(
          { operation: `delete backup ${id}` },
          async (inner) => {
            const seen = await backups.get(id, inner);
            if (seen === undefined || seen.status === 'deleted') return { done: true, value: undefined };
            if (seen.has_dependent_backups === true)
              throw busy(`backup ${id} of volume ${seen.volume_id} has dependent backups`, id);
            if (seen.status === 'error_deleting')
              throw busy(`backup ${id} could not be deleted by the backup service: ${seen.fail_reason ?? ''}`, id);
            if (seen.status === 'available' || seen.status === 'error') {
              try {
                await backups.delete(id, inner);
              } catch (error) {
                if (!isStatus(error, 400, 409)) throw error;
                throw busy(`backup ${id}: ${error instanceof Error ? error.message : ''}`, id);
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

/**
 * Removes those of the recorded backups that `unwanted` names, the newest first, since newer ones depend on older ones.
 * A backup that another one depends on stays in the ledger, and its deletion is tried again later.
 */
export async function removeBackups(
  context: SourceContext,
  unwanted: (entry: LedgerEntry) => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (const entry of recordedOf(ledgerOf(context), { kind: 'volume-backup' }).filter(unwanted)) {
    try {
      await removeBackup(context, entry, signal);
    } catch (error) {
      if (!(error instanceof CausewayError) || error.code !== 'source.resource-busy') throw error;
    }
  }
}

/** An incremental backup was asked for: why it takes longer this time. */
function noteFullBackup({ use }: SourceContext, disk: CloudDisk, why: string): void {
  use?.note?.(`disk ${disk.id} is backed up in full: the cloud could not create an incremental backup`, {
    diskId: disk.id,
    reason: why,
  });
}

import { nameOf } from '../../../cloud-resources/ledgered-resource.ts';
import { detachCopy } from '../../../cloud-resources/own-vm.ts';
import { findResourceOf, deleteResource } from '../../../cloud-resources/resource-deletion.ts';
import type { LedgerEntry } from '../../../ports/ledger.ts';
import { cloudApi } from '../destination/cloud-api.ts';
import { ledgerOf, type SourceContext } from './source-context.ts';
import { removeBackup } from './mechanisms/cinder-backups.ts';
import { removeVolumeSnapshot } from './volume-snapshots.ts';

/** Removes one recorded resource of any kind. Missing counts as removed. */
export async function removeRecorded(context: SourceContext, entry: LedgerEntry, signal: AbortSignal): Promise<void> {
  switch (entry.kind) {
    case 'volume-snapshot':
      return removeVolumeSnapshot(context, entry, signal);
    case 'volume-backup':
      return removeBackup(context, entry, signal);
    case 'image':
      return ledgerOf(context).release(
        entry,
        {
          findId: async (given, s) => (await context.cloud.image.list({ name: nameOf(given) }, s))[0]?.id,
          remove: (id, _entry, s) => context.cloud.image.delete(id, s),
        },
        signal,
      );
    default:
      await detachCopy(cloudApi(context.session), ledgerOf(context), entry, signal);
      return deleteResource(cloudApi(context.session), ledgerOf(context), entry, signal);
  }
}

/** Whether the resource of an entry still exists, by ID or name. */
export async function findRecorded(
  { session, cloud }: SourceContext,
  entry: LedgerEntry,
  signal: AbortSignal,
): Promise<{ readonly id: string } | undefined> {
  const id = entry.resourceId;
  switch (entry.kind) {
    case 'volume-snapshot':
      return id === undefined
        ? (await cloud.volume.snapshots.list({ name: entry.name }, signal))[0]
        : cloud.volume.snapshots.get(id, signal);
    case 'volume-backup':
      return id === undefined
        ? (await cloud.volume.backups.list({ name: entry.name }, signal))[0]
        : cloud.volume.backups.get(id, signal);
    case 'image':
      return id === undefined
        ? (await cloud.image.list({ name: nameOf(entry) }, signal))[0]
        : cloud.image.get(id, signal);
    default:
      return findResourceOf(cloudApi(session), entry, signal);
  }
}

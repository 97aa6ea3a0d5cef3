import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { LedgerEntry } from '../../../ports/ledger.ts';
import type { OpenStackCloud } from '../client/open-cloud.ts';
import type { SourceContext } from './source-context.ts';
import { removeBackup } from './volume-backups.ts';
import { removeVolumeSnapshot } from './volume-snapshots.ts';

/** Removes one thing that the source recorded, whatever it is. "Not there" is done. */
export function removeRecorded(context: SourceContext, entry: LedgerEntry, signal: AbortSignal): Promise<void> {
  switch (entry.kind) {
    case 'volume-snapshot':
      return removeVolumeSnapshot(context, entry, signal);
    case 'volume-backup':
      return removeBackup(context, entry, signal);
    default:
      throw new CausewayError('general.bug', `a source recorded a ${entry.kind}`);
  }
}

/** Whether the thing of an entry is still there, by id or by name. */
export async function findRecorded(cloud: OpenStackCloud, entry: LedgerEntry, signal: AbortSignal): Promise<{ readonly id: string } | undefined> {
  const id = entry.resourceId;
  switch (entry.kind) {
    case 'volume-snapshot':
      return id === undefined ? (await cloud.volume.snapshots.list({ name: entry.name }, signal))[0] : cloud.volume.snapshots.get(id, signal);
    case 'volume-backup':
      return id === undefined ? (await cloud.volume.backups.list({ name: entry.name }, signal))[0] : cloud.volume.backups.get(id, signal);
    default:
      return undefined;
  }
}

import type { LedgerEntry } from '../../../../ports/ledger.ts';
import { markText } from '../disk-mark.ts';
import { recordedOf } from '../recorded.ts';
import { removeRecorded } from '../remove-recorded.ts';
import { ledgerOf, type CloudDisk, type MarkedDisk, type SourceContext } from '../source-context.ts';
import { removeBackups } from './cinder-backups.ts';

/**
 * After as many backups on top of each other a full one is made, beside which the chain stays for a moment: clouds allow a
 * project ten backups unless somebody raised that.
 */
const longestChain = 8;

const chainOf = (disk: MarkedDisk): readonly string[] => markText(disk.mark, 'chain').split(' ');

/**
 * Which backups stay. A backup that others depend on cannot be deleted, so that the chain of the last success stays as a
 * whole until a full backup begins a new one.
 */
export const keptBackups = {
  /** IDs of the backups that a disk of a base stands on, its own included; none where its mechanism makes no backups. */
  of: ({ mark }: MarkedDisk): readonly string[] => (typeof mark['chain'] === 'string' ? mark['chain'].split(' ') : []),

  /** Whether a disk's next backup may depend on the base's. */
  incrementalFor(base: readonly MarkedDisk[]): (disk: CloudDisk) => boolean {
    return (disk) =>
      base.some(
        (former) =>
          former.diskId === disk.id && former.sizeBytes === disk.sizeBytes && chainOf(former).length < longestChain,
      );
  },

  /** Removes all that was recorded before and is not in the chains of these disks. */
  async commit(context: SourceContext, tag: string, disks: readonly MarkedDisk[], signal: AbortSignal): Promise<void> {
    const wanted = new Set(disks.flatMap(chainOf));
    const isOurs = (entry: LedgerEntry): boolean => entry.resourceId !== undefined && wanted.has(entry.resourceId);
    await removeBackups(context, (entry) => !isOurs(entry), signal);
    for (const entry of recordedOf(ledgerOf(context), { notOf: tag }))
      if (entry.kind !== 'volume-backup') await removeRecorded(context, entry, signal);
  },

  /** Removes what was made for the snapshot; with `ancestors`, the backups that it depends on as well. */
  async drop(
    context: SourceContext,
    tag: string,
    disks: readonly MarkedDisk[],
    scope: 'alone' | 'ancestors',
    signal: AbortSignal,
  ): Promise<void> {
    const chain = new Set(scope === 'ancestors' ? disks.flatMap(chainOf) : []);
    const mine = new Set(
      recordedOf(ledgerOf(context), { kind: 'volume-backup', of: tag }).map((entry) => entry.entryId),
    );
    await removeBackups(
      context,
      (entry) => mine.has(entry.entryId) || (entry.resourceId !== undefined && chain.has(entry.resourceId)),
      signal,
    );
    for (const entry of recordedOf(ledgerOf(context), { of: tag }))
      if (entry.kind !== 'volume-backup') await removeRecorded(context, entry, signal);
  },
};

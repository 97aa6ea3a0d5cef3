import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonObject } from '../../../../../shared/model/json.ts';
import type { LedgerEntry, LedgerScope } from '../../../ports/ledger.ts';
import type { PlatformUse } from '../../../ports/platform-context.ts';
import type { Snapshot } from '../../../ports/source-platform.ts';
import type { Manager } from '../client/open-manager.ts';
import type { VmParts } from './inventory.ts';

/** What the parts of the source share. */
export interface SourceContext {
  readonly manager: Manager;
  /** For small files that outlive an execution. */
  readonly folder: string;
  /** Where everything is recorded before it is created; undefined where the endpoint is only looked at. */
  readonly ledger: LedgerScope | undefined;
  /** The owner of created resources; undefined if there is no ledger. */
  readonly use: PlatformUse | undefined;
}

/** @throws `general.bug` for a source that was opened to be looked at only */
export function ledgerOf(context: SourceContext): LedgerScope {
  if (context.ledger === undefined)
    throw new CausewayError('general.bug', 'the source was opened without a ledger and cannot create resources');
  return context.ledger;
}

/** What a mechanism keeps of one disk in a snapshot's state. Plain data. */
export type DiskMark = JsonObject;

export interface MarkedDisk {
  readonly diskId: string;
  readonly sizeBytes: number;
  readonly mark: DiskMark;
}

/** The disks of a snapshot with their marks. */
export function markedDisks(snapshot: Snapshot): readonly MarkedDisk[] {
  const marks = snapshot.state['disks'];
  return snapshot.disks.map(({ diskId, sizeBytes }) => {
    const mark = marks !== undefined && isJsonObject(marks) ? marks[diskId] : undefined;
    if (mark === undefined || !isJsonObject(mark))
      throw new CausewayError('source.snapshot-lost', `the snapshot ${snapshot.tag} has no record of disk ${diskId}`);
    return { diskId, sizeBytes, mark };
  });
}

/** A text of a disk's mark. @throws `general.bug` */
export function markText(mark: DiskMark, key: string): string {
  const value = mark[key];
  if (typeof value === 'string') return value;
  throw new CausewayError('general.bug', `the record of a disk has no ${key}`);
}

export interface TakeRequest {
  readonly tag: string;
  readonly environment: JsonObject;
  readonly vm: VmParts;
}

/** What the source recorded for a snapshot, the last one first. */
export function recordedOf(ledger: LedgerScope, tag: string): readonly LedgerEntry[] {
  return ledger
    .list()
    .filter(({ key, state }) => key.startsWith(`${tag}/`) && state !== 'removed')
    .reverse();
}

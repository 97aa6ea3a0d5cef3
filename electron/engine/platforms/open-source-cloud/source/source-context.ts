import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { BackOff } from '../../../time/back-off.ts';
import type { Clock } from '../../../time/clock.ts';
import type { LedgerScope } from '../../../ports/ledger.ts';
import type { PlatformUse } from '../../../ports/platform-context.ts';
import type { OpenStackCloud } from '../client/open-cloud.ts';
import type { OpenStackSession } from '../destination/context.ts';
import type { StorageOptions } from './rbd/storage-cluster.ts';

/** What the parts of the source share. */
export interface SourceContext {
  readonly session: OpenStackSession;
  readonly cloud: OpenStackCloud;
  readonly clock: Clock;
  readonly random: () => number;
  readonly backOff: BackOff;
  readonly deadlines: SourceDeadlines;
  /** How the distributed storage is reached directly. */
  readonly storage: StorageOptions;
  /** For small files that outlive a run. */
  readonly folder: string;
  /** Where everything is recorded before it is created; undefined where the endpoint is only looked at. */
  readonly ledger: LedgerScope | undefined;
  /** The owner of created resources; undefined if there is no ledger. */
  readonly use: PlatformUse | undefined;
}

/** Time limits, in milliseconds. */
export interface SourceDeadlines {
  /** Until a snapshot of a volume is there. */
  readonly snapshotMs: number;
  /** Until a backup is made. That of a large volume takes hours. */
  readonly backupMs: number;
  /** Until something is removed; a back end may hold on to it for minutes. */
  readonly removeMs: number;
}

export const usualDeadlines: SourceDeadlines = {
  snapshotMs: 10 * 60_000,
  backupMs: 24 * 3600_000,
  removeMs: 20 * 60_000,
};

/** @throws `general.bug` for a source that was opened to be looked at only */
export function ledgerOf(context: SourceContext): LedgerScope {
  if (context.ledger === undefined)
    throw new CausewayError('general.bug', 'the source was opened without a ledger and cannot create resources');
  return context.ledger;
}

/** A disk of a server as the cloud describes it. */
export interface CloudDisk {
  /** The volume's id; of a root disk that is no volume, `root-` and the server's id. */
  readonly id: string;
  readonly sizeBytes: number;
  /** Undefined for a root disk that lies on the compute host. */
  readonly volumeId: string | undefined;
  readonly serverId: string;
  /** Encrypted by the cloud: its bytes mean something to a server that it is attached to, and to no one else. */
  readonly encrypted: boolean;
}

/** What an export mechanism keeps of one disk in a snapshot's state. Plain data. */
export type DiskMark = JsonObject;

/** A disk in a snapshot, with its mark. */
export interface MarkedDisk {
  readonly diskId: string;
  readonly sizeBytes: number;
  readonly mark: DiskMark;
}

export interface TakeRequest {
  readonly tag: string;
  readonly environment: JsonObject;
  readonly disks: readonly CloudDisk[];
  /** The disks of the last success, if that was exported in the same way. */
  readonly base: readonly MarkedDisk[];
}

export const GIB = 2 ** 30;

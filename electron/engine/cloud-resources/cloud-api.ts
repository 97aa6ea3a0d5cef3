import type { JsonObject } from '../../../shared/model/json.ts';
import type { LedgerEntry } from '../ports/ledger.ts';
import type { Labels } from './labels.ts';
import type { RetryContext } from './retry-context.ts';

/**
 * What can be done with a volume. `changing`: the cloud works on it; `attached`: a server has it; `going`: it is being
 * deleted, or was.
 */
export type VolumeState = 'available' | 'attached' | 'changing' | 'failed' | 'going';

/** A cloud's volume as the shared steps of a destination see it. */
export interface CloudVolume {
  readonly id: string;
  readonly name: string;
  readonly state: VolumeState;
  /** The cloud's own word for its state. */
  readonly status: string;
  readonly sizeGib: number;
  readonly type: string | undefined;
  readonly zone: string | undefined;
  /** The server that has it. */
  readonly serverId: string | undefined;
  readonly labels: Readonly<Record<string, unknown>>;
}

export interface NewCloudVolume {
  readonly name: string;
  readonly sizeGib: number;
  readonly type: string | undefined;
  readonly zone: string | undefined;
  /** Has the content of a snapshot or of another volume; blank when there is neither. */
  readonly contentOf?: { readonly snapshotId: string } | { readonly volumeId: string };
  readonly labels: Labels;
}

export interface VolumeStore {
  list(labels: Labels, signal: AbortSignal): Promise<readonly CloudVolume[]>;
  get(id: string, signal: AbortSignal): Promise<CloudVolume | undefined>;
  create(volume: NewCloudVolume, signal: AbortSignal): Promise<CloudVolume>;
  /** Adds labels, and overwrites those of the same keys. */
  label(id: string, labels: Labels, signal: AbortSignal): Promise<CloudVolume>;
  /** Not repeated by itself: a second request after a lost answer is a conflict. */
  grow(id: string, sizeGib: number, signal: AbortSignal): Promise<void>;
  /** Gives a free volume the content of its latest snapshot back; left out where the cloud can't. */
  revert?(id: string, snapshotId: string, signal: AbortSignal): Promise<void>;
  /** Releases a volume from servers that no longer exist. Absent where that is never needed. */
  forgetGone?(id: string, signal: AbortSignal): Promise<void>;
  /** @throws `cloud.conflict` while something uses it */
  delete(id: string, signal: AbortSignal): Promise<void>;
}

export interface CloudSnapshot {
  readonly id: string;
  readonly state: 'available' | 'changing' | 'failed';
  readonly status: string;
  readonly labels: Readonly<Record<string, unknown>>;
}

export interface SnapshotStore {
  list(labels: Labels, signal: AbortSignal): Promise<readonly CloudSnapshot[]>;
  get(id: string, signal: AbortSignal): Promise<CloudSnapshot | undefined>;
  create(
    snapshot: { readonly volumeId: string; readonly name: string; readonly labels: Labels },
    signal: AbortSignal,
  ): Promise<CloudSnapshot>;
  /** @throws `cloud.conflict` while something uses it */
  delete(id: string, signal: AbortSignal): Promise<void>;
}

/** `off`: it exists but does not start by itself, e.g. because it was switched off. `gone`: deleted, or being so. */
export type ServerState = 'running' | 'changing' | 'failed' | 'off' | 'gone';

export interface CloudServer {
  readonly id: string;
  readonly name: string;
  readonly state: ServerState;
  readonly status: string;
  /** The cloud's words for why it failed. */
  readonly problem: string | undefined;
  readonly labels: Readonly<Record<string, unknown>>;
}

export interface ServerStore {
  get(id: string, signal: AbortSignal): Promise<CloudServer | undefined>;
  /** Asks for an attachment; whether it came about shows at the volume. @throws `cloud.conflict` when it has one */
  attach(id: string, volumeId: string, signal: AbortSignal): Promise<void>;
  /** Not attached is done. */
  detach(id: string, volumeId: string, signal: AbortSignal): Promise<void>;
}

/** How the resource of one ledger entry is found and removed. */
export interface ResourceDeleter {
  readonly findId: (signal: AbortSignal) => Promise<string | undefined>;
  readonly isThere: (id: string, signal: AbortSignal) => Promise<boolean>;
  readonly remove: (id: string, signal: AbortSignal) => Promise<void>;
}

/** The calls that the shared steps make, but for deletion by ledger entry, which is made of them. */
export interface CloudCalls extends RetryContext {
  readonly volumes: VolumeStore;
  readonly snapshots: SnapshotStore;
  readonly servers: ServerStore;
  /** What every entry of the ledger says besides, e.g. in which project its resource is. */
  readonly entryDetails: JsonObject;
  /**
   * What a deployment's volumes are copied from: the snapshot, or the volume that it is of, whose content is the same
   * while the deployment holds the replica. The latter where a storage that copies on write lets no snapshot go from
   * which a volume was made: the snapshot could not be deleted while the migrated VM lives, nor the replica's volume.
   */
  readonly copiesFrom: 'snapshot' | 'volume';
  /** GiB; undefined: the cloud does not say. */
  readonly largestVolumeGib: number | undefined;
}

/** One project of a cloud as the shared steps of a destination see it. */
export interface CloudApi extends CloudCalls {
  deleterFor(entry: LedgerEntry): ResourceDeleter;
}

/** What a worker and the volumes attached to it need of a cloud, also of one that is only a source. */
export interface WorkerCloud extends RetryContext, Pick<CloudApi, 'servers' | 'deleterFor' | 'entryDetails'> {
  readonly volumes: Pick<VolumeStore, 'get' | 'list' | 'forgetGone'>;
}

import type { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import type { CheckReport, FeaturePolicy, OptionList } from './platform-common.ts';
import type { DiskReader } from './disk-reader.ts';
import type { ManagedResource } from './destination-platform.ts';
import type { LedgerEntry, LedgerScope } from './ledger.ts';
import type { OwnVmAccess } from './own-vm.ts';

/**
 * A consistent state of all disks of a VM. Plain data: the engine keeps it in the store and hands it back after a
 * restart. `state` belongs to the adapter.
 */
export interface Snapshot {
  readonly id: string;
  readonly tag: string;
  readonly vmId: string;
  readonly takenAt: string;
  readonly disks: readonly SnapshotDisk[];
  readonly state: JsonObject;
}

export interface SnapshotDisk {
  readonly diskId: string;
  readonly sizeBytes: number;
}

export interface VmSummary {
  readonly id: string;
  readonly name: string;
  readonly os_type: 'linux' | 'windows' | 'unknown';
  readonly power: 'running' | 'stopped' | 'unknown';
  readonly diskCount: number;
  readonly totalBytes: number;
  /** Where it is in the platform's inventory, e.g. `DC0/production/web`. Only of platforms with folders. */
  readonly folder?: string;
  /** The cluster that it runs on, or the host that is in none. */
  readonly cluster?: string;
  /** What people have tagged it with, e.g. `Environment: production`. Only of platforms with tags. */
  readonly tags?: readonly string[];
}

/** A part of the platform that could not be looked into, and why. */
export interface UnlistedPlace {
  readonly name: string;
  readonly error: CausewayError;
}

/** One source endpoint. Every call takes an AbortSignal; errors are `CausewayError` with `source.*` codes. */
export interface SourcePlatform {
  check(signal: AbortSignal): Promise<CheckReport>;
  listVms(signal: AbortSignal): Promise<readonly VmSummary[]>;
  /** What the last `listVms` could not look into, e.g. hosts that are down, so that a list without their VMs does not pass for a whole one. Asks nothing. */
  unlisted?(): readonly UnlistedPlace[];
  /** @param environment for what it says about the guest, e.g. how types of operating systems are told */
  describeVm(vmId: string, signal: AbortSignal, environment?: JsonObject): Promise<Vm>;
  /** What people must know before a VM is replicated: what no described disk carries, and what had to be assumed. A sentence each. */
  unsupportedDevices?(vmId: string, signal: AbortSignal): Promise<readonly string[]>;
  /** What the account has to be allowed, by feature: what a role with least privilege is made of. Asks nothing. */
  policy?(): readonly FeaturePolicy[];
  /** Features as a document that the platform's own tools take, e.g. a role as JSON. Asks nothing. */
  policyDocument?(features: readonly FeaturePolicy[]): string;
  /** Choices for the environment's leaves; `names` are option sources of the schemas' metadata. */
  options(names: readonly string[], signal: AbortSignal): Promise<Readonly<Record<string, OptionList>>>;
  /** Before the first snapshot, e.g. switching change tracking on. */
  prepare(vmId: string, environment: JsonObject, signal: AbortSignal): Promise<void>;
  /**
   * Takes a snapshot and starts change tracking from it. `tag` is unique and findable: a call that is repeated with a
   * tag whose snapshot exists returns that snapshot (the answer to the first call may have been lost).
   */
  createSnapshot(
    request: {
      readonly vmId: string;
      readonly tag: string;
      readonly environment: JsonObject;
      readonly base?: Snapshot;
    },
    signal: AbortSignal,
  ): Promise<Snapshot>;
  /** Whether the snapshot can still be read (its VM or host may have been restarted). */
  isAlive(snapshot: Snapshot, signal: AbortSignal): Promise<boolean>;
  /**
   * Called after the last read of a snapshot and before success is recorded: confirms that everything read from it up to now
   * is one consistent state. Checks each time it is called, whatever was checked while reading.
   * @throws CausewayError `source.changed-while-reading`, `source.snapshot-lost`
   */
  assertUnchanged(snapshot: Snapshot, signal: AbortSignal): Promise<void>;
  /**
   * Opens a disk. With `base`, the reader's coverage is `changed` if the source knows for sure what changed since
   * then, and `allocated` otherwise (no tracking, disk not in the base, tracking reset or stale): never a silent gap.
   */
  openDisk(snapshot: Snapshot, diskId: string, base: Snapshot | undefined, signal: AbortSignal): Promise<DiskReader>;
  /**
   * After success: releases what reading needed and all of the former base, keeps what the next increment needs. Idempotent.
   * Checks nothing: a snapshot that can no longer be read is released as well.
   */
  promoteToBase(snapshot: Snapshot, formerBase: Snapshot | undefined, signal: AbortSignal): Promise<void>;
  /** After failure or cancel: drops the snapshot; `base` stays valid as a base. Idempotent. */
  discardSnapshot(snapshot: Snapshot, base: Snapshot | undefined, signal: AbortSignal): Promise<void>;
  /**
   * Drops whatever a call of `createSnapshot` with this tag made, when that failed or its answer was lost. Idempotent. Where
   * it is left out, the call is repeated and its answer abandoned: for sources that do so immediately.
   */
  discardPending?(request: { readonly vmId: string; readonly tag: string }, signal: AbortSignal): Promise<void>;
  /** When the replica is deleted: drops whatever a base still holds on the source. Idempotent. */
  deleteBase(base: Snapshot, signal: AbortSignal): Promise<void>;
  /** Orderly power-off of the guest, where the platform can. */
  shutdown?(vmId: string, environment: JsonObject, signal: AbortSignal): Promise<void>;
  /** Starts a VM that was shut down, and waits until the platform says that it runs. Running already is done. */
  start?(vmId: string, environment: JsonObject, signal: AbortSignal): Promise<void>;
  /** Removes one resource that this source recorded; "not there" is done. Only for sources that create any. */
  removeResource?(entry: LedgerEntry, ledger: LedgerScope, signal: AbortSignal): Promise<void>;
  /** Whether the resource of an entry is still there, found by id or name. */
  findResource?(entry: LedgerEntry, signal: AbortSignal): Promise<{ readonly id: string } | undefined>;
  /** What this source made for replicas and the platform lists, whether a ledger knows it or not. What `removeResource` takes is in `details`. */
  listManaged?(signal: AbortSignal): Promise<readonly ManagedResource[]>;
  /** Only of sources that read copies of disks on a VM: how a VM that an engine runs on stands in for an export worker. */
  readonly ownVm?: Pick<OwnVmAccess, 'check' | 'hints'>;
  close(): Promise<void>;
}

import type { JsonObject } from '../../shared/model/json.ts';
import type { Snapshot, SourcePlatform } from '../../electron/engine/ports/source-platform.ts';
import type { MortalProcess, PlatformCalls } from './platform-calls.ts';

/**
 * What the conformance suite needs of a source: a VM with two disks (at least 8 MiB each) that the suite can write to as
 * the guest would. Offsets and lengths are multiples of 64 KiB.
 */
export interface SourceHarness {
  readonly platform: SourcePlatform;
  /** The calls of its API. Left out for a source that makes none, e.g. one that reads files. */
  readonly calls?: PlatformCalls;
  /** The source as another process makes it: nothing of this one's memory, but the same folders and ledger. The suite closes it. */
  reopen(process?: MortalProcess): SourcePlatform;
  /**
   * What is on the source, and beside it, only because of replication; and what else is not as its owner left it.
   *
   * @param base leaves out what the platform says that this base stands on, where that grows with each success, e.g. a chain of
   *   backups that no cloud shortens. All of it goes with the base, which the suite looks at as well.
   */
  leftovers(base?: Snapshot): Promise<readonly string[]>;
  readonly vmId: string;
  readonly environment: JsonObject;
  /** Disk ids in the order of the indexes below. */
  readonly diskIds: readonly string[];
  /** What openDisk with a good base gives. */
  readonly tracksChanges: boolean;
  /** Whether the guest may write while a snapshot is read; otherwise such a write must fail the snapshot. */
  readonly isLive: boolean;
  /**
   * The source tells every change, but also parts of the storage's own units around it, and does not tell zeros in them
   * from data: whoever copies finds them out by reading.
   */
  readonly changesAreRough?: boolean;
  /** Disks come in multiples of this; default 4 MiB. */
  readonly diskUnitBytes?: number;
  write(diskIndex: number, offset: number, length: number, byte: number): Promise<void>;
  zero(diskIndex: number, offset: number, length: number): Promise<void>;
  /** What the guest sees on the disk now. */
  content(diskIndex: number): Promise<Buffer>;
  /** Attaches a new, third disk, filled with the byte; resolves with its id. */
  addDisk(sizeBytes: number, byte: number): Promise<string>;
  growDisk(diskIndex: number, sizeBytes: number): Promise<void>;
  /** Does what makes a snapshot worthless while it is kept: writes to an image in use, ends the hypervisor, deletes it in the cloud. */
  spoil(snapshot: Snapshot): Promise<void>;
  /** Makes the source lose its change tracking of the first disk, the hard way (e.g. a restart). */
  loseBase(): Promise<void>;
  close(): Promise<void>;
}

import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { BlockSet } from './block-set.ts';
import { BLOCK_BYTES, blockCount, SEGMENT_BLOCKS, segmentOf } from './blocks.ts';
import type { BlockState } from './block-state.ts';
import type { CheckpointUpdate } from './checkpoints.ts';
import type { DigestUpdate } from './digest-map.ts';
import { DiskRecord, recordedBytes, type TransferStateOptions } from './disk-record.ts';

export { deleteTransferState, type TransferStateOptions } from './disk-record.ts';

/** What a run begins with. */
export interface RunRequest {
  readonly snapshotId: string;
  readonly baseSnapshotId: string | undefined;
  readonly volumeId: string;
  readonly volumeIsNew: boolean;
  readonly volumesAreZeroed: boolean;
  readonly coverage: 'allocated' | 'changed';
}

/** What a run may conclude from the runs before it. */
export interface RunStart {
  /** The same snapshot was started before: the run resumes at `cursorBytes`. */
  readonly resumed: boolean;
  readonly cursorBytes: number;
  /** Below this offset, what the source does not report as changed is in sync; 0: everything has to be read. */
  readonly settledBytes: number;
  /** Blocks that were written since the base: read again whatever the source reports. */
  readonly writtenSinceBase: BlockSet;
  /** Bytes that earlier runs of other snapshots wrote, and that no verification has compared since. */
  readonly unverifiedBytes: number;
}

/** How a snapshot stands to what was replicated. */
export type Resumability =
  | { readonly kind: 'new' }
  | { readonly kind: 'resume'; readonly durableBytes: number }
  | { readonly kind: 'complete' };

/**
 * What is durable of one disk: rows in the store's database, and a digest map beside it. All changes follow one rule:
 * before a block is sent, the database says that it is pending; after the worker made it durable, the map records its
 * digest; then the database forgets the intent, and says that the block is unverified. What is claimed of a block, and when
 * it counts as verified: `BlockState`.
 */
export class TransferState {
  readonly replicaId: string;
  readonly diskId: string;
  readonly sizeBytes: number;
  readonly #record: DiskRecord;
  #pending = new BlockSet();
  #busy = false;

  constructor(options: TransferStateOptions) {
    this.replicaId = options.replicaId;
    this.diskId = options.diskId;
    this.sizeBytes = options.sizeBytes;
    this.#record = new DiskRecord(options);
  }

  /** Whether the volume holds exactly this snapshot, durably, as far as is known. */
  isSynchronised(snapshotId: string): boolean {
    const { id, runSnapshot, runBytes, runComplete } = this.#record.disk;
    return (
      runComplete &&
      runSnapshot === snapshotId &&
      runBytes === this.sizeBytes &&
      this.#record.rows.blocks(id, 'pending').isEmpty
    );
  }

  /** Whether a snapshot was begun or completed before. A snapshot that can be resumed is worth keeping. */
  resumability(snapshotId: string): Resumability {
    if (this.#record.disk.runSnapshot !== snapshotId) return { kind: 'new' };
    return this.isSynchronised(snapshotId)
      ? { kind: 'complete' }
      : { kind: 'resume', durableBytes: this.#record.disk.cursorBytes };
  }

  /**
   * Whether a list of changes since `baseSnapshotId` would not suffice, so that the disk is better opened without base
   * (a run does read everything then, whatever the reader covers).
   */
  mustReadAll(baseSnapshotId: string | undefined): boolean {
    const { baseSnapshot, runSnapshot, runComplete } = this.#record.disk;
    if (baseSnapshotId === undefined) return true;
    return baseSnapshotId !== baseSnapshot && !(runComplete && baseSnapshotId === runSnapshot);
  }

  /**
   * Forgets what the volume holds, after something else may have written to it (restored, attached elsewhere). The next
   * run reads the whole disk, asks the worker for digests, and sends what differs.
   */
  forget(): void {
    this.#reset({ distrusted: true, volumeId: this.#record.disk.volumeId });
    this.close();
  }

  /** Removes rows and map, when the replica is deleted. */
  delete(): void {
    this.#record.delete();
  }

  /** Closes the map's file; it is opened again when needed. Idempotent. */
  close(): void {
    this.#record.close();
  }

  /** Runs `work` as the only one on this disk, with the map open. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (this.#busy) {
      throw new CausewayError('general.bug', `disk ${this.diskId} is already being replicated or verified`);
    }
    this.#busy = true;
    try {
      this.#record.reopen();
      this.#readPending();
      return await work();
    } finally {
      this.#busy = false;
      this.close();
    }
  }

  /** Starts or resumes a run; durable when it returns. Inside `exclusively`, as all that follows. */
  beginRun(request: RunRequest): RunStart {
    this.#matchVolume(request);
    const resumed =
      this.#record.disk.runSnapshot === request.snapshotId && this.#record.disk.runBytes === this.sizeBytes;
    if (!resumed) this.#startSnapshot(request);
    const disk = this.#record.disk;
    const trusted =
      request.coverage === 'changed' &&
      request.baseSnapshotId !== undefined &&
      request.baseSnapshotId === disk.baseSnapshot;
    return {
      resumed,
      cursorBytes: disk.cursorBytes,
      settledBytes: trusted ? disk.baseBytes : 0,
      writtenSinceBase: trusted
        ? this.#record.rows.blocks(disk.id, 'written', segmentOf(Math.ceil(disk.cursorBytes / BLOCK_BYTES)))
        : new BlockSet(),
      unverifiedBytes: resumed ? 0 : Math.min(this.unverifiedBlocks().count() * BLOCK_BYTES, this.sizeBytes),
    };
  }

  /** Makes the blocks of damaged pages of the map unknown, so that the run reads and compares them; durable when it resolves. */
  async distrustDamagedPages(signal: AbortSignal): Promise<void> {
    for await (const segment of this.#record.map.damagedSegments(signal)) {
      const first = segment * SEGMENT_BLOCKS;
      const blocks = new BlockSet();
      blocks.addRun({ first, count: Math.min(SEGMENT_BLOCKS, blockCount(this.sizeBytes) - first) });
      this.intend(blocks);
      this.#pending.addBitmap(segment, blocks.bitmap(segment));
    }
  }

  blockState(block: number): BlockState {
    if (this.#pending.has(block)) return 'unknown';
    const recorded = this.#record.map.entry(block);
    if (recorded === 'damaged') return 'unknown';
    if (recorded === 'none') return this.#record.disk.distrusted ? 'unknown' : 'unwritten';
    return recorded;
  }

  /** Whether a block in the state `digest` has this one. */
  holds(block: number, digest: Buffer): boolean {
    return this.#record.map.holds(block, digest);
  }

  digestOf(block: number): Buffer {
    return this.#record.map.digestOf(block);
  }

  segmentIsZero(segment: number): boolean {
    return !this.#pending.touches(segment) && this.#record.map.segmentIsZero(segment);
  }

  /** Whether blocks of the segment were made unknown by name, as writes, comparisons and damage do. */
  segmentHasPending(segment: number): boolean {
    return this.#pending.touches(segment);
  }

  pendingIn(segment: number): Uint8Array | undefined {
    return this.#pending.bitmap(segment);
  }

  /** Durable before it returns: these blocks may hold anything from now on. */
  intend(blocks: BlockSet): void {
    this.#record.rows.intend(this.#record.disk.id, blocks);
  }

  /** To be called after the worker's flush: the map records the digests, then the intents go. Durable when it resolves. */
  async settle(digests: readonly DigestUpdate[], update: Omit<CheckpointUpdate, 'pages'>): Promise<void> {
    const pages = digests.length > 0 ? await this.#record.map.record(digests) : new BlockSet();
    this.#record.rows.settle(this.#record.disk.id, { ...update, pages });
    this.#record.noteCursor(update.cursorBytes);
    for (const segment of update.settled) this.#pending.dropSegment(segment);
  }

  /** All of the run's blocks are durable. */
  completeRun(): void {
    this.#record.update({ ...this.#record.disk, runComplete: true, distrusted: false, cursorBytes: this.sizeBytes });
  }

  /** Blocks that were written, and not compared with the volume since. */
  unverifiedBlocks(): BlockSet {
    return this.#record.rows.blocks(this.#record.disk.id, 'unverified');
  }

  /**
   * A verification of at least all unverified blocks has ended. `unequal`: those that were found to differ, and those whose
   * content is not known, so that there was nothing to compare with. They are unknown from now on.
   */
  verified(unequal: BlockSet): void {
    this.#record.rows.update(this.#record.disk, { clear: ['unverified'], pending: unequal });
  }

  #matchVolume(request: RunRequest): void {
    const { volumeId } = this.#record.disk;
    if (volumeId !== null && volumeId !== request.volumeId) {
      this.#reset({ distrusted: !request.volumeIsNew, volumeId: request.volumeId });
    }
  }

  #startSnapshot(request: RunRequest): void {
    const disk = this.#record.disk;
    const untouched = disk.runSnapshot === null && !disk.distrusted;
    const zeroed =
      untouched && request.volumeIsNew && request.volumesAreZeroed
        ? [{ offset: 0, length: this.sizeBytes }]
        : disk.zeroed;
    const begun = {
      ...disk,
      volumeId: request.volumeId,
      zeroed,
      runSnapshot: request.snapshotId,
      runBytes: this.sizeBytes,
      runComplete: false,
      cursorBytes: 0,
    };
    // The volume equals the last run's snapshot when that ended, which is the better base unless the source still
    // counts from an older one: an execution fails as a whole when one of its disks does. What that run wrote stays
    // unverified: it may have ended before its verification did, or without one.
    if (disk.runComplete && request.baseSnapshotId !== disk.baseSnapshot) {
      this.#record.update(
        { ...begun, baseSnapshot: disk.runSnapshot, baseBytes: disk.runBytes ?? 0 },
        { clear: ['written'] },
      );
    } else {
      this.#record.update(begun);
    }
    if (zeroed === disk.zeroed) return;
    this.#record.open();
    this.#readPending();
  }

  #reset(to: { readonly distrusted: boolean; readonly volumeId: string | null }): void {
    this.#record.reset(to);
    this.#pending = new BlockSet();
  }

  #readPending(): void {
    this.#pending = this.#record.rows.blocks(this.#record.disk.id, 'pending');
  }
}

/** Opens what is known of a disk, or starts to know. Refuses a disk that shrank (`replication.disk-shrank`). */
export function openTransferState(options: TransferStateOptions): TransferState {
  return new TransferState(options);
}

/** As `TransferState.forget`, also of a disk that shrank since. */
export function forgetTransferState(options: TransferStateOptions): void {
  openTransferState({ ...options, sizeBytes: Math.max(options.sizeBytes, recordedBytes(options)) }).forget();
}

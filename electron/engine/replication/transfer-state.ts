import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { BlockSet } from './block-set.ts';
import { BLOCK_BYTES, blockCount, segmentOf, type ByteRange } from './blocks.ts';
import { CheckpointRows, type CheckpointUpdate, type DiskCheckpoint } from './checkpoints.ts';
import { DigestMap, type Lesson } from './digest-map.ts';
import { openMapFile, type OpenMapFile } from './map-file.ts';

export interface TransferStateOptions {
  readonly db: DatabaseSync;
  /** Where the digest map lies; made when it is not there. Local disk, as it is synced often. */
  readonly folder: string;
  readonly replicaId: string;
  readonly diskId: string;
  /** Size of the disk in the snapshot that is replicated next. */
  readonly sizeBytes: number;
  /** Whether a volume that is grown reads as zeros in its new part. When not known for sure: false, the default. Used from the next 64 MiB on. */
  readonly grownAreaIsZeroed?: boolean;
  /** For tests that tear and lose writes. */
  readonly openFile?: OpenMapFile;
}

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
  /** The same snapshot was begun before: the run goes on from `cursorBytes`. */
  readonly resumed: boolean;
  readonly cursorBytes: number;
  /** Below this offset, what the source does not report as changed is in sync; 0: everything has to be read. */
  readonly settledBytes: number;
  /** Blocks to look at whatever the source reports: other runs wrote them since the base. */
  readonly suspects: BlockSet;
}

/** How a snapshot stands to what was replicated. */
export type Resumability =
  | { readonly kind: 'new' }
  | { readonly kind: 'resume'; readonly durableBytes: number }
  | { readonly kind: 'complete' };

/** What is known of a block: `fresh` = never written by us, `doubtful` = may hold anything, ask the worker. */
export type Knowledge = 'fresh' | 'doubtful' | 'zero' | 'digest';

/**
 * What is durable of one disk: rows in the store's database, and a digest map beside it. All changes follow one rule:
 * before a block is sent, the database says that it is pending; after the worker made it durable, the map learns its
 * digest; then the database forgets the intent. So the map never claims what the volume does not hold.
 */
export class TransferState {
  readonly replicaId: string;
  readonly diskId: string;
  readonly sizeBytes: number;
  readonly #rows: CheckpointRows;
  readonly #folder: string;
  readonly #openFile: OpenMapFile;
  #disk: DiskCheckpoint;
  #map: DigestMap | undefined;
  #pending = new BlockSet();
  #busy = false;

  constructor(options: TransferStateOptions) {
    this.replicaId = options.replicaId;
    this.diskId = options.diskId;
    this.sizeBytes = options.sizeBytes;
    this.#folder = options.folder;
    this.#openFile = options.openFile ?? openMapFile;
    this.#rows = new CheckpointRows(options.db, options.replicaId, options.diskId);
    mkdirSync(options.folder, { recursive: true });
    if (this.#rows.load() === undefined) {
      const mapId = newMapId();
      DigestMap.create(this.#openFile, this.#path(mapId), mapId, options.sizeBytes);
      this.#rows.insert(options.sizeBytes, mapId);
    }
    this.#disk = this.#rows.load()!;
    const former = this.#disk.sizeBytes;
    if (former > options.sizeBytes) throw shrank(this.diskId, former, options.sizeBytes);
    if (former < options.sizeBytes) this.#grow(options.grownAreaIsZeroed ?? false);
    this.#openMap(former);
    this.close();
  }

  /** Whether the volume holds exactly this snapshot, durably, as far as is known. */
  isSynchronised(snapshotId: string): boolean {
    const { id, runSnapshot, runBytes, runComplete } = this.#disk;
    return runComplete && runSnapshot === snapshotId && runBytes === this.sizeBytes && this.#rows.blocks(id, 'pending').isEmpty;
  }

  /** Whether a snapshot was begun or completed before. A snapshot that can be resumed is worth keeping. */
  resumability(snapshotId: string): Resumability {
    if (this.#disk.runSnapshot !== snapshotId) return { kind: 'new' };
    return this.isSynchronised(snapshotId) ? { kind: 'complete' } : { kind: 'resume', durableBytes: this.#disk.cursorBytes };
  }

  /**
   * Whether a list of changes since `baseSnapshotId` would not suffice, so that the disk is better opened without base
   * (a run does read everything then, whatever the reader covers).
   */
  mustReadAll(baseSnapshotId: string | undefined): boolean {
    const { baseSnapshot, runSnapshot, runComplete } = this.#disk;
    if (baseSnapshotId === undefined) return true;
    return baseSnapshotId !== baseSnapshot && !(runComplete && baseSnapshotId === runSnapshot);
  }

  /**
   * Forgets what the volume holds, after something else may have written to it (restored, attached elsewhere). The next
   * run reads the whole disk, asks the worker for digests, and sends what differs.
   */
  forget(): void {
    this.#reset({ distrusted: true, volumeId: this.#disk.volumeId });
    this.close();
  }

  /** Removes rows and map, when the replica is deleted. */
  delete(): void {
    this.close();
    this.#rows.remove(this.#disk.id);
    rmSync(this.#path(this.#disk.mapId), { force: true });
  }

  /** Lets go of the map's file; it is opened again when needed. Idempotent. */
  close(): void {
    this.#map?.close();
    this.#map = undefined;
  }

  /** Runs `work` as the only one on this disk, with the map open. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (this.#busy) {
      throw new CausewayError('general.bug', `disk ${this.diskId} is already being replicated or verified`);
    }
    this.#busy = true;
    try {
      this.#disk = this.#rows.load() ?? this.#disk;
      this.#openMap(this.sizeBytes);
      this.#pending = this.#rows.blocks(this.#disk.id, 'pending');
      return await work();
    } finally {
      this.#busy = false;
      this.close();
    }
  }

  /** Begins a run, or goes on with it; durable when it returns. Inside `exclusively`, as all that follows. */
  beginRun(request: RunRequest): RunStart {
    this.#matchVolume(request);
    const resumed = this.#disk.runSnapshot === request.snapshotId && this.#disk.runBytes === this.sizeBytes;
    if (!resumed) this.#startSnapshot(request);
    const disk = this.#disk;
    const trusted = request.coverage === 'changed' && request.baseSnapshotId !== undefined && request.baseSnapshotId === disk.baseSnapshot;
    return {
      resumed,
      cursorBytes: disk.cursorBytes,
      settledBytes: trusted ? disk.baseBytes : 0,
      suspects: trusted ? this.#rows.blocks(disk.id, 'written', segmentOf(Math.ceil(disk.cursorBytes / BLOCK_BYTES))) : new BlockSet(),
    };
  }

  knowledge(block: number): Knowledge {
    if (this.#pending.has(block)) return 'doubtful';
    const known = this.#map!.knowledge(block);
    if (known === 'torn') return 'doubtful';
    if (known === 'unknown') return this.#disk.distrusted ? 'doubtful' : 'fresh';
    return known;
  }

  /** Whether a block whose knowledge is `digest` has this one. */
  holds(block: number, digest: Buffer): boolean {
    return this.#map!.holds(block, digest);
  }

  digestOf(block: number): Buffer {
    return this.#map!.digestOf(block);
  }

  segmentIsZero(segment: number): boolean {
    return !this.#pending.touches(segment) && this.#map!.segmentIsZero(segment);
  }

  isPending(block: number): boolean {
    return this.#pending.has(block);
  }

  /** Segments with blocks of unknown content, ascending. */
  pendingSegments(): readonly number[] {
    return this.#pending.segments();
  }

  segmentIsPending(segment: number): boolean {
    return this.#pending.touches(segment);
  }

  pendingIn(segment: number): Uint8Array | undefined {
    return this.#pending.bitmap(segment);
  }

  /** Durable before it returns: these blocks may hold anything from now on. */
  intend(blocks: BlockSet): void {
    this.#rows.intend(this.#disk.id, blocks);
  }

  /** To be called after the worker's flush: the map learns, then the intents go. Durable when it resolves. */
  async settle(lessons: readonly Lesson[], update: Omit<CheckpointUpdate, 'pages'>): Promise<void> {
    const pages = lessons.length > 0 ? await this.#map!.learn(lessons) : new BlockSet();
    this.#rows.settle(this.#disk.id, { ...update, pages });
    this.#disk = { ...this.#disk, cursorBytes: update.cursorBytes };
    for (const segment of update.settled) this.#pending.dropSegment(segment);
  }

  /** All of the run's blocks are durable. */
  completeRun(): void {
    this.#update({ ...this.#disk, runComplete: true, distrusted: false, cursorBytes: this.sizeBytes });
  }

  unverifiedBlocks(): BlockSet {
    return this.#rows.blocks(this.#disk.id, 'unverified');
  }

  /** A verification of all unverified blocks ended; the differing ones are unknown from now on. */
  verified(differing: BlockSet): void {
    this.#rows.update(this.#disk, { clear: ['unverified'], pending: differing });
  }

  #matchVolume(request: RunRequest): void {
    const { volumeId } = this.#disk;
    if (volumeId !== null && volumeId !== request.volumeId) {
      this.#reset({ distrusted: !request.volumeIsNew, volumeId: request.volumeId });
    }
  }

  #startSnapshot(request: RunRequest): void {
    const disk = this.#disk;
    const untouched = disk.runSnapshot === null && !disk.distrusted;
    const zeroed = untouched && request.volumeIsNew && request.volumesAreZeroed ? [{ offset: 0, length: this.sizeBytes }] : disk.zeroed;
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
    // counts from an older one: an execution fails as a whole when one of its disks does.
    if (disk.runComplete && request.baseSnapshotId !== disk.baseSnapshot) {
      this.#update({ ...begun, baseSnapshot: disk.runSnapshot, baseBytes: disk.runBytes ?? 0 }, { clear: ['written', 'unverified'] });
    } else if (disk.runComplete) {
      this.#update(begun, { clear: ['unverified'] });
    } else {
      this.#update(begun);
    }
    if (zeroed !== disk.zeroed) this.#openMap(this.sizeBytes);
  }

  #grow(grownAreaIsZeroed: boolean): void {
    const former = this.#disk.sizeBytes;
    const pending = new BlockSet();
    // The last block was short: its digest says nothing of what it is now.
    if (former % BLOCK_BYTES !== 0) pending.add(blockCount(former) - 1);
    const grown: ByteRange = { offset: former, length: this.sizeBytes - former };
    const zeroed = grownAreaIsZeroed ? [...this.#disk.zeroed, grown] : this.#disk.zeroed;
    this.#update({ ...this.#disk, sizeBytes: this.sizeBytes, zeroed }, { pending });
  }

  #openMap(formerSizeBytes: number): void {
    this.close();
    this.#map = this.#mapOnFile(formerSizeBytes);
    if (this.#map !== undefined) return;
    this.#reset({ distrusted: this.#disk.runSnapshot !== null || this.#disk.distrusted, volumeId: this.#disk.volumeId });
  }

  #mapOnFile(formerSizeBytes: number): DigestMap | undefined {
    const { id, mapId, zeroed } = this.#disk;
    const present = this.#rows.blocks(id, 'present');
    return DigestMap.open(this.#openFile, this.#path(mapId), { mapId, sizeBytes: this.sizeBytes, formerSizeBytes, zeroed, present });
  }

  /** A new, empty map; nothing of the former runs counts any more. */
  #reset(to: { readonly distrusted: boolean; readonly volumeId: string | null }): void {
    this.close();
    const formerPath = this.#path(this.#disk.mapId);
    const mapId = newMapId();
    DigestMap.create(this.#openFile, this.#path(mapId), mapId, this.sizeBytes);
    this.#update({
      id: this.#disk.id, sizeBytes: this.sizeBytes, mapId, zeroed: [], ...to,
      runSnapshot: null, runBytes: null, runComplete: false, cursorBytes: 0, baseSnapshot: null, baseBytes: 0,
    }, { dropRows: true });
    rmSync(formerPath, { force: true });
    this.#pending = new BlockSet();
    this.#map = this.#mapOnFile(this.sizeBytes);
    if (this.#map === undefined) {
      throw new CausewayError('replication.map-unusable', `${this.#path(mapId)} is gone right after it was written`);
    }
  }

  #update(disk: DiskCheckpoint, also: Parameters<CheckpointRows['update']>[1] = {}): void {
    this.#rows.update(disk, also);
    this.#disk = disk;
  }

  #path(mapId: string): string {
    return join(this.#folder, mapName(mapId));
  }
}

/** Opens what is known of a disk, or starts to know. Refuses a disk that shrank (`replication.disk-shrank`). */
export function openTransferState(options: TransferStateOptions): TransferState {
  return new TransferState(options);
}

/** Removes what is known of a disk, whatever its size by now. Nothing to do when nothing is known. */
export function deleteTransferState({ db, folder, replicaId, diskId }: Pick<TransferStateOptions, 'db' | 'folder' | 'replicaId' | 'diskId'>): void {
  const rows = new CheckpointRows(db, replicaId, diskId);
  const disk = rows.load();
  if (disk === undefined) return;
  rows.remove(disk.id);
  rmSync(join(folder, mapName(disk.mapId)), { force: true });
}

function mapName(mapId: string): string {
  return `${mapId}.digests`;
}

function newMapId(): string {
  return randomUUID().replaceAll('-', '');
}

function shrank(diskId: string, former: number, now: number): CausewayError {
  return new CausewayError('replication.disk-shrank', `disk ${diskId} had ${former} bytes and has ${now} now`, {
    details: { diskId, formerBytes: former, bytes: now },
  });
}

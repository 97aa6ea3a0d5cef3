import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { removeFileSync } from '../system-files/remove-file.ts';
import { BlockSet } from './block-set.ts';
import { BLOCK_BYTES, blockCount, type ByteRange } from './blocks.ts';
import { CheckpointRows, type DiskCheckpoint } from './checkpoints.ts';
import { DigestMap } from './digest-map.ts';
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

/** The durable record of one disk: its row in the store's database, and the digest map that belongs to it. */
export class DiskRecord {
  readonly rows: CheckpointRows;
  readonly sizeBytes: number;
  readonly #folder: string;
  readonly #openFile: OpenMapFile;
  #disk: DiskCheckpoint;
  #map: DigestMap | undefined;

  /** Begins a record where there is none. @throws `replication.disk-shrank` */
  constructor(options: TransferStateOptions) {
    this.sizeBytes = options.sizeBytes;
    this.#folder = options.folder;
    this.#openFile = options.openFile ?? openMapFile;
    this.rows = new CheckpointRows(options.db, options.replicaId, options.diskId);
    mkdirSync(options.folder, { recursive: true });
    if (this.rows.load() === undefined) {
      const mapId = newMapId();
      DigestMap.create(this.#openFile, this.#path(mapId), mapId, options.sizeBytes);
      this.rows.insert(options.sizeBytes, mapId);
    }
    this.#disk = this.rows.load()!;
    const former = this.#disk.sizeBytes;
    if (former > options.sizeBytes) throw shrank(options.diskId, former, options.sizeBytes);
    if (former < options.sizeBytes) this.#grow(options.grownAreaIsZeroed ?? false);
    this.open(former);
    this.close();
  }

  get disk(): DiskCheckpoint {
    return this.#disk;
  }

  /** While it is open. */
  get map(): DigestMap {
    return this.#map!;
  }

  /** Reads the row again, and opens the map. */
  reopen(): void {
    this.#disk = this.rows.load() ?? this.#disk;
    this.open();
  }

  /** Opens the map; one that can't be used is replaced by an empty one, and nothing of the former runs counts any more. */
  open(formerSizeBytes = this.sizeBytes): void {
    this.close();
    this.#map = this.#mapOnFile(formerSizeBytes);
    if (this.#map !== undefined) return;
    this.reset({ distrusted: this.#disk.runSnapshot !== null || this.#disk.distrusted, volumeId: this.#disk.volumeId });
  }

  /** Closes the map's file. Idempotent. */
  close(): void {
    this.#map?.close();
    this.#map = undefined;
  }

  update(disk: DiskCheckpoint, also: Parameters<CheckpointRows['update']>[1] = {}): void {
    this.rows.update(disk, also);
    this.#disk = disk;
  }

  /** What a checkpoint wrote to the row by itself. */
  noteCursor(cursorBytes: number): void {
    this.#disk = { ...this.#disk, cursorBytes };
  }

  /** A new, empty map; nothing of the former runs counts any more. */
  reset(to: { readonly distrusted: boolean; readonly volumeId: string | null }): void {
    this.close();
    const formerPath = this.#path(this.#disk.mapId);
    const mapId = newMapId();
    DigestMap.create(this.#openFile, this.#path(mapId), mapId, this.sizeBytes);
    this.update(
      {
        id: this.#disk.id,
        sizeBytes: this.sizeBytes,
        mapId,
        zeroed: [],
        ...to,
        runSnapshot: null,
        runBytes: null,
        runComplete: false,
        cursorBytes: 0,
        baseSnapshot: null,
        baseBytes: 0,
      },
      { dropRows: true },
    );
    removeFileSync(formerPath);
    this.#map = this.#mapOnFile(this.sizeBytes);
    if (this.#map === undefined) {
      throw new CausewayError(
        'replication.map-unusable',
        `${this.#path(mapId)} disappeared right after it was written`,
      );
    }
  }

  /** Removes row and map. */
  delete(): void {
    this.close();
    this.rows.remove(this.#disk.id);
    removeFileSync(this.#path(this.#disk.mapId));
  }

  #grow(grownAreaIsZeroed: boolean): void {
    const former = this.#disk.sizeBytes;
    const pending = new BlockSet();
    // The last block was short: its digest says nothing of what it is now.
    if (former % BLOCK_BYTES !== 0) pending.add(blockCount(former) - 1);
    const grown: ByteRange = { offset: former, length: this.sizeBytes - former };
    const zeroed = grownAreaIsZeroed ? [...this.#disk.zeroed, grown] : this.#disk.zeroed;
    this.update({ ...this.#disk, sizeBytes: this.sizeBytes, zeroed }, { pending });
  }

  #mapOnFile(formerSizeBytes: number): DigestMap | undefined {
    const { id, mapId, zeroed } = this.#disk;
    const present = this.rows.blocks(id, 'present');
    return DigestMap.open(this.#openFile, this.#path(mapId), {
      mapId,
      sizeBytes: this.sizeBytes,
      formerSizeBytes,
      zeroed,
      present,
    });
  }

  #path(mapId: string): string {
    return join(this.#folder, mapName(mapId));
  }
}

/** The size of a disk when it was last replicated; 0 when nothing is known of it. */
export function recordedBytes({
  db,
  replicaId,
  diskId,
}: Pick<TransferStateOptions, 'db' | 'replicaId' | 'diskId'>): number {
  return new CheckpointRows(db, replicaId, diskId).load()?.sizeBytes ?? 0;
}

/** Removes what is known of a disk, whatever its size by now. Nothing to do when nothing is known. */
export function deleteTransferState({
  db,
  folder,
  replicaId,
  diskId,
}: Pick<TransferStateOptions, 'db' | 'folder' | 'replicaId' | 'diskId'>): void {
  const rows = new CheckpointRows(db, replicaId, diskId);
  const disk = rows.load();
  if (disk === undefined) return;
  rows.remove(disk.id);
  removeFileSync(join(folder, mapName(disk.mapId)));
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

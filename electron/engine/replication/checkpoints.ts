import type { DatabaseSync } from 'node:sqlite';
import { BlockSet } from './block-set.ts';
import type { ByteRange } from './blocks.ts';

/** The tables of replication; called inside the store's migration. */
export function createTransferTables(db: DatabaseSync): void {
  db.exec(`
    CREATE TABLE transfer_disk (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      replica_id TEXT NOT NULL,
      disk_id TEXT NOT NULL,
      size_bytes INTEGER NOT NULL,
      map_id TEXT NOT NULL,            -- the digest map file that belongs to this row
      volume_id TEXT,                  -- the volume that the digests are about
      zeroed TEXT NOT NULL,            -- JSON [[offset, length]]: zero since the volume was made, unless the map says otherwise
      distrusted INTEGER NOT NULL,     -- 1: the volume may hold anything; the worker is asked before something is sent
      run_snapshot TEXT,               -- the snapshot of the last run that was begun
      run_bytes INTEGER,               -- the disk's size in it
      run_complete INTEGER NOT NULL,   -- 1: that run ended, all of it durable
      cursor_bytes INTEGER NOT NULL,   -- everything below is durable for run_snapshot
      base_snapshot TEXT,              -- the volume equals this snapshot but for the blocks 'written' and 'pending'
      base_bytes INTEGER NOT NULL,     -- the disk's size in it; nothing is concluded beyond
      UNIQUE (replica_id, disk_id)
    ) STRICT;
    CREATE TABLE transfer_segment (
      disk INTEGER NOT NULL REFERENCES transfer_disk (id) ON DELETE CASCADE,
      segment INTEGER NOT NULL,
      pending BLOB,                    -- blocks about to be written, or found different: what they hold is unknown
      written BLOB,                    -- blocks that were written since base_snapshot
      unverified BLOB,                 -- blocks that were written since the last verification
      PRIMARY KEY (disk, segment)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE transfer_page (
      disk INTEGER NOT NULL REFERENCES transfer_disk (id) ON DELETE CASCADE,
      segment INTEGER NOT NULL,        -- counts pages of the map by 1024, as the bitmaps above count blocks
      present BLOB,                    -- pages that were ever written; the others are not looked for in the file
      PRIMARY KEY (disk, segment)
    ) STRICT, WITHOUT ROWID;
  `);
}

/** The row of a disk, as plain data. */
export interface DiskCheckpoint {
  readonly id: number;
  readonly sizeBytes: number;
  readonly mapId: string;
  readonly volumeId: string | null;
  readonly zeroed: readonly ByteRange[];
  readonly distrusted: boolean;
  readonly runSnapshot: string | null;
  readonly runBytes: number | null;
  readonly runComplete: boolean;
  readonly cursorBytes: number;
  readonly baseSnapshot: string | null;
  readonly baseBytes: number;
}

export type SegmentColumn = 'pending' | 'written' | 'unverified';
type Column = SegmentColumn | 'present';
const tableOf = (column: Column): string => (column === 'present' ? 'transfer_page' : 'transfer_segment');

/** What one checkpoint changes, in one transaction. */
export interface CheckpointUpdate {
  /** Segments whose pending blocks are settled now. */
  readonly settled: readonly number[];
  readonly written: BlockSet;
  /** Pages of the digest map that were written, by their number. */
  readonly pages: BlockSet;
  readonly cursorBytes: number;
}

/** Reads and writes the checkpoint rows of one disk. Each public method is one durable transaction. */
export class CheckpointRows {
  readonly #db: DatabaseSync;
  readonly #replicaId: string;
  readonly #diskId: string;

  constructor(db: DatabaseSync, replicaId: string, diskId: string) {
    this.#db = db;
    this.#replicaId = replicaId;
    this.#diskId = diskId;
  }

  load(): DiskCheckpoint | undefined {
    const row = this.#db
      .prepare('SELECT * FROM transfer_disk WHERE replica_id = ? AND disk_id = ?')
      .get(this.#replicaId, this.#diskId);
    return row === undefined
      ? undefined
      : {
          id: row['id'] as number,
          sizeBytes: row['size_bytes'] as number,
          mapId: row['map_id'] as string,
          volumeId: row['volume_id'] as string | null,
          zeroed: (JSON.parse(row['zeroed'] as string) as [number, number][]).map(([offset, length]) => ({
            offset,
            length,
          })),
          distrusted: row['distrusted'] === 1,
          runSnapshot: row['run_snapshot'] as string | null,
          runBytes: row['run_bytes'] as number | null,
          runComplete: row['run_complete'] === 1,
          cursorBytes: row['cursor_bytes'] as number,
          baseSnapshot: row['base_snapshot'] as string | null,
          baseBytes: row['base_bytes'] as number,
        };
  }

  insert(sizeBytes: number, mapId: string): void {
    this.#db
      .prepare(`INSERT INTO transfer_disk
        (replica_id, disk_id, size_bytes, map_id, zeroed, distrusted, run_complete, cursor_bytes, base_bytes)
        VALUES (?, ?, ?, ?, '[]', 0, 0, 0, 0)`)
      .run(this.#replicaId, this.#diskId, sizeBytes, mapId);
  }

  /** Changes the disk's row, and what is said along with it. */
  update(
    disk: DiskCheckpoint,
    also: { readonly dropRows?: boolean; readonly clear?: readonly SegmentColumn[]; readonly pending?: BlockSet } = {},
  ): void {
    this.#transaction(() => {
      this.#db
        .prepare(`UPDATE transfer_disk SET size_bytes = ?, map_id = ?, volume_id = ?, zeroed = ?, distrusted = ?, run_snapshot = ?,
          run_bytes = ?, run_complete = ?, cursor_bytes = ?, base_snapshot = ?, base_bytes = ? WHERE id = ?`)
        .run(
          disk.sizeBytes,
          disk.mapId,
          disk.volumeId,
          JSON.stringify(disk.zeroed.map(({ offset, length }) => [offset, length])),
          Number(disk.distrusted),
          disk.runSnapshot,
          disk.runBytes,
          Number(disk.runComplete),
          disk.cursorBytes,
          disk.baseSnapshot,
          disk.baseBytes,
          disk.id,
        );
      if (also.dropRows) this.#drop(disk.id);
      for (const column of also.clear ?? []) this.#clear(disk.id, column);
      if (also.pending !== undefined) this.#add(disk.id, 'pending', also.pending);
    });
  }

  /** Says, before anything is sent, that these blocks may hold anything from now on. */
  intend(diskId: number, blocks: BlockSet): void {
    this.#transaction(() => this.#add(diskId, 'pending', blocks));
  }

  /** Says that blocks are settled, after the map says durably what they hold. */
  settle(diskId: number, update: CheckpointUpdate): void {
    this.#transaction(() => {
      const settle = this.#db.prepare('UPDATE transfer_segment SET pending = NULL WHERE disk = ? AND segment = ?');
      for (const segment of update.settled) settle.run(diskId, segment);
      this.#add(diskId, 'written', update.written);
      this.#add(diskId, 'unverified', update.written);
      this.#add(diskId, 'present', update.pages);
      this.#db.prepare('UPDATE transfer_disk SET cursor_bytes = ? WHERE id = ?').run(update.cursorBytes, diskId);
    });
  }

  /** The blocks of one column, from a segment on. */
  blocks(diskId: number, column: Column, fromSegment = 0): BlockSet {
    const set = new BlockSet();
    const rows = this.#db
      .prepare(
        `SELECT segment, ${column} AS bits FROM ${tableOf(column)} WHERE disk = ? AND segment >= ? AND ${column} IS NOT NULL`,
      )
      .iterate(diskId, fromSegment);
    for (const row of rows) set.addBitmap(row['segment'] as number, row['bits'] as Uint8Array);
    return set;
  }

  remove(diskId: number): void {
    this.#transaction(() => {
      this.#drop(diskId);
      this.#db.prepare('DELETE FROM transfer_disk WHERE id = ?').run(diskId);
    });
  }

  #drop(diskId: number): void {
    for (const table of ['transfer_segment', 'transfer_page'])
      this.#db.prepare(`DELETE FROM ${table} WHERE disk = ?`).run(diskId);
  }

  #clear(diskId: number, column: SegmentColumn): void {
    this.#db.prepare(`UPDATE transfer_segment SET ${column} = NULL WHERE disk = ?`).run(diskId);
    this.#db
      .prepare(
        'DELETE FROM transfer_segment WHERE disk = ? AND pending IS NULL AND written IS NULL AND unverified IS NULL',
      )
      .run(diskId);
  }

  #add(diskId: number, column: Column, blocks: BlockSet): void {
    const read = this.#db.prepare(`SELECT ${column} AS bits FROM ${tableOf(column)} WHERE disk = ? AND segment = ?`);
    const write = this.#db.prepare(`INSERT INTO ${tableOf(column)} (disk, segment, ${column}) VALUES (?, ?, ?)
      ON CONFLICT (disk, segment) DO UPDATE SET ${column} = excluded.${column}`);
    for (const segment of blocks.segments()) {
      const sum = new BlockSet();
      sum.addBitmap(segment, blocks.bitmap(segment));
      sum.addBitmap(segment, read.get(diskId, segment)?.['bits'] as Uint8Array | null | undefined);
      write.run(diskId, segment, sum.bitmap(segment)!);
    }
  }

  #transaction(work: () => void): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }
}

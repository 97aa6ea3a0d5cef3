import type { DatabaseSync } from 'node:sqlite';
import type { Snapshot } from '../ports/source-platform.ts';
import { inTransaction } from './database.ts';
import { optionalJson, text, type Row } from './rows.ts';

/**
 * `intended`: its tag is durable, the source was maybe asked. `taken`: it can be read. `base`: the replica equals it.
 * `superseded`: a newer base was recorded, the source still has to drop this one. `dropped`: gone.
 */
export type SnapshotRole = 'intended' | 'taken' | 'base' | 'superseded' | 'dropped';

export interface StoredSnapshot {
  readonly tag: string;
  readonly replicaId: string;
  readonly executionId: string;
  readonly role: SnapshotRole;
  /** Undefined for a mere intent. */
  readonly snapshot?: Snapshot;
}

export type SnapshotStore = ReturnType<typeof snapshotStore>;

/** Snapshots on sources, and which of them is the base of each replica. */
export function snapshotStore(db: DatabaseSync) {
  const insert = db.prepare(`INSERT INTO snapshots VALUES (?, ?, ?, 'intended', NULL, ?) ON CONFLICT DO NOTHING`);
  const taken = db.prepare(`UPDATE snapshots SET role = 'taken', snapshot = ? WHERE tag = ?`);
  const setRole = db.prepare('UPDATE snapshots SET role = ? WHERE tag = ?');
  const supersede = db.prepare(`UPDATE snapshots SET role = 'superseded' WHERE replica_id = ? AND role = 'base'`);
  const list = db.prepare(
    `SELECT * FROM snapshots WHERE replica_id = ? AND role <> 'dropped' ORDER BY created_at, rowid`,
  );
  const byTag = db.prepare('SELECT * FROM snapshots WHERE tag = ?');
  return {
    intend(snapshot: { tag: string; replicaId: string; executionId: string }): void {
      insert.run(snapshot.tag, snapshot.replicaId, snapshot.executionId, new Date().toISOString());
    },
    setTaken(tag: string, snapshot: Snapshot): void {
      taken.run(JSON.stringify(snapshot), tag);
    },
    /** Makes a snapshot the base; the former one becomes `superseded` in the same transaction, with `alongside`. */
    advanceBase(replicaId: string, tag: string, alongside: () => void): void {
      inTransaction(db, () => {
        supersede.run(replicaId);
        setRole.run('base', tag);
        alongside();
      });
    },
    setDropped(tag: string): void {
      setRole.run('dropped', tag);
    },
    find(tag: string): StoredSnapshot | undefined {
      const row = byTag.get(tag);
      return row === undefined ? undefined : fromRow(row);
    },
    /** Those that may still be on the source, oldest first. */
    list(replicaId: string): StoredSnapshot[] {
      return list.all(replicaId).map(fromRow);
    },
    base(replicaId: string): Snapshot | undefined {
      return list
        .all(replicaId)
        .map(fromRow)
        .find((stored) => stored.role === 'base')?.snapshot;
    },
  };
}

function fromRow(row: Row): StoredSnapshot {
  return {
    tag: text(row, 'tag'),
    replicaId: text(row, 'replica_id'),
    executionId: text(row, 'execution_id'),
    role: text(row, 'role') as SnapshotRole,
    ...optionalJson<Snapshot, 'snapshot'>(row, 'snapshot', 'snapshot'),
  };
}

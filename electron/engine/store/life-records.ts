import type { DatabaseSync } from 'node:sqlite';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { LifeRecord, LifeRecordKind } from '../../../shared/model/machine-life.ts';
import { integer, json, text, type Row } from './rows.ts';

export type LifeRecordStore = ReturnType<typeof lifeRecordStore>;

/** What people, and the engine for them, did with replicas as a whole. Only grows; free of secrets. */
export function lifeRecordStore(db: DatabaseSync) {
  const insert = db.prepare('INSERT INTO life_records (at, replica_id, kind, by_whom, details) VALUES (?, ?, ?, ?, ?)');
  const ofReplica = db.prepare('SELECT * FROM life_records WHERE replica_id = ? ORDER BY id');
  const all = db.prepare('SELECT * FROM life_records ORDER BY id');
  return {
    add(record: { replicaId: string; kind: LifeRecordKind; by: string; details: JsonObject }): LifeRecord {
      const at = new Date().toISOString();
      const { lastInsertRowid } = insert.run(
        at,
        record.replicaId,
        record.kind,
        record.by,
        JSON.stringify(record.details),
      );
      return { id: Number(lastInsertRowid), at, ...record };
    },
    /** Oldest first. */
    list: (replicaId: string): LifeRecord[] => ofReplica.all(replicaId).map(fromRow),
    /** Those of all replicas, oldest first. */
    listAll: (): LifeRecord[] => all.all().map(fromRow),
  };
}

function fromRow(row: Row): LifeRecord {
  return {
    id: integer(row, 'id'),
    at: text(row, 'at'),
    replicaId: text(row, 'replica_id'),
    kind: text(row, 'kind') as LifeRecordKind,
    by: text(row, 'by_whom'),
    details: json(row, 'details'),
  };
}

import type { DatabaseSync } from 'node:sqlite';
import { keptUntilChange } from './kept-until-change.ts';
import { integer, optionalError, optionalText, text, type Row } from './rows.ts';

/** What executions and deployments are asked in the same way: both are numbered runs of replicas. */
export interface RunQueries<T, S extends string> {
  /** Newest first. */
  list(filter: { readonly replicaId?: string; readonly limit: number }): T[];
  /** The newest of each replica. */
  listLatest(): T[];
  /** Those that have not ended. */
  listOpen(): T[];
  /** Also notes the time of the first start. */
  setState(id: string, state: S): void;
}

/**
 * @param table whose rows they are; both have the columns that these queries name
 */
export function runQueries<T, S extends string>(
  db: DatabaseSync,
  table: 'executions' | 'deployments',
  fromRow: (row: Row) => T,
): RunQueries<T, S> {
  const ofReplica = db.prepare(`SELECT * FROM ${table} WHERE replica_id = ? ORDER BY number DESC LIMIT ?`);
  const latest =
    db.prepare(`SELECT ${table}.* FROM ${table} JOIN (SELECT replica_id, max(number) AS number FROM ${table} GROUP BY replica_id) USING (replica_id, number)
    ORDER BY created_at DESC`);
  const all = db.prepare(`SELECT * FROM ${table} ORDER BY created_at DESC, number DESC LIMIT ?`);
  const open = db.prepare(
    `SELECT * FROM ${table} WHERE state IN ('pending', 'running', 'cancelling', 'interrupted') ORDER BY created_at, rowid`,
  );
  const keptLatest = keptUntilChange(db, () => latest.all().map(fromRow));
  const keptOpen = keptUntilChange(db, () => open.all().map(fromRow));
  const setState = db.prepare(`UPDATE ${table} SET state = ?, started_at = ifnull(started_at, ?) WHERE id = ?`);
  return {
    list: ({ replicaId, limit }) =>
      (replicaId === undefined ? all.all(limit) : ofReplica.all(replicaId, limit)).map(fromRow),
    listLatest: () => [...keptLatest()],
    listOpen: () => [...keptOpen()],
    setState: (id, state) => void setState.run(state, state === 'running' ? new Date().toISOString() : null, id),
  };
}

/** The columns that both have, as the model has them. */
export function runFields(row: Row) {
  return {
    id: text(row, 'id'),
    replicaId: text(row, 'replica_id'),
    number: integer(row, 'number'),
    createdAt: text(row, 'created_at'),
    ...optionalText(row, 'started_at', 'startedAt'),
    ...optionalText(row, 'finished_at', 'finishedAt'),
    ...optionalError(row),
    leftBehind: integer(row, 'left_behind'),
  };
}

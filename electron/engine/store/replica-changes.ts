import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { z } from 'zod';
import type { FleetHooks, FleetInEngine } from '../ports/replica-fleet.ts';
import { inTransaction } from './database.ts';
import { replicaTables, type ReplicaTable } from './replica-rows.ts';

const valueSchema = z.union([z.string(), z.number(), z.null()]);
/** One row of a replica that was written or deleted. */
export const rowChangeSchema = z.strictObject({
  table: z.string(),
  op: z.enum(['put', 'delete']),
  row: z.record(z.string(), valueSchema),
});
export type RowChange = z.infer<typeof rowChangeSchema>;

/** How far the store follows the journal of a replica. */
export interface JournalPosition {
  /** Of the last record that was applied or appended. */
  readonly sequence: number;
  readonly epoch: number;
}

/** Changes of this store that are not in the journal yet, oldest first. */
export interface PendingChanges {
  readonly upTo: number;
  readonly changes: readonly RowChange[];
}

export type ReplicaChanges = ReturnType<typeof replicaChanges>;

/** Makes an engine a member of a fleet. */
export type JoinFleet = (changes: ReplicaChanges, hooks: FleetHooks) => FleetInEngine;

/**
 * Records what this process changes in the rows of replicas, in the same transactions as the changes themselves, and applies what other engines
 * have recorded. What is written to the store can thus be neither missing in the journal nor be there without being in the store.
 */
export function replicaChanges(db: DatabaseSync) {
  db.exec(`
    CREATE TABLE IF NOT EXISTS fleet_outbox (n INTEGER PRIMARY KEY AUTOINCREMENT, replica_id TEXT NOT NULL, change TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS fleet_replicas (replica_id TEXT PRIMARY KEY, sequence INTEGER NOT NULL, epoch INTEGER NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS fleet_marks (mark TEXT PRIMARY KEY) STRICT;
    CREATE TEMP TABLE IF NOT EXISTS fleet_applying (yes INTEGER);`);
  const tables = replicaTables(db);
  for (const table of tables) db.exec(triggersOf(table));
  const pending = db.prepare('SELECT n, change FROM fleet_outbox WHERE replica_id = ? ORDER BY n LIMIT ?');
  const replicas = db.prepare('SELECT DISTINCT replica_id FROM fleet_outbox');
  const drop = db.prepare('DELETE FROM fleet_outbox WHERE replica_id = ? AND n <= ?');
  const readPosition = db.prepare('SELECT sequence, epoch FROM fleet_replicas WHERE replica_id = ?');
  const writePosition = db.prepare(
    'INSERT INTO fleet_replicas VALUES (?, ?, ?) ON CONFLICT (replica_id) DO UPDATE SET sequence = excluded.sequence, epoch = excluded.epoch',
  );
  const addMark = db.prepare('INSERT OR IGNORE INTO fleet_marks VALUES (?)');
  const marks = new Set(
    db
      .prepare('SELECT mark FROM fleet_marks')
      .all()
      .map((row) => String(row['mark'])),
  );
  const byName = new Map(tables.map((table) => [table.name, { table, ...statementsOf(db, table) }]));

  /** Changes within are not recorded as this process's own. */
  function applying(work: () => void): void {
    inTransaction(db, () => {
      db.exec('INSERT INTO fleet_applying VALUES (1)');
      work();
      db.exec('DELETE FROM fleet_applying');
    });
  }

  function applyOne(replicaId: string, { table: name, op, row }: RowChange): void {
    const found = byName.get(name);
    // Of a later version: what this one does not know it does not need either.
    if (found === undefined) return;
    const { table, put, remove, ownerBefore, ownerNow } = found;
    // The journal of one replica says nothing of another one.
    const before = ownerBefore?.get(...table.key.map((column) => row[column] ?? null));
    if (before !== undefined && before['owner'] !== replicaId) return;
    if (op === 'put' && ownerNow.get(...table.owner.map((column) => row[column] ?? null))?.['owner'] !== replicaId)
      return;
    const values = (columns: readonly string[]): SQLInputValue[] => columns.map((column) => row[column] ?? null);
    if (op === 'put')
      put.run(
        ...values(
          table.updatesOnly === true
            ? [...table.columns.filter((column) => !table.key.includes(column)), ...table.key]
            : table.columns,
        ),
      );
    else remove?.run(...values(table.key));
  }

  return {
    /** At most so many, and no more than fit into these bytes; but always the first one. */
    pending(replicaId: string, limit: number, bytes = Infinity): PendingChanges {
      let room = bytes;
      const rows = pending
        .all(replicaId, limit)
        .filter((row, index) => (room -= Buffer.byteLength(String(row['change']))) >= 0 || index === 0);
      return {
        upTo: Number(rows.at(-1)?.['n'] ?? 0),
        changes: rows.map((row) => JSON.parse(String(row['change'])) as RowChange),
      };
    },
    /** Under which other members mark resources in clouds. */
    noteMarks(given: readonly string[]): void {
      for (const mark of given) {
        if (marks.has(mark)) continue;
        addMark.run(mark);
        marks.add(mark);
      }
    },
    marks: (): readonly string[] => [...marks],
    /** Replicas with changes that are not in the journal yet. */
    pendingReplicas: (): string[] => replicas.all().map((row) => String(row['replica_id'])),
    /** Notes that pending changes are in the journal. */
    appended(replicaId: string, upTo: number, { sequence, epoch }: JournalPosition): void {
      inTransaction(db, () => {
        drop.run(replicaId, upTo);
        writePosition.run(replicaId, sequence, epoch);
      });
    },
    position(replicaId: string): JournalPosition {
      const row = readPosition.get(replicaId);
      return { sequence: Number(row?.['sequence'] ?? 0), epoch: Number(row?.['epoch'] ?? 0) };
    },
    /** Applies a record of another engine. */
    apply(replicaId: string, changes: readonly RowChange[], { sequence, epoch }: JournalPosition): void {
      applying(() => {
        for (const change of changes) applyOne(replicaId, change);
        writePosition.run(replicaId, sequence, epoch);
      });
    },
    /** Forgets everything of a replica but its description: to rebuild it from the journal. */
    forget(replicaId: string): void {
      applying(() => {
        for (const { name, replica, updatesOnly } of tables.toReversed()) {
          // Children are gone before what leads from them to their replica.
          if (updatesOnly === true) db.prepare(`UPDATE ${name} SET last_success = NULL WHERE id = ?`).run(replicaId);
          else db.prepare(`DELETE FROM ${name} WHERE ${replica.replaceAll('ROW', name)} = ?`).run(replicaId);
        }
        drop.run(replicaId, Number.MAX_SAFE_INTEGER);
        writePosition.run(replicaId, 0, 0);
      });
    },
    /** All rows of a replica, as the first record of its journal. */
    snapshot(replicaId: string): RowChange[] {
      return tables.flatMap(({ name, columns, replica }) =>
        db
          .prepare(`SELECT ${columns.join(', ')} FROM ${name} WHERE ${replica.replaceAll('ROW', name)} = ?`)
          .all(replicaId)
          .map((row): RowChange => ({ table: name, op: 'put', row: row as RowChange['row'] })),
      );
    },
  };
}

function triggersOf({ name, key, columns, replica, updatesOnly }: ReplicaTable): string {
  const record = (row: 'NEW' | 'OLD', op: RowChange['op'], of: readonly string[]): string =>
    `INSERT INTO fleet_outbox (replica_id, change)
       SELECT ${replica.replaceAll('ROW', row)}, json_object('table', '${name}', 'op', '${op}', 'row', json_object(${of.map((column) => `'${column}', ${row}.${column}`).join(', ')}))
       WHERE ${replica.replaceAll('ROW', row)} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM fleet_applying);`;
  const trigger = (event: string, body: string): string =>
    `CREATE TEMP TRIGGER IF NOT EXISTS fleet_${name}_${event.split(' ')[0]!.toLowerCase()} AFTER ${event} ON main.${name} BEGIN ${body} END;`;
  if (updatesOnly === true) return trigger('UPDATE OF last_success', record('NEW', 'put', columns));
  return [
    trigger('INSERT', record('NEW', 'put', columns)),
    ...(key.length === 0
      ? []
      : [trigger('UPDATE', record('NEW', 'put', columns)), trigger('DELETE', record('OLD', 'delete', key))]),
  ].join('\n');
}

function statementsOf(db: DatabaseSync, { name, key, columns, replica, updatesOnly }: ReplicaTable) {
  const others = columns.filter((column) => !key.includes(column));
  const where = key.map((column) => `${column} = ?`).join(' AND ');
  const ownerNow = db.prepare(`SELECT ${replica.replaceAll(/ROW\.\w+/g, '?')} AS owner`);
  const ownerBefore =
    key.length === 0
      ? undefined
      : db.prepare(`SELECT ${replica.replaceAll('ROW', name)} AS owner FROM ${name} WHERE ${where}`);
  const both = { ownerNow, ownerBefore };
  if (updatesOnly === true)
    return {
      ...both,
      put: db.prepare(`UPDATE ${name} SET ${others.map((column) => `${column} = ?`).join(', ')} WHERE ${where}`),
      remove: undefined,
    };
  const insert = `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
  if (key.length === 0) return { ...both, put: db.prepare(insert), remove: undefined };
  const update =
    others.length === 0
      ? 'NOTHING'
      : `UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join(', ')}`;
  return {
    ...both,
    put: db.prepare(`${insert} ON CONFLICT (${key.join(', ')}) DO ${update}`),
    remove: db.prepare(`DELETE FROM ${name} WHERE ${where}`),
  };
}

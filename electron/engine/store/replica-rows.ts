import type { DatabaseSync } from 'node:sqlite';
import { wavesJournal } from '../ports/replica-fleet.ts';

/** A table whose rows belong to replicas, or to the actions on waves. */
export interface ReplicaTable {
  readonly name: string;
  /** Columns that identify a row; none: rows are only added, each with an id of its own in every store. */
  readonly key: readonly string[];
  readonly columns: readonly string[];
  /** An expression for the replica of the row `ROW`. */
  readonly replica: string;
  /** Columns of `replica`, in their order. */
  readonly owner: readonly string[];
  /** Only these columns of rows that exist are carried over; undefined: whole rows. */
  readonly updatesOnly?: boolean;
}

/**
 * In the order in which rows can be added. The endpoints and replicas themselves come from the project's files; the state of transfers stays on
 * each computer, because it describes files there: an engine that continues elsewhere compares the volumes by digest.
 */
const described: readonly Omit<ReplicaTable, 'columns' | 'owner'>[] = [
  { name: 'replicas', key: ['id'], replica: 'ROW.id', updatesOnly: true },
  { name: 'replica_disks', key: ['replica_id', 'disk_id'], replica: 'ROW.replica_id' },
  { name: 'executions', key: ['id'], replica: 'ROW.replica_id' },
  {
    name: 'tasks',
    key: ['execution_id', 'id'],
    replica: '(SELECT replica_id FROM executions WHERE id = ROW.execution_id)',
  },
  {
    name: 'execution_rates',
    key: ['execution_id'],
    replica: '(SELECT replica_id FROM executions WHERE id = ROW.execution_id)',
  },
  { name: 'snapshots', key: ['tag'], replica: 'ROW.replica_id' },
  { name: 'ledger', key: ['entry_id'], replica: 'ROW.replica_id' },
  { name: 'deployments', key: ['id'], replica: 'ROW.replica_id' },
  {
    name: 'deployment_tasks',
    key: ['deployment_id', 'id'],
    replica: '(SELECT replica_id FROM deployments WHERE id = ROW.deployment_id)',
  },
  {
    name: 'events',
    key: [],
    replica: `CASE WHEN ROW.replica_id IS NULL AND ROW.type LIKE 'wave.%' THEN '${wavesJournal}' ELSE ROW.replica_id END`,
  },
  { name: 'life_records', key: [], replica: 'ROW.replica_id' },
  { name: 'wave_runs', key: ['id'], replica: `'${wavesJournal}'` },
  { name: 'wave_members', key: ['run_id', 'replica_id'], replica: `'${wavesJournal}'` },
  { name: 'wave_carried', key: ['wave'], replica: `'${wavesJournal}'` },
  { name: 'wave_missed', key: ['wave'], replica: `'${wavesJournal}'` },
];

/** What of a replica's own row is state and no description. */
const replicaState = ['id', 'last_success'];

export function replicaTables(db: DatabaseSync): readonly ReplicaTable[] {
  return described.map((table) => {
    const all = db
      .prepare(`SELECT name FROM pragma_table_info('${table.name}') ORDER BY cid`)
      .all()
      .map((row) => String(row['name']));
    const columns =
      table.updatesOnly === true ? replicaState : table.key.length === 0 ? all.filter((name) => name !== 'id') : all;
    return { ...table, columns, owner: [...table.replica.matchAll(/ROW\.(\w+)/g)].map(([, column]) => column!) };
  });
}

import type { DatabaseSync } from 'node:sqlite';
import type { ErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { Execution, ExecutionOptions, ExecutionState } from '../../../shared/model/execution.ts';
import type { ExecutionProgress } from '../../../shared/model/progress.ts';
import { integer, json, optionalJson, optionalText, text, type Row } from './rows.ts';

export type ExecutionStore = ReturnType<typeof executionStore>;

/** Runs of replicas. */
export function executionStore(db: DatabaseSync) {
  const insert = db.prepare(`INSERT INTO executions (id, replica_id, number, state, options, created_at)
    SELECT ?, ?, ifnull(max(number), 0) + 1, 'pending', ?, ? FROM executions WHERE replica_id = ?`);
  const byId = db.prepare('SELECT * FROM executions WHERE id = ?');
  const ofReplica = db.prepare('SELECT * FROM executions WHERE replica_id = ? ORDER BY number DESC LIMIT ?');
  const latest = db.prepare(`SELECT executions.* FROM executions JOIN (SELECT replica_id, max(number) AS number FROM executions GROUP BY replica_id) USING (replica_id, number)
    ORDER BY created_at DESC`);
  const all = db.prepare('SELECT * FROM executions ORDER BY created_at DESC, number DESC LIMIT ?');
  const open = db.prepare(`SELECT * FROM executions WHERE state IN ('pending', 'running', 'cancelling', 'interrupted') ORDER BY created_at`);
  const setState = db.prepare('UPDATE executions SET state = ?, started_at = ifnull(started_at, ?) WHERE id = ?');
  const finish = db.prepare('UPDATE executions SET state = ?, finished_at = ?, error = ?, left_behind = ? WHERE id = ?');
  const setOptions = db.prepare('UPDATE executions SET options = ? WHERE id = ?');
  const setProgress = db.prepare('UPDATE executions SET progress = ? WHERE id = ?');
  return {
    add(execution: { id: string; replicaId: string; options: ExecutionOptions; createdAt: string }): void {
      insert.run(execution.id, execution.replicaId, JSON.stringify(execution.options), execution.createdAt, execution.replicaId);
    },
    find(id: string): Execution | undefined {
      const row = byId.get(id);
      return row === undefined ? undefined : fromRow(row);
    },
    /** Newest first. */
    list(filter: { replicaId?: string; limit: number }): Execution[] {
      const rows = filter.replicaId === undefined ? all.all(filter.limit) : ofReplica.all(filter.replicaId, filter.limit);
      return rows.map(fromRow);
    },
    /** The newest of each replica. */
    listLatest: () => latest.all().map(fromRow),
    /** Those that have not ended. */
    listOpen(): Execution[] {
      return open.all().map(fromRow);
    },
    /** Also notes the time of the first start. */
    setState(id: string, state: ExecutionState): void {
      setState.run(state, state === 'running' ? new Date().toISOString() : null, id);
    },
    setOptions(id: string, options: ExecutionOptions): void {
      setOptions.run(JSON.stringify(options), id);
    },
    setProgress(id: string, progress: ExecutionProgress): void {
      setProgress.run(JSON.stringify(progress), id);
    },
    finish(id: string, outcome: { state: ExecutionState; error?: ErrorRecord; leftBehind: number }): void {
      const error = outcome.error === undefined ? null : JSON.stringify(outcome.error);
      finish.run(outcome.state, new Date().toISOString(), error, outcome.leftBehind, id);
    },
  };
}

function fromRow(row: Row): Execution {
  return {
    id: text(row, 'id'),
    replicaId: text(row, 'replica_id'),
    number: integer(row, 'number'),
    state: text(row, 'state') as ExecutionState,
    options: json(row, 'options'),
    createdAt: text(row, 'created_at'),
    ...optionalText(row, 'started_at', 'startedAt'),
    ...optionalText(row, 'finished_at', 'finishedAt'),
    ...optionalJson<ErrorRecord, 'error'>(row, 'error', 'error'),
    leftBehind: integer(row, 'left_behind'),
    ...optionalJson<ExecutionProgress, 'progress'>(row, 'progress', 'progress'),
  };
}

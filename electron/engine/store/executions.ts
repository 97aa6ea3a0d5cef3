import type { DatabaseSync } from 'node:sqlite';
import type { ErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { Execution, ExecutionOptions, ExecutionState } from '../../../shared/model/execution.ts';
import type { ExecutionProgress } from '../../../shared/model/progress.ts';
import { json, optionalJson, text, type Row } from './rows.ts';
import { runFields, runQueries } from './runs.ts';

export type ExecutionStore = ReturnType<typeof executionStore>;

/** Runs of replicas. */
export function executionStore(db: DatabaseSync) {
  const insert = db.prepare(`INSERT INTO executions (id, replica_id, number, state, options, created_at)
    SELECT ?, ?, ifnull(max(number), 0) + 1, 'pending', ?, ? FROM executions WHERE replica_id = ?`);
  const byId = db.prepare('SELECT * FROM executions WHERE id = ?');
  const finish = db.prepare(
    'UPDATE executions SET state = ?, finished_at = ?, error = ?, left_behind = ? WHERE id = ?',
  );
  const setOptions = db.prepare('UPDATE executions SET options = ? WHERE id = ?');
  const setProgress = db.prepare('UPDATE executions SET progress = ? WHERE id = ?');
  return {
    ...runQueries<Execution, ExecutionState>(db, 'executions', fromRow),
    add(execution: { id: string; replicaId: string; options: ExecutionOptions; createdAt: string }): void {
      insert.run(
        execution.id,
        execution.replicaId,
        JSON.stringify(execution.options),
        execution.createdAt,
        execution.replicaId,
      );
    },
    find(id: string): Execution | undefined {
      const row = byId.get(id);
      return row === undefined ? undefined : fromRow(row);
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
    ...runFields(row),
    state: text(row, 'state') as ExecutionState,
    options: json(row, 'options'),
    ...optionalJson<ExecutionProgress, 'progress'>(row, 'progress', 'progress'),
  };
}

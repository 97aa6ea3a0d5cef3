import type { DatabaseSync } from 'node:sqlite';
import type { ErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { Task, TaskState } from '../../../shared/model/task.ts';
import { inTransaction } from './database.ts';
import { integer, optionalError, optionalJson, optionalText, text, type Row } from './rows.ts';

/** A task with what it yielded, as the runner needs it after a restart. */
export interface StoredTask extends Task {
  readonly result?: JsonObject;
}

export type TaskStore = ReturnType<typeof taskStore>;

/** Where the tasks of one sort of run are kept. */
const tables = {
  executions: { table: 'tasks', run: 'execution_id' },
  deployments: { table: 'deployment_tasks', run: 'deployment_id' },
} as const;

/** Tasks of runs, and what the completed ones yielded. */
export function taskStore(db: DatabaseSync, of: keyof typeof tables = 'executions') {
  const { table, run } = tables[of];
  const insert = db.prepare(
    `INSERT INTO ${table} (${run}, id, position, title, clean_up, state) VALUES (?, ?, ?, ?, ?, 'pending') ON CONFLICT DO NOTHING`,
  );
  const list = db.prepare(`SELECT * FROM ${table} WHERE ${run} = ? ORDER BY position`);
  const start =
    db.prepare(`UPDATE ${table} SET state = 'running', attempts = attempts + 1, started_at = ?, finished_at = NULL,
    error = NULL WHERE ${run} = ? AND id = ?`);
  const takeBack = db.prepare(
    `UPDATE ${table} SET state = 'pending', started_at = NULL, finished_at = NULL, error = NULL WHERE ${run} = ? AND id = ?`,
  );
  const finish = db.prepare(
    `UPDATE ${table} SET state = ?, finished_at = ?, result = ?, error = ? WHERE ${run} = ? AND id = ?`,
  );
  return {
    /** Adds those that are not there yet. */
    plan(runId: string, nodes: readonly { id: string; title: string; cleanUp: boolean }[]): void {
      inTransaction(db, () => {
        for (const [position, node] of nodes.entries())
          insert.run(runId, node.id, position, node.title, node.cleanUp ? 1 : 0);
      });
    },
    list(runId: string): StoredTask[] {
      return list.all(runId).map(fromRow);
    },
    start(runId: string, taskId: string): void {
      start.run(new Date().toISOString(), runId, taskId);
    },
    /** In one transaction. Attempts and results stay. */
    takeBack(runId: string, taskIds: readonly string[]): void {
      inTransaction(db, () => {
        for (const taskId of taskIds) takeBack.run(runId, taskId);
      });
    },
    finish(
      runId: string,
      taskId: string,
      state: TaskState,
      outcome: { result?: JsonObject; error?: ErrorRecord } = {},
    ): void {
      const result = outcome.result === undefined ? null : JSON.stringify(outcome.result);
      const error = outcome.error === undefined ? null : JSON.stringify(outcome.error);
      finish.run(state, new Date().toISOString(), result, error, runId, taskId);
    },
  };
}

function fromRow(row: Row): StoredTask {
  return {
    id: text(row, 'id'),
    title: text(row, 'title'),
    cleanUp: integer(row, 'clean_up') === 1,
    state: text(row, 'state') as TaskState,
    attempts: integer(row, 'attempts'),
    ...optionalText(row, 'started_at', 'startedAt'),
    ...optionalText(row, 'finished_at', 'finishedAt'),
    ...optionalJson<JsonObject, 'result'>(row, 'result', 'result'),
    ...optionalError(row),
  };
}

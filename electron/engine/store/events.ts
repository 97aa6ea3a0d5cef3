import type { DatabaseSync } from 'node:sqlite';
import type { Event, EventType } from '../../../shared/model/event.ts';
import { integer, json, optionalText, text, type Row } from './rows.ts';

export type NewEvent = Omit<Event, 'id' | 'at'>;
export type EventStore = ReturnType<typeof eventStore>;

/** The append-only record of what happened. Its messages hold no secrets. */
export function eventStore(db: DatabaseSync) {
  const insert = db.prepare(
    'INSERT INTO events (at, type, replica_id, execution_id, deployment_id, task_id, message, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const after = db.prepare('SELECT * FROM events WHERE id > ? AND (? IS NULL OR execution_id = ?) ORDER BY id LIMIT ?');
  const newest = db.prepare(
    'SELECT * FROM (SELECT * FROM events WHERE id > ? AND (? IS NULL OR execution_id = ?) ORDER BY id DESC LIMIT ?) ORDER BY id',
  );
  const ofDeployment = db.prepare('SELECT * FROM events WHERE id > ? AND deployment_id = ? ORDER BY id LIMIT ?');
  return {
    append(event: NewEvent): Event {
      const at = new Date().toISOString();
      const { lastInsertRowid } = insert.run(
        at,
        event.type,
        event.replicaId ?? null,
        event.executionId ?? null,
        event.deploymentId ?? null,
        event.taskId ?? null,
        event.message,
        JSON.stringify(event.details),
      );
      return { id: Number(lastInsertRowid), at, ...event };
    },
    /** In order, those with a greater id: the first ones, or the newest ones. */
    listAfter(
      id: number,
      filter: { executionId?: string; deploymentId?: string; limit: number; newest?: boolean },
    ): Event[] {
      if (filter.deploymentId !== undefined)
        return ofDeployment.all(id, filter.deploymentId, filter.limit).map(fromRow);
      const execution = filter.executionId ?? null;
      return (filter.newest === true ? newest : after).all(id, execution, execution, filter.limit).map(fromRow);
    },
  };
}

function fromRow(row: Row): Event {
  return {
    id: integer(row, 'id'),
    at: text(row, 'at'),
    type: text(row, 'type') as EventType,
    ...optionalText(row, 'replica_id', 'replicaId'),
    ...optionalText(row, 'execution_id', 'executionId'),
    ...optionalText(row, 'deployment_id', 'deploymentId'),
    ...optionalText(row, 'task_id', 'taskId'),
    message: text(row, 'message'),
    details: json(row, 'details'),
  };
}

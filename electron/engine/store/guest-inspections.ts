import type { DatabaseSync } from 'node:sqlite';
import type { ErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { GuestFound, GuestInspection } from '../../../shared/model/guest-inspection.ts';
import { optionalError, optionalInteger, optionalJson, optionalText, text, type Row } from './rows.ts';

export type GuestInspectionStore = ReturnType<typeof guestInspectionStore>;

/** The latest inspection of each replica's guest, and what the latest one that completed has found. */
export function guestInspectionStore(db: DatabaseSync) {
  const byReplica = db.prepare('SELECT * FROM guest_inspections WHERE replica_id = ?');
  const all = db.prepare('SELECT * FROM guest_inspections ORDER BY started_at DESC');
  const begin = db.prepare(`INSERT INTO guest_inspections (replica_id, state, started_at) VALUES (?, 'running', ?)
    ON CONFLICT (replica_id) DO UPDATE SET state = 'running', started_at = excluded.started_at, finished_at = NULL, error = NULL`);
  const end = db.prepare('UPDATE guest_inspections SET state = ?, finished_at = ?, error = ? WHERE replica_id = ?');
  const found = db.prepare(
    `UPDATE guest_inspections SET state = 'completed', finished_at = ?1, error = NULL, found = ?2, found_at = ?1, execution_number = ?3 WHERE replica_id = ?4`,
  );
  const interrupt = db.prepare(`UPDATE guest_inspections SET state = 'interrupted' WHERE state = 'running'`);
  return {
    find(replicaId: string): GuestInspection | undefined {
      const row = byReplica.get(replicaId);
      return row === undefined ? undefined : fromRow(row);
    },
    list: (): GuestInspection[] => all.all().map(fromRow),
    begin: (replicaId: string): void => void begin.run(replicaId, new Date().toISOString()),
    end: (replicaId: string, state: 'failed' | 'cancelled' | 'interrupted', error?: ErrorRecord): void =>
      void end.run(state, new Date().toISOString(), error === undefined ? null : JSON.stringify(error), replicaId),
    complete: (replicaId: string, what: GuestFound, executionNumber: number): void =>
      void found.run(new Date().toISOString(), JSON.stringify(what), executionNumber, replicaId),
    /** Those that an earlier engine was carrying out. */
    markInterrupted: (): void => void interrupt.run(),
  };
}

function fromRow(row: Row): GuestInspection {
  return {
    replicaId: text(row, 'replica_id'),
    state: text(row, 'state') as GuestInspection['state'],
    startedAt: text(row, 'started_at'),
    ...optionalText(row, 'finished_at', 'finishedAt'),
    ...optionalError(row),
    ...optionalJson<GuestFound, 'found'>(row, 'found', 'found'),
    ...optionalText(row, 'found_at', 'foundAt'),
    ...optionalInteger(row, 'execution_number', 'executionNumber'),
  };
}

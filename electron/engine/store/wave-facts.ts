import type { DatabaseSync } from 'node:sqlite';
import { cutOverInSql } from './cut-over-in-sql.ts';
import { integer, optionalText, text, type Row } from './rows.ts';

/** What the database alone knows of a replica in a wave. */
export interface WaveFacts {
  readonly replicaId: string;
  readonly name: string;
  readonly wave: string;
  /** Of the disks that are known; 0 before the first execution. */
  readonly bytes: number;
  readonly lastSuccess?: string;
  /** The newest run of either kind. */
  readonly state?: string;
  readonly rehearsedAt?: string;
  readonly movedAt?: string;
}

export type WaveFactsStore = ReturnType<typeof waveFactsStore>;

/** Few queries for many replicas, so that a list of waves stays quick with thousands. */
export function waveFactsStore(db: DatabaseSync) {
  const deployed = (
    isCutOver: boolean,
  ): string => `(SELECT max(d.finished_at) FROM deployments d WHERE d.replica_id = r.id AND d.error IS NULL
    AND d.state IN (${isCutOver ? `'completed'` : `'completed', 'deleted'`}) AND ${isCutOver ? '' : 'NOT '}${cutOverInSql('d.options')})`;
  const select = `SELECT r.id, r.name, r.wave, r.last_success,
    ifnull((SELECT sum(size_bytes) FROM replica_disks k WHERE k.replica_id = r.id), 0) AS bytes,
    (SELECT state FROM (
      SELECT * FROM (SELECT state, created_at FROM executions e WHERE e.replica_id = r.id ORDER BY number DESC LIMIT 1)
      UNION ALL SELECT * FROM (SELECT state, created_at FROM deployments d WHERE d.replica_id = r.id ORDER BY number DESC LIMIT 1)
    ) ORDER BY state IN ('pending', 'running', 'cancelling', 'interrupted') DESC, created_at DESC LIMIT 1) AS state,
    ${deployed(false)} AS rehearsed_at, ${deployed(true)} AS moved_at FROM replicas r`;
  const all = db.prepare(`${select} WHERE r.wave IS NOT NULL ORDER BY r.name`);
  const ofWave = db.prepare(`${select} WHERE r.wave = ? ORDER BY r.name`);
  return {
    list: (wave?: string): WaveFacts[] => (wave === undefined ? all.all() : ofWave.all(wave)).map(fromRow),
  };
}

function fromRow(row: Row): WaveFacts {
  return {
    replicaId: text(row, 'id'),
    name: text(row, 'name'),
    wave: text(row, 'wave'),
    bytes: integer(row, 'bytes'),
    ...optionalText(row, 'last_success', 'lastSuccess'),
    ...optionalText(row, 'state', 'state'),
    ...optionalText(row, 'rehearsed_at', 'rehearsedAt'),
    ...optionalText(row, 'moved_at', 'movedAt'),
  };
}

import type { DatabaseSync } from 'node:sqlite';
import { cutOverInSql } from './cut-over-in-sql.ts';
import { integer, text } from './rows.ts';

/** What was reached for the first time on a day of UTC. */
export interface DayProgress {
  readonly day: string;
  /** VMs whose first copy was completed. */
  readonly copied: number;
  /** VMs that were cut over, and not rolled back since. */
  readonly moved: number;
  /** What crossed the link. */
  readonly bytes: number;
}

export type ProgressByDayStore = ReturnType<typeof progressByDayStore>;

/** One query, however many executions there are. */
export function progressByDayStore(db: DatabaseSync) {
  const list = db.prepare(`
    WITH copied AS (SELECT substr(min(finished_at), 1, 10) AS day FROM executions WHERE state = 'completed' GROUP BY replica_id),
    moved AS (SELECT substr(min(d.finished_at), 1, 10) AS day FROM deployments d JOIN replicas r ON r.id = d.replica_id
      WHERE d.state = 'completed' AND d.error IS NULL AND ${cutOverInSql('d.options')}
        AND NOT EXISTS (SELECT 1 FROM life_records l WHERE l.replica_id = d.replica_id AND l.kind = 'rolled-back' AND json_extract(l.details, '$.deploymentId') = d.id)
      GROUP BY d.replica_id),
    sent AS (SELECT substr(finished_at, 1, 10) AS day, sum(ifnull(json_extract(progress, '$.total.bytesSent'), 0)) AS bytes FROM executions WHERE finished_at IS NOT NULL GROUP BY 1)
    SELECT day, sum(copied) AS copied, sum(moved) AS moved, sum(bytes) AS bytes FROM (
      SELECT day, 1 AS copied, 0 AS moved, 0 AS bytes FROM copied UNION ALL SELECT day, 0, 1, 0 FROM moved UNION ALL SELECT day, 0, 0, bytes FROM sent
    ) WHERE day IS NOT NULL GROUP BY day ORDER BY day`);
  return {
    list: (): DayProgress[] =>
      list.all().map((row) => ({
        day: text(row, 'day'),
        copied: integer(row, 'copied'),
        moved: integer(row, 'moved'),
        bytes: integer(row, 'bytes'),
      })),
  };
}

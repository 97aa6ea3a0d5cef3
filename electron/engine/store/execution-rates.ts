import type { DatabaseSync } from 'node:sqlite';
import type { RateSample } from '../../../shared/model/progress.ts';
import { json } from './rows.ts';

export type ExecutionRateStore = ReturnType<typeof executionRateStore>;

/** How fast executions were over time. They go with their executions. */
export function executionRateStore(db: DatabaseSync) {
  const write = db.prepare(
    'INSERT INTO execution_rates (execution_id, samples) VALUES (?, ?) ON CONFLICT (execution_id) DO UPDATE SET samples = excluded.samples',
  );
  const read = db.prepare('SELECT samples FROM execution_rates WHERE execution_id = ?');
  return {
    set(executionId: string, samples: readonly RateSample[]): void {
      write.run(executionId, JSON.stringify(samples.map(rounded)));
    },
    get(executionId: string): readonly RateSample[] {
      const row = read.get(executionId);
      return row === undefined ? [] : json<RateSample[]>(row, 'samples');
    },
  };
}

function rounded({ at, bytesPerSecond, sentPerSecond, limit }: RateSample): RateSample {
  return {
    at,
    bytesPerSecond: Math.round(bytesPerSecond),
    sentPerSecond: sentPerSecond === undefined ? undefined : Math.round(sentPerSecond),
    limit,
  };
}

import type { DatabaseSync } from 'node:sqlite';
import { usualWorkerPool, type WorkerPoolSettings } from '../../../shared/model/worker-pool.ts';
import { integer } from './rows.ts';

export type WorkerPoolSettingsStore = ReturnType<typeof workerPoolSettingsStore>;

/** How many disk copy workers this project keeps for the next executions, and how long. */
export function workerPoolSettingsStore(db: DatabaseSync) {
  const write = db.prepare(
    'INSERT INTO worker_pool (only_row, keep, minutes) VALUES (1, ?, ?) ON CONFLICT (only_row) DO UPDATE SET keep = excluded.keep, minutes = excluded.minutes',
  );
  const read = db.prepare('SELECT keep, minutes FROM worker_pool');
  return {
    set({ keep, minutes }: WorkerPoolSettings): void {
      write.run(keep, minutes);
    },
    get(): WorkerPoolSettings {
      const row = read.get();
      return row === undefined ? usualWorkerPool : { keep: integer(row, 'keep'), minutes: integer(row, 'minutes') };
    },
  };
}

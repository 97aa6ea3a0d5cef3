import type { DatabaseSync } from 'node:sqlite';
import { integer } from './rows.ts';

export type QueueLimitStore = ReturnType<typeof queueLimitStore>;

/** How many runs this project allows at the same time; undefined until it is set. */
export function queueLimitStore(db: DatabaseSync) {
  const write = db.prepare(
    'INSERT INTO queue_limit (only_row, at_once) VALUES (1, ?) ON CONFLICT (only_row) DO UPDATE SET at_once = excluded.at_once',
  );
  const read = db.prepare('SELECT at_once FROM queue_limit');
  return {
    set(atOnce: number): void {
      write.run(atOnce);
    },
    get(): number | undefined {
      const row = read.get();
      return row === undefined ? undefined : integer(row, 'at_once');
    },
  };
}

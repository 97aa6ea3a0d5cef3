import type { DatabaseSync } from 'node:sqlite';
import type { ExecutionOptions } from '../../../shared/model/execution.ts';
import { optionalInteger, optionalText } from './rows.ts';

export type BandwidthLimitStore = ReturnType<typeof bandwidthLimitStore>;

/** How fast all executions of this project together may be; neither: as fast as they can. */
export function bandwidthLimitStore(db: DatabaseSync) {
  const write = db.prepare(
    'INSERT INTO bandwidth_limit (only_row, rate, profile) VALUES (1, ?, ?) ON CONFLICT (only_row) DO UPDATE SET rate = excluded.rate, profile = excluded.profile',
  );
  const read = db.prepare('SELECT rate, profile FROM bandwidth_limit');
  return {
    set({ bandwidthLimit, bandwidthProfile }: Pick<ExecutionOptions, 'bandwidthLimit' | 'bandwidthProfile'>): void {
      write.run(bandwidthLimit ?? null, bandwidthProfile ?? null);
    },
    get(): { readonly bandwidthLimit?: number; readonly bandwidthProfile?: string } {
      const row = read.get() ?? {};
      return { ...optionalInteger(row, 'rate', 'bandwidthLimit'), ...optionalText(row, 'profile', 'bandwidthProfile') };
    },
  };
}

import type { DatabaseSync } from 'node:sqlite';
import type { WaveAction } from '../../../shared/model/wave-action.ts';
import { integer, text } from './rows.ts';

export interface MissedStart {
  readonly wave: string;
  /** When it was due and until when it may still begin: milliseconds since 1970. */
  readonly at: number;
  readonly until: number;
  readonly action: WaveAction;
}

export type WaveCalendarStore = ReturnType<typeof waveCalendarStore>;

/** Up to when the plans of waves were carried out, and starts that wait for a person because they were missed. */
export function waveCalendarStore(db: DatabaseSync) {
  const look = db.prepare('SELECT looked_at FROM wave_looks WHERE wave = ?');
  const carried = db.prepare('SELECT until FROM wave_carried WHERE wave = ?');
  const setCarried = db.prepare(
    'INSERT INTO wave_carried VALUES (?, ?) ON CONFLICT (wave) DO UPDATE SET until = excluded.until',
  );
  const setLook = db.prepare(
    'INSERT INTO wave_looks VALUES (?, ?) ON CONFLICT (wave) DO UPDATE SET looked_at = excluded.looked_at',
  );
  const add = db.prepare(
    'INSERT INTO wave_missed VALUES (?, ?, ?, ?) ON CONFLICT (wave) DO UPDATE SET at = excluded.at, until = excluded.until, action = excluded.action',
  );
  const list = db.prepare('SELECT * FROM wave_missed ORDER BY at');
  const remove = db.prepare('DELETE FROM wave_missed WHERE wave = ?');
  return {
    /** When this engine looked last, or up to when another one of its fleet carried the plan out: whatever is later. */
    lookedAt(wave: string): number | undefined {
      const [own, shared] = [look.get(wave), carried.get(wave)];
      const times = [
        ...(own === undefined ? [] : [integer(own, 'looked_at')]),
        ...(shared === undefined ? [] : [integer(shared, 'until')]),
      ];
      return times.length === 0 ? undefined : Math.max(...times);
    },
    /** @param isNews whether an engine that takes over has to know it */
    setLookedAt(wave: string, at: number, isNews: boolean): void {
      setLook.run(wave, at);
      if (isNews) setCarried.run(wave, at);
    },
    /** One for each wave: the newest. */
    addMissed: ({ wave, at, until, action }: MissedStart): void => void add.run(wave, at, until, action),
    listMissed: (): MissedStart[] =>
      list.all().map((row) => ({
        wave: text(row, 'wave'),
        at: integer(row, 'at'),
        until: integer(row, 'until'),
        action: text(row, 'action') as WaveAction,
      })),
    removeMissed: (wave: string): void => void remove.run(wave),
  };
}

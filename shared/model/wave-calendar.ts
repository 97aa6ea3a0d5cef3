import { dateAfter, instantOf, wallTimeAt } from './wall-time.ts';
import type { WaveAction } from './wave-action.ts';
import { weekdays, type BlackOut, type WavePlan } from './wave-plan.ts';

/** Something of a wave that is to start by itself, or the window of a wave, which people start. */
export interface PlannedStart {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Until when it may still begin. */
  readonly until: number;
  readonly kind: 'window' | 'synchronisation';
  /** What starts; undefined where a person has to. */
  readonly action?: WaveAction;
  /** It falls into a black-out and does not start. */
  readonly isBlackedOut: boolean;
}

const hour = 3_600_000;

/** What a plan has between two instants, the first excluded and the second included, in order. */
export function plannedStarts(plan: WavePlan, after: number, until: number): PlannedStart[] {
  const found: PlannedStart[] = [];
  if (plan.window !== undefined) {
    const { date, time, zone, hours } = plan.window;
    const { at } = instantOf(date, time, zone);
    found.push({
      at,
      until: at + hours * hour,
      kind: 'window',
      isBlackedOut: isBlackedOut(plan, at),
      ...(plan.startsWith === undefined ? {} : { action: plan.startsWith }),
    });
  }
  if (plan.synchronisation !== undefined) {
    const { time, zone, days } = plan.synchronisation;
    // A day earlier and later, because days of the zone begin elsewhere than those of UTC.
    for (
      let date = dateAfter(wallTimeAt(after, zone).date, -1);
      date <= dateAfter(wallTimeAt(until, zone).date, 1);
      date = dateAfter(date, 1)
    ) {
      if (days !== undefined && !days.includes(weekdays[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7]!))
        continue;
      const { at } = instantOf(date, time, zone);
      const next = instantOf(dateAfter(date, 1), time, zone).at;
      found.push({
        at,
        until: next,
        kind: 'synchronisation',
        action: 'synchronise',
        isBlackedOut: isBlackedOut(plan, at),
      });
    }
  }
  return found.filter(({ at }) => at > after && at <= until).sort((one, other) => one.at - other.at);
}

/** Whether it ends after it begins; one that does not holds nothing back. */
export function lasts({ fromDate, fromTime, toDate, toTime, zone }: BlackOut): boolean {
  return instantOf(fromDate, fromTime, zone).at < instantOf(toDate, toTime, zone).at;
}

export function isBlackedOut({ blackOuts = [] }: WavePlan, at: number): boolean {
  return blackOuts.some(
    ({ fromDate, fromTime, toDate, toTime, zone }) =>
      at >= instantOf(fromDate, fromTime, zone).at && at < instantOf(toDate, toTime, zone).at,
  );
}

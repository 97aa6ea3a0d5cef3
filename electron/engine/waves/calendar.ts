import { isBlackedOut, plannedStarts, type PlannedStart } from '../../../shared/model/wave-calendar.ts';
import type { WaveAction } from '../../../shared/model/wave-action.ts';
import type { WavePlan } from '../../../shared/model/wave-plan.ts';
import type { NewEvent } from '../store/events.ts';
import type { WaveCalendarStore } from '../store/wave-calendar.ts';

/** Later than this, a start was missed: the computer was asleep, or no engine was there. */
const graceMs = 5 * 60_000;
/** Starts that are older than this interest nobody any more. */
const longestMs = 14 * 86_400_000;

export interface CalendarWave {
  readonly name: string;
  readonly plan?: WavePlan | undefined;
}

export interface CalendarOptions {
  readonly store: WaveCalendarStore;
  /** The plans that this engine has looked at since it carries them out, by wave; kept by the caller. */
  readonly known: Map<string, string>;
  waves(): readonly CalendarWave[];
  /** Whether something may start now: the project is accepted, the vault is open. */
  mayStart(): Promise<boolean>;
  /** When the newest action of a wave was started. */
  startedAt(wave: string): number | undefined;
  isActive(wave: string): boolean;
  /** @throws CausewayError */
  start(wave: string, action: WaveAction): Promise<unknown>;
  emit(event: NewEvent): void;
  now(): number;
}

/**
 * One look at the plans of all waves: starts what became due since the look before, each once. What was missed is skipped, started now
 * or kept for a person, as the plan says. The look is recorded after the start: an engine that ends in between finds what it started.
 */
export async function lookAtCalendar(options: CalendarOptions): Promise<void> {
  const { store, now: clock } = options;
  const now = clock();
  for (const missed of store.listMissed()) if (missed.until <= now) store.removeMissed(missed.wave);
  const planned = options
    .waves()
    .filter(
      ({ plan }) =>
        plan?.synchronisation !== undefined || (plan?.window !== undefined && plan.startsWith !== undefined),
    );
  if (planned.length === 0 || !(await options.mayStart())) return;
  for (const { name, plan = {} } of planned) {
    const last = Math.max(store.lookedAt(name) ?? now, now - longestMs);
    const due = plannedStarts(plan, last, now).filter(
      (start): start is PlannedStart & { readonly action: WaveAction } => start.action !== undefined,
    );
    const skip = (start: PlannedStart, why: string): void =>
      note(options, name, `wave ${name}: the start of ${new Date(start.at).toISOString()} was skipped: ${why}`);
    // The newest of several that were missed stands for all of them; a window goes before a synchronisation.
    const newest = due.findLast(({ kind }) => kind === 'window') ?? due.at(-1);
    for (const start of due) {
      if (start.isBlackedOut) skip(start, 'it is in a black-out');
      else if (start !== newest) skip(start, 'a later one stands for it');
      else await carryOut(options, name, plan, start, now, skip);
    }
    const text = JSON.stringify(plan);
    store.setLookedAt(name, now, due.length > 0 || options.known.get(name) !== text);
    options.known.set(name, text);
  }
}

async function carryOut(
  options: CalendarOptions,
  wave: string,
  plan: WavePlan,
  start: PlannedStart & { readonly action: WaveAction },
  now: number,
  skip: (start: PlannedStart, why: string) => void,
): Promise<void> {
  const { store } = options;
  const isMissed = now - start.at > graceMs;
  const policy = plan.ifMissed ?? 'ask';
  if ((options.startedAt(wave) ?? 0) >= start.at) return;
  if (options.isActive(wave)) return skip(start, 'the wave is in progress');
  if (isMissed && (policy === 'skip' || now >= start.until))
    return skip(start, 'the computer was asleep, or Causeway was not open');
  if (isMissed && policy === 'ask') {
    store.addMissed({ wave, at: start.at, until: start.until, action: start.action });
    return note(
      options,
      wave,
      `wave ${wave}: the start of ${new Date(start.at).toISOString()} was missed and waits for a decision`,
    );
  }
  if (isBlackedOut(plan, now)) return skip(start, 'it would be caught up in a black-out');
  try {
    await options.start(wave, start.action);
    note(options, wave, `wave ${wave}: started as planned for ${new Date(start.at).toISOString()}`);
  } catch (error) {
    skip(start, error instanceof Error ? error.message : String(error));
  }
}

function note({ emit }: CalendarOptions, wave: string, message: string): void {
  emit({ type: 'wave.state', message, details: { wave, calendar: true } });
}

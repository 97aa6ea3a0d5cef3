import type { FaultEffect } from './faults.ts';
import type { CallRecord } from './http-server.ts';

/** One call that goes wrong once: the `nth` of its operation. */
export interface FaultCase {
  readonly operation: string;
  readonly nth: number;
  readonly effect: FaultEffect;
}

/** What can happen to any call; what a call was to do is done, or not. */
const anyCall: readonly FaultEffect[] = [
  '500',
  '429',
  '502-before',
  '502-after',
  'connection-reset',
  'connection-reset-after',
];

/** What the operations of a cloud do, as far as faults differ by it. */
export interface OperationKinds {
  /** Changes that are accepted first and done later: they can fail, or never end, after the answer. */
  isDoneLater(operation: string): boolean;
  /** Whether a call changes nothing that could be there twice. */
  isRead(call: CallRecord): boolean;
}

/**
 * Every fault that can hit one of these calls. A call that only reads is refused, throttled, or loses its answer; one
 * that changes something may also never be answered.
 */
export function faultCasesOf(calls: readonly CallRecord[], kinds: OperationKinds): FaultCase[] {
  const counted = new Map<string, number>();
  return calls.flatMap((call) => {
    const { operation } = call;
    const nth = (counted.get(operation) ?? 0) + 1;
    counted.set(operation, nth);
    const effects: readonly FaultEffect[] = kinds.isRead(call)
      ? anyCall.filter((effect) => effect !== '502-before')
      : [...anyCall, 'no-answer', ...(kinds.isDoneLater(operation) ? (['status-error', 'hang'] as const) : [])];
    return effects.map((effect) => ({ operation, nth, effect }));
  });
}

/** Keeps the most that there ever was of each kind: something made twice shows, even when both are removed at the end. */
export class CensusPeaks<World> {
  readonly #census: (world: World) => Readonly<Record<string, number>>;
  #most: Record<string, number> = {};

  /** @param census how many of each kind there are at this moment */
  constructor(census: (world: World) => Readonly<Record<string, number>>) {
    this.#census = census;
  }

  look(world: World): void {
    for (const [kind, count] of Object.entries(this.#census(world)))
      this.#most[kind] = Math.max(this.#most[kind] ?? 0, count);
  }

  /** What was more than in `allowed`, as text. */
  beyond(allowed: Readonly<Record<string, number>>): string[] {
    return Object.entries(this.#most)
      .filter(([kind, count]) => count > (allowed[kind] ?? 0))
      .map(([kind, count]) => `${count} ${kind} at once, ${allowed[kind] ?? 0} are enough`);
  }

  /** The numbers since the last call, and a new beginning. */
  take(): Readonly<Record<string, number>> {
    const most = this.#most;
    this.#most = {};
    return most;
  }
}

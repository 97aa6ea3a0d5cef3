import type { Clock } from './clock.ts';

/** A time limit by a clock that tests can move, unlike that of `AbortSignal.timeout`. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** It does not come any more. */
  callOff(): void;
}

export function deadline(clock: Clock, ms: number): Deadline {
  const controller = new AbortController();
  return { signal: controller.signal, callOff: clock.after(ms, () => controller.abort()) };
}

import type { Clock } from './clock.ts';

export interface PollPlan {
  readonly deadlineMs: number;
  /** The first pause; it grows by half each time. */
  readonly firstMs: number;
  readonly capMs: number;
}

/** The result of one query: done with a value, or not yet, with the state to name when the deadline passes. */
export type Look<T> = { readonly done: true; readonly value: T } | { readonly done: false; readonly state: string };

/**
 * Queries until the operation is done. The pauses grow, and the deadline counts from the call.
 *
 * @throws whatever `look` throws; what `late` makes of the last state when the deadline passes; the signal's reason
 */
export async function pollUntil<T>(
  look: (signal: AbortSignal) => Promise<Look<T>>,
  plan: PollPlan,
  clock: Clock,
  signal: AbortSignal,
  late: (state: string) => Error,
): Promise<T> {
  const end = clock.monotonic() + plan.deadlineMs;
  let pause = plan.firstMs;
  for (;;) {
    signal.throwIfAborted();
    const seen = await look(signal);
    if (seen.done) return seen.value;
    const left = end - clock.monotonic();
    if (left <= 0) throw late(seen.state);
    await clock.sleep(Math.min(pause, left), signal);
    pause = Math.min(plan.capMs, pause * 1.5);
  }
}

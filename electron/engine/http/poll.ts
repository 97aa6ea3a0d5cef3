import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { Clock } from './clock.ts';

export interface PollPlan {
  readonly deadlineMs: number;
  /** The first pause; it grows by half each time. */
  readonly firstMs: number;
  readonly capMs: number;
}

/** What one look saw: done with a value, or not yet, with the state that a failed deadline names. */
export type Look<T> = { readonly done: true; readonly value: T } | { readonly done: false; readonly state: string };

/**
 * Looks again and again until the thing is done. The pauses grow, and the deadline counts from the call.
 *
 * @throws `cloud.not-ready` with the last state seen when the deadline passes; whatever `look` throws.
 */
export async function pollUntil<T>(
  what: { readonly operation: string; readonly details?: JsonObject },
  look: (signal: AbortSignal) => Promise<Look<T>>,
  plan: PollPlan,
  clock: Clock,
  signal: AbortSignal,
): Promise<T> {
  const end = clock.now() + plan.deadlineMs;
  let pause = plan.firstMs;
  for (;;) {
    signal.throwIfAborted();
    const seen = await look(signal);
    if (seen.done) return seen.value;
    const left = end - clock.now();
    if (left <= 0) {
      throw new CausewayError('cloud.not-ready', `${what.operation}: still ${seen.state} after ${Math.round(plan.deadlineMs / 1000)} s`, {
        details: { ...what.details, operation: what.operation, state: seen.state, deadlineMs: plan.deadlineMs },
      });
    }
    await clock.sleep(Math.min(pause, left), signal);
    pause = Math.min(plan.capMs, pause * 1.5);
  }
}

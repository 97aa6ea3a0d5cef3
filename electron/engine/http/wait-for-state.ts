import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { Clock } from '../time/clock.ts';
import { pollUntil, type Look, type PollPlan } from '../time/poll.ts';

/**
 * Polls a resource until it is in the wanted state.
 *
 * @throws `cloud.not-ready` with the last state seen when the deadline passes; whatever `look` throws.
 */
export function waitForState<T>(
  what: { readonly operation: string; readonly details?: JsonObject },
  look: (signal: AbortSignal) => Promise<Look<T>>,
  plan: PollPlan,
  clock: Clock,
  signal: AbortSignal,
): Promise<T> {
  return pollUntil(
    look,
    plan,
    clock,
    signal,
    (state) =>
      new CausewayError(
        'cloud.not-ready',
        `${what.operation}: still ${state} after ${Math.round(plan.deadlineMs / 1000)} s`,
        {
          details: { ...what.details, operation: what.operation, state, deadlineMs: plan.deadlineMs },
        },
      ),
  );
}

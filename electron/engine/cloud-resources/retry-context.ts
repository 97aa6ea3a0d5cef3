import { usualLooks } from '../http/create-once.ts';
import { defaultBackOff } from '../http/retry-after.ts';
import type { BackOff } from '../time/back-off.ts';
import { systemClock, type Clock } from '../time/clock.ts';
import type { PollPlan } from '../time/poll.ts';

/** Time limits and polling intervals, in milliseconds. */
export interface Timeouts {
  readonly requestMs: number;
  readonly pollFirstMs: number;
  readonly pollCapMs: number;
  readonly volumeMs: number;
  readonly serverMs: number;
  readonly attachMs: number;
  readonly removeMs: number;
  readonly backOff: BackOff;
  /** Looks that must see nothing before a creation with a lost answer is sent again. */
  readonly looksBeforeCreatingAgain: number;
}

/** The clouds' own tools wait 30 minutes for a volume and 20 for a server. */
export const defaultTiming: Timeouts = {
  requestMs: 60_000,
  pollFirstMs: 1_000,
  pollCapMs: 5_000,
  volumeMs: 30 * 60_000,
  serverMs: 20 * 60_000,
  attachMs: 10 * 60_000,
  removeMs: 20 * 60_000,
  backOff: defaultBackOff,
  looksBeforeCreatingAgain: usualLooks,
};

/** What may be brought along in place of the usual; for tests, most of it. */
export interface RetryContextOptions {
  readonly timing?: Partial<Timeouts>;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export interface RetryContext {
  readonly timing: Timeouts;
  readonly clock: Clock;
  readonly random: () => number;
}

export function retryContext(options: RetryContextOptions): RetryContext {
  return {
    timing: { ...defaultTiming, ...options.timing },
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}

export function pollPlan(timing: Timeouts, deadlineMs: number): PollPlan {
  return { deadlineMs, firstMs: timing.pollFirstMs, capMs: timing.pollCapMs };
}

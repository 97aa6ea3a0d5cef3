import { abortable } from '../concurrency/abortable.ts';
import type { Clock } from '../time/clock.ts';

/** A token this close to expiry is renewed before use, so that it does not expire during a request. */
const renewBeforeEndMs = 120_000;
const fetchDeadlineMs = 120_000;

export interface TokenKeeperOptions<T> {
  /** Gets a new token. `lifeMs` is how long it is good for from now on, in milliseconds. */
  readonly fetch: (signal: AbortSignal) => Promise<{ readonly token: T; readonly lifeMs: number }>;
  readonly clock: Clock;
}

/**
 * Keeps an access token: fetched at its first use, renewed before it ends or when `renew` says that the server refused
 * it. Concurrent callers share one fetch.
 */
export function createTokenKeeper<T>(
  options: TokenKeeperOptions<T>,
): (renew: boolean, signal: AbortSignal) => Promise<T> {
  const { clock } = options;
  let kept: { readonly token: T; readonly endsAt: number } | undefined;
  let fetching: Promise<T> | undefined;

  async function fetchToken(): Promise<T> {
    const asked = clock.wallTime();
    const { token, lifeMs } = await options.fetch(AbortSignal.timeout(fetchDeadlineMs));
    kept = { token, endsAt: asked + lifeMs - Math.min(renewBeforeEndMs, lifeMs / 4) };
    return token;
  }

  return async (renew, signal) => {
    if (kept !== undefined && !renew && clock.wallTime() < kept.endsAt) return kept.token;
    // The shared fetch has no caller's signal: one caller that gives up must not fail the others.
    fetching ??= fetchToken().finally(() => {
      fetching = undefined;
    });
    return abortable(fetching, signal);
  };
}

export interface BackOff {
  /** Attempts in all, the first one included. */
  readonly attempts: number;
  readonly firstMs: number;
  readonly capMs: number;
}

export const defaultBackOff: BackOff = { attempts: 6, firstMs: 500, capMs: 20_000 };

/** Never wait longer than this because a server said so; then give up waiting and try. */
const longestRetryAfterMs = 120_000;

/**
 * How long to wait before attempt `attempt + 1` (attempts count from 1): doubles each time, with half of it random so
 * that several executions do not come back in step. A `Retry-After` is a lower bound.
 */
export function backOffDelay(backOff: BackOff, attempt: number, retryAfterMs: number | undefined, random: () => number): number {
  const full = Math.min(backOff.capMs, backOff.firstMs * 2 ** (attempt - 1));
  const jittered = full / 2 + (full / 2) * random();
  return Math.max(jittered, Math.min(retryAfterMs ?? 0, longestRetryAfterMs));
}

/** `Retry-After` as milliseconds from `nowMs` (seconds or an HTTP date); undefined when absent or unreadable. */
export function parseRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value.trim()) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

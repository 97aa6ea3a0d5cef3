import { backOffMs, type BackOff } from '../time/back-off.ts';

export const defaultBackOff: BackOff = { attempts: 6, firstMs: 500, capMs: 20_000 };

/** The longest wait that a server may ask for; after that, try anyway. */
const longestRetryAfterMs = 120_000;

/** How long to wait after `failures` failures; a `Retry-After` is a lower bound. Milliseconds. */
export function retryDelayMs(
  backOff: BackOff,
  failures: number,
  retryAfterMs: number | undefined,
  random: () => number,
): number {
  return Math.max(backOffMs(backOff, failures, random), Math.min(retryAfterMs ?? 0, longestRetryAfterMs));
}

/** `Retry-After` as milliseconds from `nowMs` (seconds or an HTTP date); undefined when absent or unreadable. */
export function parseRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value.trim()) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

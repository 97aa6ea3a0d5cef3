import { setTimeout as delay } from 'node:timers/promises';

/**
 * How long to wait before attempt `attempt` (2 = the first repetition): doubling, capped, spread over the upper half so
 * that many who failed together do not come back together. Milliseconds.
 */
export function backOffMs(attempt: number, policy: { firstDelayMs: number; maxDelayMs: number }, random: () => number = Math.random): number {
  const full = Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** Math.max(0, attempt - 2));
  return Math.round(full * (0.5 + random() / 2));
}

/** Waits; rejects with the signal's reason when it is aborted. */
export async function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

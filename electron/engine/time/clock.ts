import { setTimeout as delay } from 'node:timers/promises';

/** The clock for waiting and measuring; tests can provide their own. All in milliseconds. */
export interface Clock {
  /** Only grows; the start is arbitrary. */
  monotonic(): number;
  /** Since 1970: for tokens, time stamps, and limits by the time of day. */
  wallTime(): number;
  /** Resolves after `ms`; rejects with the signal's reason when that is aborted first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls back once after `ms`; returns a function that calls it off. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  monotonic: () => performance.now(),
  wallTime: () => Date.now(),
  async sleep(ms, signal) {
    try {
      await delay(ms, undefined, { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  },
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

import type { Clock } from '../clock.ts';

/** A clock for tests: waiting takes no time, and what was waited for is kept. */
export interface HastyClock extends Clock {
  readonly sleeps: number[];
  advance(ms: number): void;
}

export function createHastyClock(startWallTime = Date.UTC(2026, 0, 1)): HastyClock {
  let passed = 0;
  const sleeps: number[] = [];
  return {
    sleeps,
    monotonic: () => passed,
    wallTime: () => startWallTime + passed,
    async sleep(ms, signal) {
      signal.throwIfAborted();
      sleeps.push(ms);
      passed += ms;
    },
    after(ms, callback) {
      passed += ms;
      callback();
      return () => undefined;
    },
    advance(ms) {
      passed += ms;
    },
  };
}

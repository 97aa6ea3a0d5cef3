import type { Clock } from '../clock.ts';

/** A clock for tests: waiting takes no time, and what was waited for is kept. */
export interface FakeClock extends Clock {
  readonly sleeps: number[];
  advance(ms: number): void;
}

export function createFakeClock(startWallTime = Date.UTC(2026, 0, 1)): FakeClock {
  let passed = 0;
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => passed,
    wallTime: () => startWallTime + passed,
    async sleep(ms, signal) {
      signal.throwIfAborted();
      sleeps.push(ms);
      passed += ms;
    },
    advance(ms) {
      passed += ms;
    },
  };
}

import type { Clock } from '../clock.ts';

/** A clock for tests: waiting takes no time, and what was waited for is kept. Deadlines come when it is advanced past them. */
export interface HastyClock extends Clock {
  readonly sleeps: number[];
  advance(ms: number): void;
}

export function createHastyClock(startWallTime = Date.UTC(2026, 0, 1)): HastyClock {
  let passed = 0;
  let timers: { readonly at: number; readonly callback: () => void }[] = [];
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
      const timer = { at: passed + ms, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      passed += ms;
      const due = timers.filter(({ at }) => at <= passed);
      timers = timers.filter(({ at }) => at > passed);
      for (const { callback } of due) callback();
    },
  };
}

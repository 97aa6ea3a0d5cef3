import { systemClock, type Clock } from '../../electron/engine/time/clock.ts';

/** Waits as it is asked to, only shorter: a pause of seconds is right for a cloud and idle for a lab. */
export function hurriedClock(mostMs: number): Clock {
  return { ...systemClock, sleep: (ms, signal) => systemClock.sleep(Math.min(ms, mostMs), signal) };
}

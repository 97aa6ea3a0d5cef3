import { systemClock, type Clock } from '../../electron/engine/time/clock.ts';

/** Waits as it is asked to, only shorter: a pause of seconds is right for a cloud and idle for a lab. */
export function hurriedClock(mostMs: number): Clock {
  return { ...systemClock, sleep: (ms, signal) => systemClock.sleep(Math.min(ms, mostMs), signal) };
}

/** A hurried clock by which a request is given up when a test knows that nobody answers it, and never because the machine is slow. */
export interface RequestClock extends Clock {
  /** The time limits of all requests that are under way come now. */
  nobodyAnswers(): void;
}

export function requestClock(mostMs: number): RequestClock {
  const clock = hurriedClock(mostMs);
  const waiting = new Set<() => void>();
  return {
    ...clock,
    after(ms, callback) {
      const end = (): void => {
        callOff();
        callback();
      };
      const callOffTimer = clock.after(ms, end);
      const callOff = (): void => {
        waiting.delete(end);
        callOffTimer();
      };
      waiting.add(end);
      return callOff;
    },
    nobodyAnswers() {
      for (const end of waiting) end();
    },
  };
}

/** Of requests in the lab: far more than a busy machine needs. */
export const patientRequestMs = 60_000;

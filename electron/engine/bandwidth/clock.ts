/** Time as the limiter and the progress meter see it; replaced by a fake one in tests. */
export interface Clock {
  /** Milliseconds that only grow; the start is arbitrary. */
  monotonic(): number;
  /** Time of day, for profiles in local time. */
  wallTime(): Date;
  /** Calls back once after `milliseconds`; returns a function that calls it off. */
  after(milliseconds: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  monotonic: () => performance.now(),
  wallTime: () => new Date(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

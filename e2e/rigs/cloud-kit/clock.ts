/** The time of a simulated cloud. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `act` once after `ms`; the function it returns calls that off. */
  after(ms: number, act: () => void | Promise<void>): () => void;
}

export const realClock: Clock = {
  now: () => Date.now(),
  after: (ms, act) => {
    const timer = setTimeout(() => void act(), ms);
    return () => clearTimeout(timer);
  },
};

interface Alarm {
  readonly at: number;
  readonly act: () => void | Promise<void>;
}

/** A clock that stands still until a test moves it on. */
export class ManualClock implements Clock {
  #now: number;
  readonly #alarms = new Set<Alarm>();

  constructor(start = Date.UTC(2030, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, act: () => void | Promise<void>): () => void {
    const alarm = { at: this.#now + ms, act };
    this.#alarms.add(alarm);
    return () => void this.#alarms.delete(alarm);
  }

  /** Lets so much time pass: what is due happens in its order, one thing ends before the next begins, and what it sets off counts too. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#alarms].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at);
      if (next === undefined) break;
      this.#alarms.delete(next);
      this.#now = Math.max(this.#now, next.at);
      await next.act();
    }
    this.#now = end;
  }
}

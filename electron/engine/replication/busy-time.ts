import type { Clock } from '../time/clock.ts';

/** How long one side of a copy had work to do: the time in which at least one of its requests was under way. */
export class BusyTime {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #underWay = 0;
  #since = 0;
  #total = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  get seconds(): number {
    const running = this.#underWay > 0 ? this.#clock.monotonic() - this.#since : 0;
    return (this.#total + running) / 1000;
  }

  async during<T>(work: Promise<T>): Promise<T> {
    if (this.#underWay === 0) this.#since = this.#clock.monotonic();
    this.#underWay += 1;
    try {
      return await work;
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#total += this.#clock.monotonic() - this.#since;
    }
  }
}

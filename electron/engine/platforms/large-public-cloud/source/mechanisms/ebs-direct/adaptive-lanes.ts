import { CausewayError } from '../../../../../../../shared/model/causeway-error.ts';
import { backOffMs } from '../../../../../time/back-off.ts';
import type { RetryContext } from '../../../../../cloud-resources/retry-context.ts';

const passing: ReadonlySet<string> = new Set([
  'cloud.unavailable',
  'cloud.no-answer',
  'cloud.unexpected-answer',
  'cloud.unreachable',
  'source.block-damaged',
]);
/** Being throttled is no failure, but it must not go on for ever. */
const throttledAttempts = 40;

/**
 * How many requests of one endpoint are under way at a time: more with each success, half as many when the service
 * throttles or answers stay away. Its limit counts per account and region, so all disks share it.
 */
export class AdaptiveLanes {
  readonly #around: RetryContext;
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #limit: number;
  #active = 0;

  constructor(
    around: RetryContext,
    limits: { readonly first: number; readonly most: number } = { first: 16, most: 64 },
  ) {
    this.#around = around;
    this.#limit = limits.first;
    this.#most = limits.most;
  }

  /** How many may be under way now. */
  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** Does the work in a lane, again after what passes. */
  async run<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const {
      clock,
      random,
      timing: { backOff },
    } = this.#around;
    for (let [failures, throttled] = [0, 0]; ;) {
      await this.#enter(signal);
      try {
        const done = await work(signal);
        this.#limit = Math.min(this.#most, this.#limit + 1 / this.#limit);
        return done;
      } catch (error) {
        if (signal.aborted || !(error instanceof CausewayError)) throw error;
        if (error.code === 'cloud.rate-limited') {
          throttled += 1;
          this.#slowDown();
          if (throttled >= throttledAttempts) throw error;
        } else {
          failures += 1;
          // Too much at a time on a slow link ends without answers, too.
          if (error.code === 'cloud.no-answer') this.#slowDown();
          if (!passing.has(error.code) || failures >= backOff.attempts) throw error;
        }
      } finally {
        this.#leave();
      }
      await clock.sleep(backOffMs(backOff, Math.min(6, failures + throttled), random), signal);
    }
  }

  #slowDown(): void {
    this.#limit = Math.max(1, this.#limit / 2);
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    while (this.#active >= this.limit) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      await promise;
      if (signal.aborted) {
        this.#wake();
        signal.throwIfAborted();
      }
    }
    this.#active += 1;
  }

  #leave(): void {
    this.#active -= 1;
    this.#wake();
  }

  #wake(): void {
    const free = this.limit - this.#active;
    for (const resolve of this.#waiting.splice(0, Math.max(0, free))) resolve();
  }
}

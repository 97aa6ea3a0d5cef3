import { abortReason } from '../concurrency/abortable.ts';

interface Waiter {
  readonly bytes: number;
  readonly grant: () => void;
}

/**
 * Limits the bytes in flight, first come first served. A request larger than the whole budget is let
 * through alone.
 */
export class ByteBudget {
  readonly #limit: () => number;
  #used = 0;
  #waiters: Waiter[] = [];

  /** `limitBytes` may change: it counts when somebody asks for more or gives back. */
  constructor(limitBytes: number | (() => number)) {
    this.#limit = typeof limitBytes === 'number' ? () => limitBytes : limitBytes;
  }

  get usedBytes(): number {
    return this.#used;
  }

  /** Whether a caller is waiting: the link, not the caller, limits the rate at present. */
  get isSaturated(): boolean {
    return this.#waiters.length > 0;
  }

  /** Resolves when the bytes fit. Rejects with the signal's reason when it is aborted before. */
  take(bytes: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(abortReason(signal));
    if (this.#waiters.length === 0 && this.#fits(bytes)) {
      this.#used += bytes;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        reject(abortReason(signal));
        this.#grant();
      };
      const waiter: Waiter = {
        bytes,
        grant: () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters.push(waiter);
    });
  }

  give(bytes: number): void {
    this.#used -= bytes;
    this.#grant();
  }

  #fits(bytes: number): boolean {
    return this.#used === 0 || this.#used + bytes <= this.#limit();
  }

  #grant(): void {
    for (let next = this.#waiters[0]; next !== undefined && this.#fits(next.bytes); next = this.#waiters[0]) {
      this.#waiters.shift();
      this.#used += next.bytes;
      next.grant();
    }
  }
}

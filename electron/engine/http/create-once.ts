import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { retryDelayMs } from './retry-after.ts';
import type { BackOff } from '../time/back-off.ts';
import type { Clock } from '../time/clock.ts';
import { isAmbiguous } from './http-error.ts';

export interface CreateOnceOptions {
  readonly backOff: BackOff;
  readonly clock: Clock;
  readonly random: () => number;
  /**
   * How many looks in a row must see nothing before the creation is sent again. A gateway may give up on a request that
   * the service behind it still works on, so that one look right after is not enough.
   */
  readonly looks: number;
}

/**
 * Creates a resource whose creation is not idempotent. After a failure that leaves open whether it was carried out, the
 * resource is looked for before it is asked for again, so that it never exists twice.
 *
 * `find` looks for the resource by the unique name or label that `create` gives it.
 */
export async function createOnce<T>(
  how: { readonly create: (signal: AbortSignal) => Promise<T>; readonly find: (signal: AbortSignal) => Promise<T | undefined> },
  options: CreateOnceOptions,
  signal: AbortSignal,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await how.create(signal);
    } catch (error) {
      if (!isAmbiguous(error)) throw error;
      for (let look = 1; look <= options.looks; look += 1) {
        await options.clock.sleep(retryDelayMs(options.backOff, attempt + look - 1, undefined, options.random), signal);
        const found = await how.find(signal);
        if (found !== undefined) return found;
      }
      if (attempt >= options.backOff.attempts || (error instanceof CausewayError && !error.retryable)) throw error;
    }
  }
}

import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { retryDelayMs } from './retry-after.ts';
import type { BackOff } from '../time/back-off.ts';
import type { Clock } from '../time/clock.ts';
import { didNotArrive, isAmbiguous } from './http-error.ts';

/** Errors of creations of which an earlier request may have been carried out. */
const mayHaveCreated = new WeakSet<object>();

/** Whether a failed creation certainly created nothing: each of its requests was refused, or did not reach the server. */
export function createdNothing(error: unknown): boolean {
  if (!(error instanceof CausewayError) || mayHaveCreated.has(error) || isAmbiguous(error)) return false;
  const { status } = error.details;
  return didNotArrive(error) || (typeof status === 'number' && status >= 400 && status < 500);
}

/** With the usual back-off, so many looks span about 30 s: a platform's list may lag behind its creations by that. */
export const usualLooks = 6;

export interface CreateOnceOptions {
  readonly backOff: BackOff;
  readonly clock: Clock;
  readonly random: () => number;
  /**
   * How many queries in a row must find nothing before the creation is sent again. A gateway may give up on a request that
   * the service behind it still works on, so that one look right after is not enough.
   */
  readonly looks: number;
}

/**
 * Creates a resource where a repeated request would create another one. After a failure that leaves open whether it was carried out, the
 * resource is looked for before it is asked for again, so that it never exists twice.
 *
 * `find` looks for the resource by the unique name or label that `create` gives it.
 */
export async function createOnce<T>(
  how: {
    readonly create: (signal: AbortSignal) => Promise<T>;
    readonly find: (signal: AbortSignal) => Promise<T | undefined>;
  },
  options: CreateOnceOptions,
  signal: AbortSignal,
): Promise<T> {
  let isUnclear = false;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    const patient = abortedLater(signal, options.clock);
    try {
      return await how.create(patient.signal);
    } catch (error) {
      if (isUnclear && error instanceof Error) mayHaveCreated.add(error);
      signal.throwIfAborted();
      if (!isAmbiguous(error)) {
        // Refused maybe because an earlier request was carried out late: it has the name, or what only one can use.
        const late = isUnclear ? await how.find(signal) : undefined;
        if (late !== undefined) return late;
        throw error;
      }
      isUnclear = true;
      for (let look = 1; look <= options.looks; look += 1) {
        await options.clock.sleep(retryDelayMs(options.backOff, attempt + look - 1, undefined, options.random), signal);
        const found = await how.find(signal);
        if (found !== undefined) return found;
      }
      if (attempt >= options.backOff.attempts || (error instanceof CausewayError && !error.retryable)) throw error;
    } finally {
      patient.release();
    }
  }
}

/** How long a creation that is under way may still take when everything else is called off. */
const graceMs = 15_000;

/**
 * A signal that follows another one late. A creation that was sent is carried out, whether anybody waits for its answer
 * or not: with the answer the resource is known, and can be removed; without it, a look that comes too early would take
 * it for never made.
 */
export function abortedLater(signal: AbortSignal, clock: Clock): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  let callOff = (): void => undefined;
  const onAbort = (): void => {
    callOff = clock.after(graceMs, () => controller.abort(signal.reason));
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    release() {
      signal.removeEventListener('abort', onAbort);
      callOff();
    },
  };
}

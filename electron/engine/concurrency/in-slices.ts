import { setImmediate as othersFirst } from 'node:timers/promises';

/** Calls of others, and the events of runs, wait no longer than this for one slice. */
const sliceMs = 15;

/**
 * Goes through many things in order, in slices of some milliseconds, between which everything else gets its turn.
 *
 * @param begin is asked at the start of each slice for what is done with a thing: what it reads ahead holds for that slice only
 * @throws the reason of the signal
 */
export async function inSlices<T>(
  things: Iterable<T>,
  begin: () => (thing: T) => void,
  signal?: AbortSignal,
): Promise<void> {
  let work = begin();
  let until = performance.now() + sliceMs;
  for (const thing of things) {
    if (performance.now() >= until) {
      await othersFirst();
      signal?.throwIfAborted();
      work = begin();
      until = performance.now() + sliceMs;
    }
    work(thing);
  }
}

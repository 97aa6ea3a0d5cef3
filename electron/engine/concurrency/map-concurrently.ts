/**
 * Runs `work` for each item, at most `limit` at a time. The first failure asks the others to stop, waits for them, and is
 * what rejects.
 * @returns results in the order of the items
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  limit: number,
  signal: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  const stop = new AbortController();
  const combined = AbortSignal.any([signal, stop.signal]);
  const results: R[] = [];
  let next = 0;
  let failure: { readonly error: unknown } | undefined;
  const lane = async (): Promise<void> => {
    while (next < items.length && !combined.aborted) {
      const index = next;
      next += 1;
      try {
        results[index] = await work(items[index] as T, combined);
      } catch (error) {
        failure ??= { error };
        stop.abort(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  if (failure !== undefined) throw failure.error;
  signal.throwIfAborted();
  return results;
}

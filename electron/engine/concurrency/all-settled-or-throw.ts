/**
 * Waits until all have ended, then throws the error that came first. Unlike `Promise.all` it leaves nothing running that still
 * uses a buffer, and no later rejection unhandled.
 */
export async function allSettledOrThrow<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  let failed: { readonly reason: unknown } | undefined;
  const watched = promises.map((promise) =>
    promise.catch((reason: unknown) => {
      failed ??= { reason };
      return undefined as T;
    }),
  );
  const values = await Promise.all(watched);
  if (failed !== undefined) throw failed.reason;
  return values;
}

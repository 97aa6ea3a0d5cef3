/** How often something is tried, and how long the pauses between are. */
export interface BackOff {
  /** Attempts in all, the first one included. */
  readonly attempts: number;
  /** The first pause; each next one is twice as long. */
  readonly firstMs: number;
  readonly capMs: number;
}

/**
 * How long to wait after `failures` failures (1 = the first attempt has failed): doubling, capped, spread over the upper half
 * so that many who failed together do not come back together. Milliseconds.
 */
export function backOffMs(
  { firstMs, capMs }: Pick<BackOff, 'firstMs' | 'capMs'>,
  failures: number,
  random: () => number = Math.random,
): number {
  const full = Math.min(capMs, firstMs * 2 ** Math.max(0, failures - 1));
  return full / 2 + (full / 2) * random();
}

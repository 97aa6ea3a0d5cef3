/** Numbers in [0, 1) that a seed gives again (xorshift). */
export function seeded(from: number): () => number {
  let state = (from * 2654435761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

/** The same items in an order that the seed gives again. */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const random = seeded(seed);
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

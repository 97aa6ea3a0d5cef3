/**
 * Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, substitutions and swaps of
 * neighbours. Gives up and returns `limit + 1` as soon as the distance is certain to be larger than `limit`.
 */
export function editDistance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    let best = row;
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(cost);
      best = Math.min(best, cost);
    }
    if (best > limit) return limit + 1;
    beforeLast = last;
    last = current;
  }
  return Math.min(last[to.length] ?? limit + 1, limit + 1);
}

/**
 * The candidate that a misspelt word was most likely meant to be: at most two edits and at most a third of the word's
 * length away. More distance finds keys of another meaning, which is worse than no suggestion.
 */
export function nearestSpelling(word: string, candidates: Iterable<string>): string | undefined {
  const lowered = word.toLowerCase();
  const limit = Math.min(2, Math.floor(word.length / 3));
  let nearest: string | undefined;
  let distance = limit + 1;
  for (const candidate of candidates) {
    if (candidate === word) continue;
    const found = candidate.toLowerCase() === lowered ? 0 : editDistance(lowered, candidate.toLowerCase(), limit);
    if (found < distance) [nearest, distance] = [candidate, found];
  }
  return nearest;
}

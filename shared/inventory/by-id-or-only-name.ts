/**
 * Finds things by their ID, else by a name that only one of them has: lists of other makers have IDs of their own. Of several with one ID, the last counts.
 */
export function byIdOrOnlyName<T>(
  all: readonly T[],
  idOf: (one: T) => string,
  nameOf: (one: T) => string,
): (id: string, name: string) => T | undefined {
  const byId = new Map(all.map((one) => [idOf(one), one]));
  const byName = Map.groupBy(byId.values(), nameOf);
  return (id, name) => {
    const named = byName.get(name) ?? [];
    return byId.get(id) ?? (named.length === 1 ? named[0] : undefined);
  };
}

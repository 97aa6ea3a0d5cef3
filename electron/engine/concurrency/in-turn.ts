/**
 * Has work for the same key done one after the other, in the order in which it was asked for, whether or not what came before failed.
 * Work for different keys does not wait for each other.
 */
export function turnsByKey(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, turn);
    void turn
      .catch(() => undefined)
      .finally(() => {
        if (last.get(key) === turn) last.delete(key);
      });
    return turn;
  };
}

/** A fair queue for a number of places. */
export function executionSlots(limit: number) {
  let free = limit;
  const waiting: (() => void)[] = [];
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    /** Resolves with a function that gives the place back; at once when `hurry` is aborted, because clean-up waits for nobody. */
    async take(hurry: AbortSignal): Promise<() => void> {
      let given = false;
      if (free > 0) {
        free -= 1;
        given = true;
      } else if (!hurry.aborted) {
        await new Promise<void>((resolve) => {
          const turn = (): void => {
            given = true;
            resolve();
          };
          waiting.push(turn);
          hurry.addEventListener('abort', () => {
            const index = waiting.indexOf(turn);
            if (index >= 0) waiting.splice(index, 1);
            resolve();
          }, { once: true });
        });
      }
      return () => {
        if (given) release();
        given = false;
      };
    },
  };
}

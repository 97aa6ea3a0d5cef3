interface Waiting {
  readonly id: string;
  readonly turn: () => void;
}

export type RunSlots = ReturnType<typeof runSlots>;

/** A fair queue for a number of places, which may change at any time. */
export function runSlots(limit: number) {
  let places = limit;
  let taken = 0;
  const waiting: Waiting[] = [];
  const fill = (): void => {
    while (taken < places && waiting.length > 0) {
      taken += 1;
      waiting.shift()?.turn();
    }
  };
  return {
    /** Resolves with a function that gives the place back; immediately when `hurry` is aborted: clean-up does not wait. */
    async take(id: string, hurry: AbortSignal): Promise<() => void> {
      let given = false;
      if (!hurry.aborted) {
        await new Promise<void>((resolve) => {
          const entry: Waiting = {
            id,
            turn: () => {
              given = true;
              resolve();
            },
          };
          waiting.push(entry);
          hurry.addEventListener(
            'abort',
            () => {
              const index = waiting.indexOf(entry);
              if (index >= 0) waiting.splice(index, 1);
              resolve();
            },
            { once: true },
          );
          fill();
        });
      }
      return () => {
        if (!given) return;
        given = false;
        taken -= 1;
        fill();
      };
    },
    /** Whether the next run has to wait. */
    isFull: (): boolean => taken >= places,
    /** Running ones continue; waiting ones may start immediately. */
    setLimit(next: number): void {
      places = next;
      fill();
    },
    /** 1 for the next one; undefined for one that does not wait. */
    positionOf(id: string): number | undefined {
      const index = waiting.findIndex((entry) => entry.id === id);
      return index < 0 ? undefined : index + 1;
    },
    counts: (): { running: number; waiting: number } => ({ running: taken, waiting: waiting.length }),
  };
}

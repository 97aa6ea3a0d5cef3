/** Something to run, one of many. */
export interface Task {
  readonly name: string;
  /** Lanes have their own number of places: `check` (lint, types, unit tests) and `spec`. */
  readonly lane: string;
  /** A resource that the task needs for itself: of its tasks, only as many run at once as there are of it, one unless `runAll` is told otherwise. */
  readonly lease?: string | undefined;
  /** How long it is expected to take, seconds. */
  readonly expectedSeconds: number;
}

/** How many places a lane has; of some it depends on whether another lane has nothing left. */
export type Places = number | ((isOver: (lane: string) => boolean) => number);

/**
 * Runs all tasks, in each lane as many at once as it has places, the longest first, so that no long one is left for the
 * end. A task that waits for a resource lets shorter ones pass. Resolves with the results in the order of their ends.
 */
export function runAll<T extends Task, R>(
  tasks: readonly T[],
  places: Readonly<Record<string, Places>>,
  run: (task: T) => Promise<R>,
  resources: Readonly<Record<string, number>> = {},
): Promise<R[]> {
  const waiting = tasks.toSorted((a, b) => b.expectedSeconds - a.expectedSeconds);
  const running = new Set<T>();
  const results: R[] = [];
  return new Promise((resolve, reject) => {
    const isOver = (lane: string): boolean => ![...waiting, ...running].some((task) => task.lane === lane);
    const isFree = (task: T): boolean => {
      const others = [...running];
      const ofLane = places[task.lane] ?? 1;
      return (
        others.filter(({ lane }) => lane === task.lane).length <
          (typeof ofLane === 'number' ? ofLane : ofLane(isOver)) &&
        (task.lease === undefined ||
          others.filter(({ lease }) => lease === task.lease).length < (resources[task.lease] ?? 1))
      );
    };
    const start = (): void => {
      for (let at = waiting.findIndex(isFree); at >= 0; at = waiting.findIndex(isFree)) {
        const [task] = waiting.splice(at, 1) as [T];
        running.add(task);
        run(task).then((result) => {
          results.push(result);
          running.delete(task);
          start();
        }, reject);
      }
      if (running.size === 0) resolve(results);
    };
    start();
  });
}

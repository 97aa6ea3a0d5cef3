import { startTransition, useEffect, useMemo, useState } from 'react';
import type { Breaks } from '../../shared/inventory/read-tables.ts';

/** With so many rows or fewer, the page does what it needs at once. */
const atOnce = 5_000;

export interface BreakOptions {
  /** How long the page may be kept busy without a break. */
  readonly sliceMs?: number;
  readonly now?: () => number;
  /** Lets the page draw and react. */
  readonly pause?: () => Promise<void>;
}

/** Breaks for long work, so that the page draws and reacts meanwhile. */
export function createBreaks({
  sliceMs = 25,
  now = () => performance.now(),
  pause = () => new Promise((resolve) => setTimeout(resolve)),
}: BreakOptions = {}): Breaks {
  let since = now();
  return {
    isDue: () => now() - since >= sliceMs,
    async take() {
      await pause();
      since = now();
    },
  };
}

/** Runs steps to their end, with breaks. Rejects when it is aborted. */
export async function inSlices<Y, R>(
  steps: Iterator<Y, R>,
  {
    signal,
    onBreak,
    ...options
  }: BreakOptions & { readonly signal: AbortSignal; readonly onBreak?: (step: Y) => void },
): Promise<R> {
  const breaks = createBreaks(options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (!breaks.isDue()) continue;
    onBreak?.(step.value);
    await breaks.take();
    signal.throwIfAborted();
  }
}

function atOneGo<R>(steps: Iterator<unknown, R>): R {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

interface Later<R> {
  readonly steps: () => Iterator<unknown, R>;
  readonly value: R;
}

interface Failure {
  readonly steps: unknown;
  readonly error: unknown;
}

/**
 * What comes of many rows, e.g. in another order: at once where there are few, else in slices. Until these are done, what came of
 * the rows before.
 *
 * @param steps starts the work; the same function as before means the same work
 */
export function useInSlices<R>(
  steps: () => Iterator<unknown, R>,
  rows: number,
): { readonly value: R | undefined; readonly isCurrent: boolean } {
  const isLong = rows > atOnce;
  const now = useMemo(() => (isLong ? undefined : { value: atOneGo(steps()) }), [steps, isLong]);
  const [later, setLater] = useState<Later<R>>();
  const [failure, setFailure] = useState<Failure>();
  useEffect(() => {
    if (!isLong) return undefined;
    const stop = new AbortController();
    void inSlices(steps(), { signal: stop.signal }).then(
      // A transition: drawing is interrupted too.
      (value) => stop.signal.aborted || startTransition(() => setLater({ steps, value })),
      (error: unknown) => stop.signal.aborted || setFailure({ steps, error }),
    );
    return () => stop.abort();
  }, [steps, isLong]);
  // While drawing, as where there are few rows: whoever shows errors of this part of the page shows this one as well.
  if (isLong && failure?.steps === steps) throw failure.error;
  return now === undefined
    ? { value: later?.value, isCurrent: later?.steps === steps }
    : { value: now.value, isCurrent: true };
}

/** How many rows are gone through between two looks at the clock. */
const stride = 200;

/** Rows for which something holds. */
export function* filterSteps<T>(rows: readonly T[], holds: (row: T) => boolean): Generator<undefined, readonly T[]> {
  const found: T[] = [];
  for (const [index, row] of rows.entries()) {
    if (holds(row)) found.push(row);
    if (index % stride === stride - 1) yield;
  }
  return found;
}

/** Rows in order; those that compare as equal stay as they are. Takes little where they are in order already. */
export function* sortSteps<T>(
  rows: readonly T[],
  compare: (one: T, other: T) => number,
): Generator<undefined, readonly T[]> {
  let from = [...rows];
  let into = new Array<T>(from.length);
  let done = 0;
  for (let width = 1; width < from.length; width *= 2) {
    for (let start = 0; start < from.length; start += 2 * width) {
      const middle = Math.min(start + width, from.length);
      const end = Math.min(start + 2 * width, from.length);
      const isInOrder = middle >= end || compare(from[middle - 1]!, from[middle]!) <= 0;
      for (let left = start, right = middle, at = start; at < end; at += 1) {
        const takesLeft = isInOrder
          ? left < middle
          : right >= end || (left < middle && compare(from[left]!, from[right]!) <= 0);
        into[at] = takesLeft ? from[left++]! : from[right++]!;
        done += 1;
        if (done % stride === 0) yield;
      }
    }
    [from, into] = [into, from];
  }
  return from;
}

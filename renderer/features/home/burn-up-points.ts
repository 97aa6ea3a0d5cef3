import type { Dashboard } from '../../../shared/contract/dashboard-calls.ts';
import { dateAfter } from '../../../shared/model/wall-time.ts';

export interface BurnUpPoint {
  readonly day: string;
  /** Up to the end of the day. */
  readonly copied: number;
  readonly moved: number;
  readonly bytes: number;
  readonly all: number;
}

/** Sums up to each day, from the day before the first one. Days on which nothing happened are not in it. */
export function burnUp(days: Dashboard['days'], replicas: number): BurnUpPoint[] {
  const [first] = days;
  if (first === undefined) return [];
  let [copied, moved, bytes] = [0, 0, 0];
  const points = days.map((one): BurnUpPoint => {
    copied += one.copied;
    moved += one.moved;
    bytes += one.bytes;
    return { day: one.day, copied, moved, bytes, all: replicas };
  });
  return [{ day: dateAfter(first.day, -1), copied: 0, moved: 0, bytes: 0, all: replicas }, ...points];
}

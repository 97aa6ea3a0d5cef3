import { expect, test } from 'vitest';
import { TokenBuckets } from './token-buckets.ts';

test('a bucket gives what it has, fills again up to its size, and is emptied by others', () => {
  let now = 0;
  const buckets = new TokenBuckets(
    { reads: { size: 2, perSecond: 10 }, late: { size: 5, perSecond: 1, atFirst: 0 } },
    () => now,
  );
  expect([1, 2, 3].map(() => buckets.take('reads'))).toEqual([
    { left: 1, waitMs: 0 },
    { left: 0, waitMs: 0 },
    { left: 0, waitMs: 100 },
  ]);
  now = 100_000;
  expect([1, 2, 3].map(() => buckets.take('reads')?.waitMs)).toEqual([0, 0, 100]);
  expect(buckets.take('late')?.waitMs).toBe(1000);
  now += 1000;
  expect(buckets.take('late')).toEqual({ left: 0, waitMs: 0 });
  now += 10_000;
  buckets.drain();
  expect([buckets.take('late')?.waitMs, buckets.take('reads')?.waitMs]).toEqual([1000, 100]);
  expect([buckets.take('nothing'), buckets.refused]).toEqual([undefined, 5]);
});

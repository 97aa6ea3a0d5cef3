import { describe, expect, test } from 'vitest';
import { pieces, rateTicks } from './rate-scale.ts';

const MiB = 1024 * 1024;

describe('the scale of a rate chart', () => {
  test.each([
    [0, [0, 1024]],
    [3.4 * MiB, [0, MiB, 2 * MiB, 3 * MiB, 4 * MiB]],
    [9 * MiB, [0, 5 * MiB, 10 * MiB]],
    [900 * MiB, [0, 500 * MiB, 1000 * MiB]],
    [1.9 * MiB, [0, MiB, 2 * MiB]],
    [1500 * MiB, [0, 1024 * MiB, 2048 * MiB]],
  ])('for %d has round values up to it', (highest, ticks) => {
    expect(rateTicks(highest)).toEqual(ticks);
  });

  test('breaks the line where nobody looked', () => {
    const samples = [0, 1000, 2000, 60_000, 61_000].map((at) => ({ at, bytesPerSecond: 1 }));
    expect(pieces(samples).map((piece) => piece.length)).toEqual([3, 2]);
    expect(pieces([])).toEqual([]);
  });
});

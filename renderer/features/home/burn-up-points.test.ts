import { expect, test } from 'vitest';
import { burnUp } from './burn-up-points.ts';

test('the sums of each day begin with nothing on the day before', () => {
  expect(
    burnUp(
      [
        { day: '2026-11-27', copied: 2, moved: 0, bytes: 10 },
        { day: '2026-11-30', copied: 1, moved: 2, bytes: 5 },
      ],
      4,
    ),
  ).toEqual([
    { day: '2026-11-26', copied: 0, moved: 0, bytes: 0, all: 4 },
    { day: '2026-11-27', copied: 2, moved: 0, bytes: 10, all: 4 },
    { day: '2026-11-30', copied: 3, moved: 2, bytes: 15, all: 4 },
  ]);
  expect(burnUp([], 4)).toEqual([]);
});

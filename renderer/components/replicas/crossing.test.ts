import { expect, test } from 'vitest';
import { lifeCounts } from './crossing.tsx';

test('a crossing has what there is, from the source to the destination', () => {
  expect(lifeCounts(['deployed', 'in-sync', 'never', 'in-sync', 'failed'])).toEqual([
    { kind: 'never', count: 1 },
    { kind: 'failed', count: 1 },
    { kind: 'in-sync', count: 2 },
    { kind: 'deployed', count: 1 },
  ]);
  expect(lifeCounts([])).toEqual([]);
});

import { expect, test } from 'vitest';
import { complaintOf } from './commit-subjects.ts';

test('a subject is short, imperative, and no sentence', () => {
  const good = ['Read power states from the platform', 'Need root for loop devices', 'Revert "Added a lot"'];
  expect(good.map(complaintOf)).toEqual([undefined, undefined, undefined]);
  const bad = [
    'Added a lot',
    'Fixing the lab',
    'Fixes the lab',
    'fix the lab',
    'Fix the lab.',
    `Fix ${'x'.repeat(69)}`,
  ];
  expect(bad.map((subject) => complaintOf(subject) === undefined)).toEqual(bad.map(() => false));
  expect(complaintOf(`Fix ${'x'.repeat(68)}`)).toBeUndefined();
});

import { expect, test } from 'vitest';
import { matters } from './use-run-query.ts';

test('a list of replicas is asked for again when a run changes its state, a run also when a step does, and nothing at a line of a log', () => {
  expect(
    (['execution.state', 'task.state', 'guest.log'] as const).map((type) => [
      matters({ type }, 'states'),
      matters({ type }, 'steps'),
    ]),
  ).toEqual([
    [true, true],
    [false, true],
    [false, false],
  ]);
});

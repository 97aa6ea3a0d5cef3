import { expect, test } from 'vitest';
import type { GraphTask, TaskState } from '../../../shared/model/task.ts';
import { optionsForAgain } from './options-for-again.ts';

const task = (id: string, state: TaskState): GraphTask => ({
  id,
  title: id,
  cleanUp: false,
  state,
  attempts: 1,
  after: [],
});

test('a migration that failed after its runs is repeated without copying anything again', () => {
  const options = { execute: { lastPass: true }, root: 'UUID=1' };
  const passes = [
    task('execute-replica', 'completed'),
    task('execute-last-pass', 'completed'),
    task('prepare-guest', 'failed'),
  ];
  expect(optionsForAgain({ options, tasks: passes })).toEqual({ root: 'UUID=1' });
});

test('one that failed in its runs is repeated with them', () => {
  const options = { execute: { lastPass: true } };
  expect(
    optionsForAgain({ options, tasks: [task('execute-replica', 'completed'), task('execute-last-pass', 'failed')] }),
  ).toEqual(options);
  expect(optionsForAgain({ options, tasks: [] })).toEqual(options);
});

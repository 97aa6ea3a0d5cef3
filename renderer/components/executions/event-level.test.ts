import { expect, test } from 'vitest';
import { isAtLeast, levelOf } from './event-level.ts';

test.each([
  ['task.state', { state: 'failed' }, 'error'],
  ['task.state', { state: 'completed' }, 'info'],
  ['task.state', { state: 'cancelled' }, 'warning'],
  ['task.retry', {}, 'warning'],
  ['deployment.state', { state: 'interrupted' }, 'warning'],
  ['note', { rule: 'european-cloud.labels' }, 'warning'],
  ['note', {}, 'info'],
  ['guest.log', {}, 'detail'],
] as const)('%s with %j is of level %s', (type, details, level) => {
  expect(levelOf({ type, details })).toBe(level);
});

test('a filter lets through what is at least as grave', () => {
  expect([isAtLeast('error', 'warning'), isAtLeast('warning', 'warning'), isAtLeast('info', 'warning')]).toEqual([
    true,
    true,
    false,
  ]);
});

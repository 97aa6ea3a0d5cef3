import { expect, it } from 'vitest';
import { passes, simulateYear } from './testing/simulated-year.ts';

it('weeks of waves on a clock of their own end with every execution done, no limit broken, nobody overloaded, and nothing urgent that waits for a night', () => {
  const result = simulateYear({ replicas: 1000 });
  expect(result).toMatchObject({ executions: 1000 * passes, done: 1000 * passes, brokenLimits: 0, overloaded: 0 });
  expect(result.longestUrgent).toBeLessThan(8 * 60);
  expect(result.longest).toBeLessThan(2 * 1440);
});

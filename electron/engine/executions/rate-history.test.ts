import { describe, expect, test } from 'vitest';
import { rateHistory } from './rate-history.ts';

describe('the history of a rate', () => {
  test('averages what comes within a second', () => {
    const history = rateHistory();
    for (const [at, rate] of [[0, 10], [200, 20], [999, 30], [1000, 100]] as const) history.add(rate, at);
    expect(history.samples()).toEqual([{ at: 0, bytesPerSecond: 20 }, { at: 1000, bytesPerSecond: 100 }]);
  });

  test('stays small however long the run, and keeps its mean and its beginning', () => {
    const history = rateHistory();
    for (let second = 0; second < 100_000; second += 1) history.add(second % 2 === 0 ? 0 : 100, second * 1000);
    const samples = history.samples();
    expect(samples.length).toBeLessThanOrEqual(480);
    expect(samples.length).toBeGreaterThan(200);
    expect(samples[0]?.at).toBe(0);
    const mean = samples.reduce((sum, sample) => sum + sample.bytesPerSecond, 0) / samples.length;
    expect(mean).toBeGreaterThan(45);
    expect(mean).toBeLessThan(55);
  });

  test('goes on after an interruption with the step that it had', () => {
    const known = [0, 4000, 8000].map((at) => ({ at, bytesPerSecond: 5 }));
    const history = rateHistory(known);
    for (const at of [60_000, 61_000, 63_000, 64_000]) history.add(7, at);
    expect(history.samples().map(({ at }) => at)).toEqual([0, 4000, 8000, 60_000, 64_000]);
  });
});

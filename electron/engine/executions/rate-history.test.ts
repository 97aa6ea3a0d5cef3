import { describe, expect, test } from 'vitest';
import { rateHistory } from './rate-history.ts';

describe('the history of a rate', () => {
  test('averages what comes within a second', () => {
    const history = rateHistory();
    for (const [at, rate] of [[0, 10], [200, 20], [999, 30], [1000, 100]] as const) history.add({ bytesPerSecond: rate, sentPerSecond: rate / 2, limit: null }, at);
    expect(history.samples()).toEqual([{ at: 0, bytesPerSecond: 20, sentPerSecond: 10, limit: null }, { at: 1000, bytesPerSecond: 100, sentPerSecond: 50, limit: null }]);
  });

  test('stays small however long the run, and keeps its mean and its beginning', () => {
    const history = rateHistory();
    for (let second = 0; second < 100_000; second += 1) history.add({ bytesPerSecond: second % 2 === 0 ? 0 : 100 }, second * 1000);
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
    for (const at of [60_000, 61_000, 63_000, 64_000]) history.add({ bytesPerSecond: 7 }, at);
    expect(history.samples().map(({ at }) => at)).toEqual([0, 4000, 8000, 60_000, 64_000]);
  });

  test('keeps from when on another limit applied', () => {
    const history = rateHistory();
    for (const [at, limit] of [[0, null], [300, null], [500, 2000], [700, 2000], [1600, 0]] as const) history.add({ bytesPerSecond: 1, limit }, at);
    expect(history.samples().map(({ at, limit }) => [at, limit])).toEqual([[0, null], [500, 2000], [1600, 0]]);
  });
});

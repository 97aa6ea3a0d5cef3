import { describe, expect, test } from 'vitest';
import { highestOf, pieces, plotPoints, rateFacts, rateTicks, withForecast } from './rate-scale.ts';

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

  test('shows a limit as long as it applied, and gaps where nobody looked', () => {
    const sample = (at: number, limit: number | null) => ({ at, bytesPerSecond: 9, sentPerSecond: 5, limit });
    const points = plotPoints([sample(0, 100), sample(1000, 200), sample(2000, null), sample(60_000, null)]);
    expect(points.map(({ at, limit, sent }) => [at, limit, sent])).toEqual([
      [0, 100, 5],
      [1000, 200, 5],
      [1999, 200, 5],
      [2000, null, 5],
      [59_999, null, null],
      [60_000, null, 5],
    ]);
  });

  test('leaves room for what was sent beside what was only compared', () => {
    const of = (sent: number | null, processed: number, limit: number | null) =>
      highestOf([{ at: 0, sent, processed, limit, forecast: null }]);
    expect([of(10, 20, 15), of(10, 900, 15), of(0, 900, null), of(null, 900, null), of(10, 5, 50)]).toEqual([
      20, 45, 900, 900, 50,
    ]);
  });

  test('tells what was dealt with where what was sent is not known', () => {
    const [old, now] = [
      { at: 0, bytesPerSecond: 30 },
      { at: 1000, bytesPerSecond: 90, sentPerSecond: 10, limit: null },
    ];
    expect(rateFacts([old, now])).toEqual({ mean: 20, peak: 30 });
    expect(plotPoints([old]).map(({ sent, processed }) => [sent, processed])).toEqual([[null, 30]]);
  });

  test('expects the mean of the last samples until the end, on half of the width at most', () => {
    const samples = [0, 1000, 2000].map((at) => ({ at, bytesPerSecond: 9, sentPerSecond: 4 + at / 1000, limit: 7 }));
    const ends = (secondsLeft: number) =>
      withForecast(plotPoints(samples), samples, secondsLeft).map(({ at, sent, limit, forecast }) => [
        at,
        sent,
        limit,
        forecast,
      ]);
    expect(ends(1)).toEqual([
      [0, 4, 7, null],
      [1000, 5, 7, null],
      [2000, 6, 7, 5],
      [3000, null, 7, 5],
    ]);
    expect(ends(3600).at(-1)).toEqual([4000, null, 7, 5]);
    expect(ends(0)).toEqual(plotPoints(samples).map(({ at, sent, limit, forecast }) => [at, sent, limit, forecast]));
    expect(withForecast([], [], 9)).toEqual([]);
  });
});

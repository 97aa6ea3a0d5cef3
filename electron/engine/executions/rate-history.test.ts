import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rateHistory } from './rate-history.ts';
import { rounds } from '../../../shared/testing/rounds.ts';

describe('the history of a rate', () => {
  test('averages what comes within a second', () => {
    const history = rateHistory();
    for (const [at, rate] of [
      [0, 10],
      [200, 20],
      [999, 30],
      [1000, 100],
    ] as const)
      history.add({ bytesPerSecond: rate, sentPerSecond: rate / 2, limit: null }, at);
    expect(history.samples()).toEqual([
      { at: 0, bytesPerSecond: 20, sentPerSecond: 10, limit: null },
      { at: 1000, bytesPerSecond: 100, sentPerSecond: 50, limit: null },
    ]);
  });

  test('stays small however long the run, and keeps its mean and its beginning', () => {
    const history = rateHistory();
    for (let second = 0; second < 100_000; second += 1)
      history.add({ bytesPerSecond: second % 2 === 0 ? 0 : 100 }, second * 1000);
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
    for (const [at, limit] of [
      [0, null],
      [300, null],
      [500, 2000],
      [700, 2000],
      [1600, 0],
    ] as const)
      history.add({ bytesPerSecond: 1, limit }, at);
    expect(history.samples().map(({ at, limit }) => [at, limit])).toEqual([
      [0, null],
      [500, 2000],
      [1600, 0],
    ]);
  });

  describe('whatever limits apply and however long', () => {
    /** Stretches with one limit each, as looks: how many, how far apart, how fast. */
    const stretches = (count: { readonly minLength: number; readonly maxLength: number }, looks: number) =>
      fc.array(
        fc.record({
          looks: fc.integer({ min: 1, max: looks }),
          apartMs: fc.integer({ min: 1, max: 1500 }),
          limit: fc.constantFrom(null, 1000, 2000, 3000),
          rate: fc.nat(1000),
        }),
        { ...count, size: 'max' },
      );

    function record(
      given: readonly {
        readonly looks: number;
        readonly apartMs: number;
        readonly limit: number | null;
        readonly rate: number;
      }[],
    ) {
      const history = rateHistory();
      const looks: { readonly at: number; readonly rate: number; readonly limit: number | null }[] = [];
      let at = 0;
      let mostKept = 0;
      for (const stretch of given) {
        for (let count = 0; count < stretch.looks; count += 1) {
          const rate = stretch.rate + (count % 7);
          looks.push({ at, rate, limit: stretch.limit });
          history.add({ bytesPerSecond: rate, sentPerSecond: rate / 2, limit: stretch.limit }, at);
          at += stretch.apartMs;
        }
        mostKept = Math.max(mostKept, history.samples().length);
      }
      const samples = history.samples();
      let next = 0;
      /** The looks that each sample stands for. */
      const parts = samples.map((sample, index) => {
        const from = next;
        while (next < looks.length && looks[next]!.at < (samples[index + 1]?.at ?? Infinity)) next += 1;
        return { sample, looks: looks.slice(from, next) };
      });
      return { looks, samples, mostKept, parts };
    }

    function isMean({ parts, samples, looks, mostKept }: ReturnType<typeof record>): void {
      expect(mostKept).toBeLessThanOrEqual(480);
      expect(samples[0]!.at).toBe(0);
      expect(samples.at(-1)!.limit).toBe(looks.at(-1)!.limit);
      expect(
        parts.filter((part) => {
          const mean = part.looks.reduce((sum, { rate }) => sum + rate, 0) / part.looks.length;
          const isNear = (one: number | undefined, other: number): boolean =>
            one !== undefined && Math.abs(one - other) < 1e-6;
          return (
            part.looks[0]?.at !== part.sample.at ||
            !isNear(part.sample.bytesPerSecond, mean) ||
            !isNear(part.sample.sentPerSecond, mean / 2)
          );
        }),
      ).toEqual([]);
    }

    test('every sample is the mean of its looks, under the limit that applied to all of them', () => {
      fc.assert(
        fc.property(stretches({ minLength: 1, maxLength: 200 }, 60), (given) => {
          const recorded = record(given);
          isMean(recorded);
          expect(
            recorded.parts.filter(({ sample, looks }) => looks.some(({ limit }) => limit !== sample.limit)),
          ).toEqual([]);
        }),
        { numRuns: rounds(20), endOnFailure: true },
      );
    });

    test('a limit that changes hundreds of times is shown as far as there is room, and does not make later samples coarse', () => {
      fc.assert(
        fc.property(stretches({ minLength: 600, maxLength: 1500 }, 3), (given) => {
          isMean(record(given));
          const calm = { looks: 100, apartMs: 1000, limit: 9000, rate: 5 };
          expect(record([...given, calm]).samples.filter(({ limit }) => limit === calm.limit).length).toBeGreaterThan(
            10,
          );
        }),
        { numRuns: rounds(10), endOnFailure: true },
      );
    });
  });
});

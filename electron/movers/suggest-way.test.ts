import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { suggestWay, type DataWay } from './suggest-way.ts';

const MiB = 1024 * 1024;
const way = (mover: string | undefined, source: number | undefined, destination: number | undefined): DataWay => ({
  mover,
  source,
  destination,
});

describe('the suggested way of the data', () => {
  it('is the one whose slower leg is the fastest, with what that saves', () => {
    const { best, savedSeconds, missing, ways } = suggestWay(
      [way(undefined, 1 * MiB, 200 * MiB), way('site-a', 100 * MiB, 50 * MiB), way('site-b', 10 * MiB, 900 * MiB)],
      1000 * MiB,
    );
    expect(best).toMatchObject({ mover: 'site-a', bytesPerSecond: 50 * MiB, seconds: 20 });
    expect(savedSeconds).toBe(980);
    expect(missing).toEqual([]);
    expect(ways.map(({ mover }) => mover)).toEqual(['site-a', 'site-b', undefined]);
  });

  it('asks for legs that could change it, and for no others', () => {
    const { best, missing, savedSeconds } = suggestWay(
      [
        way(undefined, 20 * MiB, 20 * MiB),
        way('slow', 5 * MiB, undefined),
        way('unknown', undefined, 90 * MiB),
        way('new', undefined, undefined),
      ],
      MiB,
    );
    expect(best?.mover).toBeUndefined();
    expect(savedSeconds).toBe(0);
    expect(missing).toEqual([
      { mover: 'unknown', side: 'source' },
      { mover: 'new', side: 'source' },
      { mover: 'new', side: 'destination' },
    ]);
  });

  it('is none while nothing was measured, and a leg that carries nothing is no way', () => {
    expect(suggestWay([way(undefined, undefined, 5), way('dead', 0, 100)], MiB)).toMatchObject({
      best: undefined,
      savedSeconds: undefined,
    });
  });

  it('is never slower than a way that is known', () => {
    const rate = fc.option(fc.integer({ min: 1, max: 1e9 }), { nil: undefined });
    fc.assert(
      fc.property(fc.array(fc.tuple(rate, rate), { minLength: 1, maxLength: 8 }), (legs) => {
        const ways = legs.map(([source, destination], index) =>
          way(index === 0 ? undefined : `m${index}`, source, destination),
        );
        const { best, missing } = suggestWay(ways, 1e12);
        for (const { mover, source, destination } of ways) {
          if (source !== undefined && destination !== undefined)
            expect(best!.bytesPerSecond).toBeGreaterThanOrEqual(Math.min(source, destination));
          // With its missing legs as fast as can be it would win: then they are asked for.
          const most = Math.min(source ?? Infinity, destination ?? Infinity);
          if ((source === undefined || destination === undefined) && most > (best?.bytesPerSecond ?? 0))
            expect(missing.some((leg) => leg.mover === mover)).toBe(true);
        }
      }),
    );
  });
});

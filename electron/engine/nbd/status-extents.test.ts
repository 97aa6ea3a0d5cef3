import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Extent } from '../../../shared/model/extent.ts';
import { alignExtents, mergeStatus, zeroInBoth } from './status-extents.ts';

const runs = fc.array(fc.record({ length: fc.integer({ min: 1, max: 40 }), flags: fc.integer({ min: 0, max: 3 }) }), {
  maxLength: 20,
});

/** The same, byte by byte. */
function byByte(total: number, allocation: readonly Run[] | undefined, dirty: readonly Run[] | undefined): string {
  const flat = (list: readonly Run[]) => list.flatMap((run) => Array<number>(run.length).fill(run.flags));
  const kinds = allocation === undefined ? undefined : flat(allocation);
  const changes = dirty === undefined ? undefined : flat(dirty);
  return Array.from({ length: Math.min(total, kinds?.length ?? total, changes?.length ?? total) }, (_, at) => {
    if (changes !== undefined && ((changes[at] ?? 0) & 1) === 0) return '.';
    return kinds !== undefined && ((kinds[at] ?? 0) & 2) !== 0 ? 'z' : 'd';
  }).join('');
}

interface Run {
  readonly length: number;
  readonly flags: number;
}

describe('merging the status of allocation and dirty bitmap', () => {
  it('says for each byte what the two contexts say for it', () => {
    fc.assert(
      fc.property(
        fc.option(runs, { nil: undefined }),
        fc.option(runs, { nil: undefined }),
        fc.integer({ min: 1, max: 300 }),
        (allocation, dirty, total) => {
          const base = 4096;
          const { extents, covered } = mergeStatus(base, base + total, allocation, dirty);
          const expected = byByte(total, allocation, dirty);
          expect(covered - base).toBe(expected.length);
          const seen = Array<string>(expected.length).fill('.');
          let end = base;
          extents.forEach((extent, index) => {
            const before = extents[index - 1];
            expect(extent.length).toBeGreaterThan(0);
            expect(extent.offset).toBeGreaterThanOrEqual(end);
            if (before?.kind === extent.kind) expect(extent.offset).toBeGreaterThan(end);
            end = extent.offset + extent.length;
            seen.fill(extent.kind === 'zero' ? 'z' : 'd', extent.offset - base, end - base);
          });
          expect(seen.join('')).toBe(expected);
        },
      ),
    );
  });

  it('turns a dirty hole into zero and a dirty hole that may not read as zeros into data', () => {
    const allocation = [
      { length: 100, flags: 3 },
      { length: 100, flags: 1 },
      { length: 100, flags: 0 },
    ];
    const dirty = [
      { length: 50, flags: 0 },
      { length: 200, flags: 1 },
      { length: 4096, flags: 0 },
    ];
    expect(mergeStatus(0, 300, allocation, dirty)).toEqual({
      extents: [
        { offset: 50, length: 50, kind: 'zero' },
        { offset: 100, length: 150, kind: 'data' },
      ],
      covered: 300,
    });
  });
});

describe('moving extents to whole sectors', () => {
  it('makes a sector with any data in it data, and loses nothing', async () => {
    const parts = fc.array(
      fc.record({
        gap: fc.integer({ min: 0, max: 1 }),
        length: fc.integer({ min: 1, max: 2000 }),
        isData: fc.boolean(),
      }),
      { maxLength: 20 },
    );
    await fc.assert(
      fc.asyncProperty(parts, fc.boolean(), async (list, complete) => {
        const extents: Extent[] = [];
        let end = 0;
        for (const part of list) {
          const offset = complete ? end : end + part.gap * 512;
          extents.push({ offset, length: part.length, kind: part.isData ? 'data' : 'zero' });
          end = offset + part.length;
        }
        const aligned: Extent[] = [];
        for await (const extent of alignExtents(extents, 512, end)) aligned.push(extent);
        let last = 0;
        for (const extent of aligned) {
          expect(extent.offset).toBeGreaterThanOrEqual(last);
          expect([extent.offset % 512, extent.length % 512, extent.length > 0]).toEqual([0, 0, true]);
          last = extent.offset + extent.length;
        }
        const kindAt = (of: readonly Extent[], at: number) =>
          of.find((extent) => at >= extent.offset && at < extent.offset + extent.length)?.kind;
        for (let sector = 0; sector < end; sector += 512) {
          const inside = extents.filter(
            (extent) => extent.offset < sector + 512 && extent.offset + extent.length > sector,
          );
          const seen = kindAt(aligned, sector);
          if (inside.some((extent) => extent.kind === 'data')) expect(seen).toBe('data');
          else if (complete) expect(seen).toBe('zero');
        }
      }),
    );
  });
});

describe('looking twice at zeros', () => {
  it('believes only what both looks say', () => {
    const one = [
      { length: 100, flags: 3 },
      { length: 100, flags: 0 },
      { length: 100, flags: 2 },
    ];
    const other = [
      { length: 50, flags: 0 },
      { length: 400, flags: 3 },
    ];
    expect(zeroInBoth(one, other)).toEqual([
      { length: 50, flags: 0 },
      { length: 50, flags: 2 },
      { length: 100, flags: 0 },
      { length: 100, flags: 2 },
    ]);
  });
});

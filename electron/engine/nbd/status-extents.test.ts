import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeStatus } from './status-extents.ts';

const runs = fc.array(fc.record({ length: fc.integer({ min: 1, max: 40 }), flags: fc.integer({ min: 0, max: 3 }) }), { maxLength: 20 });

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
      fc.property(fc.option(runs, { nil: undefined }), fc.option(runs, { nil: undefined }), fc.integer({ min: 1, max: 300 }), (allocation, dirty, total) => {
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
      }),
    );
  });

  it('turns a dirty hole into zero and a dirty hole that may not read as zeros into data', () => {
    const allocation = [{ length: 100, flags: 3 }, { length: 100, flags: 1 }, { length: 100, flags: 0 }];
    const dirty = [{ length: 50, flags: 0 }, { length: 200, flags: 1 }, { length: 4096, flags: 0 }];
    expect(mergeStatus(0, 300, allocation, dirty)).toEqual({
      extents: [
        { offset: 50, length: 50, kind: 'zero' },
        { offset: 100, length: 150, kind: 'data' },
      ],
      covered: 300,
    });
  });
});

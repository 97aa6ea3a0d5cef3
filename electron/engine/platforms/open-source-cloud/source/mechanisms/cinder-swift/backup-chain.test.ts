import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flattenChain, piecesOf } from './backup-chain.ts';
import type { BackupPart } from './backup-layout.ts';

const part = (name: string, offset: number, length: number): BackupPart => ({
  container: 'c',
  name,
  offset,
  length,
  compression: 'none',
  md5: '',
});

/** Which part each byte comes from, painted the slow way: the oldest first. */
function painted(chain: readonly { parts: readonly BackupPart[] }[], size: number): (string | undefined)[] {
  const bytes = new Array<string | undefined>(size).fill(undefined);
  for (const { parts } of chain.toReversed())
    for (const one of parts) bytes.fill(one.name, one.offset, one.offset + one.length);
  return bytes;
}

describe('the volume as a chain of backups has it', () => {
  it('takes each byte from the newest backup that has it, and the rest from older ones', () => {
    const chain = [
      { parts: [part('new', 4, 2)] },
      { parts: [part('middle', 0, 5)] },
      { parts: [part('full-1', 0, 8), part('full-2', 8, 8)] },
    ];
    expect(flattenChain(chain).map((piece) => [piece.offset, piece.length, piece.part.name])).toEqual([
      [0, 4, 'middle'],
      [4, 2, 'new'],
      [6, 2, 'full-1'],
      [8, 8, 'full-2'],
    ]);
  });

  it('is the same as painting the backups over each other, whatever they hold', () => {
    const size = 64;
    // Parts of one backup never overlap.
    const backup = fc
      .array(fc.tuple(fc.integer({ min: 0, max: size - 1 }), fc.integer({ min: 1, max: 12 })), { maxLength: 6 })
      .map((wanted) => {
        const parts: [number, number][] = [];
        for (const [offset, length] of wanted.toSorted((one, other) => one[0] - other[0])) {
          const at = Math.max(offset, (parts.at(-1)?.[0] ?? 0) + (parts.at(-1)?.[1] ?? 0));
          if (at < size) parts.push([at, Math.min(length, size - at)]);
        }
        return parts;
      });
    fc.assert(
      fc.property(fc.array(backup, { minLength: 1, maxLength: 5 }), (layers) => {
        const chain = [
          ...layers.map((parts, layer) => ({
            parts: parts.map(([offset, length], index) => part(`${layer}-${index}`, offset, length)),
          })),
          { parts: [part('full', 0, size)] },
        ];
        const flat = flattenChain(chain);
        const bytes = new Array<string | undefined>(size).fill(undefined);
        for (const piece of flat) bytes.fill(piece.part.name, piece.offset, piece.offset + piece.length);
        expect(bytes).toEqual(painted(chain, size));
        expect(
          flat.every(
            (piece, index) =>
              index === 0 || piece.offset === (flat[index - 1]?.offset ?? 0) + (flat[index - 1]?.length ?? 0),
          ),
        ).toBe(true);
      }),
    );
  });

  it('gives the pieces of any range, and says when a byte is in no object', () => {
    const flat = flattenChain([{ parts: [part('b', 4, 2)] }, { parts: [part('a', 0, 8)] }]);
    expect(piecesOf(flat, 3, 4).map((piece) => [piece.offset, piece.length, piece.part.name])).toEqual([
      [3, 1, 'a'],
      [4, 2, 'b'],
      [6, 1, 'a'],
    ]);
    expect(() => piecesOf(flat, 6, 4)).toThrow('no backup object contains byte 8');
  });
});

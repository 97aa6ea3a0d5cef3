import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, inject, it, test } from 'vitest';
import { systemFiles } from './file-access.ts';
import { findZeros } from './find-zeros.ts';
import { ImageFile } from './image-bytes.ts';
import { programs, rangesIn, storedRanges } from './stored-ranges.ts';

const never = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'stored-ranges-'));
afterAll(() => rmSync(folder, { recursive: true }));
const block = 64 * 1024;
const blocks = 40;

test.each([
  ['', undefined],
  ['end', undefined],
  ['end\n', []],
  ['0 5\nend\n', [[0, 5]]],
  ['0 5\n', undefined],
  ['0 5\n3 9\nend\n', undefined],
  ['5 3\nend\n', undefined],
  ['a b\nend\n', undefined],
  ['-1 4\nend\n', undefined],
  [
    '0 5\n7 900\nend\n',
    [
      [0, 5],
      [7, 100],
    ],
  ],
  ['0 99999999999999999\nend\n', undefined],
  ['0 5\nend\nend\n', undefined],
])('output %j means %j', (text, ranges) => expect(rangesIn(text, 100)).toEqual(ranges));

it.runIf(process.platform === 'linux')(
  'tells all data of a file with holes, wherever a disk begins in it',
  async () => {
    const path = join(folder, 'sparse.raw');
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(blocks - 1), { maxLength: 12 }),
        fc.nat(3),
        fc.nat(511),
        fc.integer({ min: 1, max: 6000 }),
        async (written, sectorsBefore, tail, sectors) => {
          const file = await open(path, 'w+');
          try {
            const size = blocks * block + tail;
            await file.truncate(size);
            for (const index of written) await file.write(Buffer.alloc(block, index + 1), 0, block, index * block);
          } finally {
            await file.close();
          }
          const partBytes = sectors * 512;
          const opened = await systemFiles.open(path);
          const at = sectorsBefore * 512;
          const size = opened.sizeBytes - at;
          const image = new ImageFile(opened, path, 'sparse.raw', { offset: at, size });
          try {
            const content = Buffer.alloc(size);
            await image.read(0, content);
            let from = 0;
            let zeros = 0;
            // In parts, as below an overlay.
            for (let part = 0; part < size; part += partBytes) {
              const length = Math.min(partBytes, size - part);
              for await (const piece of findZeros(
                { kind: 'stored', length, file: image, at: part, mayBeHoles: true },
                never,
              )) {
                expect(piece.length).toBeGreaterThan(0);
                if (from + piece.length < part + length) expect(piece.length % 512).toBe(0);
                if (piece.kind === 'zero')
                  expect(content.subarray(from, from + piece.length).every((byte) => byte === 0)).toBe(true);
                if (piece.kind === 'zero') zeros += piece.length;
                from += piece.length;
              }
              expect(from).toBe(part + length);
            }
            // Holes are found: blocks at the edges of a part may be stored in whole.
            expect(zeros).toBeGreaterThanOrEqual((blocks - written.length) * block - at - (written.length + 1) * block);
            expect(await image.storedRanges(never)).toBeDefined();
          } finally {
            await image.close();
          }
        },
      ),
      { numRuns: 15 },
    );
  },
  60_000,
);

it.runIf(process.platform === 'linux')('ends with the signal', async () => {
  const file = await open(join(folder, 'other.raw'), 'w+');
  try {
    await file.truncate(block);
    expect(await storedRanges(file.fd, join(folder, 'other.raw'), block, never)).toEqual([]);
    const reason = new Error('stop');
    await expect(storedRanges(file.fd, join(folder, 'other.raw'), block, AbortSignal.abort(reason))).rejects.toBe(
      reason,
    );
  } finally {
    await file.close();
  }
});

it.runIf(process.platform === 'linux' && !inject('lacking').includes('python3'))(
  'has the same answer from each program',
  async () => {
    const path = join(folder, 'both.raw');
    const file = await open(path, 'w+');
    try {
      await file.truncate(9 * block);
      for (const index of [2, 3, 7]) await file.write(Buffer.alloc(block, 1), 0, block, index * block);
      for (const program of programs) {
        expect(await storedRanges(file.fd, path, 9 * block, never, [program]), program[0]).toEqual([
          [2 * block, 4 * block],
          [7 * block, 8 * block],
        ]);
      }
      // Another file system could tell of holes where data is; no program, nothing.
      expect(await storedRanges(file.fd, '/proc/version', 9 * block, never)).toBeUndefined();
      expect(await storedRanges(file.fd, path, 9 * block, never, [])).toBeUndefined();
    } finally {
      await file.close();
    }
  },
);

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ImageBytes } from './image-bytes.ts';
import { patched, type Patch } from './vhdx-log.ts';
import { rounds } from '../../../shared/testing/rounds.ts';

const fileOf = (content: Buffer): ImageBytes => ({
  name: 'a.vhdx',
  sizeBytes: content.length,
  isSparse: false,
  read: async (at, into) => void content.copy(into, 0, at, at + into.length),
});

it('shows patches of a log over the file as if they had been written to it one after the other', async () => {
  const patch = fc.record({ at: fc.nat(60), length: fc.nat(20), fill: fc.option(fc.integer({ min: 1, max: 255 })) });
  await fc.assert(
    fc.asyncProperty(fc.array(patch, { maxLength: 30 }), fc.nat(80), fc.nat(60), async (list, at, length) => {
      const content = Buffer.from(Array.from({ length: 64 }, (_, index) => 100 + index));
      const patches = list.map(({ at: from, length: size, fill }): Patch => ({
        at: from,
        length: size,
        ...(fill === null ? {} : { bytes: Buffer.alloc(size, fill) }),
      }));
      const written = Buffer.concat([
        content,
        Buffer.alloc(Math.max(0, ...patches.map((one) => one.at + one.length - content.length))),
      ]);
      for (const one of patches) written.set(one.bytes ?? Buffer.alloc(one.length), one.at);
      const file = patched(fileOf(content), content.length, patches);
      expect(file.sizeBytes).toBe(written.length);
      const from = Math.min(at, written.length);
      const into = Buffer.alloc(Math.min(length, written.length - from));
      await file.read(from, into);
      expect(into).toEqual(written.subarray(from, from + into.length));
    }),
    { seed: 20_240_307, numRuns: rounds(2_000) },
  );
});

// With a look at every patch in every read this is 160 thousand million looks, which no test's time is enough for.
it('reads a file under a long log with work for what is read, not for what the log holds', async () => {
  const patches = Array.from({ length: 400_000 }, (_, index): Patch => ({
    at: index * 4096,
    length: 4096 * (1 + (index % 3)),
  }));
  const file = patched(fileOf(Buffer.alloc(0)), 0, patches);
  const into = Buffer.alloc(512);
  for (let number = 0; number < 400_000; number += 1)
    await file.read((number * 7919 * 4096) % (file.sizeBytes - 512), into);
  expect(file.sizeBytes).toBe(Math.max(...patches.slice(-3).map(({ at, length }) => at + length)));
});

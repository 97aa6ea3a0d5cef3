import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ReadAhead } from './read-ahead.ts';
import { rounds } from '../../../../../shared/testing/rounds.ts';

const MIB = 2 ** 20;
const signal = new AbortController().signal;
/** Bytes that tell their place. */
const contentAt = (offset: number): number => (offset * 2_654_435_761) % 251;

/** A disk whose requests are recorded; each takes as long as is said. */
function disk(tookMs = 0) {
  const asked: { readonly offset: number; readonly length: number }[] = [];
  let now = 0;
  const ahead = new ReadAhead(
    async (offset, into, within) => {
      within.throwIfAborted();
      asked.push({ offset, length: into.length });
      await Promise.resolve();
      now += tookMs;
      for (let at = 0; at < into.length; at += 4096) into[at] = contentAt(offset + at);
    },
    { monotonic: () => now },
  );
  return { ahead, asked };
}

async function expectRead({ ahead }: ReturnType<typeof disk>, offset: number, length: number): Promise<void> {
  const into = new Uint8Array(length).fill(255);
  await ahead.read(offset, into, signal);
  for (let at = 0; at < length; at += 4096)
    if (into[at] !== contentAt(offset + at)) throw new Error(`byte ${offset + at} is wrong`);
}

test('one run is read in few large requests, each byte once, and nothing beyond the run', async () => {
  const lab = disk();
  lab.ahead.know(3 * MIB, 64 * MIB);
  for (let at = 3 * MIB; at < 67 * MIB; at += 6 * MIB) {
    await Promise.all(
      [0, 1, 2, 3, 4, 5]
        .map((part) => at + part * MIB)
        .filter((begin) => begin < 67 * MIB)
        .map((begin) => expectRead(lab, begin, MIB)),
    );
  }
  expect(lab.asked.length).toBeLessThan(16);
  expect(lab.asked.reduce((sum, { length }) => sum + length, 0)).toBe(64 * MIB);
  expect(Math.max(...lab.asked.map(({ offset, length }) => offset + length))).toBe(67 * MIB);
});

test('a slow way is read as it is asked for, and large pieces become small', async () => {
  const lab = disk(5000);
  lab.ahead.know(0, 64 * MIB);
  for (let at = 0; at < 64 * MIB; at += MIB) await expectRead(lab, at, MIB);
  expect(lab.asked.map(({ length }) => length)).toEqual(Array.from({ length: 64 }, () => MIB));
  expect(lab.ahead.pieceBytes).toBe(MIB);
});

test('what is read out of order, or where no run is known, is passed on as it is', async () => {
  const lab = disk();
  lab.ahead.know(0, 512 * MIB);
  const places = [100, 7, 300, 50, 200].map((place) => place * MIB);
  for (const at of places) await expectRead(lab, at, 65_536);
  expect(lab.asked).toEqual(places.map((offset) => ({ offset, length: 65_536 })));
});

test('a piece that fails fails those who wait for it, and is asked for again', async () => {
  let failures = 0;
  const ahead = new ReadAhead(
    async (offset, into) => {
      if (offset > 0 && failures < 1) {
        failures += 1;
        throw new Error('lost');
      }
      into.fill(7);
    },
    { monotonic: () => 0 },
  );
  ahead.know(0, 64 * MIB);
  const into = new Uint8Array(MIB);
  await ahead.read(0, into, signal);
  await expect(ahead.read(MIB, into, signal)).rejects.toThrow('lost');
  await ahead.read(MIB, into, signal);
  expect(into.every((byte) => byte === 7)).toBe(true);
});

test('any reads, in any order and at any time, give the bytes of the disk', async () => {
  const reads = fc.array(
    fc.record({ page: fc.nat(4000), pages: fc.integer({ min: 1, max: 400 }), together: fc.boolean() }),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ gap: fc.nat(200), pages: fc.integer({ min: 1, max: 2000 }) }), { maxLength: 6 }),
      reads,
      async (runs, wanted) => {
        const lab = disk();
        let end = 0;
        for (const { gap, pages } of runs) {
          lab.ahead.know((end + gap) * 4096, pages * 4096);
          end += gap + pages;
        }
        const pending: Promise<void>[] = [];
        for (const { page, pages, together } of wanted) {
          pending.push(expectRead(lab, page * 4096, pages * 4096));
          if (!together) await Promise.all(pending.splice(0));
        }
        await Promise.all(pending);
      },
    ),
    { numRuns: rounds(40) },
  );
});

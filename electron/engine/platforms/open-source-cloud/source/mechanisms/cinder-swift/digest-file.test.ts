import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Extent } from '../../../../../../../shared/model/extent.ts';
import { BlockKinds } from './block-kinds.ts';
import { blockBytesOf, scanDigests, type StoredDigests } from './digest-file.ts';
import { rounds } from '../../../../../../../shared/testing/rounds.ts';

const block = 32_768;
const signal = new AbortController().signal;
const sha = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
const zero = sha(Buffer.alloc(block));
const filled = (value: number): Buffer => sha(Buffer.alloc(block, value));

const content = (digests: readonly Buffer[]) => ({
  backup_id: 'b',
  backup_name: 'of "sha256s": [ and ]',
  chunk_size: block,
  sha256s: digests.map((digest) => digest.toString('hex')),
  version: '1.0.0',
  volume_id: 'v',
});
/** As the cloud's backup service writes it: sorted keys, indented. */
const fileOf = (digests: readonly Buffer[]): Buffer => Buffer.from(JSON.stringify(content(digests), undefined, 2));

function inParts(bytes: Buffer, size: number): StoredDigests & { readonly taken: number } {
  const file = {
    name: 'f',
    blockBytes: block,
    taken: 0,
    async *parts() {
      for (let at = 0; at < bytes.length; at += size) {
        file.taken += 1;
        yield bytes.subarray(at, at + size);
      }
    },
  };
  return file;
}

async function all(file: StoredDigests): Promise<Buffer> {
  const found: Buffer[] = [];
  for await (const digests of scanDigests(file, signal)) found.push(digests);
  return Buffer.concat(found);
}

const extentsOf = async (now: StoredDigests, base: StoredDigests | undefined, size: number): Promise<Extent[]> => [
  ...(await BlockKinds.compare(now, base, size, signal)).extents(),
];

describe('the file of digests of a backup', () => {
  it('gives the same digests however it is cut into parts and laid out', async () => {
    const digests = Array.from({ length: 40 }, (_, index) => filled(index));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5000 }), fc.constantFrom(undefined, 2), async (size, indent) => {
        const file = inParts(Buffer.from(JSON.stringify(content(digests), undefined, indent)), size);
        expect((await all(file)).equals(Buffer.concat(digests))).toBe(true);
        expect(await blockBytesOf(file, signal)).toBe(block);
      }),
      { numRuns: rounds(60), seed: 5 },
    );
  });

  it('tells the size of its blocks from its beginning, or from behind the list', async () => {
    const file = inParts(fileOf(Array.from({ length: 400 }, () => zero)), 1000);
    expect([await blockBytesOf(file, signal), file.taken]).toEqual([block, 1]);
    const { chunk_size, ...before } = content([zero, zero]);
    expect(await blockBytesOf(inParts(Buffer.from(JSON.stringify({ ...before, chunk_size })), 10), signal)).toBe(block);
  });

  it.each([
    ['is another file', Buffer.from('<html>')],
    ['is cut off within a digest', fileOf([zero, zero]).subarray(0, 180)],
    ['is cut off behind its list', fileOf([zero, zero]).subarray(0, -5)],
    ['has a digest that is none', Buffer.from(fileOf([zero, zero]).toString().replace('cad7', 'xad7'))],
    [
      'has numbers in its list',
      Buffer.from(
        fileOf([zero])
          .toString()
          .replace(/"[0-9a-f]{64}"/, '4711'),
      ),
    ],
  ])('is refused when it %s', async (_why, bytes) => {
    await expect(all(inParts(bytes, 100))).rejects.toMatchObject({ code: 'source.backup-unreadable' });
    await expect(extentsOf(inParts(fileOf([zero, zero]), 100), inParts(bytes, 100), 2 * block)).rejects.toMatchObject({
      code: 'source.backup-unreadable',
    });
  });

  it('holds no more of a file that is none than a list would have before it', async () => {
    const file = inParts(Buffer.alloc(64 * 1024 * 1024, 0x20), 256 * 1024);
    await expect(blockBytesOf(file, signal)).rejects.toMatchObject({ code: 'source.backup-unreadable' });
    expect(file.taken).toBeLessThan(10);
  });
});

describe('what changed between two backups', () => {
  it('is data or zeros; without a base all of the volume is', async () => {
    const now = fileOf([filled(1), filled(2), zero, zero, filled(5)]);
    const base = fileOf([filled(1), filled(9), filled(3), zero, filled(6)]);
    expect(await extentsOf(inParts(now, 77), undefined, 5 * block)).toEqual([
      { offset: 0, length: 2 * block, kind: 'data' },
      { offset: 2 * block, length: 2 * block, kind: 'zero' },
      { offset: 4 * block, length: block, kind: 'data' },
    ]);
    expect(await extentsOf(inParts(now, 301), inParts(base, 99), 5 * block)).toEqual([
      { offset: block, length: block, kind: 'data' },
      { offset: 2 * block, length: block, kind: 'zero' },
      { offset: 4 * block, length: block, kind: 'data' },
    ]);
  });

  it('is the same however both files are cut', async () => {
    const kinds = fc.array(fc.record({ now: fc.integer({ min: 0, max: 3 }), base: fc.integer({ min: 0, max: 3 }) }), {
      minLength: 1,
      maxLength: 60,
    });
    const digestOf = (value: number): Buffer => (value === 0 ? zero : filled(value));
    await fc.assert(
      fc.asyncProperty(
        kinds,
        fc.integer({ min: 1, max: 3000 }),
        fc.integer({ min: 1, max: 3000 }),
        async (blocks, one, other) => {
          const found = await extentsOf(
            inParts(fileOf(blocks.map(({ now }) => digestOf(now))), one),
            inParts(fileOf(blocks.map(({ base }) => digestOf(base))), other),
            blocks.length * block,
          );
          const told = blocks.map(
            (_, index) =>
              found.find(({ offset, length }) => offset <= index * block && index * block < offset + length)?.kind,
          );
          expect(told).toEqual(blocks.map(({ now, base }) => (now === base ? undefined : now === 0 ? 'zero' : 'data')));
        },
      ),
      { numRuns: rounds(60), seed: 6 },
    );
  });

  it.each([
    [1, 2],
    [3, 2],
    [2, 1],
    [2, 3],
  ])('is refused when %i digests are compared with %i of a volume of two blocks', async (now, base) => {
    const files = [now, base].map((count) => inParts(fileOf(Array.from({ length: count }, () => zero)), 50));
    await expect(extentsOf(files[0]!, files[1], 2 * block)).rejects.toMatchObject({ code: 'source.backup-unreadable' });
  });
});

import { randomFillSync } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { digestThreads, openBlockHasher, type BlockHasher } from './block-hasher.ts';
import { BLOCK_BYTES } from './blocks.ts';
import { ChunkSlab, type ChunkBuffer } from './chunk-buffer.ts';
import { blockDigest } from './digests.ts';

const CHUNK = 64 * BLOCK_BYTES;
const open: BlockHasher[] = [];

function hasherWith(threads: number): BlockHasher {
  const hasher = openBlockHasher(threads);
  open.push(hasher);
  return hasher;
}

afterEach(async () => {
  for (const hasher of open.splice(0)) hasher.close();
  expect(digestThreads()).toEqual([]);
});

const online = (count: number) => expect.poll(() => digestThreads().length, { interval: 5 }).toBe(count);

function noise(length = CHUNK, wanted: (index: number) => boolean = () => true): ChunkBuffer {
  // Behind another one, in the same memory.
  const slab = new ChunkSlab(CHUNK, 2);
  slab.take(1);
  const buffer = slab.take(1);
  randomFillSync(buffer.bytes);
  buffer.want(length, (start) => wanted(start / BLOCK_BYTES));
  return buffer;
}

function digestsOf(buffer: ChunkBuffer, length = CHUNK): string[] {
  return Array.from({ length: Math.ceil(length / BLOCK_BYTES) }, (_, index) => buffer.digest(index).toString('hex'));
}

function expected(buffer: ChunkBuffer, length = CHUNK): string[] {
  return digestsOf(buffer, length).map((_, index) =>
    blockDigest(buffer.bytes.subarray(index * BLOCK_BYTES, Math.min((index + 1) * BLOCK_BYTES, length))).toString(
      'hex',
    ),
  );
}

describe.each([0, 1, 2])('a hasher with %i threads', (threads) => {
  it('makes the digest of every block, the last one short', async () => {
    const hasher = hasherWith(threads);
    await online(threads);
    const length = CHUNK - BLOCK_BYTES - 512;
    const buffers = Array.from({ length: 6 }, () => noise(length));
    await Promise.all(buffers.map((buffer) => hasher.hash(buffer, length)));
    for (const buffer of buffers) expect(digestsOf(buffer, length)).toEqual(expected(buffer, length));
  });

  it('leaves out what is not wanted', async () => {
    const hasher = hasherWith(threads);
    await online(threads);
    const buffer = noise(CHUNK, (index) => index % 2 === 0);
    await hasher.hash(buffer, CHUNK);
    expect(buffer.digest(1)).toEqual(Buffer.alloc(32));
    expect(digestsOf(buffer)[2]).toBe(expected(buffer)[2]);
  });
});

describe('the threads that hash', () => {
  it('are shared by all runs and end with the last one', async () => {
    const first = openBlockHasher(1);
    const second = openBlockHasher(1);
    await online(1);
    first.close();
    expect(digestThreads()).toHaveLength(1);
    second.close();
    expect(digestThreads()).toEqual([]);
  });

  it('do not touch a buffer any more when its digests are said to be there, also when they are ended at any moment', async () => {
    // Seven of the twenty moments in the usual tier.
    for (let round = 0; round < 20; round += process.env['CAUSEWAY_EVERY_STEP'] === '1' ? 1 : 3) {
      const hasher = openBlockHasher(1);
      await online(1);
      const thread = digestThreads()[0]!;
      const buffers = Array.from({ length: 4 }, () => noise());
      const before = buffers.map((buffer) => expected(buffer));
      const reused = buffers.map(async (buffer, index) => {
        await thread.hash(buffer, CHUNK);
        expect(digestsOf(buffer)).toEqual(before[index]);
        // As the next chunk would: another content, and no digests of it yet.
        buffer.bytes.fill(round + 1);
        for (let block = 0; block < 64; block++) buffer.digest(block).fill(0xee);
      });
      if (round % 4 > 0) await new Promise((resolve) => setTimeout(resolve, round / 3));
      hasher.close();
      await Promise.all(reused);
      await new Promise((resolve) => setTimeout(resolve, 20));
      for (const buffer of buffers)
        for (let block = 0; block < 64; block++) expect(buffer.digest(block)).toEqual(Buffer.alloc(32, 0xee));
    }
  });

  it('end no job before they have stopped', async () => {
    hasherWith(1);
    await online(1);
    const thread = digestThreads()[0]!;
    const buffer = noise();
    let ended = false;
    const job = thread.hash(buffer, CHUNK).then(() => (ended = true));
    thread.end();
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    // It stops in a turn of the event loop of its own, if ever so soon.
    expect(ended).toBe(false);
    await job;
    expect(digestsOf(buffer)).toEqual(expected(buffer));
  });

  it('leave what they have not done to the caller when they die of an error', async () => {
    const hasher = hasherWith(1);
    await online(1);
    const thread = digestThreads()[0]!;
    const good = noise();
    const jobs = [
      thread.hash(Object.assign(noise(), { layout: { ...good.layout, digestsAt: -1 } }), CHUNK),
      thread.hash(good, CHUNK),
    ];
    await Promise.all(jobs);
    expect(thread.isOnline).toBe(false);
    expect(digestsOf(good)).toEqual(expected(good));
    const later = noise();
    await hasher.hash(later, CHUNK);
    expect(digestsOf(later)).toEqual(expected(later));
  });
});

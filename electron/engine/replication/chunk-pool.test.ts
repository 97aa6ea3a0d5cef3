import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { BLOCK_BYTES } from './blocks.ts';
import type { ChunkBuffer } from './chunk-buffer.ts';
import { ChunkMemory, ChunkPool } from './chunk-pool.ts';
import { rounds } from '../../../shared/testing/rounds.ts';

const never = new AbortController().signal;

describe('the memory that chunks travel in', () => {
  // Not the process's: tests of other files that give up in the middle keep some of it.
  let memory: ChunkMemory;
  beforeEach(() => {
    memory = new ChunkMemory(64 * 1024 * 1024);
  });
  it('makes whoever asks for more than is left wait, and serves in the order of asking', async () => {
    const pool = new ChunkPool(5 * BLOCK_BYTES, 4 * BLOCK_BYTES, memory);
    const first = await pool.take(3 * BLOCK_BYTES, never);
    const served: string[] = [];
    const second = pool.take(BLOCK_BYTES * 2, never).then((buffer) => (served.push('second'), buffer));
    const third = pool.take(1, never).then((buffer) => (served.push('third'), buffer));
    await new Promise((resolve) => setImmediate(resolve));
    expect(served).toEqual([]);
    pool.give(first);
    for (const buffer of await Promise.all([second, third])) pool.give(buffer);
    expect(served).toEqual(['second', 'third']);
    expect(pool.usedBytes).toBe(0);
  });

  it('gives the same memory out again, to another run too', async () => {
    const pool = new ChunkPool(4 * BLOCK_BYTES, 4 * BLOCK_BYTES, memory);
    const first = await pool.take(2 * BLOCK_BYTES, never);
    pool.give(first);
    const again = await pool.take(2 * BLOCK_BYTES - 512, never);
    expect(overlap(again, first)).toBe(true);
    pool.give(again);
    expect(
      overlap(await new ChunkPool(8 * BLOCK_BYTES, 4 * BLOCK_BYTES, memory).take(2 * BLOCK_BYTES, never), first),
    ).toBe(true);
  });

  it('takes little for a small chunk', async () => {
    const pool = new ChunkPool(64 * BLOCK_BYTES, 32 * BLOCK_BYTES, memory);
    await pool.take(1, never);
    expect(pool.usedBytes).toBe(4 * BLOCK_BYTES);
  });

  it('bounds what many disks have in flight, and leaves each of them a large chunk however many wait', async () => {
    const [large, most] = [32 * BLOCK_BYTES, 16 * 1024 * 1024];
    const taken: [ChunkPool, ChunkBuffer][] = [];
    const stop = new AbortController();
    const pools = Array.from({ length: 32 }, () => new ChunkPool(most, large, memory));
    const asked = pools.flatMap((pool) =>
      Array.from({ length: 8 }, () =>
        pool.take(large, stop.signal).then(
          (buffer) => taken.push([pool, buffer]),
          () => undefined,
        ),
      ),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(taken.length * large).toBeLessThanOrEqual(64 * 1024 * 1024 + 32 * large);
    expect(pools.filter((pool) => !taken.some(([of]) => of === pool))).toEqual([]);
    // One that comes when all is taken is served as well.
    const late = new ChunkPool(most, large, memory);
    late.give(await late.take(large, never));
    stop.abort();
    await Promise.all(asked);
    for (const [pool, buffer] of taken) pool.give(buffer);
    expect(pools.filter(({ usedBytes }) => usedBytes > 0)).toEqual([]);
    // All of it is there again.
    const after = Array.from({ length: 3 }, () => new ChunkPool(most, large, memory));
    const again = await Promise.all(
      after.flatMap((pool) =>
        Array.from({ length: 8 }, async () => [pool, await pool.take(large, AbortSignal.timeout(1000))] as const),
      ),
    );
    for (const [pool, buffer] of again) pool.give(buffer);
  });

  it('holds no more than is in use in the same moment, however many disks there are and whatever the sizes of their chunks', async () => {
    const large = 32 * BLOCK_BYTES;
    let most = 0;
    await Promise.all(
      Array.from({ length: 32 }, async (_, disk) => {
        const pool = new ChunkPool(16 * 1024 * 1024, large, memory);
        await Promise.all(
          Array.from({ length: 12 }, async () => {
            for (let turn = 0; turn < 10; turn += 1) {
              const buffer = await pool.take(large / [1, 2, 8][(disk + turn) % 3]!, never);
              most = Math.max(most, memory.heldBytes);
              await new Promise((resolve) => setImmediate(resolve));
              pool.give(buffer);
            }
          }),
        );
      }),
    );
    expect(most).toBeLessThanOrEqual(64 * 1024 * 1024 + 32 * large);
  });

  it('makes large chunks of what small ones were, and small ones of what large ones were', async () => {
    const pool = new ChunkPool(64 * BLOCK_BYTES, 32 * BLOCK_BYTES, memory);
    for (const blocks of [32, 4, 16, 32, 4]) {
      const taken = await Promise.all(
        Array.from({ length: 64 / blocks }, () => pool.take(blocks * BLOCK_BYTES, never)),
      );
      for (const buffer of taken) pool.give(buffer);
    }
    expect(memory.heldBytes).toBe(64 * BLOCK_BYTES);
  });

  it('drops what is over its bound once nothing is in use', async () => {
    const little = new ChunkMemory(8 * BLOCK_BYTES);
    const pools = Array.from({ length: 6 }, () => new ChunkPool(8 * BLOCK_BYTES, 4 * BLOCK_BYTES, little));
    const taken = await Promise.all(
      pools.map(async (pool) => [pool, await pool.take(4 * BLOCK_BYTES, never)] as const),
    );
    expect(little.heldBytes).toBe(24 * BLOCK_BYTES);
    for (const [pool, buffer] of taken) pool.give(buffer);
    expect(little.heldBytes).toBe(8 * BLOCK_BYTES);
  });

  it('lets one that waits have what another disk gave back of its own', async () => {
    const small = new ChunkMemory(10 * BLOCK_BYTES);
    const large = 2 * BLOCK_BYTES;
    const [one, other, third] = [1, 2, 3].map(() => new ChunkPool(64 * BLOCK_BYTES, large, small)) as [
      ChunkPool,
      ChunkPool,
      ChunkPool,
    ];
    // A large chunk each of their own, which leaves four blocks to share.
    const [own] = [await one.take(large, never), await third.take(large, never), await other.take(large, never)];
    await other.take(large, never);
    await other.take(large, never);
    let isServed = false;
    const waits = other.take(large, never).then(() => (isServed = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isServed).toBe(false);
    one.give(own);
    await waits;
  });

  it('refuses a buffer that comes back twice', async () => {
    const pool = new ChunkPool(4 * BLOCK_BYTES, BLOCK_BYTES, memory);
    const buffer = await pool.take(1, never);
    pool.give(buffer);
    expect(() => pool.give(buffer)).toThrow('twice');
  });

  it('keeps its bound, gives nothing to two at once and has everything back at the end, in any order of taking, giving and cancelling', async () => {
    const act = fc.oneof(
      fc.record({ kind: fc.constant('take' as const), blocks: fc.integer({ min: 1, max: 8 }) }),
      fc.record({ kind: fc.constant('give' as const), which: fc.nat() }),
      fc.record({ kind: fc.constant('cancel' as const), which: fc.nat() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 60 }), async (acts) => {
        const limit = 16 * BLOCK_BYTES;
        const pool = new ChunkPool(limit, 8 * BLOCK_BYTES, memory);
        const held: ChunkBuffer[] = [];
        const asked: { readonly stop: AbortController; readonly ended: Promise<void> }[] = [];
        for (const step of acts) {
          if (step.kind === 'take') {
            const stop = new AbortController();
            const ended = pool.take(step.blocks * BLOCK_BYTES, stop.signal).then(
              (buffer) => {
                expect(held.filter((other) => overlap(other, buffer))).toEqual([]);
                expect(buffer.bytes.length).toBeGreaterThanOrEqual(step.blocks * BLOCK_BYTES);
                held.push(buffer);
              },
              (reason: unknown) => expect(reason).toMatchObject({ code: 'general.cancelled' }),
            );
            ended.catch(() => {});
            asked.push({ stop, ended });
          } else if (step.kind === 'give' && held.length > 0) {
            pool.give(held.splice(step.which % held.length, 1)[0]!);
          } else if (step.kind === 'cancel' && asked.length > 0) {
            asked[step.which % asked.length]!.stop.abort('cancelled');
          }
          await new Promise((resolve) => setImmediate(resolve));
          expect(pool.usedBytes).toBe(held.reduce((sum, buffer) => sum + buffer.bytes.length, 0));
          expect(pool.usedBytes).toBeLessThanOrEqual(limit);
        }
        for (const { stop } of asked) stop.abort('cancelled');
        await Promise.all(asked.map(({ ended }) => ended));
        for (const buffer of held) pool.give(buffer);
        expect(pool.usedBytes).toBe(0);
      }),
      { numRuns: rounds(50), seed: 3 },
    );
  });
});

/** Data, digests or what is wanted. */
function overlap(one: ChunkBuffer, other: ChunkBuffer): boolean {
  if (one.shared !== other.shared) return false;
  const ranges = ({ bytes, layout }: ChunkBuffer): [number, number][] => {
    const blocks = bytes.length / BLOCK_BYTES;
    return [
      [layout.dataAt, bytes.length],
      [layout.digestsAt, blocks * layout.digestBytes],
      [layout.wantedAt, blocks],
    ];
  };
  return ranges(one).some(([from, length]) =>
    ranges(other).some(([at, size]) => from < at + size && at < from + length),
  );
}

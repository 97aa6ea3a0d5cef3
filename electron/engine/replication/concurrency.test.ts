import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { rounds } from '../../../shared/testing/rounds.ts';
import type { DiskReader } from '../ports/disk-reader.ts';
import type { WriteTarget } from '../ports/write-target.ts';
import { digestThreads, openBlockHasher, type BlockHasher } from './block-hasher.ts';
import { BLOCK_BYTES, blockCount } from './blocks.ts';
import { ChunkPool } from './chunk-pool.ts';
import { blockDigest } from './digests.ts';
import { replicateDisk } from './pipeline.ts';
import { firstDifference, Lab, seeded } from './testing/lab.ts';
import {
  allocatedReader,
  bytesOfSectors,
  MemoryWriter,
  SECTOR,
  sectorsOf,
  type Sectors,
} from './testing/memory-disks.ts';

const BLOCKS = 61;
const SIZE = BLOCKS * BLOCK_BYTES + 3 * SECTOR;

/** What goes wrong at the `at`th call of the source or the worker in an attempt. */
interface Mishap {
  readonly at: number;
  readonly kind: 'cancel' | 'fail' | 'fail late' | 'end the threads';
}

/** Source and worker that take their time, go wrong as planned, and watch what is done to the buffers that they have. */
class Watch {
  readonly #random: () => number;
  readonly #mishaps: ReadonlyMap<number, Mishap['kind']>;
  readonly stop = new AbortController();
  calls = 0;
  inFlight = 0;
  readonly #reading = new Set<Uint8Array>();
  readonly #sending = new Set<Uint8Array>();
  readonly violations: string[] = [];

  constructor(seed: number, mishaps: readonly Mishap[]) {
    this.#random = seeded(seed);
    this.#mishaps = new Map(mishaps.map(({ at, kind }) => [at, kind]));
  }

  reader(inner: DiskReader): DiskReader {
    return {
      sizeBytes: inner.sizeBytes,
      coverage: inner.coverage,
      granularityBytes: inner.granularityBytes,
      extents: (signal, fromBytes) => inner.extents(signal, fromBytes),
      close: () => inner.close(),
      read: (offset, into, signal) =>
        this.#call(async () => {
          if (touches(into, this.#reading) || touches(into, this.#sending))
            this.violations.push(`read into a buffer that is in use, at ${offset}`);
          this.#reading.add(into);
          try {
            // As a source that answers a cancelled read late: it fills the buffer first.
            await this.#pause();
            await inner.read(offset, into, new AbortController().signal);
            signal.throwIfAborted();
          } finally {
            this.#reading.delete(into);
          }
        }),
    };
  }

  writer(inner: MemoryWriter): WriteTarget {
    return {
      sizeBytes: inner.sizeBytes,
      alignmentBytes: inner.alignmentBytes,
      read: (offset, into, signal) => this.#call(() => inner.read(offset, into, signal)),
      zero: (offset, length, signal) => this.#call(() => inner.zero(offset, length, signal)),
      flush: (signal) => this.#call(() => inner.flush(signal)),
      digests: (offset, length, blockBytes, signal) =>
        this.#call(() => inner.digests(offset, length, blockBytes, signal)),
      close: () => inner.close(),
      write: (offset, bytes, signal) =>
        this.#call(async () => {
          const given = Buffer.from(bytes);
          this.#sending.add(bytes);
          try {
            await this.#pause();
            if (touches(bytes, this.#reading) || !given.equals(bytes))
              this.violations.push(`a buffer changed while it was sent, at ${offset}`);
            return await inner.write(offset, bytes, signal);
          } finally {
            this.#sending.delete(bytes);
          }
        }),
    };
  }

  async #call<T>(work: () => Promise<T>): Promise<T> {
    const kind = this.#mishaps.get(this.calls++);
    this.inFlight += 1;
    try {
      if (kind === 'cancel') this.stop.abort(new CausewayError('general.cancelled', 'somebody wanted it'));
      if (kind === 'end the threads') for (const thread of digestThreads()) thread.end();
      if (kind === 'fail') throw new CausewayError('transport.lost', 'the link broke');
      const result = await work();
      if (kind === 'fail late') throw new CausewayError('transport.lost', 'the answer was lost');
      return result;
    } finally {
      this.inFlight -= 1;
    }
  }

  async #pause(): Promise<void> {
    for (let turns = Math.floor(this.#random() * 4); turns > 0; turns--)
      await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Whether they have memory in common. */
function touches(bytes: Uint8Array, others: ReadonlySet<Uint8Array>): boolean {
  return [...others].some(
    (other) =>
      other.buffer === bytes.buffer &&
      bytes.byteOffset < other.byteOffset + other.length &&
      other.byteOffset < bytes.byteOffset + bytes.length,
  );
}

function content(seed: number): Sectors {
  const random = seeded(seed);
  const sectors = sectorsOf(SIZE);
  for (let at = 0; at < sectors.length; at += 128)
    if (random() < 0.8) sectors.fill(1 + Math.floor(random() * 1e9), at, at + 128);
  return sectors;
}

const mishap: fc.Arbitrary<Mishap> = fc.record({
  at: fc.integer({ min: 0, max: 40 }),
  kind: fc.constantFrom<Mishap['kind'][]>('cancel', 'fail', 'fail late', 'end the threads'),
});

describe('the memory of concurrent copies', () => {
  let hasher: BlockHasher | undefined;
  const haveThread = async (): Promise<void> => {
    if (digestThreads().length > 0) return;
    hasher?.close();
    hasher = openBlockHasher(1);
    await expect.poll(() => digestThreads().length, { interval: 5 }).toBe(1);
  };
  afterAll(() => hasher?.close());

  it(
    'is all free after every end, never used for two things at once, and leaves the right digests, in any order of cancelling and failing',
    { timeout: 120_000 },
    async () => {
      let ended = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(mishap, { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
          fc.integer(),
          fc.boolean(),
          async (attempts, seed, fresh) => {
            await haveThread();
            const source = content(seed);
            const lab = new Lab(SIZE, fresh ? undefined : sectorsOf(SIZE).fill(77));
            // Less than the copies could use, so that they wait for it too.
            const pool = new ChunkPool(20 * BLOCK_BYTES, 8 * BLOCK_BYTES);
            for (const [attempt, mishaps] of [...attempts, []].entries()) {
              const watch = new Watch(seed + attempt, mishaps);
              const run = replicateDisk({
                reader: watch.reader(allocatedReader(source)),
                writer: watch.writer(new MemoryWriter(lab.volume)),
                state: lab.open(SIZE),
                snapshotId: 's1',
                baseSnapshotId: undefined,
                volumeId: 'v',
                volumeIsNew: true,
                volumesAreZeroed: fresh,
                signal: watch.stop.signal,
                options: { concurrency: 5, chunkBytes: 8 * BLOCK_BYTES, pool, digestThreads: 1 },
              });
              const error = await run.then(
                () => undefined,
                (reason: unknown) => reason,
              );
              if (error !== undefined) expect(error).toBeInstanceOf(CausewayError);
              expect({ used: pool.usedBytes, inFlight: watch.inFlight, violations: watch.violations }).toEqual({
                used: 0,
                inFlight: 0,
                violations: [],
              });
              if (mishaps.length === 0) expect(error).toBeUndefined();
            }
            expect(firstDifference(lab.volume.durable, source)).toBeUndefined();
            const bytes = bytesOfSectors(source);
            const state = lab.open(SIZE);
            await state.exclusively(async () => {
              for (let block = 0; block < blockCount(SIZE); block++) {
                const part = bytes.subarray(block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES);
                if (state.blockState(block) === 'zero') expect(part.every((byte) => byte === 0)).toBe(true);
                else expect(state.holds(block, blockDigest(part)), `digest of block ${block}`).toBe(true);
              }
            });
            ended += 1;
          },
        ),
        { numRuns: Number(process.env['CAUSEWAY_LANE_RUNS'] ?? rounds(40)), seed: 11, endOnFailure: true },
      );
      expect(ended).toBeGreaterThan(0);
    },
  );
});

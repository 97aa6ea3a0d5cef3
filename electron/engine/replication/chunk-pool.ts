import { ByteBudget } from '../transport/byte-budget.ts';
import { BLOCK_BYTES } from './blocks.ts';
import { ChunkBuffer } from './chunk-buffer.ts';

/** What is kept for the next chunk or run, of this process: as much as four disks have in flight. */
const MOST_SPARE_BYTES = 64 * 1024 * 1024;
/**
 * What the chunks of all disks of this process may take together: more of them wait for each other, and memory stays bounded. One large chunk of each disk
 * waits for no other disk's: those that wait for their link hold up nobody.
 */
const PROCESS_BYTES = 64 * 1024 * 1024;
/** Parts of the largest chunk, for which there are buffers as well. */
const PARTS = [8, 2, 1];

/**
 * The memory for the chunks of an execution: bounded, first come first served. Buffers come in three sizes only and are
 * used again, by other runs too: shared memory is given back by the collector alone, which does not see how much it is.
 */
export class ChunkPool {
  readonly #budget: ByteBudget;
  readonly #sizes: readonly number[];
  readonly #out = new Set<ChunkBuffer>();
  /** Those that waited for no other disk's. */
  readonly #own = new Set<ChunkBuffer>();
  #ownBytes = 0;

  /** At most `limitBytes` of data at once, which may change, for chunks of up to `largestBytes`. */
  constructor(limitBytes: number | (() => number), largestBytes: number) {
    this.#budget = new ByteBudget(limitBytes);
    this.#sizes = PARTS.map((part) => Math.max(BLOCK_BYTES, Math.ceil(largestBytes / part / BLOCK_BYTES) * BLOCK_BYTES));
  }

  /** Bytes in buffers in use. */
  get usedBytes(): number {
    return this.#budget.usedBytes;
  }

  /** A buffer for at least so many bytes. Rejects with the signal's reason when it is aborted before there is one. */
  async take(bytes: number, signal: AbortSignal): Promise<ChunkBuffer> {
    const size = this.#sizes.find((one) => one >= bytes) ?? bytes;
    await this.#budget.take(size, signal);
    const isOwn = this.#ownBytes + size <= this.#sizes.at(-1)!;
    if (isOwn) this.#countOwn(size);
    else {
      try {
        await ofProcess.take(size, signal);
      } catch (error) {
        this.#budget.give(size);
        throw error;
      }
    }
    const buffer = takeSpare(size) ?? new ChunkBuffer(size);
    this.#out.add(buffer);
    if (isOwn) this.#own.add(buffer);
    return buffer;
  }

  /** Only when nothing reads, hashes or sends it any more. */
  give(buffer: ChunkBuffer): void {
    if (!this.#out.delete(buffer)) throw new Error('a chunk buffer was released twice');
    const size = buffer.bytes.length;
    keepSpare(buffer);
    if (this.#own.delete(buffer)) this.#countOwn(-size);
    else ofProcess.give(size);
    this.#budget.give(size);
  }

  #countOwn(bytes: number): void {
    this.#ownBytes += bytes;
    ownBytesOfAll += bytes;
  }
}

/** Of all pools, what waited for no other disk's. */
let ownBytesOfAll = 0;
const ofProcess = new ByteBudget(() => PROCESS_BYTES - ownBytesOfAll);

/** By size; the one that was used last is still in the processor's cache. */
const spare = new Map<number, ChunkBuffer[]>();
let spareBytes = 0;

function takeSpare(size: number): ChunkBuffer | undefined {
  const buffer = spare.get(size)?.pop();
  if (buffer !== undefined) spareBytes -= size;
  return buffer;
}

function keepSpare(buffer: ChunkBuffer): void {
  const size = buffer.bytes.length;
  for (const [other, buffers] of spare) {
    // Frees buffers of sizes that are no longer used.
    while (other !== size && spareBytes + size > MOST_SPARE_BYTES && buffers.pop() !== undefined) spareBytes -= other;
  }
  if (spareBytes + size > MOST_SPARE_BYTES) return;
  spareBytes += size;
  const same = spare.get(size);
  if (same === undefined) spare.set(size, [buffer]);
  else same.push(buffer);
}

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

/** What the pools of a process share: a bound for what is in use, and buffers to use again. */
export class ChunkMemory {
  readonly #shared: ByteBudget;
  /** Of all pools, what waited for no other disk's. */
  #ownBytes = 0;
  /** By size; the one that was used last is still in the processor's cache. */
  readonly #spare = new Map<number, ChunkBuffer[]>();
  #spareBytes = 0;

  constructor(limitBytes: number) {
    this.#shared = new ByteBudget(() => limitBytes - this.#ownBytes);
  }

  countOwn(bytes: number): void {
    this.#ownBytes += bytes;
    // What is free now may be enough for one that waits.
    if (bytes < 0) this.#shared.give(0);
  }

  share(bytes: number, signal: AbortSignal): Promise<void> {
    return this.#shared.take(bytes, signal);
  }

  unshare(bytes: number): void {
    this.#shared.give(bytes);
  }

  buffer(size: number): ChunkBuffer {
    const buffer = this.#spare.get(size)?.pop();
    if (buffer !== undefined) this.#spareBytes -= size;
    return buffer ?? new ChunkBuffer(size);
  }

  keep(buffer: ChunkBuffer): void {
    const size = buffer.bytes.length;
    for (const [other, buffers] of this.#spare) {
      // Frees buffers of sizes that are no longer used.
      while (other !== size && this.#spareBytes + size > MOST_SPARE_BYTES && buffers.pop() !== undefined) this.#spareBytes -= other;
    }
    if (this.#spareBytes + size > MOST_SPARE_BYTES) return;
    this.#spareBytes += size;
    const same = this.#spare.get(size);
    if (same === undefined) this.#spare.set(size, [buffer]);
    else same.push(buffer);
  }
}

const ofProcess = new ChunkMemory(PROCESS_BYTES);

/**
 * The memory for the chunks of an execution: bounded, first come first served. Buffers come in three sizes only and are
 * used again, by other runs too: shared memory is given back by the collector alone, which does not see how much it is.
 */
export class ChunkPool {
  readonly #budget: ByteBudget;
  readonly #memory: ChunkMemory;
  readonly #sizes: readonly number[];
  readonly #out = new Set<ChunkBuffer>();
  /** Those that waited for no other disk's. */
  readonly #own = new Set<ChunkBuffer>();
  #ownBytes = 0;

  /** At most `limitBytes` of data at once, which may change, for chunks of up to `largestBytes`. */
  constructor(limitBytes: number | (() => number), largestBytes: number, memory: ChunkMemory = ofProcess) {
    this.#memory = memory;
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
        await this.#memory.share(size, signal);
      } catch (error) {
        this.#budget.give(size);
        throw error;
      }
    }
    const buffer = this.#memory.buffer(size);
    this.#out.add(buffer);
    if (isOwn) this.#own.add(buffer);
    return buffer;
  }

  /** Only when nothing reads, hashes or sends it any more. */
  give(buffer: ChunkBuffer): void {
    if (!this.#out.delete(buffer)) throw new Error('a chunk buffer was released twice');
    const size = buffer.bytes.length;
    this.#memory.keep(buffer);
    if (this.#own.delete(buffer)) this.#countOwn(-size);
    else this.#memory.unshare(size);
    this.#budget.give(size);
  }

  #countOwn(bytes: number): void {
    this.#ownBytes += bytes;
    this.#memory.countOwn(bytes);
  }
}

import { ByteBudget } from '../transport/byte-budget.ts';
import { BLOCK_BYTES } from './blocks.ts';
import { ChunkBuffer } from './chunk-buffer.ts';

/** What is kept for the next chunk or run, of this process: as much as four disks have in flight. */
const MOST_SPARE_BYTES = 64 * 1024 * 1024;
/** A small chunk's part of a large one. */
const SMALL_PART = 8;

/**
 * The memory for the chunks of an execution: bounded, first come first served. Buffers come in two sizes only and are
 * used again, by other runs too: shared memory is given back by the collector alone, which does not see how much it is.
 */
export class ChunkPool {
  readonly #budget: ByteBudget;
  readonly #largest: number;
  readonly #small: number;
  readonly #out = new Set<ChunkBuffer>();

  /** At most `limitBytes` of data at once, for chunks of up to `largestBytes`. */
  constructor(limitBytes: number, largestBytes: number) {
    this.#budget = new ByteBudget(limitBytes);
    this.#largest = largestBytes;
    this.#small = Math.max(BLOCK_BYTES, Math.ceil(largestBytes / SMALL_PART / BLOCK_BYTES) * BLOCK_BYTES);
  }

  /** Bytes in buffers in use. */
  get usedBytes(): number {
    return this.#budget.usedBytes;
  }

  /** A buffer for at least so many bytes. Rejects with the signal's reason when it is aborted before there is one. */
  async take(bytes: number, signal: AbortSignal): Promise<ChunkBuffer> {
    const size = bytes <= this.#small ? this.#small : Math.max(bytes, this.#largest);
    await this.#budget.take(size, signal);
    const buffer = takeSpare(size) ?? new ChunkBuffer(size);
    this.#out.add(buffer);
    return buffer;
  }

  /** Only when nothing reads, hashes or sends it any more. */
  give(buffer: ChunkBuffer): void {
    if (!this.#out.delete(buffer)) throw new Error('a chunk buffer was released twice');
    keepSpare(buffer);
    this.#budget.give(buffer.bytes.length);
  }
}

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

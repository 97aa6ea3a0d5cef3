import { ByteBudget } from '../transport/byte-budget.ts';
import { BLOCK_BYTES } from './blocks.ts';
import { ChunkSlab, type ChunkBuffer } from './chunk-buffer.ts';

/**
 * What the chunks of all disks of this process may take together: more of them wait for each other, and memory stays bounded. One large chunk of each disk
 * waits for no other disk's: those that wait for their link hold up nobody.
 */
const PROCESS_BYTES = 48 * 1024 * 1024;
/** Parts of the largest chunk, for which there are buffers as well. */
const PARTS = [8, 2, 1];

/**
 * What the pools of a process share: a bound for what is in use, and memory that is used again. It is the most that was in use in the same moment: shared
 * memory is given back by the collector alone, which does not see how much it is, so that none is dropped while there are chunks.
 */
export class ChunkMemory {
  readonly #limitBytes: number;
  readonly #shared: ByteBudget;
  /** Of all pools, what waited for no other disk's. */
  #ownBytes = 0;
  #buffers = 0;
  /** The fullest are filled first, so that others become free as a whole. */
  #slabs: ChunkSlab[] = [];

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
    this.#shared = new ByteBudget(() => limitBytes - this.#ownBytes);
  }

  /** In use or not. */
  get heldBytes(): number {
    return this.#slabs.reduce((sum, { unitBytes, units }) => sum + unitBytes * units, 0);
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

  /** So many units of memory that is made of `unitsOfAll`. */
  buffer(unitBytes: number, units: number, unitsOfAll: number): ChunkBuffer {
    this.#buffers += 1;
    let fullest: ChunkSlab | undefined;
    for (const slab of this.#slabs) {
      if (
        slab.unitBytes === unitBytes &&
        slab.units === unitsOfAll &&
        slab.hasRoom(units) &&
        !(slab.freeUnits >= (fullest?.freeUnits ?? Infinity))
      )
        fullest = slab;
    }
    if (fullest === undefined) {
      fullest = new ChunkSlab(unitBytes, unitsOfAll);
      this.#slabs.push(fullest);
    }
    return fullest.take(units);
  }

  keep(buffer: ChunkBuffer): void {
    buffer.slab.give(buffer);
    this.#buffers -= 1;
    if (this.#buffers > 0) return;
    let bytes = 0;
    this.#slabs = this.#slabs.filter((slab) => (bytes += slab.unitBytes * slab.units) <= this.#limitBytes);
  }
}

const ofProcess = new ChunkMemory(PROCESS_BYTES);

/** The memory for the chunks of an execution: bounded, first come first served. Buffers come in three sizes only. */
export class ChunkPool {
  readonly #budget: ByteBudget;
  readonly #memory: ChunkMemory;
  readonly #unitBytes: number;
  /** Of each size, in ascending order. */
  readonly #units: readonly number[];
  readonly #out = new Set<ChunkBuffer>();
  /** Those that waited for no other disk's. */
  readonly #own = new Set<ChunkBuffer>();
  #ownBytes = 0;

  /** At most `limitBytes` of data at once, which may change, for chunks of up to `largestBytes`. */
  constructor(limitBytes: number | (() => number), largestBytes: number, memory: ChunkMemory = ofProcess) {
    this.#memory = memory;
    this.#budget = new ByteBudget(limitBytes);
    this.#unitBytes = Math.max(BLOCK_BYTES, Math.ceil(largestBytes / PARTS[0]! / BLOCK_BYTES) * BLOCK_BYTES);
    const all = Math.ceil(largestBytes / this.#unitBytes);
    this.#units = PARTS.map((part) => Math.ceil(all / part));
  }

  /** Bytes in buffers in use. */
  get usedBytes(): number {
    return this.#budget.usedBytes;
  }

  /** A buffer for at least so many bytes, at most the largest chunk's. Rejects with the signal's reason when it is aborted before there is one. */
  async take(bytes: number, signal: AbortSignal): Promise<ChunkBuffer> {
    const all = this.#units.at(-1)!;
    const units = this.#units.find((one) => one * this.#unitBytes >= bytes);
    if (units === undefined) throw new Error(`a chunk of ${bytes} bytes, for which there is no buffer`);
    const size = units * this.#unitBytes;
    await this.#budget.take(size, signal);
    const isOwn = this.#ownBytes + size <= all * this.#unitBytes;
    if (isOwn) this.#countOwn(size);
    else {
      try {
        await this.#memory.share(size, signal);
      } catch (error) {
        this.#budget.give(size);
        throw error;
      }
    }
    const buffer = this.#memory.buffer(this.#unitBytes, units, all);
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

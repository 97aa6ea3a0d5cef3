import { BLOCK_BYTES } from './blocks.ts';
import { WIRE_DIGEST_BYTES } from './digests.ts';

/** Where the parts of a chunk lie in its memory; what a thread that hashes it has to know. */
export interface ChunkLayout {
  readonly blockBytes: number;
  readonly dataAt: number;
  /** The digests, `digestBytes` each, begin here. */
  readonly digestsAt: number;
  readonly digestBytes: number;
  /** One byte for each block, 1 = its digest is wanted. */
  readonly wantedAt: number;
}

/**
 * Memory for one large chunk or several small ones: so many units, of which a chunk takes a run that is aligned to its length. Units that are free again
 * can be joined, so that no size has memory that another one cannot have.
 */
export class ChunkSlab {
  readonly shared: SharedArrayBuffer;
  readonly unitBytes: number;
  readonly units: number;
  /** A bit for each unit. */
  #taken = 0;

  /** @param unitBytes a multiple of 64 KiB; @param units at most 30 */
  constructor(unitBytes: number, units: number) {
    this.unitBytes = unitBytes;
    this.units = units;
    const dataBytes = unitBytes * units;
    this.shared = new SharedArrayBuffer(dataBytes + (dataBytes / BLOCK_BYTES) * (WIRE_DIGEST_BYTES + 1));
  }

  get freeUnits(): number {
    let free = this.units;
    for (let rest = this.#taken; rest !== 0; rest &= rest - 1) free -= 1;
    return free;
  }

  hasRoom(units: number): boolean {
    return this.#firstFree(units) !== undefined;
  }

  take(units: number): ChunkBuffer {
    const first = this.#firstFree(units);
    if (first === undefined) throw new Error(`no room for ${units} units`);
    this.#taken |= (2 ** units - 1) << first;
    return new ChunkBuffer(this, first, units);
  }

  #firstFree(units: number): number | undefined {
    const run = 2 ** units - 1;
    for (let first = 0; first + units <= this.units; first += units)
      if ((this.#taken & (run << first)) === 0) return first;
    return undefined;
  }

  give({ first, units }: ChunkBuffer): void {
    this.#taken &= ~((2 ** units - 1) << first);
  }
}

/** The memory of one chunk on its way: its bytes and the digests of its blocks, shared with the threads that hash. */
export class ChunkBuffer {
  readonly slab: ChunkSlab;
  readonly first: number;
  readonly units: number;
  readonly layout: ChunkLayout;
  readonly bytes: Buffer;
  readonly #digests: Buffer;
  readonly #wanted: Uint8Array;

  constructor(slab: ChunkSlab, first: number, units: number) {
    this.slab = slab;
    this.first = first;
    this.units = units;
    const blocksOf = (count: number): number => (count * slab.unitBytes) / BLOCK_BYTES;
    const [blocks, blocksBefore, blocksInAll] = [blocksOf(units), blocksOf(first), blocksOf(slab.units)];
    const dataAt = blocksBefore * BLOCK_BYTES;
    const digestsAt = blocksInAll * BLOCK_BYTES + blocksBefore * WIRE_DIGEST_BYTES;
    const wantedAt = blocksInAll * (BLOCK_BYTES + WIRE_DIGEST_BYTES) + blocksBefore;
    this.layout = { blockBytes: BLOCK_BYTES, dataAt, digestsAt, digestBytes: WIRE_DIGEST_BYTES, wantedAt };
    this.bytes = Buffer.from(slab.shared, dataAt, blocks * BLOCK_BYTES);
    this.#digests = Buffer.from(slab.shared, digestsAt, blocks * WIRE_DIGEST_BYTES);
    this.#wanted = new Uint8Array(slab.shared, wantedAt, blocks);
  }

  get shared(): SharedArrayBuffer {
    return this.slab.shared;
  }

  /** Says of each block of the chunk's first `length` bytes whether it is hashed; returns for how many. */
  want(length: number, isWanted: (start: number, end: number) => boolean): number {
    let count = 0;
    for (let start = 0, index = 0; start < length; start += BLOCK_BYTES, index++) {
      const wanted = isWanted(start, Math.min(start + BLOCK_BYTES, length));
      this.#wanted[index] = Number(wanted);
      count += Number(wanted);
    }
    return count;
  }

  isWanted(index: number): boolean {
    return this.#wanted[index] === 1;
  }

  /** The SHA-256 of the `index`th block, once the chunk was hashed; valid until the buffer is given back. */
  digest(index: number): Buffer {
    return this.#digests.subarray(index * WIRE_DIGEST_BYTES, (index + 1) * WIRE_DIGEST_BYTES);
  }
}

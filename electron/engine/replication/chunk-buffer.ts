import { BLOCK_BYTES } from './blocks.ts';
import { WIRE_DIGEST_BYTES } from './digests.ts';

/** Where the parts of a chunk's memory lie; what a thread that hashes it has to know. */
export interface ChunkLayout {
  readonly blockBytes: number;
  /** The digests, `digestBytes` each, begin here: right behind the data. */
  readonly digestsAt: number;
  readonly digestBytes: number;
  /** One byte for each block, 1 = its digest is wanted. */
  readonly wantedAt: number;
}

/** The memory of one chunk on its way: its bytes and the digests of its blocks, shared with the threads that hash. */
export class ChunkBuffer {
  readonly shared: SharedArrayBuffer;
  readonly layout: ChunkLayout;
  readonly bytes: Buffer;
  readonly #digests: Buffer;
  readonly #wanted: Uint8Array;

  constructor(capacityBytes: number) {
    const blocks = Math.ceil(capacityBytes / BLOCK_BYTES);
    const wantedAt = capacityBytes + blocks * WIRE_DIGEST_BYTES;
    this.layout = { blockBytes: BLOCK_BYTES, digestsAt: capacityBytes, digestBytes: WIRE_DIGEST_BYTES, wantedAt };
    this.shared = new SharedArrayBuffer(wantedAt + blocks);
    this.bytes = Buffer.from(this.shared, 0, capacityBytes);
    this.#digests = Buffer.from(this.shared, capacityBytes, blocks * WIRE_DIGEST_BYTES);
    this.#wanted = new Uint8Array(this.shared, wantedAt, blocks);
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

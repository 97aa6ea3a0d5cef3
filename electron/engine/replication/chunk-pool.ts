import { ByteBudget } from '../transport/byte-budget.ts';
import { BLOCK_BYTES } from './blocks.ts';
import { ChunkBuffer } from './chunk-buffer.ts';

/**
 * The memory that chunks travel in: bounded, first come first served. What is given back is used again, as fresh
 * memory costs more than copying into it does.
 */
export class ChunkPool {
  readonly #limit: number;
  readonly #budget: ByteBudget;
  /** Free buffers by their size. */
  readonly #idle = new Map<number, ChunkBuffer[]>();
  readonly #out = new Set<ChunkBuffer>();
  #idleBytes = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
    this.#budget = new ByteBudget(limitBytes);
  }

  /** Bytes of data in buffers that somebody has. */
  get usedBytes(): number {
    return this.#budget.usedBytes;
  }

  /** A buffer for at least so many bytes. Rejects with the signal's reason when it is aborted before there is one. */
  async take(bytes: number, signal: AbortSignal): Promise<ChunkBuffer> {
    const size = sizeFor(bytes);
    await this.#budget.take(size, signal);
    const buffer = this.#idle.get(size)?.pop();
    if (buffer !== undefined) this.#idleBytes -= size;
    else this.#makeRoom();
    const taken = buffer ?? new ChunkBuffer(size);
    this.#out.add(taken);
    return taken;
  }

  /** Only when nothing reads, hashes or sends it any more. */
  give(buffer: ChunkBuffer): void {
    if (!this.#out.delete(buffer)) throw new Error('a chunk buffer was given back twice');
    const size = buffer.bytes.length;
    const idle = this.#idle.get(size);
    if (idle === undefined) this.#idle.set(size, [buffer]);
    else idle.push(buffer);
    this.#idleBytes += size;
    this.#budget.give(size);
  }

  /** Free buffers of other sizes count too: the largest go first. */
  #makeRoom(): void {
    for (const size of [...this.#idle.keys()].sort((a, b) => b - a)) {
      const idle = this.#idle.get(size)!;
      while (idle.length > 0 && this.#budget.usedBytes + this.#idleBytes > this.#limit) {
        idle.pop();
        this.#idleBytes -= size;
      }
    }
  }
}

/** Few sizes, so that buffers fit again: powers of two. */
function sizeFor(bytes: number): number {
  let size = BLOCK_BYTES;
  while (size < bytes) size *= 2;
  return size;
}

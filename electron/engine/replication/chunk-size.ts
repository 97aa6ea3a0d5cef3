/** A chunk that is on its way for less than this could be larger, */
const QUICK_MILLISECONDS = 150;
/** for more than this, smaller. */
const SLOW_MILLISECONDS = 600;

/**
 * How large chunks are. Each costs about a tenth of a millisecond of processor time beside its bytes, so that on a fast
 * way large ones are cheaper; on a slow way small ones let progress, limits and signs of life through.
 */
export class ChunkSize {
  readonly #largest: number;
  readonly #smallest: number;
  #bytes: number;

  constructor(smallest: number, largest: number) {
    this.#smallest = smallest;
    this.#largest = largest;
    this.#bytes = smallest;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Tells how long a chunk of `bytes` was on its way. */
  took(milliseconds: number, bytes: number): void {
    // Shorter ones, at the end of an extent, say little.
    if (bytes < this.#bytes) return;
    if (milliseconds < QUICK_MILLISECONDS) this.#bytes = Math.min(this.#largest, this.#bytes * 2);
    else if (milliseconds > SLOW_MILLISECONDS) this.#bytes = Math.max(this.#smallest, this.#bytes / 2);
  }
}

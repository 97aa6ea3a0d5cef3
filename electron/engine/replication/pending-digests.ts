import type { BlockRun } from './blocks.ts';
import type { DigestUpdate } from './digest-map.ts';
import { DIGEST_BYTES } from './digests.ts';

/** Digests of blocks that were sent, until a flush makes the blocks durable and the map may record them; about 24 bytes per block. */
export class PendingDigests implements DigestUpdate {
  readonly zero: BlockRun[] = [];
  readonly blocks: number[] = [];
  #digests = Buffer.alloc(64 * DIGEST_BYTES);

  get digests(): Buffer {
    return this.#digests;
  }

  get isEmpty(): boolean {
    return this.blocks.length === 0 && this.zero.length === 0;
  }

  addDigest(block: number, digest: Buffer): void {
    const at = this.blocks.length * DIGEST_BYTES;
    if (at === this.#digests.length) this.#digests = Buffer.concat([this.#digests, Buffer.alloc(at)]);
    digest.copy(this.#digests, at, 0, DIGEST_BYTES);
    this.blocks.push(block);
  }

  addZero(run: BlockRun): void {
    this.zero.push(run);
  }
}

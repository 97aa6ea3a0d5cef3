import { BLOCK_BYTES } from './blocks.ts';
import type { ChunkBuffer } from './chunk-buffer.ts';
import { blockDigest } from './digests.ts';

/** Makes the wanted digests of a chunk in this thread. */
export function hashHere(buffer: ChunkBuffer, length: number): void {
  for (let start = 0, index = 0; start < length; start += BLOCK_BYTES, index++) {
    if (!buffer.isWanted(index)) continue;
    blockDigest(buffer.bytes.subarray(start, Math.min(start + BLOCK_BYTES, length))).copy(buffer.digest(index));
  }
}

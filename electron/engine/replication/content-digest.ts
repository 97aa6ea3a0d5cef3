import { createHash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { BLOCK_BYTES, blockCount, bytesOf, SEGMENT_BLOCKS, SEGMENT_BYTES, segmentCount } from './blocks.ts';
import { DIGEST_BYTES, zeroDigest } from './digests.ts';
import type { TransferState } from './transfer-state.ts';

/** A GiB of disk. */
const segmentsBetweenTurns = 16;

/**
 * The digest of a disk's whole content as it was read from the source: the SHA-256 over the first 16 bytes of the SHA-256 of each 64 KiB,
 * in their order, the last piece as short as it is. It comes from the digest map, so that no disk is read for it; anybody who has the
 * disk can compute it again. Undefined while the content of any block is not known.
 */
export function contentDigest(state: TransferState, signal: AbortSignal): Promise<string | undefined> {
  return state.exclusively(async () => {
    const { sizeBytes } = state;
    const blocks = blockCount(sizeBytes);
    const all = createHash('sha256');
    const zeroSegment = Buffer.alloc(SEGMENT_BLOCKS * DIGEST_BYTES, zeroDigest(BLOCK_BYTES).subarray(0, DIGEST_BYTES));
    for (let segment = 0; segment < segmentCount(sizeBytes); segment += 1) {
      if (segment % segmentsBetweenTurns === 0) await yieldToEventLoop(undefined, { signal });
      const first = segment * SEGMENT_BLOCKS;
      const count = Math.min(SEGMENT_BLOCKS, blocks - first);
      // Most of a large disk, as a rule: looking at each of its blocks takes seconds for a TiB.
      if ((segment + 1) * SEGMENT_BYTES <= sizeBytes && state.segmentIsZero(segment)) {
        all.update(zeroSegment);
        continue;
      }
      const digests = Buffer.alloc(count * DIGEST_BYTES);
      for (let index = 0; index < count; index += 1) {
        const block = first + index;
        const known = state.blockState(block);
        if (known !== 'zero' && known !== 'digest') return undefined;
        const digest =
          known === 'digest'
            ? state.digestOf(block)
            : zeroDigest(bytesOf({ first: block, count: 1 }, sizeBytes).length);
        digest.copy(digests, index * DIGEST_BYTES, 0, DIGEST_BYTES);
      }
      all.update(digests);
    }
    return all.digest('hex');
  });
}

import { createHash } from 'node:crypto';
import { appendExtent } from '../../../nbd/status-extents.ts';
import type { Extent } from '../../../../../shared/model/extent.ts';
import type { DiskContent } from './disk-access.ts';

/** Blocks of zeros of this size are found. */
export const zeroBlockBytes = 64 * 1024;
/** How much the host hashes for one answer. */
const windowBytes = 64 * 2 ** 20;
const digestBytes = 32;
const zeroDigest = createHash('sha256').update(Buffer.alloc(zeroBlockBytes)).digest();

/**
 * The whole disk, or what changed, with blocks of zeros told by their digest where the host computes digests: they never cross the
 * network then. Else all of it is data.
 */
export async function* contentExtents(content: DiskContent, changes: readonly Extent[] | undefined, fromBytes: number, signal: AbortSignal): AsyncGenerator<Extent> {
  const whole: readonly Extent[] = [{ offset: 0, length: content.sizeBytes, kind: 'data' }];
  const held: Extent[] = [];
  for (const extent of changes ?? whole) {
    const end = extent.offset + extent.length;
    if (end <= fromBytes) continue;
    if (content.digests === undefined) {
      yield extent;
      continue;
    }
    // Windows begin at multiples of the block, so that a list that starts over has the same blocks.
    const first = Math.max(extent.offset, Math.floor(fromBytes / windowBytes) * windowBytes);
    for (let at = first; at < end;) {
      signal.throwIfAborted();
      const next = Math.min(end, Math.floor(at / windowBytes) * windowBytes + windowBytes);
      for await (const piece of piecesOf(content, at, next, signal)) {
        appendExtent(held, piece);
        const done = held.length > 1 ? held.shift() : undefined;
        if (done !== undefined) yield done;
      }
      at = next;
    }
  }
  yield* held;
}

/** Whole blocks are told from zeros by their digest; what is left of them at both ends is data. */
async function* piecesOf(content: DiskContent, from: number, to: number, signal: AbortSignal): AsyncGenerator<Extent> {
  const [first, last] = [Math.ceil(from / zeroBlockBytes) * zeroBlockBytes, Math.floor(to / zeroBlockBytes) * zeroBlockBytes];
  if (first >= last || content.digests === undefined) return yield { offset: from, length: to - from, kind: 'data' };
  if (from < first) yield { offset: from, length: first - from, kind: 'data' };
  const digests = await content.digests(first, last - first, zeroBlockBytes, signal);
  for (let block = 0; block * zeroBlockBytes < last - first; block += 1) {
    const isZero = zeroDigest.equals(digests.subarray(block * digestBytes, (block + 1) * digestBytes));
    yield { offset: first + block * zeroBlockBytes, length: zeroBlockBytes, kind: isZero ? 'zero' : 'data' };
  }
  if (last < to) yield { offset: last, length: to - last, kind: 'data' };
}

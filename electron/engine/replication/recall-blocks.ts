import type { WriteTarget } from '../ports/write-target.ts';
import { BLOCK_BYTES, type ByteRange } from './blocks.ts';
import type { ChunkBuffer } from './chunk-buffer.ts';
import { WIRE_DIGEST_BYTES } from './digests.ts';

/** Whether the worker may have blocks of earlier copies. */
export function canRecall(writer: WriteTarget): boolean {
  return writer.recallBlockBytes === BLOCK_BYTES && writer.recall !== undefined;
}

/**
 * Has the worker write those whole blocks of a chunk that it has from earlier copies. It has checked that they have the digests of what
 * was read; like all that is written they are compared once more with the volume.
 *
 * @param base where the chunk begins, a border of blocks
 * @returns what is left to be sent
 */
export async function recallBlocks(
  writer: WriteTarget,
  writes: readonly ByteRange[],
  base: number,
  buffer: ChunkBuffer,
  signal: AbortSignal,
): Promise<{ readonly left: readonly ByteRange[]; readonly bytes: number }> {
  const asked = writes
    .flatMap(({ offset, length }) => {
      const blocks = [];
      for (
        let at = Math.ceil(offset / BLOCK_BYTES) * BLOCK_BYTES;
        at + BLOCK_BYTES <= offset + length;
        at += BLOCK_BYTES
      )
        blocks.push(at);
      return blocks;
    })
    .filter((at) => buffer.isWanted((at - base) / BLOCK_BYTES));
  const [first, last] = [asked[0], asked.at(-1)];
  if (first === undefined || last === undefined) return { left: writes, bytes: 0 };
  const length = last + BLOCK_BYTES - first;
  const digests = Buffer.alloc((length / BLOCK_BYTES) * WIRE_DIGEST_BYTES);
  for (const at of asked)
    buffer.digest((at - base) / BLOCK_BYTES).copy(digests, ((at - first) / BLOCK_BYTES) * WIRE_DIGEST_BYTES);
  const answer = await writer.recall!(first, length, digests, signal);
  const written = new Set(asked.filter((at) => answer[(at - first) / BLOCK_BYTES] === 1));
  return { left: writes.flatMap((write) => without(write, written)), bytes: written.size * BLOCK_BYTES };
}

/** The parts of a range that are not in blocks which are written already. */
function without({ offset, length }: ByteRange, written: ReadonlySet<number>): ByteRange[] {
  const parts: ByteRange[] = [];
  let from = offset;
  for (let at = Math.ceil(offset / BLOCK_BYTES) * BLOCK_BYTES; at + BLOCK_BYTES <= offset + length; at += BLOCK_BYTES) {
    if (!written.has(at)) continue;
    if (at > from) parts.push({ offset: from, length: at - from });
    from = at + BLOCK_BYTES;
  }
  if (from < offset + length) parts.push({ offset: from, length: offset + length - from });
  return parts;
}

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import type { Extent } from '../../../../../../shared/model/extent.ts';
import { appendExtent } from '../../../../nbd/status-extents.ts';

const DIGEST_BYTES = 32;

/** SHA-256 of every block of a volume, in order. */
export interface BlockDigests {
  readonly blockBytes: number;
  /** 32 bytes a block. */
  readonly digests: Buffer;
}

const restSchema = z.looseObject({ chunk_size: z.int().positive(), sha256s: z.array(z.never()) });

/**
 * Reads the file of digests that belongs to a backup: JSON with one long list of hex texts, which goes into a buffer as it
 * comes, since the text of all of it may be larger than a string can be.
 *
 * @param sizeBytes the volume's size
 * @throws `source.backup-unreadable` when it is no such file, or tells of another number of blocks
 */
export async function scanDigestFile(parts: AsyncIterable<Uint8Array>, sizeBytes: number, name: string): Promise<BlockDigests> {
  const opening = '"sha256s"';
  let rest = '';
  let inList: 'before' | 'within' | 'after' = 'before';
  let text = '';
  let blocks = 0;
  let digests: Buffer = Buffer.alloc(1024 * DIGEST_BYTES);
  for await (const part of parts) {
    text += Buffer.from(part.buffer, part.byteOffset, part.length).toString('latin1');
    if (inList === 'before') {
      const key = text.indexOf(opening);
      const begin = key === -1 ? -1 : text.indexOf('[', key);
      if (begin === -1) continue;
      rest = text.slice(0, begin + 1);
      text = text.slice(begin + 1);
      inList = 'within';
    }
    if (inList === 'within') {
      const end = text.indexOf(']');
      // The last token may go on in the next part.
      const known = end === -1 ? text.lastIndexOf('"') : end;
      const tokens = text.slice(0, Math.max(0, known));
      let used = 0;
      for (const match of tokens.matchAll(/"([0-9a-f]{64})(?="|$)/g)) {
        if ((blocks + 1) * DIGEST_BYTES > digests.length) digests = Buffer.concat([digests, Buffer.alloc(digests.length)]);
        digests.write(match[1] ?? '', blocks * DIGEST_BYTES, 'hex');
        blocks += 1;
        used = match.index + match[0].length + 1;
      }
      text = text.slice(end === -1 ? used : end);
      if (end !== -1) inList = 'after';
    }
    if (inList === 'after') {
      rest += text;
      text = '';
    }
  }
  const parsed = restSchema.safeParse(jsonOf(rest));
  if (!parsed.success) throw unreadable(name, 'it is no list of digests');
  const blockBytes = parsed.data.chunk_size;
  if (blocks !== Math.ceil(sizeBytes / blockBytes)) throw unreadable(name, `it has ${blocks} digests of ${blockBytes} bytes each for a volume of ${sizeBytes} bytes`);
  return { blockBytes, digests: digests.subarray(0, blocks * DIGEST_BYTES) };
}

/** The blocks as extents: those that hold zeros alone as `zero`. With `base`, only those that differ from it. */
export function* digestExtents(now: BlockDigests, base: BlockDigests | undefined, sizeBytes: number): Generator<Extent, void, undefined> {
  const { blockBytes, digests } = now;
  const zero = createHash('sha256').update(Buffer.alloc(blockBytes)).digest();
  const held: Extent[] = [];
  for (let block = 0; block * DIGEST_BYTES < digests.length; block += 1) {
    const digest = digests.subarray(block * DIGEST_BYTES, (block + 1) * DIGEST_BYTES);
    if (base !== undefined && digest.equals(base.digests.subarray(block * DIGEST_BYTES, (block + 1) * DIGEST_BYTES))) continue;
    const offset = block * blockBytes;
    appendExtent(held, { offset, length: Math.min(blockBytes, sizeBytes - offset), kind: digest.equals(zero) ? 'zero' : 'data' });
    const done = held.length > 1 ? held.shift() : undefined;
    if (done !== undefined) yield done;
  }
  yield* held;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreadable(name: string, why: string): CausewayError {
  return new CausewayError('source.backup-unreadable', `${name}: ${why}`);
}

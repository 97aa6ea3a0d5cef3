import { hash } from 'node:crypto';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { WriteTarget } from '../ports/write-target.ts';
import { WIRE_DIGEST_BYTES } from './digests.ts';

/** How much is read back at a time from a target that does not hash. */
const READ_BYTES = 1024 * 1024;

/** SHA-256 of each block in a range of the volume, 32 bytes each, checked for their number. Read back and hashed here where the target does not hash. */
export async function targetDigests(
  target: WriteTarget,
  offset: number,
  length: number,
  blockBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const answer = await (target.digests?.(offset, length, blockBytes, signal) ??
    readDigests(target, offset, length, blockBytes, signal));
  const expected = Math.ceil(length / blockBytes) * WIRE_DIGEST_BYTES;
  if (answer.length !== expected) {
    throw new CausewayError(
      'replication.digests-invalid',
      `${answer.length} bytes of digests for ${length} bytes at ${offset}, expected ${expected}`,
      {
        details: { offset, length, blockBytes, bytes: answer.length },
      },
    );
  }
  return Buffer.from(answer.buffer, answer.byteOffset, answer.length);
}

async function readDigests(
  target: WriteTarget,
  offset: number,
  length: number,
  blockBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const digests: Buffer[] = [];
  const step = Math.max(1, Math.floor(READ_BYTES / blockBytes)) * blockBytes;
  const buffer = Buffer.alloc(Math.min(step, length));
  for (let at = 0; at < length; at += step) {
    const part = buffer.subarray(0, Math.min(step, length - at));
    await target.read(offset + at, part, signal);
    for (let from = 0; from < part.length; from += blockBytes)
      digests.push(hash('sha256', part.subarray(from, from + blockBytes), 'buffer'));
  }
  return Buffer.concat(digests);
}

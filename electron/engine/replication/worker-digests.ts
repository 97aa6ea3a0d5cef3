import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { DiskWriter } from '../ports/disk-writer.ts';
import { WIRE_DIGEST_BYTES } from './digests.ts';

/** The worker's SHA-256 of each block in a range, 32 bytes each, checked for their number. */
export async function workerDigests(writer: DiskWriter, offset: number, length: number, blockBytes: number, signal: AbortSignal): Promise<Buffer> {
  const answer = await writer.digests(offset, length, blockBytes, signal);
  const expected = Math.ceil(length / blockBytes) * WIRE_DIGEST_BYTES;
  if (answer.length !== expected) {
    throw new CausewayError('replication.digests-invalid', `${answer.length} bytes of digests for ${length} bytes at ${offset}, not ${expected}`, {
      details: { offset, length, blockBytes, bytes: answer.length },
    });
  }
  return Buffer.from(answer.buffer, answer.byteOffset, answer.length);
}

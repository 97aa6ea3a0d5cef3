import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { BLOCK_BYTES } from './blocks.ts';
import { blockDigest, DIGEST_BYTES } from './digests.ts';

/** The digest of a disk's content as the evidence has it, from a raw image or a device. @throws what the system says of a file that cannot be read */
export async function digestDisk(
  file: string,
  signal: AbortSignal,
): Promise<{ readonly sha256: string; readonly bytes: number }> {
  const handle = await open(file, 'r');
  try {
    const all = createHash('sha256');
    const block = Buffer.alloc(BLOCK_BYTES);
    let bytes = 0;
    for (let filled = BLOCK_BYTES; filled === BLOCK_BYTES;) {
      signal.throwIfAborted();
      filled = 0;
      while (filled < BLOCK_BYTES) {
        const { bytesRead } = await handle.read(block, filled, BLOCK_BYTES - filled, bytes + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      if (filled > 0) all.update(blockDigest(block.subarray(0, filled)).subarray(0, DIGEST_BYTES));
      bytes += filled;
    }
    return { sha256: all.digest('hex'), bytes };
  } finally {
    await handle.close();
  }
}

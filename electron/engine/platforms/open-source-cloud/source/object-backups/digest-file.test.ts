import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestExtents, scanDigestFile } from './digest-file.ts';

const block = 32_768;
const sha = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
const zero = sha(Buffer.alloc(block));
const filled = (value: number): Buffer => sha(Buffer.alloc(block, value));

function fileOf(digests: readonly Buffer[]): Buffer {
  // As the cloud's backup service writes it: sorted keys, indented.
  return Buffer.from(JSON.stringify({
    backup_id: 'b', chunk_size: block, created_at: '2026-11-01', sha256s: digests.map((digest) => digest.toString('hex')), version: '1.0.0', volume_id: 'v',
  }, undefined, 2));
}

async function* inParts(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('the file of digests of a backup', () => {
  it('gives the same digests however it is cut into parts', async () => {
    const digests = Array.from({ length: 40 }, (_, index) => filled(index));
    await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 5000 }), async (size) => {
      const read = await scanDigestFile(inParts(fileOf(digests), size), 40 * block, 'f');
      expect(read.blockBytes).toBe(block);
      expect(read.digests.equals(Buffer.concat(digests))).toBe(true);
    }), { numRuns: 40 });
  });

  it('is refused when it tells of another number of blocks, or is no such file', async () => {
    await expect(scanDigestFile(inParts(fileOf([zero]), 100), 2 * block, 'f')).rejects.toMatchObject({ code: 'source.backup-unreadable' });
    await expect(scanDigestFile(inParts(Buffer.from('<html>'), 3), block, 'f')).rejects.toMatchObject({ code: 'source.backup-unreadable' });
    await expect(scanDigestFile(inParts(fileOf([zero, zero]).subarray(0, 150), 30), 2 * block, 'f')).rejects.toMatchObject({ code: 'source.backup-unreadable' });
  });

  it('tells zeros, and with a base only what differs from it', () => {
    const now = { blockBytes: block, digests: Buffer.concat([filled(1), filled(2), zero, zero, filled(5)]) };
    const base = { blockBytes: block, digests: Buffer.concat([filled(1), filled(9), filled(3), zero, filled(6)]) };
    const size = 5 * block;
    expect([...digestExtents(now, undefined, size)]).toEqual([
      { offset: 0, length: 2 * block, kind: 'data' }, { offset: 2 * block, length: 2 * block, kind: 'zero' }, { offset: 4 * block, length: block, kind: 'data' },
    ]);
    expect([...digestExtents(now, base, size)]).toEqual([
      { offset: block, length: block, kind: 'data' }, { offset: 2 * block, length: block, kind: 'zero' }, { offset: 4 * block, length: block, kind: 'data' },
    ]);
  });
});

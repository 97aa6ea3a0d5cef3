import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { Extent } from '../../../shared/model/extent.ts';
import { BlockSet } from './block-set.ts';
import { BLOCK_BYTES, SEGMENT_BYTES } from './blocks.ts';
import { contentDigest, createTransferTables, openTransferState, replicateDisk } from './index.ts';

const signal = new AbortController().signal;

/** As it is documented: over the first 16 bytes of the SHA-256 of each 64 KiB. */
function digestOf(disk: Buffer): string {
  const all = createHash('sha256');
  for (let at = 0; at < disk.length; at += BLOCK_BYTES)
    all.update(
      createHash('sha256')
        .update(disk.subarray(at, at + BLOCK_BYTES))
        .digest()
        .subarray(0, 16),
    );
  return all.digest('hex');
}

test.each([
  [
    'segments of zeros between data, and a short last block of zeros',
    3 * SEGMENT_BYTES + 512,
    [SEGMENT_BYTES + 5 * BLOCK_BYTES],
  ],
  [
    'a whole number of segments, data in the first and the last block',
    2 * SEGMENT_BYTES,
    [0, 2 * SEGMENT_BYTES - BLOCK_BYTES],
  ],
  ['nothing but zeros', SEGMENT_BYTES, []],
])('the digest from the map is that of the content: %s', async (_what, sizeBytes, data) => {
  const disk = Buffer.alloc(sizeBytes);
  for (const at of data) disk.fill(7, at, at + BLOCK_BYTES);
  const folder = mkdtempSync(join(tmpdir(), 'cwy-content-digest-'));
  const db = new DatabaseSync(join(folder, 'store.sqlite'));
  try {
    createTransferTables(db);
    const state = openTransferState({ db, folder, replicaId: 'r', diskId: 'd', sizeBytes });
    async function* extents(): AsyncGenerator<Extent> {
      let at = 0;
      for (const offset of data) {
        if (offset > at) yield { offset: at, length: offset - at, kind: 'zero' };
        yield { offset, length: BLOCK_BYTES, kind: 'data' };
        at = offset + BLOCK_BYTES;
      }
      if (at < sizeBytes) yield { offset: at, length: sizeBytes - at, kind: 'zero' };
    }
    const reader = {
      sizeBytes,
      coverage: 'allocated' as const,
      granularityBytes: 512,
      extents,
      read: async (offset: number, into: Uint8Array) => void into.set(disk.subarray(offset, offset + into.length)),
      close: async () => {},
    };
    const writer = {
      sizeBytes,
      alignmentBytes: 1,
      read: async () => {},
      write: async (_offset: number, bytes: Uint8Array) => ({ bytesSent: bytes.length }),
      zero: async () => {},
      flush: async () => {},
      digests: () => Promise.reject(new Error('nothing is in doubt here')),
      close: async () => {},
    };
    await replicateDisk({
      reader,
      writer,
      state,
      snapshotId: 's',
      baseSnapshotId: undefined,
      volumeId: 'v',
      volumeIsNew: true,
      volumesAreZeroed: true,
      signal,
    });
    expect(await contentDigest(state, signal)).toBe(digestOf(disk));
    // Of a block that may hold anything nobody knows the content.
    const doubtful = new BlockSet();
    doubtful.add(0);
    state.intend(doubtful);
    expect(await contentDigest(state, signal)).toBeUndefined();
  } finally {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

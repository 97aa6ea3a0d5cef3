import { expect, it } from 'vitest';
import { BLOCK_BYTES } from './blocks.ts';
import { blockDigest } from './digests.ts';
import { replicateDisk } from './pipeline.ts';
import { firstDifference, Lab, seeded } from './testing/lab.ts';
import {
  allocatedReader,
  bytesOfSectors,
  changedReader,
  MemoryWriter,
  SECTOR,
  sectorsOf,
  type Sectors,
} from './testing/memory-disks.ts';
import { verifyDisk } from './verification.ts';

const blocks = 200;
const size = blocks * BLOCK_BYTES + 3 * SECTOR;
const perBlock = BLOCK_BYTES / SECTOR;

/** Every third block is empty, the others have content of their own. */
function template(): Sectors {
  const random = seeded(3);
  return sectorsOf(size).map((_, index) =>
    Math.floor(index / perBlock) % 3 === 0 ? 0 : 1 + Math.floor(random() * 1e9),
  );
}

function keptOf(content: Sectors): Map<string, Uint8Array> {
  return new Map(
    Array.from({ length: blocks }, (_, block) =>
      bytesOfSectors(content.subarray(block * perBlock, (block + 1) * perBlock)),
    ).map((bytes) => [blockDigest(bytes).toString('hex'), bytes]),
  );
}

const usual = {
  snapshotId: 's1',
  baseSnapshotId: undefined,
  volumeId: 'v',
  volumeIsNew: true,
  volumesAreZeroed: true,
  signal: new AbortController().signal,
};

it('sends only what the worker has not written before for another disk', async () => {
  const former = template();
  const source = former.slice();
  for (const block of [4, 5, 100]) source.fill(7_000_000 + block, block * perBlock, (block + 1) * perBlock);
  const lab = new Lab(size);
  const writer = new MemoryWriter(lab.volume);
  writer.kept = keptOf(former);
  const state = lab.open(size);
  const outcome = await replicateDisk({ ...usual, reader: allocatedReader(source), writer, state });
  expect(firstDifference(lab.volume.durable, source)).toBeUndefined();
  // The short block at the end is no whole one.
  const last = source.subarray(blocks * perBlock).filter((sector) => sector !== 0).length * SECTOR;
  expect(outcome).toMatchObject({ bytesSent: 3 * BLOCK_BYTES + last, bytesRecalled: writer.bytesRecalled });
  expect(outcome.bytesRecalled + outcome.bytesSent).toBe(outcome.bytesChanged);
  expect(await verifyDisk({ writer, state, scope: 'written', signal: usual.signal })).toMatchObject({
    matches: true,
    bytesCompared: outcome.bytesChanged,
  });
});

it('compares what the worker wrote like anything else', async () => {
  const source = template();
  const lab = new Lab(size);
  const writer = new MemoryWriter(lab.volume);
  const kept = keptOf(source);
  // A worker that does not check what it keeps.
  const [digest] = [...kept].find(([, bytes]) => bytes.some((byte) => byte !== 0))!;
  kept.set(digest, bytesOfSectors(sectorsOf(BLOCK_BYTES).fill(66)));
  writer.kept = kept;
  const state = lab.open(size);
  await replicateDisk({ ...usual, reader: allocatedReader(source), writer, state });
  expect(await verifyDisk({ writer, state, scope: 'written', signal: usual.signal })).toMatchObject({ matches: false });
  writer.kept = undefined;
  await replicateDisk({ ...usual, snapshotId: 's2', reader: allocatedReader(source), writer, state });
  expect(firstDifference(lab.volume.durable, source)).toBeUndefined();
});

it('sends parts of blocks as before', async () => {
  const base = template();
  const lab = new Lab(size);
  const writer = new MemoryWriter(lab.volume);
  const state = lab.open(size);
  await replicateDisk({ ...usual, reader: allocatedReader(base), writer, state });
  const source = base.slice();
  source.fill(5, perBlock + 8, perBlock + 16);
  source.fill(6, 10 * perBlock - 8, 12 * perBlock + 8);
  writer.kept = keptOf(source);
  const outcome = await replicateDisk({
    ...usual,
    snapshotId: 's2',
    baseSnapshotId: 's1',
    volumeIsNew: false,
    reader: changedReader(base, source),
    writer,
    state,
  });
  expect(firstDifference(lab.volume.durable, source)).toBeUndefined();
  expect(outcome).toMatchObject({ bytesRecalled: 2 * BLOCK_BYTES, bytesSent: 24 * SECTOR });
});

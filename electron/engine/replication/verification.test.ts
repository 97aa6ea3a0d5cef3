import { expect, it } from 'vitest';
import { BLOCK_BYTES, SEGMENT_BYTES } from './blocks.ts';
import { replicateDisk, type ReplicateRequest } from './pipeline.ts';
import { firstDifference, Lab, seeded } from './testing/lab.ts';
import { allocatedReader, changedReader, MemoryWriter, SECTOR, sectorsOf, type Sectors } from './testing/memory-disks.ts';
import { verificationError, verifyDisk, type VerifyOutcome } from './verification.ts';

const SIZE = SEGMENT_BYTES + 9 * BLOCK_BYTES;
const signal = new AbortController().signal;

async function replicated(): Promise<{ lab: Lab; source: Sectors }> {
  const random = seeded(1);
  const source = sectorsOf(SIZE).map((_, i) => (i % 6400 < 640 ? 1 + Math.floor(random() * 1e9) : 0));
  const lab = new Lab(SIZE);
  await run(lab, { reader: allocatedReader(source), snapshotId: 's1', baseSnapshotId: undefined });
  return { lab, source };
}

function run(lab: Lab, given: Pick<ReplicateRequest, 'reader' | 'snapshotId' | 'baseSnapshotId'>): ReturnType<typeof replicateDisk> {
  return replicateDisk({ ...given, writer: new MemoryWriter(lab.volume), state: lab.open(SIZE), volumeId: 'v', volumeIsNew: true, volumesAreZeroed: true, signal });
}

function verify(lab: Lab, scope: 'written' | 'all'): Promise<VerifyOutcome> {
  return verifyDisk({ writer: new MemoryWriter(lab.volume), state: lab.open(SIZE), scope, signal });
}

function damage(lab: Lab, offset: number): void {
  lab.volume.content[offset / SECTOR] = lab.volume.durable[offset / SECTOR] = 4711;
}

it('compares what was written, once, or the whole disk with its zeros', async () => {
  const { lab } = await replicated();
  const written = await verify(lab, 'written');
  expect(written).toMatchObject({ matches: true, bytesUnknown: 0, differing: [] });
  expect(written.bytesCompared).toBeLessThan(SIZE / 5);
  expect(await verify(lab, 'written')).toMatchObject({ matches: true, bytesCompared: 0 });
  expect(await verify(lab, 'all')).toMatchObject({ matches: true, bytesCompared: SIZE });
});

it('says where a volume differs, does not call it synchronised, and the next run repairs just that', async () => {
  const { lab, source } = await replicated();
  damage(lab, 512);
  damage(lab, BLOCK_BYTES);
  damage(lab, SEGMENT_BYTES + 3 * BLOCK_BYTES);
  const outcome = await verify(lab, 'all');
  expect(outcome).toMatchObject({
    matches: false,
    bytesDiffering: 3 * BLOCK_BYTES,
    differing: [{ offset: 0, length: 2 * BLOCK_BYTES }, { offset: SEGMENT_BYTES + 3 * BLOCK_BYTES, length: BLOCK_BYTES }],
  });
  expect(verificationError('disk', outcome)).toMatchObject({ code: 'replication.verification-failed' });
  expect(lab.open(SIZE).isSynchronised('s1')).toBe(false);
  const repair = await run(lab, { reader: changedReader(source, source), snapshotId: 's2', baseSnapshotId: 's1' });
  expect(firstDifference(lab.volume.durable, source)).toBeUndefined();
  expect(repair.bytesSent + repair.bytesZeroed).toBeLessThanOrEqual(3 * BLOCK_BYTES);
  expect(await verify(lab, 'all')).toMatchObject({ matches: true, bytesUnknown: 0 });
});

it('refuses an answer that does not fit the question', async () => {
  const { lab } = await replicated();
  const writer = new MemoryWriter(lab.volume);
  writer.digests = () => Promise.resolve(new Uint8Array(5));
  await expect(verifyDisk({ writer, state: lab.open(SIZE), scope: 'all', signal })).rejects.toMatchObject({ code: 'replication.digests-invalid' });
});

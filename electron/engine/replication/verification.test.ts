import { describe, expect, it } from 'vitest';
import type { WriteTarget } from '../ports/write-target.ts';
import { BLOCK_BYTES, SEGMENT_BYTES } from './blocks.ts';
import { replicateDisk, type ReplicateRequest } from './pipeline.ts';
import { firstDifference, Lab, seeded } from './testing/lab.ts';
import {
  allocatedReader,
  changedReader,
  MemoryWriter,
  SECTOR,
  sectorsOf,
  type Sectors,
} from './testing/memory-disks.ts';
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

function run(
  lab: Lab,
  given: Pick<ReplicateRequest, 'reader' | 'snapshotId' | 'baseSnapshotId'>,
): ReturnType<typeof replicateDisk> {
  return replicateDisk({
    ...given,
    writer: new MemoryWriter(lab.volume),
    state: lab.open(SIZE),
    volumeId: 'v',
    volumeIsNew: true,
    volumesAreZeroed: true,
    signal,
  });
}

function verify(lab: Lab, scope: 'written' | 'all'): Promise<VerifyOutcome> {
  return verifyDisk({ writer: new MemoryWriter(lab.volume), state: lab.open(SIZE), scope, signal });
}

async function verifyCancelled(lab: Lab): Promise<void> {
  const cancel = new AbortController();
  const writer = new MemoryWriter(lab.volume);
  const digests = writer.digests.bind(writer);
  writer.digests = async (...question) => {
    cancel.abort();
    return digests(...question);
  };
  await expect(
    verifyDisk({ writer, state: lab.open(SIZE), scope: 'written', signal: cancel.signal }),
  ).rejects.toMatchObject({ code: 'general.cancelled' });
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

it('reads back and hashes what a target without digests holds', async () => {
  const { lab } = await replicated();
  damage(lab, BLOCK_BYTES);
  const writer: WriteTarget = Object.assign(new MemoryWriter(lab.volume), { digests: undefined });
  const outcome = await verifyDisk({ writer, state: lab.open(SIZE), scope: 'all', signal });
  expect(outcome).toMatchObject({
    matches: false,
    bytesCompared: SIZE,
    differing: [{ offset: BLOCK_BYTES, length: BLOCK_BYTES }],
  });
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
    differing: [
      { offset: 0, length: 2 * BLOCK_BYTES },
      { offset: SEGMENT_BYTES + 3 * BLOCK_BYTES, length: BLOCK_BYTES },
    ],
  });
  expect(verificationError('disk', outcome)).toMatchObject({ code: 'replication.verification-failed' });
  expect(lab.open(SIZE).isSynchronised('s1')).toBe(false);
  const repair = await run(lab, { reader: changedReader(source, source), snapshotId: 's2', baseSnapshotId: 's1' });
  expect(firstDifference(lab.volume.durable, source)).toBeUndefined();
  expect(repair.bytesSent + repair.bytesZeroed).toBeLessThanOrEqual(3 * BLOCK_BYTES);
  expect(await verify(lab, 'all')).toMatchObject({ matches: true, bytesUnknown: 0 });
});

describe('a block that was written and not compared', () => {
  const next = { cancelled: verifyCancelled, 'left out': async () => undefined } as const;

  it.each([
    ['cancelled', 'with a base'],
    ['cancelled', 'without a base'],
    ['left out', 'with a base'],
    ['left out', 'without a base'],
  ] as const)('is compared by the next verification when its own was %s, %s', async (how, base) => {
    const { lab, source } = await replicated();
    if (base === 'with a base') await verify(lab, 'written');
    const changed = source.slice().fill(815, 640, 1280);
    await run(lab, { reader: allocatedReader(changed), snapshotId: 's2', baseSnapshotId: undefined });
    await next[how](lab);
    damage(lab, 700 * SECTOR);
    const given =
      base === 'with a base'
        ? { reader: changedReader(source, changed), baseSnapshotId: 's1' }
        : { reader: allocatedReader(changed), baseSnapshotId: undefined };
    const outcome = await run(lab, { ...given, snapshotId: 's3' });
    expect(outcome.bytesUnverifiedBefore).toBeGreaterThan(0);
    expect(await verify(lab, 'written')).toMatchObject({ matches: false, bytesDiffering: BLOCK_BYTES });
    await run(lab, { ...given, snapshotId: 's4' });
    expect(firstDifference(lab.volume.durable, changed)).toBeUndefined();
    expect(await verify(lab, 'written')).toMatchObject({ matches: true });
  });
});

describe('a damaged page of the digest map', () => {
  it('is told by a verification once: the next run compares its blocks again', async () => {
    const { lab, source } = await replicated();
    lab.files.damagePage(() => 0);
    expect(await verify(lab, 'all')).toMatchObject({ matches: false, bytesDiffering: 0, bytesUnknown: SEGMENT_BYTES });
    expect(lab.open(SIZE).isSynchronised('s1')).toBe(false);
    const repair = await run(lab, { reader: changedReader(source, source), snapshotId: 's2', baseSnapshotId: 's1' });
    expect(repair).toMatchObject({ bytesSent: 0, bytesRead: SEGMENT_BYTES });
    expect(await verify(lab, 'all')).toMatchObject({ matches: true, bytesUnknown: 0 });
  });

  it('does not fail a verification after a run: that compares its blocks although the source reports no change', async () => {
    const { lab, source } = await replicated();
    lab.files.damagePage(() => 0);
    await run(lab, { reader: changedReader(source, source), snapshotId: 's2', baseSnapshotId: 's1' });
    expect(await verify(lab, 'all')).toMatchObject({ matches: true, bytesUnknown: 0, bytesCompared: SIZE });
  });
});

it('refuses an answer that does not fit the question', async () => {
  const { lab } = await replicated();
  const writer = new MemoryWriter(lab.volume);
  writer.digests = () => Promise.resolve(new Uint8Array(5));
  await expect(verifyDisk({ writer, state: lab.open(SIZE), scope: 'all', signal })).rejects.toMatchObject({
    code: 'replication.digests-invalid',
  });
});

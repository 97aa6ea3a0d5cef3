import { describe, expect, it } from 'vitest';
import { createBandwidthLimiter } from '../bandwidth/index.ts';
import { BLOCK_BYTES, SEGMENT_BYTES } from './blocks.ts';
import { FakeClock } from '../time/testing/fake-clock.ts';
import { replicateDisk, type ReplicateRequest } from './pipeline.ts';
import type { DiskProgress } from './progress.ts';
import { firstDifference, Lab, seeded } from './testing/lab.ts';
import {
  allocatedReader,
  changedReader,
  MemoryReader,
  MemoryWriter,
  SECTOR,
  sectorsOf,
  type Sectors,
} from './testing/memory-disks.ts';

const SIZE = 2 * SEGMENT_BYTES + 5 * BLOCK_BYTES + 3 * SECTOR;

/** A disk where one block in `every` holds data. */
function disk(seed: number, every = 40, sizeBytes = SIZE): Sectors {
  const random = seeded(seed);
  const sectors = sectorsOf(sizeBytes);
  for (let at = 0; at < sectors.length; at += 128) {
    if (random() * every < 1) sectors.fill(1 + Math.floor(random() * 1e9), at, at + 128);
  }
  return sectors;
}

function request(lab: Lab, given: Partial<ReplicateRequest> & Pick<ReplicateRequest, 'reader'>): ReplicateRequest {
  return {
    writer: new MemoryWriter(lab.volume),
    state: lab.open(given.reader.sizeBytes),
    snapshotId: 's1',
    baseSnapshotId: undefined,
    volumeId: 'v',
    volumeIsNew: true,
    volumesAreZeroed: true,
    signal: new AbortController().signal,
    ...given,
  };
}

describe('a first run', () => {
  it('moves the allocated bytes and nothing else to a new zeroed volume', async () => {
    const source = disk(1);
    const lab = new Lab(SIZE);
    const writer = new MemoryWriter(lab.volume);
    const outcome = await replicateDisk(request(lab, { reader: allocatedReader(source), writer }));
    expect(firstDifference(lab.volume.durable, source)).toBeUndefined();
    const data = source.filter((sector) => sector !== 0).length * SECTOR;
    expect(outcome).toMatchObject({
      bytesRead: data,
      bytesSent: data,
      bytesZeroed: 0,
      resumed: false,
      readEverything: true,
      bytesHoles: SIZE - data,
    });
    expect(lab.open(SIZE).isSynchronised('s1')).toBe(true);
  });

  it('writes zeros where the volume is not known to be zero', async () => {
    const source = disk(2);
    const lab = new Lab(SIZE, sectorsOf(SIZE).fill(77));
    await replicateDisk(request(lab, { reader: allocatedReader(source), volumesAreZeroed: false }));
    expect(firstDifference(lab.volume.durable, source)).toBeUndefined();
  });

  it('skips zeros inside of what the source calls data', async () => {
    const source = disk(3);
    const lab = new Lab(SIZE);
    const reader = new MemoryReader(source, [{ offset: 0, length: SIZE, kind: 'data' }]);
    const outcome = await replicateDisk(request(lab, { reader }));
    expect(firstDifference(lab.volume.durable, source)).toBeUndefined();
    expect(outcome).toMatchObject({
      bytesRead: SIZE,
      bytesSent: source.filter((sector) => sector !== 0).length * SECTOR,
      bytesZeroed: 0,
    });
  });

  it('refuses a volume that is smaller than the disk', async () => {
    const lab = new Lab(SIZE - BLOCK_BYTES);
    await expect(replicateDisk(request(lab, { reader: allocatedReader(disk(1)) }))).rejects.toMatchObject({
      code: 'replication.volume-too-small',
    });
  });

  it('refuses extents that leave a part of the disk out', async () => {
    const lab = new Lab(SIZE);
    const reader = new MemoryReader(disk(1), [
      { offset: 0, length: 4096, kind: 'data' },
      { offset: 8192, length: SIZE - 8192, kind: 'zero' },
    ]);
    await expect(replicateDisk(request(lab, { reader }))).rejects.toMatchObject({
      code: 'replication.extents-invalid',
    });
  });
});

describe('a later run', () => {
  async function replicated(source: Sectors, sizeBytes = SIZE): Promise<Lab> {
    const lab = new Lab(sizeBytes);
    await replicateDisk(request(lab, { reader: allocatedReader(source) }));
    return lab;
  }

  it.for([1, 4096, 65536].map((alignment) => [Math.max(SECTOR, alignment)] as const))(
    'keeps to a target that wants ranges aligned to %i bytes',
    async ([alignment]) => {
      const source = disk(1, 4);
      const lab = await replicated(source);
      const random = seeded(9);
      const changed = source.slice();
      for (let at = 0; at < changed.length - 40; at += 50 + Math.floor(random() * 400))
        changed.fill(random() < 0.3 ? 0 : 5, at, at + 1 + Math.floor(random() * 30));
      const reader = changedReader(source, changed, { granularity: SECTOR });
      await replicateDisk(
        request(lab, {
          reader,
          writer: new MemoryWriter(lab.volume, undefined, undefined, alignment),
          snapshotId: 's2',
          baseSnapshotId: 's1',
        }),
      );
      expect(firstDifference(lab.volume.durable, changed)).toBeUndefined();
    },
  );

  it('asks a resumed source only for what is not done yet', async () => {
    const source = disk(1, 1);
    const lab = new Lab(SIZE);
    const cancel = new AbortController();
    const asked: (number | undefined)[] = [];
    const reader = allocatedReader(source);
    const extents = reader.extents.bind(reader);
    reader.extents = (within, fromBytes) => {
      asked.push(fromBytes);
      return extents(within, fromBytes);
    };
    const read = reader.read.bind(reader);
    reader.read = (offset, into, within) => {
      if (offset > SEGMENT_BYTES * 1.5) cancel.abort();
      return read(offset, into, within);
    };
    await replicateDisk(request(lab, { reader, signal: cancel.signal, options: { concurrency: 1 } })).catch(
      () => undefined,
    );
    const { durableBytes } = lab.open(SIZE).resumability('s1') as { durableBytes: number };
    await replicateDisk(request(lab, { reader }));
    expect(firstDifference(lab.volume.durable, source)).toBeUndefined();
    expect([asked[0], asked.at(-1)]).toEqual([0, Math.floor(durableBytes / SEGMENT_BYTES) * SEGMENT_BYTES]);
    expect(asked.at(-1)).toBeGreaterThan(0);
  });

  it('sends exactly the changed bytes at the granularity of change tracking', async () => {
    const first = disk(4, 3);
    const second = first.slice();
    const random = seeded(5);
    for (let i = 0; i < 200; i++) second[Math.floor(random() * second.length)] = 1 + Math.floor(random() * 1e9);
    const lab = await replicated(first);
    const reader = changedReader(first, second);
    let changed = 0;
    for await (const extent of reader.extents()) changed += extent.length;
    const outcome = await replicateDisk(
      request(lab, { reader, snapshotId: 's2', baseSnapshotId: 's1', volumeIsNew: false }),
    );
    expect(firstDifference(lab.volume.durable, second)).toBeUndefined();
    expect(outcome.bytesSent).toBeLessThanOrEqual(changed);
    expect(outcome.readEverything).toBe(false);
    expect(reader.bytesRead).toBeLessThan(200 * BLOCK_BYTES + 1);
  });

  it('makes a block zero that became zero', async () => {
    const first = disk(6, 2);
    const second = first.slice().fill(0, 0, 100_000);
    const lab = await replicated(first);
    const outcome = await replicateDisk(
      request(lab, { reader: changedReader(first, second), snapshotId: 's2', baseSnapshotId: 's1' }),
    );
    expect(firstDifference(lab.volume.durable, second)).toBeUndefined();
    expect(outcome.bytesSent).toBe(0);
    expect(outcome.bytesZeroed).toBeGreaterThan(0);
  });

  it('reads all and sends what differs when the source tracks no changes', async () => {
    const first = disk(7, 4);
    const second = first.slice();
    second.fill(5, 1000, 1010);
    const lab = await replicated(first);
    const outcome = await replicateDisk(request(lab, { reader: allocatedReader(second), snapshotId: 's2' }));
    expect(firstDifference(lab.volume.durable, second)).toBeUndefined();
    expect(outcome.bytesSent).toBeLessThanOrEqual(2 * BLOCK_BYTES);
  });

  it('does not believe a base that the volume was never in sync with', async () => {
    const first = disk(8, 4);
    const other = disk(9, 4);
    const third = disk(10, 4);
    const lab = await replicated(first);
    const outcome = await replicateDisk(
      request(lab, { reader: changedReader(other, third), snapshotId: 's3', baseSnapshotId: 'other' }),
    );
    expect(firstDifference(lab.volume.durable, third)).toBeUndefined();
    expect(outcome.readEverything).toBe(true);
  });

  it('can go on from an older base after a run that was complete for this disk but not for its VM', async () => {
    const first = disk(11, 4);
    const second = disk(12, 4);
    const third = first.slice();
    third.fill(9, 0, 16);
    const lab = await replicated(first);
    await replicateDisk(request(lab, { reader: changedReader(first, second), snapshotId: 's2', baseSnapshotId: 's1' }));
    const outcome = await replicateDisk(
      request(lab, { reader: changedReader(first, third), snapshotId: 's3', baseSnapshotId: 's1' }),
    );
    expect(firstDifference(lab.volume.durable, third)).toBeUndefined();
    expect(outcome.readEverything).toBe(false);
  });

  it('remembers what an interrupted run brought, also when the worker turns out to hold it all', async () => {
    const first = disk(30, 4);
    const second = disk(31, 4);
    const lab = await replicated(first);
    const dying = new MemoryWriter(lab.volume);
    const flush = dying.flush.bind(dying);
    dying.flush = async (signal) => {
      await flush(signal);
      throw new Error('the link broke after the flush');
    };
    const changes = { snapshotId: 's2', baseSnapshotId: 's1' };
    await expect(
      replicateDisk(request(lab, { reader: changedReader(first, second), writer: dying, ...changes })),
    ).rejects.toThrow('the link broke');
    const resumed = await replicateDisk(request(lab, { reader: changedReader(first, second), ...changes }));
    expect([resumed.resumed, resumed.bytesSent]).toEqual([true, 0]);
    await replicateDisk(request(lab, { reader: changedReader(first, first), snapshotId: 's3', baseSnapshotId: 's1' }));
    expect(firstDifference(lab.volume.durable, first)).toBeUndefined();
  });

  it('does nothing for a snapshot that is there already', async () => {
    const source = disk(13);
    const lab = await replicated(source);
    const outcome = await replicateDisk(request(lab, { reader: allocatedReader(source) }));
    expect(outcome).toMatchObject({ resumed: true, bytesRead: 0, bytesSent: 0, chunks: 0 });
  });

  it('fills the new part of a disk that grew, whatever the volume holds there', async () => {
    const first = disk(14, 4);
    const lab = await replicated(first);
    const grown = disk(15, 4, SIZE + SEGMENT_BYTES + SECTOR);
    grown.set(first);
    lab.volume.grow(grown.length * SECTOR, 66);
    await replicateDisk(
      request(lab, { reader: changedReader(first, grown), snapshotId: 's2', baseSnapshotId: 's1', volumeIsNew: false }),
    );
    expect(firstDifference(lab.volume.durable, grown)).toBeUndefined();
  });

  it('refuses a disk that shrank and keeps what it knows', async () => {
    const source = disk(16);
    const lab = await replicated(source);
    expect(() => lab.open(SIZE - BLOCK_BYTES)).toThrow(expect.objectContaining({ code: 'replication.disk-shrank' }));
    expect(lab.open(SIZE).isSynchronised('s1')).toBe(true);
  });

  it('starts anew on another volume', async () => {
    const source = disk(17);
    const lab = await replicated(source);
    lab.volume.content.fill(0);
    lab.volume.durable.fill(0);
    await replicateDisk(request(lab, { reader: allocatedReader(source), snapshotId: 's2', volumeId: 'another' }));
    expect(firstDifference(lab.volume.durable, source)).toBeUndefined();
  });

  it('asks the worker before it sends, after the volume may have been written by others', async () => {
    const source = disk(18, 4);
    const lab = await replicated(source);
    lab.volume.content.fill(3, 512, 1024);
    lab.volume.durable.fill(3, 512, 1024);
    const state = lab.open(SIZE);
    state.forget();
    const outcome = await replicateDisk(
      request(lab, { reader: allocatedReader(source), snapshotId: 's2', state, volumeIsNew: false }),
    );
    expect(firstDifference(lab.volume.durable, source)).toBeUndefined();
    expect(outcome.bytesSent).toBeLessThanOrEqual(512 * SECTOR);
  });

  it('asks the worker when the digest map is lost', async () => {
    const source = disk(19, 4);
    const lab = await replicated(source);
    lab.files.removeAll();
    const outcome = await replicateDisk(
      request(lab, { reader: allocatedReader(source), snapshotId: 's2', baseSnapshotId: 's1' }),
    );
    expect(firstDifference(lab.volume.durable, source)).toBeUndefined();
    expect(outcome.bytesSent).toBe(0);
  });
});

describe('concurrent copies', () => {
  it('keep the first error, and end all that is in flight before they report it', async () => {
    const lab = new Lab(SIZE);
    const writer = new MemoryWriter(lab.volume);
    let writes = 0;
    let inFlight = 0;
    const failing = new Proxy(writer, {
      get(target, name) {
        if (name === 'write') {
          return async (...parameters: Parameters<MemoryWriter['write']>) => {
            inFlight += 1;
            try {
              if (++writes === 5) throw new Error('the link broke');
              await new Promise((resolve) => setTimeout(resolve, 5));
              return await target.write(...parameters);
            } finally {
              inFlight -= 1;
            }
          };
        }
        const value = Reflect.get(target, name, target) as unknown;
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const reader = allocatedReader(disk(20, 1));
    await expect(replicateDisk(request(lab, { reader, writer: failing }))).rejects.toThrow('the link broke');
    expect([inFlight, reader.readsInFlight]).toEqual([0, 0]);
  });

  it('stop on request, keep what was acknowledged, and go on from there', async () => {
    const source = disk(21, 1);
    const lab = new Lab(SIZE);
    const stop = new AbortController();
    // Stopped by what was written and not by reported progress, which a fast machine outruns.
    const writer: MemoryWriter = new MemoryWriter(lab.volume, () => {
      if (writer.bytesSent > SIZE / 3) stop.abort();
    });
    await expect(
      replicateDisk(request(lab, { reader: allocatedReader(source), writer, signal: stop.signal })),
    ).rejects.toMatchObject({ code: 'general.cancelled' });
    const sentBefore = writer.bytesSent;
    expect(sentBefore).toBeLessThan(SIZE);
    const again = await replicateDisk(request(lab, { reader: allocatedReader(source) }));
    expect(firstDifference(lab.volume.durable, source)).toBeUndefined();
    expect(again.resumed).toBe(true);
    expect(again.bytesSent + sentBefore).toBe(SIZE);
  });

  it('report progress at most five times a second and end with the final state', async () => {
    const lab = new Lab(SIZE);
    const reports: (DiskProgress & { at: number })[] = [];
    const clock = new FakeClock();
    let isOver = false;
    const copied = replicateDisk(
      request(lab, {
        reader: allocatedReader(disk(22, 4)),
        limiter: createBandwidthLimiter({ bytesPerSecond: 8e6, clock }),
        options: { clock },
        onProgress: (progress) => reports.push({ ...progress, at: clock.monotonic() }),
      }),
    ).finally(() => (isOver = true));
    while (!isOver) await clock.pass(20);
    await copied;
    const gaps = reports.slice(1, -1).map((report, i) => report.at - reports[i]!.at);
    expect(gaps.length).toBeGreaterThan(1);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(200);
    const last = reports.at(-1)!;
    expect(last).toMatchObject({ phase: 'done', bytesDone: last.bytesTotal, secondsLeft: 0 });
    expect(last.bytesSent).toBe(last.bytesTotal);
  });
});

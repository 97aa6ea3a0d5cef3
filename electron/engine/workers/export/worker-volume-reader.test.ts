import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WorkerVolume } from '../../ports/write-target.ts';
import { DigestFile, digestBlockBytes, digestFileName, forgetDigests } from './digest-store.ts';
import type { Extent } from '../../../../shared/model/extent.ts';
import { WorkerVolumeReader } from './worker-volume-reader.ts';

const signal = new AbortController().signal;
const size = 10 * digestBlockBytes + 4096;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-digests-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A volume on a worker, with what was asked of it. */
function volumeOf(content: Buffer): WorkerVolume & { hashed: number; bytesRead: number } {
  const volume = {
    hashed: 0,
    bytesRead: 0,
    sizeBytes: content.length,
    async digests(offset: number, length: number, block: number) {
      volume.hashed += length;
      const blocks = Array.from({ length: Math.ceil(length / block) }, (_, index) =>
        createHash('sha256')
          .update(content.subarray(offset + index * block, Math.min(offset + length, offset + (index + 1) * block)))
          .digest(),
      );
      return Buffer.concat(blocks);
    },
    async read(offset: number, into: Uint8Array) {
      volume.bytesRead += into.length;
      into.set(content.subarray(offset, offset + into.length));
    },
    close: async () => undefined,
  };
  return volume as unknown as WorkerVolume & { hashed: number; bytesRead: number };
}

async function applied(reader: WorkerVolumeReader, former: Buffer): Promise<Buffer> {
  const result = Buffer.from(former);
  for await (const { offset, length, kind } of reader.extents(signal)) {
    if (kind === 'zero') result.fill(0, offset, offset + length);
    else await reader.read(offset, result.subarray(offset, offset + length), signal);
  }
  return result;
}

const fileFor = (tag: string): DigestFile => new DigestFile(folder, digestFileName(tag, 'disk'), size);

describe('a copy of a disk on the export worker', () => {
  it('is given whole, what is zero without reading it, hashed once however often it is gone through', async () => {
    const content = Buffer.alloc(size);
    randomBytes(2 * digestBlockBytes).copy(content, 3 * digestBlockBytes);
    const volume = volumeOf(content);
    const reader = new WorkerVolumeReader(volume, size, fileFor('one'), undefined);
    expect((await applied(reader, Buffer.alloc(size, 0xee))).equals(content)).toBe(true);
    expect((await applied(reader, Buffer.alloc(size, 0xee))).equals(content)).toBe(true);
    expect([volume.hashed, volume.bytesRead]).toEqual([size, 4 * digestBlockBytes]);
    await reader.close();
  });

  it('lists what lies beyond an offset, cutting what crosses it', async () => {
    const reader = new WorkerVolumeReader(volumeOf(randomBytes(size)), size, fileFor('beyond'), undefined);
    const extents: Extent[] = [];
    for await (const extent of reader.extents(signal, digestBlockBytes + 512)) extents.push(extent);
    expect(extents[0]?.offset).toBe(digestBlockBytes + 512);
    expect(extents.reduce((sum, { length }) => sum + length, 0)).toBe(size - digestBlockBytes - 512);
    await reader.close();
  });

  it('reads nothing but what differs from the base', async () => {
    const first = randomBytes(size);
    const base = new WorkerVolumeReader(volumeOf(first), size, fileFor('one'), undefined);
    await applied(base, Buffer.alloc(size));
    await base.close();
    const second = Buffer.from(first);
    second.fill(0, 2 * digestBlockBytes, 3 * digestBlockBytes);
    second[size - 1] = (second[size - 1] ?? 0) ^ 1;
    const volume = volumeOf(second);
    const reader = new WorkerVolumeReader(volume, size, fileFor('two'), fileFor('one'));
    expect(reader.coverage).toBe('changed');
    expect((await applied(reader, first)).equals(second)).toBe(true);
    expect(volume.bytesRead).toBe(4096);
    await reader.close();
  });

  it('has no digests of a run that was broken off', async () => {
    const broken: WorkerVolume = {
      ...volumeOf(Buffer.alloc(size)),
      digests: () => Promise.reject(new Error('the worker is gone')),
    };
    const reader = new WorkerVolumeReader(broken, size, fileFor('one'), undefined);
    await expect(applied(reader, Buffer.alloc(size))).rejects.toThrow('the worker is gone');
    expect(await fileFor('one').isComplete()).toBe(false);
  });

  it('forgets digests when they are no base any more', async () => {
    const reader = new WorkerVolumeReader(volumeOf(Buffer.alloc(size)), size, fileFor('one'), undefined);
    await applied(reader, Buffer.alloc(size));
    expect(await fileFor('one').isComplete()).toBe(true);
    await forgetDigests(folder, digestFileName('one', 'disk'));
    expect(await fileFor('one').isComplete()).toBe(false);
  });
});

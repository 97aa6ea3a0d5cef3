import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ImageDiskReader } from './image-disk-reader.ts';
import { openImage } from './open-image.ts';
import { wholeStream } from './testing/build-vmdk-stream.ts';
import { readVmdkStream } from './vmdk-stream.ts';

const MIB = 1024 * 1024;
/** Several tables, whole tables of zeros, and an end within a grain. */
const bytes = Buffer.concat([
  randomBytes(MIB),
  Buffer.alloc(70 * MIB),
  Buffer.alloc(MIB, 'text'),
  randomBytes(512 * 3),
]);
let stream: Buffer;
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cwy-stream-'));
  stream = await wholeStream({
    sizeBytes: bytes.length,
    read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function* inParts(whole: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
}

async function unpacked(whole: Buffer, partSize = 100_000): Promise<Buffer> {
  const { sizeBytes, grains } = await readVmdkStream(inParts(whole, partSize), 'export');
  expect(sizeBytes).toBeLessThan(200 * MIB);
  const disk = Buffer.alloc(sizeBytes);
  for await (const { offset, length, unpack } of grains()) (await unpack()).copy(disk, offset, 0, length);
  return disk;
}

function changed(at: number, write: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(stream.subarray(0));
  write(copy.subarray(at));
  return copy;
}

describe('a stream-optimized VMDK as it arrives', () => {
  it.each([1000, 512, 65_537, 50 * MIB])('gives the disk, in parts of %d bytes', async (size) => {
    expect((await unpacked(stream, size)).equals(bytes)).toBe(true);
  });

  it('has the same content for the reader of whole files', async () => {
    await writeFile(join(folder, 'disk.vmdk'), stream);
    const image = new ImageDiskReader(await openImage({ path: join(folder, 'disk.vmdk') }, { folder }));
    const whole = Buffer.alloc(image.sizeBytes);
    await image.read(0, whole, new AbortController().signal);
    await image.close();
    expect(whole.equals(bytes)).toBe(true);
  });

  it('never takes a stream that was cut short for a whole one', async () => {
    for (const end of [0, 100, 512, 65_536, 66_048, 500_000, stream.length - 512, stream.length - 1]) {
      await expect(unpacked(stream.subarray(0, end))).rejects.toMatchObject({ code: 'source.image-unreadable' });
    }
  });

  const FIRST_GRAIN = 65_536;
  it.each([
    ['another magic', 0, (at: Buffer) => at.write('XXXX')],
    ['version 9', 4, (at: Buffer) => at.writeUInt32LE(9)],
    ['no compression', 8, (at: Buffer) => at.writeUInt32LE(0x20001)],
    ['another compression', 77, (at: Buffer) => at.writeUInt16LE(7)],
    ['a directory before its data', 56, (at: Buffer) => at.writeBigUInt64LE(200n)],
    ['no capacity', 12, (at: Buffer) => at.writeBigUInt64LE(0n)],
    ['a capacity beyond all numbers', 12, (at: Buffer) => at.writeBigUInt64LE(2n ** 60n)],
    ['grains of a gigabyte', 20, (at: Buffer) => at.writeBigUInt64LE(2n ** 21n)],
    ['grains of no power of two', 20, (at: Buffer) => at.writeBigUInt64LE(96n)],
    ['grains of nothing', 20, (at: Buffer) => at.writeBigUInt64LE(0n)],
    ['a table of nothing', 44, (at: Buffer) => at.writeUInt32LE(0)],
    ['a head without end', 64, (at: Buffer) => at.writeBigUInt64LE(2n ** 40n)],
    ['no head', 64, (at: Buffer) => at.writeBigUInt64LE(0n)],
    ['a grain beyond the disk', FIRST_GRAIN, (at: Buffer) => at.writeBigUInt64LE(2n ** 33n)],
    ['a grain between grains', FIRST_GRAIN, (at: Buffer) => at.writeBigUInt64LE(7n)],
    ['a grain of a gigabyte', FIRST_GRAIN + 8, (at: Buffer) => at.writeUInt32LE(2 ** 30)],
    ['an unknown marker', FIRST_GRAIN + 8, (at: Buffer) => at.writeBigUInt64LE(99n << 32n)],
    [
      'a table without end',
      FIRST_GRAIN,
      (at: Buffer) => at.writeBigUInt64LE(2n ** 50n) && at.writeBigUInt64LE(1n << 32n, 8),
    ],
    ['damaged data', FIRST_GRAIN + 500, (at: Buffer) => at.fill(0x55, 0, 2000)],
  ])('refuses %s', async (_what, at, write) => {
    await expect(unpacked(changed(at, (copy) => void write(copy)))).rejects.toMatchObject({
      code: 'source.image-unreadable',
    });
  });

  it('refuses a grain a second time, and one that unpacks to more than a grain', async () => {
    const head = stream.subarray(0, FIRST_GRAIN);
    const grain = (sector: bigint, data: Buffer) => {
      const packed = deflateSync(data);
      const whole = Buffer.alloc(Math.ceil((12 + packed.length) / 512) * 512);
      whole.writeBigUInt64LE(sector, 0);
      whole.writeUInt32LE(packed.length, 8);
      packed.copy(whole, 12);
      return whole;
    };
    const one = grain(128n, Buffer.alloc(65_536, 1));
    await expect(unpacked(Buffer.concat([head, one, one, Buffer.alloc(512)]))).rejects.toMatchObject({
      code: 'source.image-unreadable',
    });
    await expect(
      unpacked(Buffer.concat([head, grain(0n, Buffer.alloc(20 * MIB)), Buffer.alloc(512)])),
    ).rejects.toMatchObject({ code: 'source.image-unreadable' });
    await expect(
      unpacked(Buffer.concat([head, grain(0n, Buffer.alloc(100, 1)), Buffer.alloc(512)])),
    ).rejects.toMatchObject({ code: 'source.image-unreadable' });
  });
});

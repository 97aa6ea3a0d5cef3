import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ImageDiskReader } from '../../electron/engine/images/image-disk-reader.ts';
import { openImage } from '../../electron/engine/images/open-image.ts';
import { seeded } from '../../electron/engine/images/testing/content.ts';
import { bytesByQemu, extentsByQemu, fillHoles, makeMatrixImage, matrixDrivers, type MatrixImage } from '../conformance/image-matrix.ts';
import { firstDifference, readOnto } from '../conformance/read-snapshot.ts';
import { run } from '../rigs/machines/child-process.ts';

/** How many images are made and compared: a sample each time, 2000 and more with CAUSEWAY_MATRIX_IMAGES. */
const IMAGES = Number(process.env['CAUSEWAY_MATRIX_IMAGES'] ?? 18);
const FIRST_SEED = Number(process.env['CAUSEWAY_MATRIX_SEED'] ?? 1);
const signal = new AbortController().signal;

describe('seeded images of all formats and options', () => {
  let scratch = '';
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'cwy-matrix-'));
  });
  afterAll(async () => {
    await rm(scratch, { recursive: true, force: true });
  });

  for (const driver of matrixDrivers) {
    const count = Math.ceil(IMAGES / matrixDrivers.length);
    it(`are read byte for byte and extent for extent as by QEMU: ${count} of ${driver}`, async () => {
      for (let seed = FIRST_SEED; seed < FIRST_SEED + count; seed++) {
        const image = await makeMatrixImage(driver, seed, join(scratch, 'images'));
        await compare(image, seed, join(scratch, 'reference.raw'));
      }
    }, 600_000 + count * 10_000);
  }
});

const TiB = 2 ** 40;

/** Formats, with the largest disk that they are tried with: QEMU makes all tables of the latter two at once. */
describe.each([['qcow2', 64 * TiB], ['vhdx', 64 * TiB], ['vdi', 2 * TiB], ['vmdk', 2 * TiB]] as const)('a disk in a %s of %d bytes', (driver, sizeBytes) => {
  it('has its data at the beginning, in the middle and at the end, and zeros between', { timeout: 120_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cwy-large-'));
    try {
      const path = join(folder, `large.${driver}`);
      const places = [0, sizeBytes / 2, sizeBytes - 2 ** 20];
      await run('qemu-img', ['create', '-q', '-f', driver, path, String(sizeBytes)]);
      await run('qemu-io', ['-f', driver, ...places.flatMap((at, index) => ['-c', `write -P ${index + 1} ${at} 64k`]), path]);
      await withReader({ path }, folder, async (reader) => {
        expect(reader.sizeBytes).toBe(sizeBytes);
        let end = 0;
        const data: number[] = [];
        for await (const { offset, length, kind } of reader.extents(signal)) {
          expect(offset).toBe(end);
          end += length;
          if (kind === 'data') data.push(...places.filter((at) => at >= offset && at < end));
          // Units of the format, not more.
          if (kind === 'data') expect(length).toBeLessThanOrEqual(2 ** 28);
        }
        expect([end, data]).toEqual([sizeBytes, places]);
        for (const [index, at] of [...places.entries()]) {
          const bytes = Buffer.alloc(64 * 1024);
          await reader.read(at, bytes, signal);
          expect(bytes.every((byte) => byte === index + 1)).toBe(true);
        }
        const last = Buffer.alloc(4096, 1);
        await reader.read(sizeBytes - last.length, last, signal);
        expect(last.every((byte) => byte === 0)).toBe(true);
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

async function compare(image: MatrixImage, seed: number, reference: string): Promise<void> {
  const what = `seed ${seed}:\n${image.made.join('\n')}\n`;
  const folder = dirname(image.path);
  const qemus = await bytesByQemu(image, reference);
  await withReader(image, folder, async (reader) => {
    // Reads what extents list as data; the rest is what they call zero.
    expect(firstDifference((await readOnto(reader, undefined, signal)).replica, qemus), what).toBeUndefined();
    const random = seeded(seed);
    await Promise.all(Array.from({ length: 8 }, async () => {
      const offset = Math.floor(random() * qemus.length);
      const part = Buffer.alloc(1 + Math.floor(random() * Math.min(300_000, qemus.length - offset)), 0xee);
      await reader.read(offset, part, signal);
      expect(firstDifference(part, qemus.subarray(offset, offset + part.length)), `${what}at ${offset}`).toBeUndefined();
    }));
  });
  if (!image.hasExtents) return;
  await fillHoles(folder);
  const theirs = await extentsByQemu(image);
  await withReader(image, folder, async (reader) => {
    const mine = [];
    for await (const extent of reader.extents(signal)) mine.push(extent);
    expect(mine, what).toEqual(theirs);
  });
}

async function withReader(image: Pick<MatrixImage, 'path'>, folder: string, use: (reader: ImageDiskReader) => Promise<void>): Promise<void> {
  const reader = new ImageDiskReader(await openImage({ path: image.path }, { folder }));
  try {
    await use(reader);
  } finally {
    await reader.close();
  }
}

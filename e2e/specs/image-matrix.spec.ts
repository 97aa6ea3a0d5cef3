import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ImageDiskReader } from '../../electron/engine/images/image-disk-reader.ts';
import { openImage } from '../../electron/engine/images/open-image.ts';
import { seeded } from '../../electron/engine/images/testing/content.ts';
import {
  bytesByQemu,
  extentsByQemu,
  fillHoles,
  makeMatrixImage,
  matrixDrivers,
  type MatrixImage,
} from '../conformance/image-matrix.ts';
import { firstDifference, readOnto } from '../conformance/read-snapshot.ts';

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
    it(
      `are read byte for byte and extent for extent as by QEMU: ${count} of ${driver}`,
      async () => {
        for (let seed = FIRST_SEED; seed < FIRST_SEED + count; seed++) {
          const image = await makeMatrixImage(driver, seed, join(scratch, 'images'));
          await compare(image, seed, join(scratch, 'reference.raw'));
        }
      },
      600_000 + count * 10_000,
    );
  }
});

async function compare(image: MatrixImage, seed: number, reference: string): Promise<void> {
  const what = `seed ${seed}:\n${image.made.join('\n')}\n`;
  const folder = dirname(image.path);
  const qemus = await bytesByQemu(image, reference);
  await withReader(image, folder, async (reader) => {
    // Reads what extents list as data; the rest is what they call zero.
    expect(firstDifference((await readOnto(reader, undefined, signal)).replica, qemus), what).toBeUndefined();
    const random = seeded(seed);
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const offset = Math.floor(random() * qemus.length);
        const part = Buffer.alloc(1 + Math.floor(random() * Math.min(300_000, qemus.length - offset)), 0xee);
        await reader.read(offset, part, signal);
        expect(
          firstDifference(part, qemus.subarray(offset, offset + part.length)),
          `${what}at ${offset}`,
        ).toBeUndefined();
      }),
    );
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

async function withReader(
  image: MatrixImage,
  folder: string,
  use: (reader: ImageDiskReader) => Promise<void>,
): Promise<void> {
  const reader = new ImageDiskReader(await openImage({ path: image.path }, { folder }));
  try {
    await use(reader);
  } finally {
    await reader.close();
  }
}

import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { gibibyte, runsOf, VolumeFiles } from './volume-files.ts';

const block = 512 * 1024;
let folder: string;
let files: VolumeFiles;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-volume-files-'));
  files = new VolumeFiles(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('volumes are sparse, keep their bytes through snapshots and growth, and go', async () => {
  await files.createBlank('v', 2 * gibibyte);
  await files.write('v', 5 * block + 10, Buffer.from('bytes'));
  await files.copy('v', 's');
  await files.write('v', 5 * block + 10, Buffer.from('BYTES'));
  await files.grow('v', 3 * gibibyte);
  expect([
    (await files.read('s', 5 * block + 10, 5)).toString(),
    (await files.read('v', 5 * block + 10, 5)).toString(),
  ]).toEqual(['bytes', 'BYTES']);
  expect([await files.sizeBytes('s'), await files.sizeBytes('v')]).toEqual([2 * gibibyte, 3 * gibibyte]);
  expect((await stat(files.path('v'))).blocks * 512).toBeLessThan(64 * block);
  await files.remove('v');
  await expect(stat(files.path('v'))).rejects.toThrow('ENOENT');
});

it('tell which blocks are in use, and which changed since a snapshot: to data, to zeros, or beyond its end', async () => {
  await files.createBlank('v', 64 * block);
  for (const index of [1, 2, 63]) await files.write('v', index * block, Buffer.alloc(4096, index));
  await files.write('v', 7 * block, Buffer.alloc(4096));
  await files.copy('v', 'first');
  expect(await files.allocatedBlocks('first', block)).toEqual([1, 2, 63]);
  await files.write('v', block, Buffer.alloc(4096, 99));
  await files.write('v', 2 * block, Buffer.alloc(4096));
  await files.write('v', 9 * block, Buffer.alloc(1, 5));
  await files.grow('v', 70 * block);
  await files.write('v', 69 * block, Buffer.alloc(1, 5));
  await files.copy('v', 'second');
  expect(await files.changedBlocks('first', 'second', block)).toEqual([
    { index: 1, isZero: false },
    { index: 2, isZero: true },
    { index: 9, isZero: false },
    { index: 69, isZero: false },
  ]);
  expect(await files.changedBlocks('first', 'first', block)).toEqual([]);
});

it('blocks next to each other are one run, cut at the end of the disk', () => {
  expect(runsOf([0, 1, 3, 4], 10, 45)).toEqual([
    { offset: 0, length: 20 },
    { offset: 30, length: 15 },
  ]);
});

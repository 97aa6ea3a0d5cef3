import { expect, it } from 'vitest';
import { ByteCache } from './byte-cache.ts';
import { ImageDiskReader } from './image-disk-reader.ts';
import { RunList, type Layer } from './layer.ts';
import { openImage } from './open-image.ts';
import { resolveRuns } from './resolve-runs.ts';
import { buildVmdk } from './testing/build-images.ts';
import { memoryFiles } from './testing/memory-files.ts';

const PIECE = 2048;
const SIZE = 2 ** 30;

/** A layer that leaves every second piece to the one below, and how often it was asked. */
function alternating(counted: { calls: number }): Layer {
  return {
    sizeBytes: SIZE,
    runs(offset, length) {
      counted.calls += 1;
      const list = new RunList();
      for (let at = offset; at < offset + length && list.runs.length < 4096; at += PIECE) {
        const part = Math.min(PIECE, offset + length - at);
        list.add((at / PIECE) % 2 === 0 ? { kind: 'below', length: part } : { kind: 'stored', length: part, file, at });
      }
      return Promise.resolve(list.runs);
    },
  };
}
const file = { name: 'a', sizeBytes: SIZE, isSparse: false, read: () => Promise.resolve() };

it('answers one question to a long chain of fragmented images with bounded work, and the questions reach the end', async () => {
  const counted = { calls: 0 };
  const layers = Array.from({ length: 64 }, () => alternating(counted));
  let most = 0;
  for (let at = 0; at < 8 * 2 ** 20;) {
    const before = counted.calls;
    const runs = await resolveRuns(layers, at, SIZE - at);
    most = Math.max(most, counted.calls - before);
    for (const run of runs) {
      expect(run.kind).toBe((at / PIECE) % 2 === 0 ? 'zero' : 'stored');
      at += run.length;
    }
  }
  expect(most).toBeLessThan(1100);
});

it('keeps few tables of a few bytes each: an image can have millions', async () => {
  const cache = new ByteCache(64 * 1024);
  const load = () => Promise.resolve(Buffer.alloc(4));
  for (let key = 0; key < 1000; key++) await cache.get(`table${key}`, load);
  let again = 0;
  for (let key = 999; key >= 0; key--) {
    await cache.get(`table${key}`, () => {
      again += 1;
      return load();
    });
  }
  expect(again).toBeGreaterThan(800);
  expect(cache.sizeBytes).toBeLessThanOrEqual(64 * 1024);
});

it('reads tables that lie one behind the other together, and passes over those without a grain', async () => {
  // 128 tables of 2 KiB, all made from the beginning, each for 2 MiB.
  const sizeBytes = 2 ** 28;
  const access = memoryFiles({ '/vms/large.vmdk': buildVmdk({ sizeBytes, bytes: Buffer.alloc(0), has: () => false }) });
  const reader = new ImageDiskReader(await openImage({ path: '/vms/large.vmdk' }, { folder: '/vms', access }));
  access.reset();
  const extents = [];
  for await (const extent of reader.extents(new AbortController().signal)) extents.push(extent);
  await reader.close();
  expect(extents).toEqual([{ offset: 0, length: sizeBytes, kind: 'zero' }]);
  expect(access.work.reads).toBeLessThan(20);
});

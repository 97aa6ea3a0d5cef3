import { describe, expect, test } from 'vitest';
import { bootDiskOf, poolOf, readEnvironment, workerWish } from './environment.ts';
import { runPolicy } from './run-policy.ts';
import { shapeFor } from './shapes.ts';

const shapes = [
  { name: 'oc4', cpus: 4, ram: 15_360 },
  { name: 'oc3', cpus: 2, ram: 7680 },
  { name: 'oc1m', cpus: 2, ram: 15_360 },
];
const disk = (id: string, storage_backend?: string) => ({
  id,
  size_bytes: 1,
  ...(storage_backend === undefined ? {} : { storage_backend }),
});

describe('a shape', () => {
  test('is the smallest that has what the VM had, always the same one', () => {
    expect(shapeFor(shapes, undefined, { vcpus: 2, memory_mb: 7680 }).name).toBe('oc3');
    expect(shapeFor(shapes, undefined, { vcpus: 1, memory_mb: 8000 }).name).toBe('oc1m');
    expect(shapeFor(shapes, undefined, {}).name).toBe('oc3');
    expect(() => shapeFor(shapes, undefined, { vcpus: 16 })).toThrow('16 vCPUs');
  });

  test('is the one that is named, large enough or not', () => {
    expect(shapeFor(shapes, 'oc3', { vcpus: 16 }).name).toBe('oc3');
    expect(() => shapeFor(shapes, 'oc9', {})).toThrow('available: oc1m, oc3, oc4');
  });
});

test("a pool is that of the disk, else of its back end, else of the mapping, else of the environment, else the platform's", () => {
  const [latency, ssd] = ['/oracle/public/storage/latency', '/oracle/public/storage/ssd/gpl'];
  const environment = readEnvironment({
    default_volume_pool: latency,
    storage_mappings: {
      backend_mappings: [{ source: 'fast', destination: ssd }],
      disk_mappings: [{ disk_id: 'd', destination: '/oracle/public/storage/default' }],
    },
  });
  expect([disk('d', 'fast'), disk('b', 'fast'), disk('a')].map((each) => poolOf(each, environment))).toEqual([
    '/oracle/public/storage/default',
    ssd,
    latency,
  ]);
  expect(poolOf(disk('a'), readEnvironment({}))).toBe('/oracle/public/storage/default');
  expect(() => poolOf(disk('a'), readEnvironment({ default_volume_pool: 'tape' }))).toThrow('storage pool');
});

test('the first disk boots where none is said to', () => {
  expect(bootDiskOf({ disks: [disk('a'), { ...disk('b'), bootable: true }] })?.id).toBe('b');
  expect(bootDiskOf({ disks: [disk('a'), disk('b')] })?.id).toBe('a');
});

test("the Linux image serves every worker, and guests are prepared for the platform's disks", () => {
  expect(
    workerWish(readEnvironment({ migr_image_map: { linux: 'l', windows: 'w' }, migr_shape_name: 'oc3' }), 'disk-copy'),
  ).toMatchObject({ image: { name: 'l' }, shape: { name: 'oc3' } });
  expect(
    workerWish(readEnvironment({ migr_image_map: { linux: 'l', windows: 'w' } }), 'osmorphing-windows'),
  ).toMatchObject({ image: { parameter: 'migr_image_map.windows', name: 'w' } });
  expect(runPolicy({ dataTransferMechanism: 'SSH' }, {})).toMatchObject({
    mechanism: 'SSH',
    volumesAreZeroed: true,
    diskBuses: ['xen'],
    hasWindowsWorkerImage: false,
  });
});

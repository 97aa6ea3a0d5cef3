import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from './environment.ts';
import { fits, smallestFitting } from './machine-type.ts';
import { performanceClassOf } from './volume-rules.ts';
import { bootVolumeSize } from './worker-plan.ts';

describe('the performance class of a disk', () => {
  const disk = { id: 'd1', size_bytes: 1, storage_backend: 'ds1' };
  const all = {
    storage_mappings: {
      disk_mappings: [{ disk_id: 'd1', destination: 'of-disk' }],
      backend_mappings: [{ source: 'ds1', destination: 'of-backend' }],
      default: 'of-mapping',
    },
    default_volume_performance_class: 'of-configuration',
  };
  it.each([
    ['its own mapping', all, 'of-disk'],
    ["its backend's", { ...all, storage_mappings: { ...all.storage_mappings, disk_mappings: [] } }, 'of-backend'],
    ["the mapping's default", { ...all, storage_mappings: { default: 'of-mapping' } }, 'of-mapping'],
    ['the configured default', { ...all, storage_mappings: {} }, 'of-configuration'],
    ["the platform's own, which is none", {}, undefined],
    ['none for an empty text', { default_volume_performance_class: '' }, undefined],
  ])('is %s', (_what, environment, expected) => {
    expect(performanceClassOf(disk, readEnvironment(environment))).toBe(expected);
  });
});

describe('the smallest machine type', () => {
  const type = (name: string, vcpus: number, gib: number, description = '') => ({
    name,
    vcpus,
    ram: gib * 1024,
    description,
  });
  const types = [
    type('g1.4', 4, 16),
    type('g1.2', 2, 8),
    type('c1.4', 4, 8),
    type('n2.8', 2, 8, 'GPU'),
    type('a1.2', 2, 4, 'ARM'),
    { ...type('g2r.2', 2, 4), extraSpecs: { cpu: 'ampere-altra' } },
  ];
  it.each([
    [{ vcpus: 2, memory_mb: 4096 }, 'g1.2'],
    [{ vcpus: 3, memory_mb: 4096 }, 'c1.4'],
    [{ vcpus: 4, memory_mb: 9000 }, 'g1.4'],
    [{}, 'g1.2'],
    [{ vcpus: 64, memory_mb: 1 }, undefined],
  ])('for %j is %s', (vm, expected) => {
    expect(smallestFitting(types, vm)?.name).toBe(expected);
  });

  it('always fits, and no fitting one is smaller', () => {
    const some = fc.array(
      fc.record({
        name: fc.constantFrom('g1.1', 'c1.2', 'm1.3'),
        vcpus: fc.integer({ min: 1, max: 8 }),
        ram: fc.integer({ min: 1, max: 8 }),
      }),
    );
    fc.assert(
      fc.property(some, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 }), (list, vcpus, memory_mb) => {
        const chosen = smallestFitting(list, { vcpus, memory_mb });
        const fitting = list.filter((each) => fits(each, { vcpus, memory_mb }));
        expect(chosen === undefined).toBe(fitting.length === 0);
        if (chosen !== undefined) expect(fitting.every((each) => each.ram >= chosen.ram)).toBe(true);
      }),
    );
  });
});

describe("the size of a worker's boot volume", () => {
  it.each([
    [20, 4, 50, 20],
    [undefined, 4, 50, 4],
    [undefined, 0, 50, 50],
  ])('asked %s, image %i, machine type %i: %i GB', (asked, minDiskSize, disk, expected) => {
    expect(bootVolumeSize(asked, { name: 'i', minDiskSize }, { name: 't', disk })).toBe(expected);
  });

  it('must not be less than the image needs, and must be known', () => {
    expect(() => bootVolumeSize(2, { name: 'i', minDiskSize: 4 }, { name: 't', disk: 0 })).toThrow(/image i needs 4/);
    expect(() => bootVolumeSize(undefined, { name: 'i' }, { name: 't' })).toThrow(
      expect.objectContaining({ code: 'cloud.parameter-missing' }),
    );
  });
});

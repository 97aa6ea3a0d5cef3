import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance, nearestSpelling } from './spelling.ts';

test.each([
  ['kitten', 'sitting', 3],
  ['disk_buss', 'disk_bus', 1],
  ['netwrok_map', 'network_map', 1],
  ['', 'abc', 3],
  ['abc', 'abc', 0],
])('%s and %s are %i edits apart', (from, to, distance) => {
  expect(editDistance(from, to, 10)).toBe(distance);
});

test('the distance is symmetric, zero only for the same word, and never more than the longer word', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
  fc.assert(
    fc.property(word, word, (from, to) => {
      const distance = editDistance(from, to, 20);
      expect(editDistance(to, from, 20)).toBe(distance);
      expect(distance === 0).toBe(from === to);
      expect(distance).toBeLessThanOrEqual(Math.max(from.length, to.length));
      for (const limit of [0, 1, 2]) expect(editDistance(from, to, limit)).toBe(Math.min(distance, limit + 1));
    }),
  );
});

const keys = [
  'network_map',
  'storage_mappings',
  'machine_type',
  'keypair_name',
  'disk_bus',
  'project',
  'migr_worker_volume_size',
];

test.each([
  ['disk_buss', 'disk_bus'],
  ['storage_mapping', 'storage_mappings'],
  ['DISK_BUS', 'disk_bus'],
  ['flavor_name', undefined],
  ['vm_size', undefined],
  ['migr_worker_volume_type', undefined],
  ['dis', undefined],
  ['x', undefined],
])('%s is taken for %s', (word, expected) => {
  expect(nearestSpelling(word, keys)).toBe(expected);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Vm } from '../model/vm.ts';
import { compareInventories } from './compare-inventories.ts';
import type { InventoryMachine } from './inventory.ts';

const vm = (id: string, change: Partial<Vm> = {}): InventoryMachine => ({
  power: 'running',
  vm: {
    id,
    name: `vm ${id}`,
    os_type: 'linux',
    disks: [{ id: 'd', size_bytes: 1024 ** 3 }],
    nics: [{ id: 'n', network: 'lan' }],
    ...change,
  },
});
const first = '2026-01-01T00:00:00.000Z';
const second = '2026-01-02T00:00:00.000Z';
const third = '2026-01-03T00:00:00.000Z';

test('a later import says what is new, changed, the same and gone', () => {
  const before = compareInventories([], [vm('a'), vm('b'), vm('c')], first);
  const now = compareInventories(
    before,
    [
      vm('a'),
      vm('b', {
        vcpus: 4,
        disks: [
          { id: 'd', size_bytes: 2 * 1024 ** 3 },
          { id: 'e', size_bytes: 512 * 1024 ** 2 },
        ],
        nics: [],
      }),
      vm('d'),
    ],
    second,
  );
  expect(now.map(({ vm: { id }, state }) => [id, state])).toEqual([
    ['a', 'same'],
    ['b', 'changed'],
    ['d', 'new'],
    ['c', 'gone'],
  ]);
  expect(now[1]!.changes).toEqual([
    'CPUs: not known → 4',
    'disk d: 1 GiB → 2 GiB',
    'disk e added: 512 MiB',
    'network interface n removed: lan',
  ]);
});

test('what is gone stays told since when, and what comes back is new', () => {
  const gone = compareInventories(compareInventories([], [vm('a')], first), [], second);
  expect(compareInventories(gone, [], third)).toEqual([{ ...vm('a'), state: 'gone', since: second }]);
  expect(compareInventories(gone, [vm('a')], third)).toEqual([{ ...vm('a'), state: 'new', since: third }]);
});

test('importing the same list again changes nothing but that nothing is new any more', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1 })), (ids) => {
      const machines = ids.map((id) => vm(id));
      const once = compareInventories([], machines, first);
      const twice = compareInventories(once, machines, second);
      expect(twice.map(({ state }) => state)).toEqual(ids.map(() => 'same'));
      expect(compareInventories(twice, machines, third)).toEqual(twice);
    }),
  );
});

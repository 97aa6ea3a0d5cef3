import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InventoryMachine } from './inventory.ts';
import { machineBytes } from './inventory.ts';
import { bytesWithin, suggestWaves } from './suggest-waves.ts';

const machine = (id: string, size: number, application?: string): InventoryMachine => ({
  vm: { id, name: id, os_type: 'linux', disks: [{ id: 'd', size_bytes: size }], nics: [] }, power: 'running', ...(application === undefined ? {} : { labels: { application } }),
});

test('an application stays together, the largest first; others fill what is left', () => {
  const machines = [machine('a1', 1, 'A'), machine('x', 1), machine('b1', 1, 'B'), machine('b2', 1, 'B'), machine('b3', 1, 'B'), machine('a2', 1, 'A'), machine('y', 1)];
  const waves = suggestWaves(machines, { by: 'application', mostMachines: 4, mostBytes: 100, name: 'Wave' });
  expect(waves.map(({ name, machines: list }) => [name, list.map(({ vm }) => vm.id)])).toEqual([['Wave 1', ['b1', 'b2', 'b3', 'x']], ['Wave 2', ['a1', 'a2', 'y']]]);
});

test('by size, the smallest come first, and one that is larger than any wave has its own', () => {
  const waves = suggestWaves([machine('big', 500), machine('m', 30), machine('s', 10), machine('t', 60)], { by: 'size', mostMachines: 10, mostBytes: 100, name: 'W' });
  expect(waves.map(({ machines: list }) => list.map(({ vm }) => vm.id))).toEqual([['s', 'm', 't'], ['big']]);
});

test('a window and a bandwidth limit what a wave holds, alone neither does', () => {
  expect([bytesWithin(8, 50e6), bytesWithin(8, undefined), bytesWithin(undefined, 50e6)]).toEqual([1.44e12, Infinity, Infinity]);
  const waves = suggestWaves([machine('a', 60), machine('b', 60), machine('c', 30)], { by: 'application', mostMachines: 10, mostBytes: bytesWithin(1, 100 / 3600), name: 'W' });
  expect(waves.map(({ machines: list }) => list.map(({ vm }) => vm.id))).toEqual([['a', 'c'], ['b']]);
});

test('every machine is in one wave, and no wave is over its limits unless one machine is', () => {
  const label = fc.option(fc.constantFrom('A', 'B', 'C', 'D'), { nil: undefined });
  fc.assert(fc.property(
    fc.array(fc.tuple(fc.nat(200), label), { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 400 }), fc.constantFrom('application', 'size'),
    (list, mostMachines, mostBytes, by) => {
      const machines = list.map(([size, application], index) => machine(`vm-${index}`, size, application));
      const waves = suggestWaves(machines, { by, mostMachines, mostBytes, name: 'W' });
      expect(waves.flatMap((wave) => wave.machines.map(({ vm }) => vm.id)).toSorted()).toEqual(machines.map(({ vm }) => vm.id).toSorted());
      for (const { machines: members } of waves) {
        expect(members.length).toBeLessThanOrEqual(mostMachines);
        const bytes = members.reduce((sum, one) => sum + machineBytes(one), 0);
        // What fits beside a machine that is too large on its own needs no room.
        if (members.every((one) => machineBytes(one) <= mostBytes)) expect(bytes).toBeLessThanOrEqual(mostBytes);
      }
    },
  ), { seed: 7 });
});

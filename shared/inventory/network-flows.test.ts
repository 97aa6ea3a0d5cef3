import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InventoryMachine } from './inventory.ts';
import { readFlows, setsByFlows } from './network-flows.ts';
import { suggestWaves } from './suggest-waves.ts';
import { loadOf } from './wave-load.ts';
import { rounds } from '../testing/rounds.ts';

const machine = (id: string, size = 1, address?: string): InventoryMachine => ({
  vm: {
    id,
    name: id,
    os_type: 'linux',
    disks: [{ id: 'd', size_bytes: size }],
    nics: [{ id: 'n', network: 'LAN', ...(address === undefined ? {} : { ip_addresses: [address] }) }],
  },
  power: 'running',
});
const names = (sets: readonly (readonly InventoryMachine[])[]): string[][] =>
  sets.map((set) => set.map(({ vm }) => vm.id));

test('a list of flows is read by what its headings say, with or without amounts', () => {
  expect(readFlows('Source IP,Destination IP,Port,Bytes\n10.0.0.1,10.0.0.2,5432,2000\n10.0.0.1,,80,1\n')).toEqual({
    flows: [{ from: '10.0.0.1', to: '10.0.0.2', weight: 2000 }],
    skipped: 1,
  });
  expect(readFlows('\uFEFFsrc;dst\r\nweb;db\r\n')).toEqual({
    flows: [{ from: 'web', to: 'db', weight: 1 }],
    skipped: 0,
  });
  expect(readFlows('a,b\n1,2\n')).toEqual({ flows: [], skipped: 1 });
});

test('machines that talk to each other come together, by name or address, those that talk most first', () => {
  const machines = [
    machine('web', 1, '10.0.0.1'),
    machine('app', 1, '10.0.0.2'),
    machine('db', 1, '10.0.0.3'),
    machine('mail'),
    machine('files'),
  ];
  const flows = [
    { from: '10.0.0.1', to: 'APP', weight: 10 },
    { from: 'app', to: '10.0.0.3', weight: 500 },
    { from: 'mail', to: 'files', weight: 1 },
    { from: 'web', to: '8.8.8.8', weight: 9999 },
  ];
  expect(
    names(setsByFlows(machines, flows, { most: { machines: 10, bytes: 100 }, load: (one) => loadOf(one) })),
  ).toEqual([
    ['web', 'app', 'db'],
    ['mail', 'files'],
  ]);
  // Two of three fit into a wave: the two that talk most.
  expect(
    names(setsByFlows(machines, flows, { most: { machines: 2, bytes: 100 }, load: (one) => loadOf(one) })),
  ).toEqual([['app', 'db'], ['mail', 'files'], ['web']]);
});

test('waves by flows hold every machine once and keep to their limits, whoever talks to whom', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(50), { minLength: 1, maxLength: 30 }),
      fc.array(fc.tuple(fc.nat(40), fc.nat(40), fc.integer({ min: 1, max: 100 })), { maxLength: 80 }),
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 1, max: 200 }),
      (sizes, links, mostMachines, mostBytes) => {
        const machines = sizes.map((size, index) => machine(`vm-${index}`, size));
        const flows = links.map(([from, to, weight]) => ({ from: `vm-${from}`, to: `vm-${to}`, weight }));
        const waves = suggestWaves(machines, {
          by: 'flows',
          flows,
          most: { machines: mostMachines, bytes: mostBytes },
          name: 'W',
        });
        expect(waves.flatMap((wave) => wave.machines.map(({ vm }) => vm.id)).toSorted()).toEqual(
          machines.map(({ vm }) => vm.id).toSorted(),
        );
        for (const { machines: members } of waves) {
          expect(members.length).toBeLessThanOrEqual(mostMachines);
          if (members.length > 1)
            expect(members.reduce((sum, { vm }) => sum + vm.disks[0]!.size_bytes, 0)).toBeLessThanOrEqual(mostBytes);
        }
      },
    ),
    { numRuns: rounds(100) },
  );
});

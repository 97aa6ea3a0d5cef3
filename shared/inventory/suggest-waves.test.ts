import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InventoryMachine } from './inventory.ts';
import { machineBytes } from './inventory.ts';
import { bytesInWindow, changePerSecond, parseChangeRate } from './change-rate.ts';
import { mostByQuotas, shortQuotas } from './destination-quotas.ts';
import { bytesWithin, suggestWaves } from './suggest-waves.ts';
import { loadOf, strictest, sumOfLoads } from './wave-load.ts';

const machine = (id: string, size: number, application?: string): InventoryMachine => ({
  vm: { id, name: id, os_type: 'linux', disks: [{ id: 'd', size_bytes: size }], nics: [] },
  power: 'running',
  ...(application === undefined ? {} : { labels: { application } }),
});

test('an application stays together, the largest first; others fill what is left', () => {
  const machines = [
    machine('a1', 1, 'A'),
    machine('x', 1),
    machine('b1', 1, 'B'),
    machine('b2', 1, 'B'),
    machine('b3', 1, 'B'),
    machine('a2', 1, 'A'),
    machine('y', 1),
  ];
  const waves = suggestWaves(machines, { by: 'application', most: { machines: 4, bytes: 100 }, name: 'Wave' });
  expect(waves.map(({ name, machines: list }) => [name, list.map(({ vm }) => vm.id)])).toEqual([
    ['Wave 1', ['b1', 'b2', 'b3', 'x']],
    ['Wave 2', ['a1', 'a2', 'y']],
  ]);
});

test('by size, the smallest come first, and one that is larger than any wave has its own', () => {
  const waves = suggestWaves([machine('big', 500), machine('m', 30), machine('s', 10), machine('t', 60)], {
    by: 'size',
    most: { machines: 10, bytes: 100 },
    name: 'W',
  });
  expect(waves.map(({ machines: list }) => list.map(({ vm }) => vm.id))).toEqual([['s', 'm', 't'], ['big']]);
});

test('a window and a bandwidth limit what a wave holds, alone neither does', () => {
  expect([bytesWithin(8, 50e6), bytesWithin(8, undefined), bytesWithin(undefined, 50e6)]).toEqual([
    1.44e12,
    Infinity,
    Infinity,
  ]);
  const waves = suggestWaves([machine('a', 60), machine('b', 60), machine('c', 30)], {
    by: 'application',
    most: { machines: 10, bytes: bytesWithin(1, 100 / 3600) },
    name: 'W',
  });
  expect(waves.map(({ machines: list }) => list.map(({ vm }) => vm.id))).toEqual([['a', 'c'], ['b']]);
});

test('every machine is in one wave, and no wave is over its limits unless one machine is', () => {
  const label = fc.option(fc.constantFrom('A', 'B', 'C', 'D'), { nil: undefined });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(200), label), { maxLength: 60 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 400 }),
      fc.constantFrom('application', 'size'),
      (list, mostMachines, mostBytes, by) => {
        const machines = list.map(([size, application], index) => machine(`vm-${index}`, size, application));
        const waves = suggestWaves(machines, { by, most: { machines: mostMachines, bytes: mostBytes }, name: 'W' });
        expect(waves.flatMap((wave) => wave.machines.map(({ vm }) => vm.id)).toSorted()).toEqual(
          machines.map(({ vm }) => vm.id).toSorted(),
        );
        for (const { machines: members } of waves) {
          expect(members.length).toBeLessThanOrEqual(mostMachines);
          const bytes = members.reduce((sum, one) => sum + machineBytes(one), 0);
          // What fits beside a machine that is too large on its own needs no room.
          if (members.every((one) => machineBytes(one) <= mostBytes)) expect(bytes).toBeLessThanOrEqual(mostBytes);
        }
      },
    ),
    { seed: 7 },
  );
});

const sized = (id: string, vcpus: number, memory = 1024): InventoryMachine => ({
  ...machine(id, 1),
  vm: { ...machine(id, 1).vm, vcpus, memory_mb: memory },
});
const idsOf = (waves: ReturnType<typeof suggestWaves>) =>
  waves.map(({ machines: list }) => list.map(({ vm }) => vm.id));

test('vCPUs, memory and volumes limit a wave as well, also where machines are kept together by flows', () => {
  const machines = [sized('a', 4), sized('b', 4), sized('c', 2, 8192), sized('d', 16)];
  const limits = { by: 'application', name: 'W' } as const;
  expect(idsOf(suggestWaves(machines, { ...limits, most: { vcpus: 8 } }))).toEqual([['a', 'b'], ['c'], ['d']]);
  expect(idsOf(suggestWaves(machines, { ...limits, most: { memoryMb: 8192 } }))).toEqual([['a', 'b', 'd'], ['c']]);
  expect(idsOf(suggestWaves(machines, { ...limits, most: { volumes: 3 } }))).toEqual([['a', 'b', 'c'], ['d']]);
  const flows = [
    { from: 'a', to: 'b', weight: 3 },
    { from: 'b', to: 'c', weight: 2 },
  ];
  expect(idsOf(suggestWaves(machines, { by: 'flows', flows, most: { vcpus: 8 }, name: 'W' }))).toEqual([
    ['a', 'b'],
    ['c'],
    ['d'],
  ]);
});

test('what changes until the last pass is counted for the window, as measured, else as assumed', () => {
  const day = 86_400;
  const machines = [machine('a', 100), machine('b', 100), machine('c', 100)];
  const change = changePerSecond([{ vm: 'elsewhere', name: 'a', bytesPerSecond: 50 / day }], { sharePerDay: 0.1 });
  expect(machines.map((one) => (change(one) ?? 0) * day)).toEqual(
    [50, 10, 10].map((bytes) => expect.closeTo(bytes, 6) as number),
  );
  const by = (copies: 'all' | 'last-pass', known: typeof change) =>
    idsOf(
      suggestWaves(machines, {
        by: 'application',
        most: { windowBytes: 210 },
        name: 'W',
        windowBytes: (one) => bytesInWindow(one, { copies, hours: 24, change: known }),
      }),
    );
  // Nothing is known to change: two first copies fit, and with what changes meanwhile, one.
  expect(by('all', changePerSecond([], undefined))).toEqual([['a', 'b'], ['c']]);
  expect(by('all', change)).toEqual([['a'], ['b'], ['c']]);
  expect(by('last-pass', change)).toEqual([['a', 'b', 'c']]);
  // A last pass could have everything where nobody knows what changes.
  expect(by('last-pass', changePerSecond([], undefined))).toEqual([['a', 'b'], ['c']]);
});

test.each([
  ['5%', { sharePerDay: 0.05 }],
  ['10', { bytesPerDay: 10 * 1024 ** 3 }],
  ['500 MB', { bytesPerDay: 500 * 1024 ** 2 }],
  [' ', undefined],
  ['much', 'invalid'],
  ['120 %', 'invalid'],
])('changes of "%s" a day are read', (written, rate) => {
  expect(parseChangeRate(written)).toEqual(rate);
});

test('what quotas leave free limits a wave; where nothing is free, it is said of all waves together', () => {
  const quotas = [
    { kind: 'servers', limit: 10, usage: 8 },
    { kind: 'vcpus', limit: 8, usage: 8 },
    { kind: 'volumes', limit: -1, usage: 5 },
    { kind: 'volume_gb', limit: 100, usage: 60 },
  ] as const;
  expect(mostByQuotas(quotas)).toEqual({ machines: 2, bytes: 40 * 1024 ** 3 });
  expect(strictest({ machines: 100, vcpus: 4 }, mostByQuotas(quotas))).toEqual({
    machines: 2,
    bytes: 40 * 1024 ** 3,
    vcpus: 4,
  });
  const machines = [sized('a', 4), sized('b', 4), sized('c', 4)];
  expect(idsOf(suggestWaves(machines, { by: 'application', most: mostByQuotas(quotas), name: 'W' }))).toEqual([
    ['a', 'b'],
    ['c'],
  ]);
  expect(shortQuotas(sumOfLoads(machines.map((one) => loadOf(one))), quotas)).toEqual([
    { kind: 'servers', needed: 3, free: 2 },
    { kind: 'vcpus', needed: 12, free: 0 },
  ]);
});

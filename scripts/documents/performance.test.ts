import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sections } from './performance.ts';
import { measurementNames } from '../../e2e/bench/measurements.ts';
import {
  atLeast,
  atMost,
  isMet,
  measurementSchema,
  mergePerformance,
  rowOf,
  wayOf,
  type Measurement,
} from '../../e2e/bench/results.ts';

const rate = rowOf({
  group: 'HTTPS, 200 Mbit/s, 40 ms',
  what: 'rate',
  unit: 'MiB/s',
  peer: 'nbdcopy > nbdkit',
  goal: atLeast(2),
  ways: [
    wayOf('causeway', [50, 46, 44]),
    { name: 'qemu-img > nbdkit', value: 9.12345 },
    { name: 'nbdcopy > nbdkit', value: 21 },
  ],
});
const measurement = (rows: Measurement['rows']): Measurement => ({
  date: '2026-01-02T03:04:05.000Z',
  seconds: 12,
  commit: 'abc',
  machine: { processor: 'P', cores: 2, memoryGib: 8, kernel: 'Linux 6' },
  loadBefore: 0.1,
  versions: { Node: '24', nbdcopy: '1.14' },
  rows,
});

test('each measurement is a file of e2e/bench', () => {
  expect(
    measurementNames.filter((name) => !existsSync(join(import.meta.dirname, '..', '..', 'e2e', 'bench', `${name}.ts`))),
  ).toEqual([]);
});

test('a row has the median of its turns, the ratio to the peer that it names, and no ratio without one', () => {
  expect(rate).toMatchObject({
    ratio: 2.19,
    ways: [{ value: 46, runs: [50, 46, 44] }, { value: 9.12 }, { value: 21 }],
  });
  expect(
    rowOf({ group: '', what: '', unit: '', peer: 'not installed', ways: [{ name: 'causeway', value: 1 }] }),
  ).not.toHaveProperty('peer');
});

test('a goal is held against the ratio or the value, and is not met by what was not measured', () => {
  expect(isMet(rate)).toBe(true);
  expect(isMet({ ...rate, goal: atLeast(2.2) })).toBe(false);
  expect(isMet({ ...rate, goal: atMost(45, 'value') })).toBe(false);
  expect(isMet({ ...rate, goal: atMost(46, 'value') })).toBe(true);
  expect(
    isMet(rowOf({ group: '', what: '', unit: '', goal: atLeast(1), ways: [{ name: 'causeway', value: 1 }] })),
  ).toBeUndefined();
});

test('a measurement takes the place of its former one and leaves the others; those that no longer exist are dropped', () => {
  const [old, new_] = [measurement([]), measurement([rate])];
  expect(mergePerformance({ a: old, b: old, gone: old }, { a: new_ }, ['a', 'b', 'c'])).toEqual({ a: new_, b: old });
});

test('the page has a section for each measurement: values, peer first, ratio, and a missed goal', () => {
  const page = sections({
    transfer: measurementSchema.parse(measurement([rate, { ...rate, what: 'CPU', goal: atMost(2) }])),
  });
  expect(page.split('\n## ')).toHaveLength(measurementNames.length);
  expect(page).toContain('Not measured yet.');
  expect(page).toContain(
    '`npm run bench -- transfer`, 2026-01-02, commit abc, took 12 s. P, 2 cores, 8 GiB, Linux 6; load before: 0.1.',
  );
  expect(page).toContain(
    '| HTTPS, 200 Mbit/s, 40 ms | rate, MiB/s | 46 | nbdcopy > nbdkit: 21<br>qemu-img > nbdkit: 9.12 | 2.19 × | at least 2 ×: met |',
  );
  expect(page).toContain('| at most 2 ×: **missed** |');
  expect(page).not.toContain('\n- ');
  expect(
    sections({ transfer: measurementSchema.parse({ ...measurement([rate]), notes: ['It was quick.'] }) }),
  ).toContain(': met |\n\n- It was quick.\n');
});

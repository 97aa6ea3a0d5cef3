import { expect, test } from 'vitest';
import { importMachines } from '../../../shared/inventory/import-machines.ts';
import { readTables } from '../../../shared/inventory/read-tables.ts';
import { guessPlans } from '../../../shared/inventory/table-plan.ts';
import { importInSlices } from './import-in-slices.ts';

const count = 5_000;
const csv = [
  'Name,OS,CPUs,Memory,Disk,Network',
  ...Array.from(
    { length: count },
    (_, index) => `vm-${index},Ubuntu Linux (64-bit),4,8192,${index === 7 ? 'odd' : '100 GiB'},net`,
  ),
].join('\n');
const plans = async () => guessPlans(await readTables('list.csv', new TextEncoder().encode(csv)));
const choices = { withTemplates: false };

test('a long list is imported with a break after each slice, and gives what it gives in one go', async () => {
  const tables = await plans();
  // A look at the clock takes a millisecond: so many steps are between two breaks.
  let clock = 0;
  let stepsSince = 0;
  let longest = 0;
  const parts: number[] = [];
  const result = await importInSlices(tables, choices, {
    signal: new AbortController().signal,
    sliceMs: 25,
    onProgress: (part) => parts.push(part),
    now: () => {
      longest = Math.max(longest, (stepsSince += 1));
      return (clock += 1);
    },
    pause: async () => void (stepsSince = 0),
  });
  expect(result).toEqual(importMachines(tables, choices));
  expect(result.problems.length).toBeGreaterThan(0);
  expect(longest).toBeLessThan(30);
  expect(parts.length).toBeGreaterThan(count / 30);
  expect(parts).toEqual(parts.toSorted((one, other) => one - other));
  expect(parts.at(-1)).toBe(1);
});

test('an import that is called off stops at the next break', async () => {
  const stop = new AbortController();
  let clock = 0;
  let breaks = 0;
  await expect(
    importInSlices(await plans(), choices, {
      signal: stop.signal,
      onProgress: () => stop.abort(),
      now: () => (clock += 10),
      pause: async () => void (breaks += 1),
    }),
  ).rejects.toThrow();
  expect(breaks).toBe(1);
});

test('a CSV file is read with breaks, and gives what it gives in one go', async () => {
  const quoted = `${csv}\n"vm, ""quoted""\nin two lines",Windows,2,4096,"50 GiB",net\n,,,\n`;
  const bytes = new TextEncoder().encode(quoted);
  let handled = 0;
  let since = 0;
  let longest = 0;
  const breaks = {
    isDue: () => {
      longest = Math.max(longest, (since += 1));
      return since >= 100;
    },
    take: async () => {
      await new Promise((resolve) => setTimeout(resolve));
      since = 0;
    },
  };
  // Something else that happens meanwhile.
  const timer = setInterval(() => (handled += 1));
  const tables = await readTables('list.csv', bytes, undefined, breaks);
  clearInterval(timer);
  expect(tables).toEqual(await readTables('list.csv', bytes));
  expect(tables[0]?.rows.at(-1)?.cells[0]).toBe('vm, "quoted"\nin two lines');
  expect(longest).toBe(100);
  expect(handled).toBeGreaterThan(10);
});

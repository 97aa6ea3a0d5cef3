import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { engineFlags } from './engine-flags.ts';

/** MiB of the young generation after much was allocated and kept for a while. */
const youngMib = (flags: readonly string[]): number =>
  Number(
    execFileSync(
      process.execPath,
      [
        ...flags,
        '-e',
        `
  const kept = [];
  let most = 0;
  for (let index = 0; index < 8e6; index += 1) {
    kept[index % 200000] = { index, list: [index] };
    if (index % 500000 === 0) most = Math.max(most, require('node:v8').getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 2 ** 20);
  }
  console.log(most);
`,
      ],
      { encoding: 'utf8' },
    ),
  );

test('the young generation of an engine stays small, which it would not by itself', () => {
  expect(youngMib(engineFlags)).toBeLessThanOrEqual(48);
  expect(youngMib([])).toBeGreaterThan(48);
});

test('the launcher, which reads no TypeScript, has the same flags', () => {
  const launcher = readFileSync(join(import.meta.dirname, '..', '..', '..', 'scripts', 'tasks.js'), 'utf8');
  for (const flag of engineFlags) expect(launcher).toContain(`flags: ['${flag}']`);
});

import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Runs the measurements in `e2e/bench`, one after the other (never two at once: they would measure each other), or
 * those whose names are given. Each prints its own table of ratios against a named peer of the same run.
 */
const root = join(import.meta.dirname, '..');
const wanted = process.argv.slice(2);
const all = globSync('e2e/bench/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts')).sort();
const chosen = wanted.length === 0 ? all : all.filter((file) => wanted.includes(basename(file, '.ts')));
if (chosen.length === 0) {
  console.error(`No such measurement. There are: ${all.map((file) => basename(file, '.ts')).join(', ')}`);
  process.exit(2);
}
let failed = 0;
for (const file of chosen) {
  console.log(`\n── ${basename(file, '.ts')} ${'─'.repeat(50)}`);
  const { status } = spawnSync(process.execPath, [join(root, file)], { cwd: root, stdio: 'inherit' });
  if (status !== 0) failed++;
}
process.exitCode = failed === 0 ? 0 : 1;

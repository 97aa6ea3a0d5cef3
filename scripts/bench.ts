import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { measurementNames, measurements, type MeasurementName } from '../e2e/bench/measurements.ts';
import { measurementSchema, mergePerformance, readPerformance, type Measurement } from '../e2e/bench/results.ts';

/**
 * Runs the measurements in `e2e/bench`, one after the other (never two at once: they would measure each other), or those that are named.
 * Each prints its own table of ratios against a named peer of the same run.
 *
 *   npm run bench [-- [all|NAME…] [--json] [--record] [options of the one that is named]]
 *
 * `--json`: writes all results with machine, load and versions to out/bench/results.json, and to standard output.
 * `--record`: also takes them into docs/results/performance.json, where a measurement takes the place of its former one; `npm run docs` makes the page of it.
 */
const root = join(import.meta.dirname, '..');
const given = process.argv.slice(2);
const isRecorded = given.includes('--record');
const isJson = isRecorded || given.includes('--json');
const rest = given.filter((argument) => argument !== '--json' && argument !== '--record');
const firstOption = rest.findIndex((argument) => argument.startsWith('-') || /^\d/.test(argument));
const named = firstOption === -1 ? rest : rest.slice(0, firstOption);
const options = firstOption === -1 ? [] : rest.slice(firstOption);
const unknown = named.filter((name) => name !== 'all' && !isMeasurement(name));
const wanted = named.length === 0 || named.includes('all') ? measurementNames : named.filter(isMeasurement);
if (unknown.length > 0 || (options.length > 0 && wanted.length !== 1)) {
  const known = measurementNames.map((name) => `  ${name.padEnd(19)}${measurements[name].about}`).join('\n');
  console.error(
    unknown.length > 0
      ? `No such measurement: ${unknown.join(', ')}. There are:\n${known}`
      : `Options go to one measurement: npm run bench -- NAME ${options.join(' ')}`,
  );
  process.exit(2);
}

let failed = 0;
const results: Partial<Record<MeasurementName, Measurement>> = {};
for (const name of wanted) {
  (isJson ? console.error : console.log)(`\n── ${name} ${'─'.repeat(50)}`);
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'e2e', 'bench', `${name}.ts`), ...options, ...(isJson ? ['--json'] : [])],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      stdio: ['inherit', isJson ? 'pipe' : 'inherit', 'inherit'],
    },
  );
  const result = status === 0 && isJson ? measurementSchema.safeParse(JSON.parse(stdout)) : undefined;
  if (result?.success === true) results[name] = result.data;
  else if (result !== undefined)
    console.error(`${name} wrote no result of the common shape (e2e/bench/results.ts): ${result.error.message}`);
  if (status !== 0 || result?.success === false) failed++;
}
if (isJson) {
  write(join(root, 'out', 'bench', 'results.json'), results);
  if (isRecorded && Object.keys(results).length > 0) {
    const file = join(root, 'docs', 'results', 'performance.json');
    write(file, mergePerformance(readPerformance(file), results, measurementNames));
    console.error('Recorded in docs/results/performance.json: npm run docs writes the page.');
  }
  process.stdout.write(`${JSON.stringify(results, undefined, 2)}\n`);
}
process.exitCode = failed === 0 ? 0 : 1;

function isMeasurement(name: string): name is MeasurementName {
  return Object.hasOwn(measurements, name);
}

function write(file: string, content: object): void {
  mkdirSync(dirname(file), { recursive: true });
  // Lists of numbers on one line: points of plots, and turns.
  writeFileSync(
    file,
    `${JSON.stringify(content, undefined, 2).replaceAll(/\[[-\d.,\s]+\]/g, (list) => list.replaceAll(/\s+/g, ' '))}\n`,
  );
}

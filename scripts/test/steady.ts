import { globSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { lackingFor } from './needs.ts';
import { runPart } from './part.ts';

/**
 * The specs of the page again and again, as they are and with the page's processor slowed down by Chromium: a spec that
 * depends on the machine's speed, in either direction, fails in some of the runs.
 *
 * Usage: npm run test:steady -- [--times 20] [workbench-lists …]
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { times: { type: 'string', default: '20' } },
});
const times = Number(values.times);
if (!Number.isInteger(times) || times < 1) fail(`--times must be a whole number from 1, not "${values.times}"`);

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'out', 'reports', 'steady');
const atOnce = 2;
const ways = { unthrottled: '1', throttled: '6' } as const;
type Way = keyof typeof ways;

const specs = globSync('e2e/specs/workbench-*.spec.ts', { cwd: root })
  .toSorted()
  .filter((spec) => positionals.length === 0 || positionals.some((name) => spec.includes(name)));
if (specs.length === 0) fail(`No spec of the page is called ${positionals.join(' or ')}`);

/** Two at once must not be the same spec each time: every round has each spec once in each way. */
const runs = Array.from({ length: times }, (_, round) =>
  (['unthrottled', 'throttled'] as const).flatMap((way) => specs.map((spec) => ({ spec, way, round: round + 1 }))),
).flat();
const results = new Map<string, { passed: number; failed: number }>();
let passed = 0;
let failed = 0;

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
mkdirSync(folder, { recursive: true });
// A part's variables do not replace those of whoever starts it.
delete process.env['CAUSEWAY_THROTTLE'];

const skipped = new Map(
  specs.map((spec) => [spec, lackingFor(spec)] as const).filter(([, lacking]) => lacking.length > 0),
);
for (const [spec, lacking] of skipped) console.log(`Skipped: ${nameOf(spec)} needs ${lacking.join(', ')}`);
const waiting = runs.filter(({ spec }) => !skipped.has(spec));
await Promise.all(Array.from({ length: atOnce }, work));

const width = Math.max(...specs.map((spec) => nameOf(spec).length));
console.log(
  `\n${'Spec'.padEnd(width)}  ${Object.keys(ways)
    .map((way) => way.padEnd(24))
    .join('  ')}`,
);
for (const spec of specs.filter((each) => !skipped.has(each))) {
  const cells = (Object.keys(ways) as Way[]).map((way) => {
    const { passed: good, failed: bad } = resultOf(spec, way);
    return `${good} passed, ${bad} failed of ${good + bad}`.padEnd(24);
  });
  console.log(`${nameOf(spec).padEnd(width)}  ${cells.join('  ')}`);
}
if (stop.signal.aborted)
  console.log(`\nInterrupted; ${runs.length - skipped.size * times * 2 - passed - failed} runs are missing`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(stop.signal.aborted ? 130 : failed === 0 ? 0 : 1);

async function work(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined && !stop.signal.aborted; next = waiting.shift()) {
    const { spec, way, round } = next;
    const name = `${nameOf(spec)}-${way}-${round}`;
    const log = join(folder, `${name}.log`);
    const { status, complaint, wallSeconds } = await runPart(
      {
        name,
        args: [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'specs', spec, '--reporter=verbose'],
        cwd: root,
        env: { CAUSEWAY_THROTTLE: ways[way] },
        log,
        silenceSeconds: 900,
      },
      stop.signal,
    );
    if (stop.signal.aborted) return;
    const isGood = status === 0 && complaint === undefined;
    resultOf(spec, way)[isGood ? 'passed' : 'failed'] += 1;
    if (isGood) passed += 1;
    else failed += 1;
    console.log(
      `${isGood ? 'passed' : 'FAILED'}  ${name} (${wallSeconds} s)${isGood ? '' : `: ${complaint ?? `see ${log}`}`}`,
    );
    if (isGood) rmSync(log);
  }
}

function resultOf(spec: string, way: Way): { passed: number; failed: number } {
  const key = `${spec} ${way}`;
  const result = results.get(key) ?? { passed: 0, failed: 0 };
  results.set(key, result);
  return result;
}

function nameOf(spec: string): string {
  return basename(spec, '.spec.ts');
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

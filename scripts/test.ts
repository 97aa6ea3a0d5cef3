import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { electronRuntime } from './electron-runtime.ts';
import { jobsOf, specPlaces, vitestJob, type Job } from './test/jobs.ts';
import { bundleLabEngine } from './test/lab-engine.ts';
import { leftOut, notSeenLines } from './test/needs.ts';
import { outcomesOf, type Outcome } from './test/outcome.ts';
import { runPart } from './test/part.ts';
import { runAll } from './test/schedule.ts';
import { secondAttempts, withSecondAttempt } from './test/second-attempt.ts';
import { recordResults } from './test/spec-results.ts';
import { outcomeLine, printSummary } from './test/summary.ts';
import { resources, testFilesOf, type Tier } from './test/tiers.ts';
import { keepTimes, readTimes, type Taken } from './test/times.ts';

/**
 * All checks of a tier (see `test/tiers.ts`; `--full` for the full one): lint, types and unit tests one after the other, beside them the
 * specs, three more at once than there are processors, because many of them wait most of their time, and one more after the unit tests. What
 * fails does not stop the rest, so that one run tells everything. A part that hangs is ended; the run itself always ends.
 * `out/test-summary.txt` keeps the last line; `out/reports` the output of each part; `.cache/usual-times.json`, or `full-times.json`, the times.
 */
const root = join(import.meta.dirname, '..');
const tier: Tier = process.argv.includes('--full') ? 'full' : 'usual';
/** Names, or parts of them: only these are run. */
const wanted = process.argv.slice(2).filter((argument) => argument !== '--full');
const reports = join(root, 'out', 'reports');
rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });
const startedAt = Date.now();
const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => interrupt.abort());
/** Reports of second attempts that passed; they replace what the first ones tell. */
const secondReports: string[] = [];
console.log(`Tests of the ${tier} tier. Output of each part: out/reports.`);

/** Files that this machine lacks something for: of this tier, and of both where some are named. */
const leftHere = leftOut([...testFilesOf(tier, root), ...(wanted.length > 0 ? testFilesOf('full', root) : [])], wanted);
const lacks = (path: string): boolean => leftHere.has(path);
const chosen = jobsOf({ root, reports, tier, wanted, times: readTimes(root, tier), lacks });
if (chosen.length === 0 && leftHere.size === 0) {
  console.error(`Nothing is called ${wanted.join(' or ')}. Parts: lint, types, unit, and the names of spec files.`);
  process.exit(2);
}
const labEngine = chosen.some(({ group }) => group === 'specs')
  ? await bundleLabEngine(root).catch((error: unknown) => {
      console.log(`The lab's engine could not be bundled, so that specs start it from its sources: ${String(error)}`);
      return {};
    })
  : {};
const places = { check: 1, spec: (isOver: (lane: string) => boolean) => specPlaces + (isOver('check') ? 1 : 0) };
const outcomes = await againAlone((await runAll(chosen, places, runJob, resources)).flat());
if (wanted.length === 0 && tier === 'usual' && electronIsHere())
  outcomes.push(
    ...(await runJob(
      vitestJob({ root, reports, tier }, { name: 'electron', project: 'electron', more: [], lane: 'spec' }),
    )),
  );
if (interrupt.signal.aborted) {
  console.log('Interrupted; everything that was started is ended.');
  process.exit(130);
}
keepTimes(root, tier, Object.fromEntries(outcomes.map(timeTaken)));
// The desktop app's results would be taken for those of the browser.
recordResults(root, tier, [
  ...chosen.flatMap(({ group, report }) => (group === 'specs' && report !== undefined ? [report] : [])),
  ...secondReports,
]);
const { line, failed } = printSummary(outcomes, {
  tier,
  isRoot: process.geteuid?.() === 0,
  startedAt,
  notSeen: notSeenLines([...leftHere.keys()]),
});
writeFileSync(join(root, 'out', 'test-summary.txt'), `${line}\n`);
console.log(line);
process.exit(failed === 0 ? 0 : 1);

/** What failed, once more with nothing beside it: a failure that does not come again is reported as such, and not as one. */
async function againAlone(first: readonly Outcome[]): Promise<Outcome[]> {
  const results = new Map(first.map((outcome) => [outcome.name, outcome]));
  for (const { name, files } of secondAttempts(first)) {
    const before = results.get(name);
    const job = chosen.find((candidate) => candidate.name === name || candidate.paths?.includes(name));
    if (job === undefined || before === undefined || interrupt.signal.aborted) continue;
    console.log(`\nOnce more, alone: ${name}${files.length > 0 ? ` (${files.join(', ')})` : ''}`);
    const isFile = job.paths?.includes(name) ?? false;
    const more = isFile ? [name] : [...(job.paths ?? []), ...files];
    const again = {
      name: `${basename(name, '.spec.ts')}-again`,
      project: job.project ?? 'specs',
      more,
      lane: job.lane,
    };
    const [only] = await runJob(vitestJob({ root, reports, tier }, again));
    const both = only === undefined ? before : withSecondAttempt(before, only);
    // What no file accounts for was counted with none: the tests of a bundle's files are counted already.
    results.set(name, isFile || job.group === 'unit' ? both : { ...both, passed: 0 });
    if (only?.failed === 0 && before.group === 'specs')
      secondReports.push(join(reports, `${basename(name, '.spec.ts')}-again.json`));
  }
  return [...results.values()];
}

/** Runs one job; its output goes to a file, and to the terminal only when it failed. */
async function runJob(job: Job): Promise<Outcome[]> {
  if (interrupt.signal.aborted) return [];
  const log = join(reports, `${basename(job.name, '.spec.ts').replaceAll(' ', '-')}.log`);
  const env = { ...job.env, ...labEngine };
  const end = await runPart({ ...job, env, cwd: root, log }, interrupt.signal);
  const all = outcomesOf(job, end, root);
  if (all.some(({ failed: count }) => count > 0))
    console.log(`\n── ${job.name} ${'─'.repeat(Math.max(0, 60 - job.name.length))}\n${withoutPassed(end.output)}`);
  for (const outcome of all) console.log(outcomeLine(outcome));
  return all;
}

/** vitest's output without a line for each test that passed. */
function withoutPassed(output: string): string {
  return output
    .split('\n')
    .filter((text) => !/^\s*(?:\u001b\[[\d;]*m)*\s*✓/.test(text))
    .join('\n');
}

function timeTaken({ name, wallSeconds, cpuSeconds }: Outcome): [string, Taken] {
  return [name, { wall: wallSeconds, ...(cpuSeconds === undefined ? {} : { cpu: cpuSeconds }) }];
}

function electronIsHere(): boolean {
  const missing =
    electronRuntime(root) === undefined
      ? "Electron's runtime is not on this machine"
      : hasDisplay()
        ? undefined
        : 'there is no display';
  if (missing !== undefined) console.log(`electron: not run: ${missing}. The same specs ran in the browser.`);
  return missing === undefined;
}

function hasDisplay(): boolean {
  return (
    process.platform !== 'linux' || process.env['DISPLAY'] !== undefined || process.env['WAYLAND_DISPLAY'] !== undefined
  );
}

import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { electronRuntime } from './electron-runtime.ts';
import { bundlesOf } from './test/bundles.ts';
import { openCpuAccount } from './test/cpu-account.ts';
import { bundleLabEngine } from './test/lab-engine.ts';
import { readFiles, readReport, type FileOutcome, type Outcome } from './test/outcome.ts';
import { secondAttempts, withSecondAttempt } from './test/second-attempt.ts';
import { runAll, type Task } from './test/schedule.ts';
import { reasonToSkip, resources, specsOf, tierEnvironment, tierOf } from './test/tiers.ts';
import { recordResults } from './test/spec-results.ts';
import { keepTimes, readTimes, type Taken } from './test/times.ts';

/**
 * All checks of a tier (see `test/tiers.ts`): lint, types and unit tests one after the other, beside them the specs, three
 * more at once than there are processors, because many of them wait most of their time, and one more after the unit tests. What fails does not stop the rest, so that one run tells everything.
 * `out/test-summary.txt` keeps the last line; `out/reports` the output of each task; `.cache/usual-times.json`, or `full-times.json`, the times.
 */
const root = join(import.meta.dirname, '..');
const reports = join(root, 'out', 'reports');
rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });

interface Job extends Task {
  readonly group: Outcome['group'];
  /** Of vitest's configuration. */
  readonly project?: string;
  readonly args: readonly string[];
  readonly report?: string;
  /** Spec files, when the task is more than one. */
  readonly paths?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Names, or parts of them: only these are run. */
const wanted = process.argv.slice(2);
const tier = tierOf(process.env);
const isRoot = process.geteuid?.() === 0;
const times = readTimes(root, tier);
/** What is expected of a spec that nobody has timed: it goes before the short ones, and not before guests that take a quarter of an hour. */
const usualSeconds = 120;
const specPlaces = availableParallelism() + 3;
const startedAt = Date.now();
/** Reports of second attempts that passed; they replace what the first ones tell. */
const secondReports: string[] = [];
console.log(
  `Tests of the ${tier} tier${tier === 'usual' ? ' (CI=true runs the full one)' : ''}. Output of each part: out/reports.`,
);

const isWanted = (name: string): boolean => wanted.length === 0 || wanted.some((part) => name.includes(part));
const chosen = [...checks().filter(({ name }) => isWanted(name)), ...specs()];
if (chosen.length === 0) {
  console.error(`Nothing is called ${wanted.join(' or ')}. Parts: lint, types, unit, and the names of spec files.`);
  process.exit(2);
}
const labEngine = chosen.some(({ group }) => group === 'specs')
  ? await bundleLabEngine(root).catch((error: unknown) => {
      console.log(`The lab's engine could not be bundled, so that specs start it from its sources: ${String(error)}`);
      return {};
    })
  : {};
const firstOutcomes = (
  await runAll(chosen, { check: 1, spec: (isOver) => specPlaces + (isOver('check') ? 1 : 0) }, runJob, resources)
).flat();
const outcomes = await againAlone(firstOutcomes);
if (wanted.length === 0 && electronIsHere())
  outcomes.push(...(await runJob(vitest('electron', 'electron', [], 'spec'))));
keepTimes(
  root,
  tier,
  Object.fromEntries(
    outcomes.map(({ name, wallSeconds, cpuSeconds }): [string, Taken] => [
      name,
      { wall: wallSeconds, ...(cpuSeconds === undefined ? {} : { cpu: cpuSeconds }) },
    ]),
  ),
);
// The desktop app's results would be taken for those of the browser.
recordResults(root, tier, [
  ...chosen.flatMap(({ group, report }) => (group === 'specs' && report !== undefined ? [report] : [])),
  ...secondReports,
]);
process.exitCode = summarize(outcomes);

/** What failed, once more with nothing beside it: a failure that does not come again is reported as such, and not as one. */
async function againAlone(first: readonly Outcome[]): Promise<Outcome[]> {
  const results = new Map(first.map((outcome) => [outcome.name, outcome]));
  for (const { name, files } of secondAttempts(first)) {
    const before = results.get(name);
    const job = chosen.find((candidate) => candidate.name === name || candidate.paths?.includes(name));
    if (job === undefined || before === undefined) continue;
    console.log(`\nOnce more, alone: ${name}${files.length > 0 ? ` (${files.join(', ')})` : ''}`);
    const { project, lane, env } = job;
    const isFile = job.paths?.includes(name) ?? false;
    const more = isFile ? [name] : [...(job.paths ?? []), ...files];
    const second = await runJob({
      ...vitest(`${basename(name, '.spec.ts')}-again`, project ?? 'specs', more, lane),
      ...(env === undefined ? {} : { env }),
    });
    const [only] = second;
    const both = only === undefined ? before : withSecondAttempt(before, only);
    // What no file accounts for was counted with none: the tests of a bundle's files are counted already.
    results.set(name, isFile || job.group === 'unit' ? both : { ...both, passed: 0 });
    if (only?.failed === 0 && before.group === 'specs')
      secondReports.push(join(reports, `${basename(name, '.spec.ts')}-again.json`));
  }
  return [...results.values()];
}

/** The full tier takes nothing from a cache: what a file's types mean may have changed in another one. */
function checks(): Job[] {
  const cache = join(root, '.cache');
  const lint = ['node_modules/eslint/bin/eslint.js', '.', '--max-warnings', '0'];
  const isCached = tier === 'usual';
  return [
    {
      name: 'lint',
      group: 'lint',
      lane: 'check',
      expectedSeconds: 3,
      args: isCached
        ? [...lint, '--cache', '--cache-strategy', 'content', '--cache-location', join(cache, 'eslint/')]
        : lint,
    },
    {
      name: 'types',
      group: 'types',
      lane: 'check',
      expectedSeconds: 2,
      args: ['scripts/types.ts', ...(isCached ? ['--cached'] : [])],
    },
    {
      ...vitest('unit', 'unit*', ['--maxWorkers', String(availableParallelism() + 1)], 'check', 1),
      env: { ...tierEnvironment[tier] },
    },
  ];
}

function specs(): Job[] {
  // Who names a spec wants it in whichever tier it is.
  const known = specsOf(wanted.length > 0 ? 'full' : tier, root).filter(({ path }) => isWanted(path));
  const expected = known.map(({ path, lease }) => ({
    path,
    lease,
    expectedSeconds: times[path]?.wall ?? usualSeconds,
  }));
  return bundlesOf(expected, specPlaces).map(({ paths, lease, expectedSeconds }, index) => {
    const name = paths.length === 1 ? (paths[0] ?? '') : `bundle-${index}`;
    return {
      ...vitest(name, 'specs', paths, 'spec', expectedSeconds),
      paths,
      ...(lease === undefined ? {} : { lease }),
      env: { ...tierEnvironment[tier] },
    };
  });
}

function vitest(name: string, project: string, more: readonly string[], lane: string, expectedSeconds = Infinity): Job {
  const report = join(reports, `${basename(name, '.spec.ts')}.json`);
  return {
    name,
    lane,
    expectedSeconds,
    report,
    project,
    group: project.replace('*', '') as Outcome['group'],
    args: [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project',
      project,
      ...more,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
  };
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

/** Runs one job; its output goes to a file, and to the terminal only when it failed. */
async function runJob(job: Job): Promise<Outcome[]> {
  const log = join(reports, `${basename(job.name, '.spec.ts')}.log`);
  const account = openCpuAccount(basename(job.name));
  const begun = performance.now();
  const [command, ...args] = [...account.prefix, process.execPath, ...job.args] as [string, ...string[]];
  let output = '';
  writeFileSync(log, '');
  const status = await new Promise<number | null>((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...job.env, ...labEngine, ...process.env },
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        appendFileSync(log, text);
      });
    }
    child.once('error', () => resolve(-1));
    child.once('close', resolve);
  });
  const wallSeconds = Math.round((performance.now() - begun) / 100) / 10;
  const cpu = account.seconds();
  account.close();
  const cpuSeconds = cpu === undefined ? undefined : Math.round(cpu * 10) / 10;
  const all: Outcome[] =
    job.paths !== undefined && job.paths.length > 1 && job.report !== undefined
      ? eachFile(job.paths, readFiles(job.report, status, root), job.name, cpuSeconds)
      : [
          {
            name: job.name,
            group: job.group,
            ...(job.report === undefined ? checkOutcome(job.name, status) : readReport(job.report, status, root)),
            wallSeconds,
            cpuSeconds,
          },
        ];
  if (all.some(({ failed }) => failed > 0))
    console.log(`\n── ${job.name} ${'─'.repeat(Math.max(0, 60 - job.name.length))}\n${output}`);
  for (const outcome of all) {
    console.log(
      `${outcome.failed > 0 ? '✗' : '✓'} ${time(outcome)}  ${outcome.name}: ${outcome.passed} passed${outcome.failed > 0 ? `, ${outcome.failed} failed` : ''}${outcome.skipped.length > 0 ? `, ${outcome.skipped.length} skipped` : ''}`,
    );
  }
  return all;
}

function checkOutcome(
  name: string,
  status: number | null,
): Pick<Outcome, 'passed' | 'failed' | 'skipped' | 'failures'> {
  return {
    passed: status === 0 ? 1 : 0,
    failed: status === 0 ? 0 : 1,
    skipped: [],
    failures: status === 0 ? [] : [`${name} failed`],
  };
}

/** The outcomes of a bundle's files. Its processor time is divided by the time that each took; a file without a result has failed. */
function eachFile(
  paths: readonly string[],
  files: readonly FileOutcome[],
  bundle: string,
  cpuSeconds: number | undefined,
): Outcome[] {
  const total = files.reduce((sum, { wallSeconds }) => sum + wallSeconds, 0);
  const outcomes = paths.map((path): Outcome => {
    const file = files.find((one) => one.path === path);
    if (file === undefined)
      return {
        name: path,
        group: 'specs',
        passed: 0,
        failed: 1,
        skipped: [],
        failures: [`${path}: not run`],
        failedFiles: [path],
        wallSeconds: 0,
        cpuSeconds: undefined,
      };
    const { path: _, wallSeconds, ...counts } = file;
    const share =
      cpuSeconds === undefined || total === 0 ? undefined : Math.round(((cpuSeconds * wallSeconds) / total) * 10) / 10;
    return { name: path, group: 'specs', ...counts, wallSeconds: Math.round(wallSeconds * 10) / 10, cpuSeconds: share };
  });
  const other = files.filter(({ path }) => path === undefined);
  return [
    ...outcomes,
    ...other.map(({ path: _, ...counts }): Outcome => ({
      name: bundle,
      group: 'specs',
      ...counts,
      cpuSeconds: undefined,
    })),
  ];
}

function time({ wallSeconds, cpuSeconds }: Outcome): string {
  return `${wallSeconds.toFixed(0).padStart(4)} s${cpuSeconds === undefined ? '' : ` (CPU ${cpuSeconds.toFixed(0).padStart(3)} s)`}`;
}

/** Prints what the run came to; the last line counts. Answers with the exit status. */
function summarize(all: readonly Outcome[]): 0 | 1 {
  const sum = (count: (outcome: Outcome) => number, of: readonly Outcome[] = all): number =>
    of.reduce((total, outcome) => total + count(outcome), 0);
  console.log('\nSlowest:');
  for (const outcome of all.toSorted((a, b) => b.wallSeconds - a.wallSeconds).slice(0, 10))
    console.log(`  ${time(outcome)}  ${outcome.name}`);

  const skipping = all.filter(({ skipped }) => skipped.length > 0);
  if (skipping.length > 0) console.log('\nSkipped:');
  const unexplained: string[] = [];
  for (const { name, group, skipped } of skipping) {
    const reasons = skipped.map((test) =>
      !isRoot
        ? 'needs root'
        : (reasonToSkip(basename(name), test) ??
          (group === 'unit' || tier !== 'usual' ? undefined : 'CI=true runs them')),
    );
    console.log(
      `  ${name}: ${skipped.length} (${[...new Set(reasons.map((reason) => reason ?? 'no reason known'))].join('; ')})`,
    );
    // What this machine can run must not be skipped there.
    if (tier === 'full' && isRoot)
      unexplained.push(
        ...skipped
          .filter((_, at) => reasons[at] === undefined)
          .map((test) => `${name} > ${test}: skipped, although this machine can run it`),
      );
  }

  const unsteady = all.filter((outcome) => outcome.onlySecondTime !== undefined);
  if (unsteady.length > 0)
    console.log('\nUnsteady: failed beside others, passed alone. Each is a defect of the product or of its test:');
  for (const { onlySecondTime } of unsteady) console.log(`  ${onlySecondTime?.join('\n  ') ?? ''}`);

  // What needs a missing program has failed above; this says which package brings it.
  const packages = spawnSync(process.execPath, [join(root, 'scripts/bootstrap.js'), '--check', 'test'], {
    encoding: 'utf8',
  });
  if (packages.status === 1) console.log(`\n${packages.stdout.trim()}`);

  console.log();
  for (const group of ['lint', 'types', 'unit', 'specs', 'electron'] as const) {
    const of = all.filter((outcome) => outcome.group === group);
    if (of.length > 0)
      console.log(
        `${group.padEnd(8)} ${sum(({ passed }) => passed, of)} passed, ${sum(({ failed }) => failed, of)} failed, ${sum(({ skipped }) => skipped.length, of)} skipped`,
      );
  }
  const failures = [...all.flatMap((outcome) => outcome.failures), ...unexplained];
  // Again at the end: who reads a long log begins there.
  if (failures.length > 0) console.log(`\nFailed:\n${failures.join('\n')}\n`);
  const wall = (Date.now() - startedAt) / 1000;
  const cpu = sum(({ cpuSeconds = 0 }) => cpuSeconds);
  console.log(
    `Took ${(wall / 60).toFixed(1)} minutes${cpu === 0 ? '' : `; ${cpu.toFixed(0)} s of processor time, ${((100 * cpu) / wall / availableParallelism()).toFixed(0)} % of ${availableParallelism()} processors`}.`,
  );
  const failed = sum((outcome) => outcome.failed) + unexplained.length;
  const summary = `${sum(({ passed }) => passed)} passed, ${failed} failed`;
  writeFileSync(join(root, 'out', 'test-summary.txt'), `${summary}\n`);
  console.log(summary);
  return failed === 0 ? 0 : 1;
}

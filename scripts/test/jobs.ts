import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { bundlesOf } from './bundles.ts';
import type { Outcome } from './outcome.ts';
import type { Task } from './schedule.ts';
import { allSpecs, sampledUnitTests, specsOf, tierEnvironment, type SpecFile, type Tier } from './tiers.ts';
import type { Taken } from './times.ts';

/** A part of a run as it is scheduled. */
export interface Job extends Task {
  readonly group: Outcome['group'];
  /** Of vitest's configuration. */
  readonly project?: string;
  readonly args: readonly string[];
  /** vitest's report as JSON; without one the exit status counts, or the last line `N passed, N failed`. */
  readonly report?: string;
  /** Spec files. */
  readonly paths?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** How long the part may print nothing. */
  readonly silenceSeconds: number;
}

export interface JobOptions {
  readonly root: string;
  readonly reports: string;
  readonly tier: Tier;
  /** Names, or parts of them: only these; all where there is none. */
  readonly wanted: readonly string[];
  readonly times: Readonly<Record<string, Taken>>;
  /** Left out, because this machine lacks what they need. */
  readonly lacks: (path: string) => boolean;
}

/** What is expected of a spec that nobody has timed: it goes before the short ones, and not before guests that take a quarter of an hour. */
const unknownSeconds = 120;
/** Many specs wait most of their time. */
export const specPlaces = availableParallelism() + 3;

/** How long a test of a spec may take; vitest says each test that ends, so that a part that prints nothing for longer hangs. */
const testSeconds: Readonly<Record<Tier, number>> = { usual: 300, full: 1200 };
const beyondTest = 60;

/** Everything that a run consists of. */
export function jobsOf(options: JobOptions): Job[] {
  const isWanted = (name: string): boolean =>
    options.wanted.length === 0 || options.wanted.some((part) => name.includes(part));
  return [...checks(options), ...longRuns(options)]
    .filter(({ name }) => isWanted(name))
    .concat(specs(options, isWanted));
}

/** A run of vitest. @param more files, and options of vitest */
export function vitestJob(
  { root, reports, tier }: Pick<JobOptions, 'root' | 'reports' | 'tier'>,
  { name, project, more, lane, expectedSeconds = Infinity }: VitestJob,
): Job {
  const report = join(reports, `${basename(name, '.spec.ts')}.json`);
  const limits =
    project === 'specs'
      ? [`--testTimeout=${testSeconds[tier] * 1000}`, `--hookTimeout=${testSeconds[tier] * 1000}`]
      : [];
  return {
    name,
    lane,
    expectedSeconds,
    report,
    project,
    group: project.replace('*', '') as Outcome['group'],
    env: tierEnvironment[tier],
    silenceSeconds: testSeconds[tier] + beyondTest,
    args: [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--project',
      project,
      ...limits,
      ...more,
      '--reporter=verbose',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
  };
}
interface VitestJob {
  readonly name: string;
  readonly project: string;
  readonly more: readonly string[];
  readonly lane: string;
  readonly expectedSeconds?: number;
}

/** Lint and types, which the full tier does not repeat, and unit tests, of which it repeats those that do more there. */
function checks(options: JobOptions): Job[] {
  const { root, tier } = options;
  const check = { lane: 'check', silenceSeconds: 600 };
  const workers = ['--maxWorkers', String(availableParallelism() + 1)];
  const unit = (files: readonly string[]): Job =>
    vitestJob(options, {
      name: 'unit',
      project: 'unit*',
      more: [...files, ...workers],
      lane: 'check',
      expectedSeconds: 1,
    });
  if (tier === 'full') return [unit(sampledUnitTests(root))];
  return [
    { ...check, name: 'format', group: 'lint', expectedSeconds: 4, args: ['node_modules/oxfmt/bin/oxfmt', '--check'] },
    { ...check, name: 'commits', group: 'lint', expectedSeconds: 5, args: ['scripts/lint/commit-subjects.ts'] },
    {
      ...check,
      name: 'lint',
      group: 'lint',
      expectedSeconds: 3,
      args: [
        'node_modules/eslint/bin/eslint.js',
        '.',
        '--cache',
        '--cache-strategy',
        'content',
        '--cache-location',
        join(root, '.cache', 'eslint/'),
      ],
    },
    { ...check, name: 'types', group: 'types', expectedSeconds: 2, args: ['scripts/types.ts', '--cached'] },
    unit([]),
  ];
}

/** Specs of the page that the full tier repeats: the editor, forms, lists, and the first screen. With all of them a round takes half an hour. */
const quickOfPage = ['workbench-configure', 'workbench-lists', 'workbench-files-editor', 'workbench-first-screen'];

/** Runs of a run, in the full tier. */
function longRuns({ tier }: JobOptions): Job[] {
  if (tier === 'usual') return [];
  // Each says something at the end of a command, which is a whole run of its own.
  const long = { lane: 'spec', expectedSeconds: 1200, silenceSeconds: 2400 };
  return [
    {
      ...long,
      name: 'clean machine as root',
      lease: 'clean machine',
      group: 'clean',
      args: ['scripts/clean-machine.ts', '--node', 'debian', '--as', 'root', '--commands', 'demo'],
    },
    {
      ...long,
      name: 'clean machine as ordinary user',
      lease: 'clean machine',
      group: 'clean',
      args: ['scripts/clean-machine.ts', '--node', 'debian', '--as', 'person'],
    },
    { ...long, name: 'steady page', group: 'steady', args: ['scripts/test/steady.ts', '--times', '3', ...quickOfPage] },
  ];
}

function specs(options: JobOptions, isWanted: (path: string) => boolean): Job[] {
  const { root, tier, wanted, times, lacks } = options;
  // Who names a spec wants it in whichever tier it is.
  const all: readonly SpecFile[] = wanted.length > 0 ? allSpecs(root) : specsOf(tier, root);
  const expected = all
    .filter(({ path }) => isWanted(path) && !lacks(path))
    .map(({ path, lease }) => ({ path, lease, expectedSeconds: times[path]?.wall ?? unknownSeconds }));
  return bundlesOf(expected, specPlaces).map(({ paths, lease, expectedSeconds }, index) => {
    const name = paths.length === 1 ? (paths[0] ?? '') : `bundle-${index}`;
    const job = vitestJob(options, { name, project: 'specs', more: paths, lane: 'spec', expectedSeconds });
    return { ...job, paths, ...(lease === undefined ? {} : { lease }) };
  });
}

import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { release, type } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { programs, vendorDescriptions } from '../documents/capabilities.ts';

/**
 * What became of each spec file, with what, and when. Every run of a suite adds its results to a file of this checkout as it ends,
 * when versions and environment still are those that it ran with; `node scripts/support-matrix.ts --write` takes them from there into docs/results.
 */

/** Suites whose results are recorded, by how much of a spec file they run. */
const suites = ['usual', 'full', 'guests', 'openstack', 'faults', 'pairs'] as const;
export type Suite = (typeof suites)[number];

export function isSuite(name: string | undefined): name is Suite {
  return (suites as readonly (string | undefined)[]).includes(name);
}

const resultSchema = z.object({
  /** When it ran, UTC. */
  date: z.iso.datetime(),
  suite: z.enum(suites),
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
  /** Of this project, with a plus sign when files differed from it. */
  commit: z.string().optional(),
  /** Program → version, the system's among them. */
  versions: z.record(z.string(), z.string()),
  /** Variables that named API descriptions of vendors, against which requests were checked, and libraries of vendors whose models always are. */
  checkedBy: z.array(z.string()),
});
export type Result = z.infer<typeof resultSchema>;
const resultsSchema = z.record(z.string(), resultSchema);
/** Last results, by path of the spec file. */
export type Results = z.infer<typeof resultsSchema>;
/** What a run has in common. */
export type RunFacts = Pick<Result, 'suite' | 'commit' | 'versions' | 'checkedBy'>;

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      startTime: z.number(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string() })),
    }),
  ),
});

/** In this checkout, out of git: a run of one suite adds to what others left there. */
const recordedFile = '.cache/spec-results.json';
const committedFile = 'docs/results/specs.json';

/** The spec files of the suites, as capabilities name them. */
export function specsIn(root: string): string[] {
  return globSync('e2e/specs*/**/*.spec.ts', { cwd: root }).map((path) =>
    path.replaceAll('\\', '/').slice('e2e/'.length, -'.spec.ts'.length),
  );
}

/**
 * Whether a spec file ran only a part of its tests, because a variable chose among them: a line `// narrowed by: <variable>, …` in the file
 * names those that do. Such a part says nothing of the whole.
 */
export function isNarrowed(text: string, env: NodeJS.ProcessEnv): boolean {
  const names = /^\/\/ narrowed by: (.+)$/m.exec(text)?.[1]?.split(', ') ?? [];
  return names.some((name) => (env[name] ?? '') !== '');
}

/** The results that vitest's JSON reports tell. A file of which nothing ran has none, nor has one of which only a part was asked for. */
export function resultsOf(
  reports: readonly unknown[],
  root: string,
  facts: RunFacts,
  env: NodeJS.ProcessEnv = process.env,
): Results {
  const results: Results = {};
  for (const report of reports) {
    for (const { name, startTime, status, assertionResults } of reportSchema.parse(report).testResults) {
      const path = relative(root, name).replaceAll('\\', '/');
      if (!path.startsWith('e2e/') || !path.endsWith('.spec.ts')) continue;
      if (isNarrowed(readFileSync(name, 'utf8'), env)) continue;
      const count = (wanted: string): number => assertionResults.filter((test) => test.status === wanted).length;
      // A file that could not be loaded has no failed test.
      const [passed, failed] = [count('passed'), status === 'failed' ? Math.max(1, count('failed')) : count('failed')];
      if (passed + failed > 0)
        results[path] = {
          date: new Date(startTime).toISOString(),
          ...facts,
          passed,
          failed,
          skipped: Math.max(0, assertionResults.length - passed - failed),
        };
    }
  }
  return results;
}

/**
 * The results with newer ones: of two for one file the later, except that a sample of its tests which passed does not take the place of all
 * of them. Files that no longer exist are left out.
 */
export function mergeResults(known: Results, newer: Results, specs: readonly string[]): Results {
  const merged = { ...known };
  for (const [path, result] of Object.entries(newer)) {
    const before = merged[path];
    const isSampleOfPassed =
      before !== undefined &&
      before.failed === 0 &&
      result.failed === 0 &&
      before.suite !== 'usual' &&
      result.suite === 'usual';
    if (before === undefined || (result.date > before.date && !isSampleOfPassed)) merged[path] = result;
  }
  const paths = new Set(specs.map((spec) => `e2e/${spec}.spec.ts`));
  return Object.fromEntries(
    Object.entries(merged)
      .filter(([path]) => paths.has(path))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function readResults(file: string): Results {
  return existsSync(file) ? resultsSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
}

function writeResults(file: string, results: Results): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
}

/** Keeps what the reports of a run tell, beside what other runs left. Answers with how many spec files it was. */
export function recordResults(root: string, suite: Suite, reportFiles: readonly string[]): number {
  const reports = reportFiles
    .filter((file) => existsSync(file))
    .map((file): unknown => JSON.parse(readFileSync(file, 'utf8')));
  const facts: RunFacts = {
    suite,
    commit: commitOf(root),
    versions: versionsHere(),
    checkedBy: Object.values(vendorDescriptions).filter(
      (name) => name.startsWith('@') || (process.env[name] ?? '') !== '',
    ),
  };
  const results = resultsOf(reports, root, facts);
  const file = join(root, recordedFile);
  writeResults(file, mergeResults(readResults(file), results, specsIn(root)));
  return Object.keys(results).length;
}

/** Those that are committed. */
export function committedResults(root: string): Results {
  return readResults(join(root, committedFile));
}

/** Takes what was recorded here into the file to be committed. Answers with how many entries it changed. */
export function commitResults(root: string): number {
  const before = committedResults(root);
  const after = mergeResults(before, readResults(join(root, recordedFile)), specsIn(root));
  writeResults(join(root, committedFile), after);
  return Object.entries(after).filter(([path, result]) => JSON.stringify(result) !== JSON.stringify(before[path]))
    .length;
}

/** What is installed here; programs that are not are left out. */
function versionsHere(): Record<string, string> {
  const found = Object.entries(programs).flatMap(
    ([
      name,
      {
        command: [command, ...args],
      },
    ]) => {
      const { stdout, stderr, status } = spawnSync(command!, args, { encoding: 'utf8' });
      const version = status === 0 ? /\d[\w.+~:-]*/.exec(`${stdout}${stderr}`)?.[0] : undefined;
      return version === undefined ? [] : [[name, version]];
    },
  );
  return { [type()]: release(), Node: process.versions.node, ...Object.fromEntries(found) };
}

function commitOf(root: string): string | undefined {
  const git = (...args: string[]): string | undefined => {
    const { stdout, status } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  const commit = git('rev-parse', '--short=12', 'HEAD');
  return commit === undefined
    ? undefined
    : `${commit}${git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '+'}`;
}

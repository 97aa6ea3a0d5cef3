import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { release, type } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { capabilities, programs, type Capability, type Grade } from './documents/capabilities.ts';
import { markdownTable, withBlock } from './documents/generated-block.ts';

/**
 * The support matrix: capabilities with the best evidence for each, and the last recorded result of their specs.
 * `node scripts/support-matrix.ts --write` merges the reports of the last tests (out/reports) into docs/results/specs.json
 * and writes docs/support-matrix.md. Run it on the machine and with the environment that the tests ran with, then commit both.
 */

const resultSchema = z.object({
  /** When it ran, UTC. */
  date: z.iso.datetime(),
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
  /** Program → version, the system's among them. */
  versions: z.record(z.string(), z.string()),
  /** Whether requests were checked against API descriptions of vendors: the variables that named them. */
  checkedBy: z.array(z.string()),
});
const resultsSchema = z.record(z.string(), resultSchema);
/** Last results, by path of the spec file. */
export type Results = z.infer<typeof resultsSchema>;

const reportSchema = z.object({
  testResults: z.array(z.object({ name: z.string(), startTime: z.number(), status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) })),
});

const descriptions = ['CAUSEWAY_EUROPEAN_CLOUD_OPENAPI', 'CAUSEWAY_OPENSTACK_API'];
const resultsFile = 'docs/results/specs.json';
const enduranceFile = 'docs/results/endurance.json';
const pathOf = (spec: string): string => `e2e/${spec}.spec.ts`;

/** The spec files of the suites, as capabilities name them. */
export function specsIn(root: string): string[] {
  return globSync('e2e/specs*/**/*.spec.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/').slice('e2e/'.length, -'.spec.ts'.length));
}

/** The results with those of vitest's JSON reports; of two for one spec, the later one. */
export function mergeReports(results: Results, reports: readonly unknown[], root: string, machine: Pick<Results[string], 'versions' | 'checkedBy'>): Results {
  const merged = { ...results };
  for (const report of reports) {
    for (const { name, startTime, status, assertionResults } of reportSchema.parse(report).testResults) {
      const path = relative(root, name).replaceAll('\\', '/');
      const date = new Date(startTime).toISOString();
      if (!path.startsWith('e2e/') || !path.endsWith('.spec.ts') || (merged[path]?.date ?? '') >= date) continue;
      const count = (wanted: string): number => assertionResults.filter((test) => test.status === wanted).length;
      const [passed, failed] = [count('passed'), count('failed')];
      // A file that could not be loaded has no failed test.
      merged[path] = { date, passed, failed: status === 'failed' ? Math.max(1, failed) : failed, skipped: assertionResults.length - passed - failed, ...machine };
    }
  }
  return Object.fromEntries(Object.entries(merged).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The grade that the recorded results support. A simulator is only as good as a stand-in where nothing was checked. */
export function gradeOf({ grade, specs }: Capability, results: Results): Grade {
  if (grade !== 'vendor-checked simulator') return grade;
  return specs.every((spec) => (results[pathOf(spec)]?.checkedBy.length ?? 0) > 0) ? grade : 'stand-in';
}

/** The last results of a capability in words. */
export function lastResult({ grade, specs }: Capability, results: Results): string {
  if (grade === 'never seen') return '';
  const known = specs.flatMap((spec) => (results[pathOf(spec)] === undefined ? [] : [{ spec, ...results[pathOf(spec)]! }]));
  const failed = known.filter((result) => result.failed > 0);
  if (failed.length > 0) return `**failed**: ${failed.map(({ spec, date }) => `${spec} (${date.slice(0, 10)})`).join(', ')}`;
  const passed = known.filter((result) => result.passed > 0);
  if (passed.length === 0) return 'none on record';
  const oldest = passed.map(({ date }) => date.slice(0, 10)).toSorted()[0]!;
  const skipped = passed.reduce((sum, result) => sum + result.skipped, 0);
  const versions = [...new Set(passed.flatMap((result) => Object.entries(result.versions).map(([name, version]) => `${name} ${version}`)))].toSorted();
  const part = passed.length < specs.length ? `${passed.length} of ${specs.length} specs ` : '';
  return `${part}passed ${oldest}${skipped > 0 ? `, ${skipped} tests skipped` : ''}; ${versions.join(', ')}`;
}

/** The page's tables. */
export function supportMatrix(results: Results, endurance: string): string {
  const areas = [...new Set(capabilities.map(({ area }) => area))];
  const tables = areas.map((area) => {
    const rows = capabilities.filter((one) => one.area === area).map((one) => [
      one.capability, `${gradeOf(one, results)}`, one.against, one.specs.map((spec) => `\`${spec}\``).join(', '), lastResult(one, results),
    ]);
    return `## ${area}\n\n${markdownTable(['Capability', 'Grade', 'Tried with', 'Specs in `e2e/`', 'Last result on record'], rows)}`;
  });
  return `${tables.join('\n\n')}\n\n## Endurance\n\n${endurance}`;
}

/** The tables from the results that are committed. */
export function currentMatrix(root: string): string {
  return supportMatrix(readResults(root), enduranceText(root));
}

function readResults(root: string): Results {
  const file = join(root, resultsFile);
  return existsSync(file) ? resultsSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
}

function enduranceText(root: string): string {
  const file = join(root, enduranceFile);
  if (!existsSync(file)) return 'No result on record.';
  const counts = z.object({ ran: z.int(), failed: z.int() });
  const { date, seed, passed, crashPoints, faults } = z.object({ date: z.string(), seed: z.int(), passed: z.boolean(), crashPoints: counts, faults: counts }).parse(JSON.parse(readFileSync(file, 'utf8')));
  return `${passed ? 'Passed' : '**Failed**'} ${date.slice(0, 10)}, seed ${seed}: ${crashPoints.ran} crash points (${crashPoints.failed} failed), ${faults.ran} faults (${faults.failed} failed).`;
}

/** What is installed here; programs that are not are left out. */
function versionsHere(): Record<string, string> {
  const found = Object.entries(programs).flatMap(([name, [command, ...args]]) => {
    const { stdout, stderr, status } = spawnSync(command!, args, { encoding: 'utf8' });
    const version = status === 0 ? /\d[\w.+~:-]*/.exec(`${stdout}${stderr}`)?.[0] : undefined;
    return version === undefined ? [] : [[name, version]];
  });
  return { [type()]: release(), Node: process.versions.node, ...Object.fromEntries(found) };
}

if (import.meta.main) {
  if (process.argv[2] !== '--write') {
    console.error('Usage: node scripts/support-matrix.ts --write');
    process.exit(2);
  }
  const root = join(import.meta.dirname, '..');
  const reports = globSync('out/reports/*.json', { cwd: root }).map((path): unknown => JSON.parse(readFileSync(join(root, path), 'utf8')));
  const machine = { versions: versionsHere(), checkedBy: descriptions.filter((name) => (process.env[name] ?? '') !== '') };
  mkdirSync(dirname(join(root, resultsFile)), { recursive: true });
  writeFileSync(join(root, resultsFile), `${JSON.stringify(mergeReports(readResults(root), reports, root, machine), undefined, 2)}\n`);
  const page = join(root, 'docs/support-matrix.md');
  writeFileSync(page, withBlock(readFileSync(page, 'utf8'), 'matrix', currentMatrix(root)));
  const unnamed = specsIn(root).filter((spec) => !capabilities.some(({ specs }) => specs.includes(spec)));
  if (unnamed.length > 0) console.log(`No capability in scripts/documents/capabilities.ts names: ${unnamed.join(', ')}`);
  console.log(`${reports.length} reports merged into ${resultsFile}; docs/support-matrix.md written.`);
}

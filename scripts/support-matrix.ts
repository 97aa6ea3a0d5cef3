import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { plugins } from '../shared/plugins/registry.ts';
import { sides, type Side } from '../shared/model/plugin-id.ts';
import { capabilities, programs, vendorDescriptions, type Capability, type Grade } from './documents/capabilities.ts';
import { markdownTable, withBlock } from './documents/generated-block.ts';
import { corpusInParts, corpusResults, corpusText } from './documents/guest-corpus.ts';
import { commitResults, committedResults, isSuite, recordResults, specsIn, type Results } from './test/spec-results.ts';

/**
 * The support matrix: capabilities with the best evidence for each, and the last recorded result of their specs.
 *
 *   --record <suite> <report>…   keeps a run's results in this checkout; `npm test` and the suites do that by themselves
 *   --write                      takes what was kept into docs/results, and writes the matrix and its summary in the README
 */

const enduranceFile = 'docs/results/endurance.json';
const pairsFile = 'docs/results/pairs.json';
const pathOf = (spec: string): string => `e2e/${spec}.spec.ts`;

/** The platform that a capability is of: its name begins with the plugin's ID. */
function pluginOf({ capability }: Capability): string | undefined {
  return /^`([\w-]+)`/.exec(capability)?.[1];
}

/** The grade that the recorded results support. A simulator is only as good as a stand-in where its requests were not checked. */
export function gradeOf(one: Capability, results: Results): Grade {
  if (one.grade !== 'vendor-checked simulator') return one.grade;
  const description = vendorDescriptions[pluginOf(one) ?? ''];
  return description !== undefined &&
    one.specs.every((spec) => results[pathOf(spec)]?.checkedBy.includes(description) === true)
    ? one.grade
    : 'stand-in';
}

/** The last results of a capability in words. */
export function lastResult({ grade, specs }: Capability, results: Results): string {
  if (grade === 'never seen') return '';
  const known = specs.flatMap((spec) =>
    results[pathOf(spec)] === undefined ? [] : [{ spec, ...results[pathOf(spec)]! }],
  );
  const failed = known.filter((result) => result.failed > 0);
  if (failed.length > 0)
    return `**failed**: ${failed.map(({ spec, date }) => `\`${spec}\` (${dayOf(date)})`).join(', ')}`;
  if (known.length === 0) return 'none on record';
  const part = known.length < specs.length ? `${known.length} of ${specs.length} specs ` : '';
  const skipped = known.reduce((sum, result) => sum + result.skipped, 0);
  const sampled = known.some(({ suite }) => suite === 'usual') ? ' in the usual tier' : '';
  const skips = skipped === 0 ? '' : skipped === 1 ? ', 1 test skipped' : `, ${skipped} tests skipped`;
  const versions = known.flatMap((result) =>
    Object.entries(result.versions)
      .filter(([name]) => programs[name]?.specs.test(result.spec) !== false)
      .map(([name, version]) => `${name} ${version}`),
  );
  return `${part}passed ${daysOf(known)}${sampled}${skips}; ${[...new Set(versions)].toSorted().join(', ')}`;
}

const dayOf = (date: string): string => date.slice(0, 10);

/** `2026-01-02`, or from the first to the last day. */
function daysOf(results: readonly { readonly date: string }[]): string {
  const days = results.map(({ date }) => dayOf(date)).toSorted();
  return days[0] === days.at(-1) ? days[0]! : `${days[0]} to ${days.at(-1)}`;
}

/** The page's tables. Specs whose parts keep results of their own say so by `inParts` until they ran as a whole. */
export function supportMatrix(
  results: Results,
  endurance: string,
  pairs = 'No result on record.',
  guests = 'No result on record.',
  inParts: Readonly<Record<string, string>> = {},
): string {
  const last = (one: Capability): string => {
    const parts = one.specs
      .filter((spec) => results[pathOf(spec)] === undefined)
      .flatMap((spec) => inParts[spec] ?? []);
    return parts.length === one.specs.length ? parts.join('; ') : lastResult(one, results);
  };
  const areas = [...new Set(capabilities.map(({ area }) => area))];
  const tables = areas.map((area) => {
    const rows = capabilities
      .filter((one) => one.area === area)
      .map((one) => [
        one.capability,
        `${gradeOf(one, results)}`,
        one.against,
        one.specs.map((spec) => `\`${spec}\``).join(', '),
        last(one),
      ]);
    return `## ${area}\n\n${markdownTable(['Capability', 'Grade', 'Tried with', 'Specs in `e2e/`', 'Last result on record'], rows)}`;
  });
  return `${tables.join('\n\n')}\n\n## Pairs\n\n${pairs}\n\n## Guests\n\n${guests}\n\n## Endurance\n\n${endurance}`;
}

/** The README's summary: the platforms by what they can be, and the rest in a line for each area. */
export function supportSummary(results: Results): string {
  const cellOf = (id: string, side: Side): string => {
    const rows = capabilities.filter(
      (one) => one.area === (side === 'source' ? 'Sources' : 'Destinations') && pluginOf(one) === id,
    );
    const [best, ...others] = rows
      .map((one, order) => ({ one, order, grade: gradeOf(one, results) }))
      .toSorted((a, b) => grades.indexOf(a.grade) - grades.indexOf(b.grade) || a.order - b.order);
    if (best === undefined) return '–';
    const less = others
      .filter(({ grade }) => grade !== best.grade)
      .map(({ one, grade }) => `${grade}: ${one.capability.replace(/^`[\w-]+`:? /, '')}`);
    // What it was tried with says which product it is.
    const triedWith = best.one.against.split(',')[0]!;
    return [best.grade === 'never seen' ? best.grade : `${best.grade} (${triedWith})`, ...less].join('; ');
  };
  const rows = Object.entries(plugins).map(([id, { title }]) => ({
    name: `${title} (\`${id}\`)`,
    cells: sides.map((side) => cellOf(id, side)),
  }));
  const isSeen = ({ cells }: (typeof rows)[number]): boolean =>
    cells.some((cell) => cell !== '–' && !cell.startsWith('never seen'));
  const rest = rows.filter((row) => !isSeen(row)).map(({ name }) => name);
  const platforms = markdownTable(
    ['Platform', 'As a source', 'As a destination'],
    [...rows.filter(isSeen).map(({ name, cells }) => [name, ...cells])],
  );
  const others =
    rest.length === 0 ? '' : `\n\nNever seen, but can be configured and validated offline: ${rest.join(', ')}.`;
  const areas = [...new Set(capabilities.map(({ area }) => area))].filter(
    (area) => area !== 'Sources' && area !== 'Destinations',
  );
  const lines = areas.map((area) => {
    const of = (grade: Grade): string[] =>
      capabilities
        .filter((one) => one.area === area && gradeOf(one, results) === grade)
        .map(({ capability }) => capability);
    const counts = grades
      .filter((grade) => grade !== 'never seen' && of(grade).length > 0)
      .map((grade) => `${of(grade).length} × ${grade}`);
    return `- ${area}: ${counts.join(', ')}${of('never seen').length === 0 ? '' : `; never seen: ${of('never seen').join(', ')}`}`;
  });
  return `${platforms}${others}\n\n${lines.join('\n')}\n\n${recordText(results)}`;
}

const grades: readonly Grade[] = ['real', 'vendor-checked simulator', 'stand-in', 'never seen'];

function recordText(results: Results): string {
  const named = [...new Set(capabilities.flatMap(({ specs }) => specs))];
  const known = named.flatMap((spec) => results[pathOf(spec)] ?? []);
  if (known.length === 0) return 'No test result is on record yet.';
  const failed = known.filter((result) => result.failed > 0).length;
  return `On record: ${known.length} of ${named.length} spec files, ${failed === 0 ? 'all passed' : `**${failed} failed**`}, ${daysOf(known)}.`;
}

/** The tables from the results that are committed. */
export function currentMatrix(root: string): string {
  return supportMatrix(committedResults(root), enduranceText(root), pairsText(root), corpusText(root), {
    'specs-guests/guest-corpus': corpusInParts(corpusResults(root)),
  });
}

/** The summary from the results that are committed. */
export function currentSummary(root: string): string {
  return supportSummary(committedResults(root));
}

function enduranceText(root: string): string {
  const file = join(root, enduranceFile);
  if (!existsSync(file)) return 'No result on record.';
  const counts = z.object({ ran: z.int(), failed: z.int() });
  const { date, seed, passed, crashPoints, faults } = z
    .object({ date: z.string(), seed: z.int(), passed: z.boolean(), crashPoints: counts, faults: counts })
    .parse(JSON.parse(readFileSync(file, 'utf8')));
  return `${passed ? 'Passed' : '**Failed**'} ${dayOf(date)}, seed ${seed}: ${crashPoints.ran} crash points (${crashPoints.failed} failed), ${faults.ran} faults (${faults.failed} failed).`;
}

/** What a VM of each source went through with each destination. */
export function pairsTable(pairs: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>): string {
  const names = (side: Side): string[] =>
    Object.values(plugins)
      .filter((plugin) => plugin[side] !== undefined)
      .map(({ id }) => id);
  const cell = (from: string, to: string): string => {
    const passed = pairs[from]?.[to];
    if (passed === undefined) return '–';
    return passed.length === 3 ? 'yes' : passed.length === 0 ? '**no**' : `**only ${passed.join(', ')}**`;
  };
  return markdownTable(
    ['From', ...names('destination').map((to) => `to \`${to}\``)],
    names('source').map((from) => [`\`${from}\``, ...names('destination').map((to) => cell(from, to))]),
  );
}

function pairsText(root: string): string {
  const file = join(root, pairsFile);
  if (!existsSync(file)) return 'No result on record.';
  const { date, pairs } = z
    .object({ date: z.string(), pairs: z.record(z.string(), z.record(z.string(), z.array(z.string()))) })
    .parse(JSON.parse(readFileSync(file, 'utf8')));
  return [
    `Every source with every destination, on the lab's simulators (\`npm run test:pairs\`, ${dayOf(date)}). *yes*: a VM of two small disks was copied in full, copied again by what had changed, and deployed as a VM that boots; each`,
    'time the volumes were compared with the disks byte for byte, and nothing was left behind. The guest is a boot sector that speaks on the console, not a system. –: no result on record; pairs with `open-source-cloud` need the real service (`npm run test:openstack`).',
    '',
    pairsTable(pairs),
  ].join('\n');
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const [what, suite, ...reports] = process.argv.slice(2);
  if (what === '--record' && isSuite(suite)) {
    console.log(
      `Results of ${recordResults(root, suite, reports)} spec files kept for the support matrix (node scripts/support-matrix.ts --write).`,
    );
  } else if (what === '--write') {
    const changed = commitResults(root);
    for (const [page, name, write] of [
      ['docs/support-matrix.md', 'matrix', currentMatrix],
      ['README.md', 'support', currentSummary],
    ] as const) {
      writeFileSync(join(root, page), withBlock(readFileSync(join(root, page), 'utf8'), name, write(root)));
    }
    const results = committedResults(root);
    const specs = specsIn(root);
    const unnamed = specs.filter((spec) => !capabilities.some((one) => one.specs.includes(spec)));
    if (unnamed.length > 0)
      console.log(`No capability in scripts/documents/capabilities.ts names: ${unnamed.join(', ')}`);
    const missing = specs.filter((spec) => results[pathOf(spec)] === undefined);
    if (missing.length > 0) console.log(`Without a result: ${missing.join(', ')}`);
    console.log(`${changed} results changed in docs/results/specs.json; docs/support-matrix.md and README.md written.`);
  } else {
    console.error('Usage: node scripts/support-matrix.ts --write | --record <suite> <report>…');
    process.exit(2);
  }
}

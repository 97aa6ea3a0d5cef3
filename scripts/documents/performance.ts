import { join } from 'node:path';
import { measurementNames, measurements } from '../../e2e/bench/measurements.ts';
import { isMet, readPerformance, type Measurement, type Performance, type Row } from '../../e2e/bench/results.ts';
import { svgOf, svgOfBars } from '../../e2e/bench/svg-plot.ts';
import { markdownTable } from './generated-block.ts';

/** The page of measurements, from what `npm run bench -- … --record` kept. */
const resultFile = 'docs/results/performance.json';
const pictureFolder = 'docs/pictures/performance';
/** A chart with fewer groups says less than the table. */
const fewestGroups = 3;
const resultsOf = (root: string): Performance => readPerformance(join(root, resultFile));

/** A section for each measurement, also for those without a result. */
export function performanceText(root: string): string {
  return sections(resultsOf(root));
}

export function sections(results: Performance): string {
  return measurementNames
    .map((name) => {
      const { about, method, limits } = measurements[name];
      const result = results[name];
      return [
        `## ${name}: ${about}`,
        '',
        method,
        '',
        `*Limits:* ${limits}`,
        '',
        ...(result === undefined
          ? ['Not measured yet.']
          : [
              headOf(name, result),
              '',
              tableOf(result.rows),
              ...notesOf(result),
              ...(pictureOf(result) === undefined ? [] : ['', `![${about}](pictures/performance/${name}.svg)`]),
            ]),
        '',
      ].join('\n');
    })
    .join('\n');
}

/** Path of a picture → what makes it, for each measurement that has one. */
export function performancePictures(root: string): Readonly<Record<string, () => string>> {
  return Object.fromEntries(
    Object.entries(resultsOf(root)).flatMap(([name, result]) => {
      const picture = pictureOf(result);
      return picture === undefined ? [] : [[`${pictureFolder}/${name}.svg`, () => picture]];
    }),
  );
}

function headOf(
  name: string,
  { date, seconds, commit, machine, loadBefore, versions, arguments: given = [] }: Measurement,
): string {
  const { processor, cores, memoryGib, kernel } = machine;
  const command = ['npm run bench --', name, ...given].join(' ');
  return [
    `\`${command}\`, ${date.slice(0, 10)}${commit === undefined ? '' : `, commit ${commit}`}, took ${seconds} s. ${processor}, ${cores} cores, ${memoryGib} GiB, ${kernel}; load before: ${loadBefore}.`,
    `${Object.entries(versions)
      .map(([program, version]) => `${program} ${version}`)
      .join(', ')}.`,
  ].join('\n');
}

function tableOf(rows: readonly Row[]): string {
  return markdownTable(
    ['', 'What', 'Causeway', 'Others', 'Ratio to the peer', 'Goal'],
    rows.map((row, index) => {
      const [own, ...others] = row.ways;
      const inOrder = others.toSorted((one, other) => Number(other.name === row.peer) - Number(one.name === row.peer));
      return [
        row.group === rows[index - 1]?.group ? '' : row.group,
        `${row.what}, ${row.unit}`,
        own!.name === 'causeway' ? String(own!.value) : `${own!.name}: ${own!.value}`,
        inOrder.map(({ name, value }) => `${name}: ${value}`).join('<br>'),
        row.ratio === undefined ? '' : `${row.ratio} ×`,
        goalOf(row),
      ];
    }),
  );
}

function notesOf({ notes = [] }: Measurement): readonly string[] {
  return notes.length === 0 ? [] : ['', ...notes.map((note) => `- ${note}`)];
}

function goalOf(row: Row): string {
  if (row.goal === undefined) return '';
  const met = isMet(row);
  return `${row.goal.is} ${row.goal.bound}${row.goal.of === 'ratio' ? ' ×' : ` ${row.unit}`}${met === undefined ? '' : met ? ': met' : ': **missed**'}`;
}

function pictureOf({ plots, rows }: Measurement): string | undefined {
  if (plots !== undefined) return svgOf(plots);
  const [first] = rows;
  // Bars are drawn of one quantity: what the first row measures.
  const same = rows.filter(({ what, unit, ways }) => what === first!.what && unit === first!.unit && ways.length > 1);
  if (same.length < fewestGroups) return undefined;
  return svgOfBars({
    title: first!.what,
    unit: first!.unit,
    groups: same.map(({ group, ways }) => ({
      name: group,
      bars: ways.map(({ name, value }) => ({ series: name, value })),
    })),
  });
}

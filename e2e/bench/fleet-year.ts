/**
 * A year of waves with the real scheduler on a clock of its own: 10,000 replicas in three sites, 50 movers. Queues and costs as plots.
 *
 *   node e2e/bench/fleet-year.ts [--replicas 10000] [--movers 50] [--seed 7] [--output out/fleet-year.svg] [--json]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { simulateYear, type YearSample } from '../../electron/fleet/testing/simulated-year.ts';
import { atMost, startReport } from './results.ts';
import { svgOf, type Plot } from './svg-plot.ts';

/** Of no cloud in particular: what is plotted is how costs grow, and which of them is the largest. */
const prices = { moverHour: 0.1, workerHour: 0.05, tebibyteMonth: 45 };

const { values } = parseArgs({
  options: {
    replicas: { type: 'string' },
    movers: { type: 'string' },
    seed: { type: 'string' },
    output: { type: 'string' },
    json: { type: 'boolean' },
  },
});
const replicas = Number(values.replicas ?? 10_000);
const moverCount = Number(values.movers ?? 50);
const output = values.output ?? join(import.meta.dirname, '..', '..', 'out', 'fleet-year.svg');

const report = startReport('fleet-year');
const begun = process.cpuUsage();
const { samples, ...year } = simulateYear({ replicas, moverCount, seed: Number(values.seed ?? 7) });
const { user, system } = process.cpuUsage(begun);
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, svgOf(plots(samples)));

const last = samples.at(-1)!;
const costs = {
  movers: last.moverHours * prices.moverHour,
  workers: last.workerHours * prices.workerHour,
  volumes: last.tebibyteMonths * prices.tebibyteMonth,
};
const isGood = year.done === year.executions && year.brokenLimits === 0 && year.overloaded === 0;
const group = `${replicas} replicas, ${moverCount} movers`;
for (const [what, unit, value, most] of [
  ['executions that were not done', '', year.executions - year.done, 0],
  ['limits broken', '', year.brokenLimits, 0],
  ['movers overloaded', '', year.overloaded, 0],
  ['longest wait', 'h', year.longest / 60],
  ['longest wait of an urgent execution', 'h', year.longestUrgent / 60],
  ['most that waited at the same time', '', year.mostWaiting],
  ['time of the scheduler', 'CPU s', (user + system) / 1e6],
] as const)
  report.add({
    group,
    what,
    unit,
    ways: [{ name: 'causeway', value }],
    ...(most === undefined ? {} : { goal: atMost(most, 'value') }),
  });
for (const plot of plots(samples)) report.plot(plot);
console.log(
  `${replicas} replicas, ${moverCount} movers: ${year.done} of ${year.executions} executions done in ${last.day.toFixed(0)} days, ${year.brokenLimits} limits broken, ${year.overloaded} movers overloaded`,
);
console.log(
  `the longest wait: ${(year.longest / 60).toFixed(1)} h, of an urgent one ${(year.longestUrgent / 60).toFixed(1)} h; at most ${year.mostWaiting} waited at the same time`,
);
console.log(
  `costs at ${prices.moverHour} for an hour of a mover, ${prices.workerHour} of a worker, ${prices.tebibyteMonth} for a TiB of volumes a month: ${Object.entries(
    costs,
  )
    .map(([name, cost]) => `${name} ${cost.toFixed(0)}`)
    .join(', ')}`,
);
console.log(`plots: ${output} (${((user + system) / 1e6).toFixed(0)} CPU s)`);
report.finish();
process.exitCode = isGood ? 0 : 1;

function plots(given: readonly YearSample[]): Plot[] {
  const line = (name: string, of: (sample: YearSample) => number) => ({
    name,
    points: given.map((sample) => [sample.day, of(sample)] as const),
  });
  return [
    {
      title: 'Queue',
      x: 'day',
      y: 'executions',
      lines: [line('waiting', ({ waiting }) => waiting), line('running', ({ running }) => running)],
    },
    {
      title: 'Longest wait of what waits',
      x: 'day',
      y: 'hours',
      lines: [line('oldest', ({ oldestHours }) => oldestHours)],
    },
    {
      title: 'Movers with something to do',
      x: 'day',
      y: 'movers',
      lines: [line('busy', ({ busyMovers }) => busyMovers)],
    },
    {
      title: 'Replicated volumes before their cut-over',
      x: 'day',
      y: 'TiB',
      lines: [line('volumes', ({ replicatedTebibytes }) => replicatedTebibytes)],
    },
    {
      title: 'Costs since the beginning',
      x: 'day',
      y: 'cost',
      lines: [
        line('movers', ({ moverHours }) => moverHours * prices.moverHour),
        line('workers', ({ workerHours }) => workerHours * prices.workerHour),
        line('volumes', ({ tebibyteMonths }) => tebibyteMonths * prices.tebibyteMonth),
      ],
    },
  ];
}

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { MeasurementName } from './measurements.ts';
import type { Plot } from './svg-plot.ts';

/**
 * The shape that every measurement in this folder fills: rows, each with what was measured, the ways that were compared, and the goal
 * where an issue names one. With `--json` a measurement writes it to standard output, and what it prints otherwise to standard error.
 */

const waySchema = z.strictObject({
  name: z.string(),
  value: z.number(),
  /** The value of each turn, where there were several: `value` is then their median. */
  runs: z.array(z.number()).optional(),
});

const goalSchema = z.strictObject({
  /** The ratio to the peer, or the value of the first way. */
  of: z.enum(['ratio', 'value']),
  is: z.enum(['at least', 'at most']),
  bound: z.number(),
});

const rowSchema = z.strictObject({
  /** Rows of one group were measured in the same turns, e.g. `HTTPS, file system, 200 Mbit/s, 40 ms`. */
  group: z.string(),
  /** E.g. `rate` or `client's CPU`. */
  what: z.string(),
  unit: z.string(),
  /** The first one is what the ratio is of: Causeway. */
  ways: z.array(waySchema).min(1),
  /** Name of the way that the first one is compared with. */
  peer: z.string().optional(),
  /** The first way divided by the peer. */
  ratio: z.number().optional(),
  goal: goalSchema.optional(),
});

const plotSchema = z.strictObject({
  title: z.string(),
  x: z.string(),
  y: z.string(),
  lines: z.array(z.strictObject({ name: z.string(), points: z.array(z.tuple([z.number(), z.number()])) })),
});

export const measurementSchema = z.strictObject({
  /** When it began, UTC. */
  date: z.iso.datetime(),
  seconds: z.number(),
  /** Of this project, with a plus sign when files differed from it. */
  commit: z.string().optional(),
  /** What it was called with, if not only by its name. */
  arguments: z.array(z.string()).optional(),
  machine: z.strictObject({ processor: z.string(), cores: z.number(), memoryGib: z.number(), kernel: z.string() }),
  /** Of the computer in the minute before. */
  loadBefore: z.number(),
  /** Node, and the peers. */
  versions: z.record(z.string(), z.string()),
  rows: z.array(rowSchema),
  plots: z.array(plotSchema).optional(),
  /** What numbers do not tell, a sentence each. */
  notes: z.array(z.string()).optional(),
});

export type Way = z.infer<typeof waySchema>;
export type Goal = z.infer<typeof goalSchema>;
export type Row = z.infer<typeof rowSchema>;
export type Measurement = z.infer<typeof measurementSchema>;

/** By name of the measurement; the file docs/results/performance.json. */
export const performanceSchema = z.record(z.string(), measurementSchema);
export type Performance = z.infer<typeof performanceSchema>;

export const atLeast = (bound: number, of: Goal['of'] = 'ratio'): Goal => ({ of, is: 'at least', bound });
export const atMost = (bound: number, of: Goal['of'] = 'ratio'): Goal => ({ of, is: 'at most', bound });

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

/** A way by the median of its turns. */
export function wayOf(name: string, runs: readonly number[]): Way {
  return { name, value: rounded(median(runs)), ...(runs.length > 1 ? { runs: runs.map(rounded) } : {}) };
}

export type RowFacts = Readonly<Omit<Row, 'ratio'>>;

/** A row with its ratio. */
export function rowOf({ ways, peer, goal, ...rest }: RowFacts): Row {
  const other = ways.find(({ name }) => name === peer);
  return {
    ...rest,
    ways: ways.map((way) => ({ ...way, value: rounded(way.value) })),
    ...(other === undefined ? {} : { peer: other.name, ratio: rounded(ways[0]!.value / other.value) }),
    ...(goal === undefined ? {} : { goal }),
  };
}

/** Undefined where the row has no goal, or nothing to hold against it. */
export function isMet({ goal, ratio, ways }: Row): boolean | undefined {
  const value = goal?.of === 'ratio' ? ratio : ways[0]!.value;
  if (goal === undefined || value === undefined || Number.isNaN(value)) return undefined;
  return goal.is === 'at least' ? value >= goal.bound : value <= goal.bound;
}

/** What a measurement writes: call it before anything is measured, `finish` at the end. */
export interface Report {
  add(row: RowFacts): void;
  plot(plot: Plot): void;
  /** A sentence on what was seen. */
  note(text: string): void;
  /** A peer and its version; what is not installed is left out. */
  version(name: string, ...command: readonly string[]): void;
  /** Prints the measurement as JSON if that was asked for. */
  finish(): void;
}

/** `name` is an entry of `measurements.ts`, and of this folder. */
export function startReport(_name: MeasurementName): Report {
  const isJson = process.argv.includes('--json');
  // Standard output is for the JSON alone.
  if (isJson) console.log = console.error;
  const [date, begun, [loadBefore = 0]] = [new Date().toISOString(), performance.now(), loadavg()];
  const rows: Row[] = [];
  const plots: NonNullable<Measurement['plots']> = [];
  const notes: string[] = [];
  const versions: Record<string, string> = { Node: process.versions.node };
  const given = process.argv.slice(2).filter((argument) => argument !== '--json');
  return {
    add(facts) {
      rows.push(rowOf(facts));
    },
    plot(plot) {
      plots.push({ ...plot, lines: plot.lines.map(({ name, points }) => ({ name, points: thinned(points) })) });
    },
    note(text) {
      notes.push(text);
    },
    version(name, ...command) {
      const found = versionOf(command.length === 0 ? [name, '--version'] : command);
      if (found !== undefined) versions[name] = found;
    },
    finish() {
      if (!isJson) return;
      const commit = commitOf();
      const measurement: Measurement = {
        date,
        seconds: Math.round((performance.now() - begun) / 1000),
        ...(commit === undefined ? {} : { commit }),
        ...(given.length === 0 ? {} : { arguments: given }),
        machine: {
          processor: cpus()[0]?.model ?? '',
          cores: availableParallelism(),
          memoryGib: Math.round(totalmem() / 2 ** 30),
          kernel: `${type()} ${release()}`,
        },
        loadBefore: rounded(loadBefore),
        versions,
        rows,
        ...(plots.length === 0 ? {} : { plots }),
        ...(notes.length === 0 ? {} : { notes }),
      };
      process.stdout.write(`${JSON.stringify(measurement, undefined, 2)}\n`);
    },
  };
}

/** The rows of several processes of one measurement, which each printed JSON. */
export function rowsIn(json: string): readonly Row[] {
  return measurementSchema.parse(JSON.parse(json)).rows;
}

/** The results with those of a run: a measurement takes the place of its former one. Those that no longer exist are left out. */
export function mergePerformance(known: Performance, newer: Performance, names: readonly string[]): Performance {
  return Object.fromEntries(
    names.flatMap((name) => {
      const measurement = newer[name] ?? known[name];
      return measurement === undefined ? [] : [[name, measurement]];
    }),
  );
}

export function readPerformance(file: string): Performance {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return {};
  }
  return performanceSchema.parse(JSON.parse(text));
}

/** Three digits that mean something. */
function rounded(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}

/** At most so many points as a plot can show. */
function thinned(points: readonly (readonly [number, number])[]): [number, number][] {
  const step = Math.ceil(points.length / 120);
  return points
    .filter((_, index) => index % step === 0 || index === points.length - 1)
    .map(([x, y]) => [rounded(x), rounded(y)]);
}

function versionOf([command, ...args]: readonly string[]): string | undefined {
  const { stdout, stderr, status } = spawnSync(command!, args, { encoding: 'utf8' });
  return status === 0 ? /\d+\.\d[\w.+~-]*/.exec(`${stdout}${stderr}`)?.[0] : undefined;
}

function commitOf(): string | undefined {
  const git = (...args: string[]): string | undefined => {
    const { stdout, status } = spawnSync('git', args, { cwd: join(import.meta.dirname, '..', '..'), encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  const commit = git('rev-parse', '--short=12', 'HEAD');
  return commit === undefined
    ? undefined
    : `${commit}${git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '+'}`;
}

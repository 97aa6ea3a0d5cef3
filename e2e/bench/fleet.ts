/**
 * What a fleet costs, and how much several VMs at once bring: by the command line that users have, with the lab's cloud and a real NATS server.
 * Processor seconds of an execution in a fleet beside the same one without a fleet, from when its project is open: what joining costs, once for each
 * command, is said apart. And the bytes per second of eight VMs at once beside those of one: of the time in which a disk is copied or verified, because
 * some are verified while others are still copied, and of the time in which one is copied.
 *
 *   node e2e/bench/fleet.ts [--runs 3] [--mib 1024] [--only overhead|together] [--json]
 */
import { mkdir } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { CommandLine } from '../demo/command-line.ts';
import type { Lab } from '../demo/lab.ts';
import { hasNats, startNats } from '../rigs/nats-cluster.ts';
import {
  copyingTimes,
  createImagesProject,
  makeImage,
  verifyingTimes,
  withImagesLab,
  type Interval,
} from './images-project.ts';
import { treeCpuSeconds } from './process-cpu.ts';
import { atLeast, atMost, median, startReport, wayOf } from './results.ts';

const mebibyte = 1024 * 1024;
const together = 8;
const targets = { overhead: 1.03, together: 0.9 };
const { values } = parseArgs({
  options: { runs: { type: 'string' }, mib: { type: 'string' }, only: { type: 'string' }, json: { type: 'boolean' } },
});
const runs = Number(values.runs ?? 3);
const mib = Number(values.mib ?? 1024);
const kept = startReport('fleet');
kept.version('nats-server');

if (!hasNats) {
  console.error("Debian's nats-server is not installed");
  process.exit(2);
}
await withImagesLab(async (lab, scratch) => {
  report(await benchmark(lab, scratch));
});
kept.finish();

/** Processor seconds. */
interface Cost {
  /** Until the project is open and the execution has begun. */
  readonly opening: number;
  readonly running: number;
}

interface Measured {
  readonly alone: readonly Cost[];
  readonly inFleet: readonly Cost[];
  readonly one: readonly Rates[];
  readonly many: readonly Rates[];
}

/** Bytes per second. */
interface Rates {
  readonly copied: number;
  readonly copiedAndVerified: number;
}

async function benchmark(of: Lab, scratch: string): Promise<Measured> {
  const images = join(scratch, 'images');
  await mkdir(images);
  const names = Array.from({ length: together }, (_, index) => `vm-${index}`);
  await makeImage(images, 'whole', mib);
  for (const name of names) await makeImage(images, name, mib / together);
  // As many executions at the same time as are asked for: the project's own concurrency is 4.
  const { causeway, createReplica: create } = await createImagesProject(scratch, of, together);
  const remove = (name: string) => causeway.expect(['replica', 'delete', name, '--yes']);
  const measured = { alone: [] as Cost[], inFleet: [] as Cost[], one: [] as Rates[], many: [] as Rates[] };
  const nats = await startNats({ servers: 1 });
  try {
    for (let turn = 0; turn < runs; turn++) {
      await create('whole');
      measured.alone.push(await execute(causeway, 'whole'));
      measured.one.push(await ratesOf(causeway, ['whole']));
      await remove('whole');
      if (values.only !== 'together') {
        await causeway.expect(['fleet', 'join', ...nats.urls, '--name', `bench-${turn}`]);
        await create('whole');
        measured.inFleet.push(await execute(causeway, 'whole'));
        await remove('whole');
        await causeway.expect(['fleet', 'leave']);
      }
      if (values.only === 'overhead') continue;
      for (const name of names) await create(name);
      await causeway.expect(['wave', 'create', `night-${turn}`, ...names]);
      await causeway.expect(['wave', 'start', `night-${turn}`, '--at-once', String(together)]);
      measured.many.push(await ratesOf(causeway, names));
      for (const name of names) await remove(name);
    }
  } finally {
    await nats.stop();
  }
  return measured;
}

/** Of the command, which is the engine as well. */
async function execute(causeway: CommandLine, replica: string): Promise<Cost> {
  const child = causeway.start(['replica', 'execute', replica, '--json'], ['ignore', 'pipe', 'inherit']);
  let [opening, whole] = [0, 0];
  const sample = (): void => void (whole = Math.max(whole, treeCpuSeconds(child.pid ?? 0)));
  // Its first line tells of the execution that was created.
  child.stdout?.once('data', () => {
    sample();
    opening = whole;
  });
  child.stdout?.resume();
  const timer = setInterval(sample, 25);
  const status = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(timer);
  if (status !== 0) throw new Error(`the execution of ${replica} ended with ${String(status)}`);
  return { opening, running: whole - opening };
}

/** Of the last executions of replicas. */
async function ratesOf(causeway: CommandLine, replicas: readonly string[]): Promise<Rates> {
  const copying = (await Promise.all(replicas.map((replica) => copyingTimes(causeway, replica)))).flat();
  const verifying = (await Promise.all(replicas.map((replica) => verifyingTimes(causeway, replica)))).flat();
  const bytes = mib * mebibyte;
  return { copied: bytes / secondsOf(copying), copiedAndVerified: bytes / secondsOf([...copying, ...verifying]) };
}

/** In which at least one of them goes on. */
function secondsOf(intervals: readonly Interval[]): number {
  let [milliseconds, end] = [0, -Infinity];
  for (const [from, until] of intervals.toSorted(([first], [second]) => first - second)) {
    milliseconds += Math.max(0, until - Math.max(from, end));
    end = Math.max(end, until);
  }
  return milliseconds / 1000;
}

function report(measured: Measured): void {
  const [running, opening] = (['running', 'opening'] as const).map((part) => ({
    alone: measured.alone.map((cost) => cost[part]),
    inFleet: measured.inFleet.map((cost) => cost[part]),
  }));
  const [copied, verified] = (['copied', 'copiedAndVerified'] as const).map((part) => ({
    one: measured.one.map((rates) => rates[part] / mebibyte),
    many: measured.many.map((rates) => rates[part] / mebibyte),
  }));
  const ratios = {
    overhead: median(running!.inFleet) / median(running!.alone),
    copied: median(copied!.many) / median(copied!.one),
    verified: median(verified!.many) / median(verified!.one),
  };
  const load = loadavg()[0] ?? 0;
  if (values.only !== 'together') {
    kept.add({
      group: `an execution of ${mib} MiB in a fleet`,
      what: 'CPU',
      unit: 's',
      ways: [wayOf('causeway', running!.inFleet), wayOf('without a fleet', running!.alone)],
      peer: 'without a fleet',
      goal: atMost(targets.overhead),
    });
    kept.add({
      group: 'joining a fleet, until the execution begins',
      what: 'CPU',
      unit: 's',
      ways: [wayOf('causeway', opening!.inFleet), wayOf('without a fleet', opening!.alone)],
      peer: 'without a fleet',
    });
  }
  if (values.only !== 'overhead') {
    const group = `${together} VMs in parallel, in sum`;
    kept.add({
      group,
      what: 'rate, copied and verified',
      unit: 'MiB/s',
      ways: [wayOf('causeway', verified!.many), wayOf('one VM', verified!.one)],
      peer: 'one VM',
      goal: atLeast(targets.together),
    });
    kept.add({
      group,
      what: 'rate while disks are copied',
      unit: 'MiB/s',
      ways: [wayOf('causeway', copied!.many), wayOf('one VM', copied!.one)],
      peer: 'one VM',
    });
  }
  const list = (numbers: readonly number[], unit: number): string =>
    numbers.map((number) => (number / unit).toFixed(2)).join(' ');
  console.log(`${mib} MiB, ${runs} runs each, load ${load.toFixed(1)}`);
  if (values.only !== 'together') {
    console.log(
      `CPU seconds without a fleet: ${list(running!.alone, 1)}; in a fleet: ${list(running!.inFleet, 1)}; ratio ${ratios.overhead.toFixed(3)} (at most ${targets.overhead}: ${ratios.overhead <= targets.overhead ? 'met' : 'missed'})`,
    );
    console.log(
      `CPU seconds until the execution begins, without a fleet: ${list(opening!.alone, 1)}; in a fleet, with joining: ${list(opening!.inFleet, 1)}`,
    );
  }
  if (values.only === 'overhead') return;
  console.log(
    `MiB/s, copied and verified, of one VM: ${list(verified!.one, 1)}; of ${together} at once, in sum: ${list(verified!.many, 1)}; ratio ${ratios.verified.toFixed(2)} (at least ${targets.together}: ${ratios.verified >= targets.together ? 'met' : 'missed'})`,
  );
  console.log(
    `MiB/s while disks are copied, of one VM: ${list(copied!.one, 1)}; of ${together} at once, in sum: ${list(copied!.many, 1)}; ratio ${ratios.copied.toFixed(2)}`,
  );
}

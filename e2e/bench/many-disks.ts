/**
 * How much memory the engine takes when many disks are copied in parallel and more VMs wait, by the command line that users have: a wave of VMs with
 * sparse disks in memory goes to the lab's cloud, each to a worker of its own, and is verified.
 *
 *   node e2e/bench/many-disks.ts [--running 8] [--queued 4] [--disks 4] [--mib 64] [--json]
 */
import { createHash, randomFillSync } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Lab } from '../demo/lab.ts';
import { copyingTimes, createImagesProject, withImagesLab, type Interval } from './images-project.ts';
import { treeCpuSeconds } from './process-cpu.ts';
import { highestResidentBytes } from './process-memory.ts';
import { atMost, startReport } from './results.ts';

const mebibyte = 1024 * 1024;
const diskBytes = 8 * 1024 * mebibyte;
const targetMegabytes = 350;
const { values } = parseArgs({
  options: {
    running: { type: 'string', default: '8' },
    queued: { type: 'string', default: '4' },
    disks: { type: 'string', default: '4' },
    mib: { type: 'string', default: '64' },
    json: { type: 'boolean' },
  },
});
const running = Number(values.running);
const disks = Number(values.disks);
const names = Array.from(
  { length: running + Number(values.queued) },
  (_, index) => `vm-${String(index).padStart(3, '0')}`,
);

const report = startReport('many-disks');
await withImagesLab(async (lab, scratch) => {
  await measure(lab, scratch);
});
report.finish();

async function measure(of: Lab, scratch: string): Promise<void> {
  const images = join(scratch, 'images');
  await mkdir(images);
  for (const name of names) await makeImages(images, name);
  const { causeway, createReplica } = await createImagesProject(scratch, of, running);
  for (const name of names) await createReplica(name);
  await causeway.expect(['wave', 'create', 'night', ...names]);
  const begun = performance.now();
  const child = causeway.start(
    ['wave', 'start', 'night', '--at-once', String(running)],
    ['ignore', 'ignore', 'inherit'],
  );
  let [residentBytes, cpuSeconds] = [0, 0];
  const timer = setInterval(() => {
    residentBytes = Math.max(residentBytes, highestResidentBytes(child.pid ?? 0) ?? 0);
    cpuSeconds = Math.max(cpuSeconds, treeCpuSeconds(child.pid ?? 0));
  }, 50);
  const status = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(timer);
  if (status !== 0) throw new Error(`the wave ended with ${String(status)}`);
  const seconds = (performance.now() - begun) / 1000;
  const most = mostInParallel((await Promise.all(names.map((name) => copyingTimes(causeway, name)))).flat());
  const megabytes = residentBytes / 1e6;
  const group = `${running} VMs of ${disks} disks in parallel, ${values.queued} in the queue`;
  report.add({
    group,
    what: 'memory of the engine',
    unit: 'MB',
    ways: [{ name: 'causeway', value: megabytes }],
    goal: atMost(targetMegabytes, 'value'),
  });
  report.add({
    group,
    what: 'disks copied in the same moment, at most',
    unit: '',
    ways: [{ name: 'causeway', value: most }],
  });
  report.add({ group, what: 'time of the wave', unit: 's', ways: [{ name: 'causeway', value: seconds }] });
  report.add({ group, what: 'CPU of the engine', unit: 's', ways: [{ name: 'causeway', value: cpuSeconds }] });
  console.log(
    `${group}, disks of ${diskBytes / 1024 / mebibyte} GiB with ${values.mib} MiB of data each; load ${(loadavg()[0] ?? 0).toFixed(1)}`,
  );
  console.log(
    `the wave took ${seconds.toFixed(0)} s and ${cpuSeconds.toFixed(0)} CPU s; at most ${most} disks were copied in the same moment`,
  );
  console.log(
    `the engine had at most ${megabytes.toFixed(0)} MB resident (at most ${targetMegabytes}: ${megabytes <= targetMegabytes ? 'met' : 'missed'})`,
  );
}

function mostInParallel(intervals: readonly Interval[]): number {
  return Math.max(...intervals.map(([at]) => intervals.filter(([from, until]) => from <= at && at < until).length));
}

async function makeImages(folder: string, name: string): Promise<void> {
  await mkdir(join(folder, name));
  for (let disk = 0; disk < disks; disk += 1) await makeImage(join(folder, name), `disk-${disk}`, name);
}

/** A sparse disk with data in runs of 4 MiB; no block is that of another disk. */
async function makeImage(folder: string, name: string, machine: string): Promise<void> {
  const runBytes = 4 * mebibyte;
  const bytes = randomFillSync(Buffer.alloc(runBytes));
  const file = await open(join(folder, `${name}.raw`), 'w');
  await file.truncate(diskBytes);
  const count = Math.max(1, Math.floor((Number(values.mib) * mebibyte) / runBytes));
  for (let run = 0; run < count; run += 1) {
    for (let block = 0; block < runBytes; block += 4096)
      createHash('md5').update(`${machine} ${name} ${run} ${block}`).digest().copy(bytes, block);
    await file.write(bytes, 0, runBytes, Math.floor(diskBytes / count / runBytes) * runBytes * run);
  }
  await file.close();
}

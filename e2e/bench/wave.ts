/**
 * How near a wave of VMs of very different sizes comes to the shortest time that its executions allow, by the command line that users have: images in
 * memory go to the lab's cloud, two executions at a time. The smallest come first in the wave; in that order the largest would run alone at the end.
 *
 *   node e2e/bench/wave.ts [--mib 3072] [--runs 3] [--json]
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { Lab } from '../demo/lab.ts';
import { createImagesProject, makeImage, withImagesLab, type Interval } from './images-project.ts';
import { atMost, startReport, wayOf } from './results.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    mib: { type: 'string', default: '3072' },
    json: { type: 'boolean' },
  },
});
/** Of the wave's data; half of it is in one VM. */
const shares = [1, 1, 1, 1, 2, 2, 4, 12].map((part) => part / 24);
const atOnce = 2;
const names = shares.map((_, index) => `vm-${index}`);
const executionSchema = z.object({
  state: z.literal('completed'),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
});

const report = startReport('wave');
await withImagesLab(async (lab, scratch) => {
  await measure(lab, scratch);
});
report.finish();

async function measure(of: Lab, scratch: string): Promise<void> {
  const images = join(scratch, 'images');
  await mkdir(images);
  const sizes = shares.map((share) => Math.round(Number(values.mib) * share));
  for (const [index, name] of names.entries()) await makeImage(images, name, sizes[index]!);
  const { causeway, createReplica } = await createImagesProject(scratch, of, atOnce);
  // Sizes are known before the first copy by a list, as of RVTools.
  const list = join(scratch, 'all.csv');
  await writeFile(
    list,
    [
      'ID,Name,OS,CPUs,Memory,Disk',
      ...names.map((name, index) => `${name},${name},Linux,1,1 GiB,${sizes[index]!} MiB`),
    ].join('\n'),
  );
  await causeway.expect(['inventory', 'import', list]);
  const [taken, shortest, inOrder]: [number[], number[], number[]] = [[], [], []];
  for (let turn = 0; turn < Number(values.runs); turn++) {
    for (const name of names) await createReplica(name);
    await causeway.expect(['wave', 'create', `night-${turn}`, ...names]);
    await causeway.expect(['wave', 'start', `night-${turn}`, '--at-once', String(atOnce)]);
    const runs = await Promise.all(
      names.map(async (name): Promise<Interval> => {
        const [first = ''] = (await causeway.expect(['execution', 'show', name, '--json'])).split('\n');
        const { startedAt, finishedAt } = executionSchema.parse(JSON.parse(first));
        return [Date.parse(startedAt), Date.parse(finishedAt)];
      }),
    );
    const durations = runs.map(([from, until]) => (until - from) / 1000);
    taken.push((Math.max(...runs.map(([, until]) => until)) - Math.min(...runs.map(([from]) => from))) / 1000);
    shortest.push(Math.max(...durations, durations.reduce((sum, one) => sum + one, 0) / atOnce));
    inOrder.push(timeInOrder(durations));
    for (const name of names) await causeway.expect(['replica', 'delete', name, '--yes']);
  }
  const group = `${names.length} VMs with ${values.mib} MiB, half of it in one, ${atOnce} at a time`;
  const ways = [
    wayOf('causeway', taken),
    wayOf('shortest possible', shortest),
    wayOf('in the order of the wave', inOrder),
  ];
  report.add({ group, what: 'time of the wave', unit: 's', ways, peer: 'shortest possible', goal: atMost(1.15) });
  console.log(group);
  for (const { name, value, runs: each } of ways)
    console.log(
      `${name.padEnd(28)}${value.toFixed(1).padStart(8)} s   ${(each ?? []).map((one) => one.toFixed(1)).join(' ')}`,
    );
}

/** What these durations would come to if each began, as soon as there is room, in the order in which they are. */
function timeInOrder(durations: readonly number[]): number {
  const free = Array.from({ length: atOnce }, () => 0);
  for (const duration of durations) {
    const lane = free.indexOf(Math.min(...free));
    free[lane]! += duration;
  }
  return Math.max(...free);
}

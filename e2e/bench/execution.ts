/**
 * What whole executions cost, by the command line that users have: images in memory go to the lab's cloud, through its
 * worker, and are verified. Three questions: does a large disk with little in it cost what little there is, how much memory
 * does the engine take with several disks at once, and how much does it take to compare the digests of two backups of 1 TiB.
 *
 *   node e2e/bench/execution.ts [--runs 3] [--mib 1024] [--only-digests] [--json]
 */
import { execFile } from 'node:child_process';
import { createHash, randomFillSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { createProject } from '../../electron/workbench/project-file.ts';
import { CommandLine } from '../demo/command-line.ts';
import { addEndpoints, cloudEndpoint } from '../demo/endpoints.ts';
import { startLab, type Lab } from '../demo/lab.ts';
import { writeCloudEnvironment } from '../rigs/project/cloud-environment.ts';
import { highestResidentBytes } from './process-memory.ts';
import { treeCpuSeconds } from './process-cpu.ts';
import { atMost, median, startReport, wayOf } from './results.ts';

const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;
const runBytes = 4 * mebibyte;
const imagesEndpoint = 'images';
const diskDone = z.object({
  event: z.object({ type: z.literal('disk.done'), details: z.object({ durationSeconds: z.number() }) }),
});

interface Machine {
  readonly name: string;
  readonly disks: number;
  readonly diskBytes: number;
  /** Allocated on each disk, in runs of 4 MiB that are spread over it. */
  readonly dataBytes: number;
}

interface Sample {
  readonly seconds: number;
  /** Of them, copying: the longest of the disks. */
  readonly copySeconds: number;
  /** Processor seconds of the command and of what it starts (the readers of images). */
  readonly cpuSeconds: number;
  /** The most that the command's own process had resident. */
  readonly residentBytes: number;
}

const { values } = parseArgs({
  options: {
    runs: { type: 'string' },
    mib: { type: 'string' },
    'only-digests': { type: 'boolean' },
    json: { type: 'boolean' },
  },
});
const runs = Number(values.runs ?? 3);
const dataBytes = Number(values.mib ?? 1024) * mebibyte;
const machines = {
  full: { name: 'full', disks: 1, diskBytes: dataBytes, dataBytes },
  sparse: { name: 'sparse', disks: 1, diskBytes: 100 * gibibyte, dataBytes },
  four: { name: 'four', disks: 4, diskBytes: 100 * gibibyte, dataBytes: dataBytes / 2 },
} satisfies Record<string, Machine>;
const targets = { sparse: 1.2, residentMib: 350 };
const kept = startReport('execution');
const digestsGib = 1024;
const digestSample = z.object({ seconds: z.number(), residentBytes: z.number(), digests: z.number() });

if (values['only-digests'] === true) {
  reportDigests(await compareDigests());
  kept.finish();
  process.exit(0);
}

const built = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js');
if (!existsSync(built)) {
  console.error('The command line is not built: npm run bench -- execution');
  process.exit(2);
}
const scratch = await mkdtemp('/dev/shm/causeway-bench-');
let lab: Lab | undefined;
try {
  lab = await startLab({ folder: join(scratch, 'lab'), withVm: false, say: () => {} });
  report(await benchmark(lab), await compareDigests());
  kept.finish();
} finally {
  await lab?.close();
  await rm(scratch, { recursive: true, force: true });
}

async function benchmark({ cloud }: Lab): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const images = join(scratch, 'images');
  await mkdir(images);
  for (const machine of Object.values(machines)) await makeImages(images, machine);
  const project = join(scratch, 'project');
  createProject(project, 'Measurement');
  const causeway = new CommandLine(project, { CAUSEWAY_KEY_FILE: join(scratch, 'vault.key') });
  await addEndpoints(causeway, { cloud });
  await causeway.expect(['endpoint', 'add', imagesEndpoint, '--plugin', 'disk-images', '--set', `path=${images}`]);
  const environment = await writeCloudEnvironment(project);
  const samples = new Map<string, Sample[]>();
  const measure = async (machine: Machine): Promise<void> => {
    await causeway.expect([
      'replica',
      'create',
      imagesEndpoint,
      machine.name,
      cloudEndpoint,
      '--environment',
      environment,
    ]);
    samples.set(machine.name, [...(samples.get(machine.name) ?? []), await execute(causeway, machine.name)]);
    await causeway.expect(['replica', 'delete', machine.name, '--yes']);
  };
  for (let turn = 0; turn < runs; turn++) {
    await measure(machines.full);
    await measure(machines.sparse);
  }
  await measure(machines.four);
  return samples;
}

/** A first execution: all of the data moves, and is read back. */
async function execute(causeway: CommandLine, replica: string): Promise<Sample> {
  const begun = performance.now();
  const child = causeway.start(['replica', 'execute', replica, '--json'], ['ignore', 'pipe', 'inherit']);
  let [cpuSeconds, residentBytes, copySeconds] = [0, 0, 0];
  createInterface({ input: child.stdout! }).on('line', (line) => {
    copySeconds = Math.max(copySeconds, secondsOfCopy(JSON.parse(line)));
  });
  const look = (): void => {
    residentBytes = Math.max(residentBytes, highestResidentBytes(child.pid ?? 0) ?? 0);
    cpuSeconds = Math.max(cpuSeconds, treeCpuSeconds(child.pid ?? 0));
  };
  const timer = setInterval(look, 25);
  const status = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(timer);
  if (status !== 0) throw new Error(`the execution of ${replica} ended with ${String(status)}`);
  return { seconds: (performance.now() - begun) / 1000, copySeconds, cpuSeconds, residentBytes };
}

/** The digests of two backups of a large disk, in a process that does nothing else. */
async function compareDigests(): Promise<z.infer<typeof digestSample>> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'backup-digests.ts'),
    String(digestsGib),
  ]);
  return digestSample.parse(JSON.parse(stdout));
}

function reportDigests({ seconds, residentBytes, digests }: z.infer<typeof digestSample>): void {
  const residentMib = residentBytes / mebibyte;
  const group = `digests of two backups of ${digestsGib} GiB compared`;
  kept.add({
    group,
    what: 'memory of the engine',
    unit: 'MiB',
    ways: [{ name: 'causeway', value: residentMib }],
    goal: atMost(targets.residentMib, 'value'),
  });
  kept.add({ group, what: 'time', unit: 's', ways: [{ name: 'causeway', value: seconds }] });
  console.log(
    `comparing the digests of two backups of ${digestsGib} GiB (${(digests / 1e6).toFixed(0)} million) took ${seconds.toFixed(0)} s with at most ${residentMib.toFixed(0)} MiB resident (at most ${targets.residentMib}: ${residentMib <= targets.residentMib ? 'met' : 'missed'})`,
  );
}

/** What a line of the command's output says of a disk that was copied; 0 when it speaks of something else. */
function secondsOfCopy(line: unknown): number {
  const parsed = diskDone.safeParse(line);
  return parsed.success ? parsed.data.event.details.durationSeconds : 0;
}

/** Image files of a machine, all of their data different: a folder, as there may be several. */
async function makeImages(folder: string, { name, disks, diskBytes, dataBytes: data }: Machine): Promise<void> {
  await mkdir(join(folder, name));
  const bytes = randomFillSync(Buffer.alloc(runBytes));
  const count = Math.max(1, Math.floor(data / runBytes));
  const stride = Math.floor(diskBytes / count / runBytes) * runBytes;
  for (let disk = 0; disk < disks; disk++) {
    const file = await open(join(folder, name, `disk-${disk}.raw`), 'w');
    await file.truncate(diskBytes);
    for (let run = 0; run < count; run++) {
      // Random bytes are made once; a mark in each block makes every block of every disk another one.
      for (let block = 0; block < runBytes; block += 4096)
        createHash('md5').update(`${name} ${disk} ${run} ${block}`).digest().copy(bytes, block);
      await file.write(bytes, 0, runBytes, run * stride);
    }
    await file.close();
  }
}

function report(samples: ReadonlyMap<string, readonly Sample[]>, digests: z.infer<typeof digestSample>): void {
  const rows = Object.values(machines).map((machine: Machine) => {
    const taken = samples.get(machine.name) ?? [];
    return {
      machine,
      seconds: median(taken.map((sample) => sample.seconds)),
      copySeconds: median(taken.map((sample) => sample.copySeconds)),
      cpuSeconds: median(taken.map((sample) => sample.cpuSeconds)),
      residentMib: Math.max(...taken.map((sample) => sample.residentBytes)) / mebibyte,
      runs: taken.map((sample) => Number(sample.seconds.toFixed(1))),
    };
  });
  const [full, sparse, four] = rows;
  if (full === undefined || sparse === undefined || four === undefined) throw new Error('something was not measured');
  const ratios = {
    sparseTime: sparse.seconds / full.seconds,
    sparseCopy: sparse.copySeconds / full.copySeconds,
    sparseCpu: sparse.cpuSeconds / full.cpuSeconds,
  };
  const load = loadavg()[0] ?? 0;
  const runsOf = (name: string, pick: (sample: Sample) => number): readonly number[] =>
    (samples.get(name) ?? []).map(pick);
  for (const [what, pick] of [
    ['time', ({ seconds }: Sample) => seconds],
    ['copying', ({ copySeconds }: Sample) => copySeconds],
    ['CPU', ({ cpuSeconds }: Sample) => cpuSeconds],
  ] as const) {
    const ways = [wayOf('causeway', runsOf('sparse', pick)), wayOf('a full disk', runsOf('full', pick))];
    kept.add({
      group: '100 GiB with as much in it as a full disk',
      what,
      unit: 's',
      ways,
      peer: 'a full disk',
      goal: atMost(targets.sparse),
    });
  }
  for (const {
    machine: { name, disks },
    residentMib,
  } of rows) {
    kept.add({
      group: `${name}: ${disks === 1 ? 'one disk' : `${disks} disks in parallel`}`,
      what: 'memory of the engine',
      unit: 'MiB',
      ways: [{ name: 'causeway', value: residentMib }],
      goal: atMost(targets.residentMib, 'value'),
    });
  }
  console.log(
    `whole executions, first execution with verification (median of ${runs}; ${four.machine.disks} disks in parallel: once; load ${load.toFixed(1)})`,
  );
  console.log(`${''.padEnd(44)}  seconds  copying  CPU s  engine's VmHWM  runs`);
  for (const {
    machine: { name, disks, diskBytes, dataBytes: data },
    seconds,
    copySeconds,
    cpuSeconds,
    residentMib,
    runs: each,
  } of rows) {
    const what = `${name}: ${disks} x ${(diskBytes / gibibyte).toFixed(1)} GiB with ${(data / gibibyte).toFixed(2)} GiB allocated`;
    console.log(
      `${what.padEnd(44)}${seconds.toFixed(1).padStart(9)}${copySeconds.toFixed(1).padStart(9)}${cpuSeconds.toFixed(1).padStart(7)}${residentMib.toFixed(0).padStart(12)} MiB  ${each.join(' ')}`,
    );
  }
  const verdict = (value: number, target: number): string => (value <= target ? 'met' : 'missed');
  console.log(
    `100 GiB with as much in it as a full disk costs ${ratios.sparseTime.toFixed(2)} x the time (copying alone ${ratios.sparseCopy.toFixed(2)} x), ${ratios.sparseCpu.toFixed(2)} x the CPU of that (at most ${targets.sparse}: ${verdict(Math.max(...Object.values(ratios)), targets.sparse)})`,
  );
  const highest = Math.max(...rows.map((row) => row.residentMib));
  console.log(
    `the engine had at most ${highest.toFixed(0)} MiB resident (at most ${targets.residentMib}: ${verdict(highest, targets.residentMib)})`,
  );
  reportDigests(digests);
}

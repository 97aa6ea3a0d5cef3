/**
 * What an execution costs that finds nothing changed on a large disk with change tracking: by the command line that users have, from a QEMU process with a
 * sparse disk to the lab's cloud and its worker. Seconds, CPU and traffic of the execution after the first one, and of one after a small change.
 *
 *   node e2e/bench/increment.ts [--gib 1024] [--runs 3] [--json]
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { createProject } from '../../electron/workbench/project-file.ts';
import { QemuProcess } from '../conformance/qemu-process.ts';
import { CommandLine } from '../demo/command-line.ts';
import { addEndpoints, cloudEndpoint } from '../demo/endpoints.ts';
import { startLab, type Lab } from '../demo/lab.ts';
import { writeCloudEnvironment } from '../rigs/project/cloud-environment.ts';
import { treeCpuSeconds } from './process-cpu.ts';
import { highestResidentBytes } from './process-memory.ts';
import { atMost, median, startReport, wayOf } from './results.ts';
import { socketBytes } from './socket-bytes.ts';

const mebibyte = 1024 * 1024;
const targets = { seconds: 15, megabytes: 20 };
const { values } = parseArgs({
  options: {
    gib: { type: 'string', default: '1024' },
    runs: { type: 'string', default: '3' },
    json: { type: 'boolean' },
  },
});
const vm = 'large';

if (!existsSync(join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js'))) {
  console.error('The command line is not built: npm run bench -- increment');
  process.exit(2);
}
const report = startReport('increment');
report.version('QEMU', 'qemu-system-x86_64', '--version');
const scratch = await mkdtemp('/dev/shm/cwy-bench-');
let lab: Lab | undefined;
let qemu: QemuProcess | undefined;
try {
  const disk = join(scratch, 'disk.raw');
  await promisify(execFile)('truncate', ['-s', `${values.gib}G`, disk]);
  qemu = await QemuProcess.start({ source: join(scratch, 's.qmp'), test: join(scratch, 't.qmp') }, vm, [
    '-blockdev',
    JSON.stringify({
      driver: 'raw',
      'node-name': 'data-node',
      discard: 'unmap',
      file: { driver: 'file', filename: disk, discard: 'unmap' },
    }),
    '-device',
    'virtio-blk-pci,id=data,drive=data-node',
  ]);
  for (let part = 0; part < 16; part += 1)
    await qemu.io('/machine/peripheral/data/virtio-backend', `write -P ${part + 1} ${part * 61 * 1024 * mebibyte} 4M`);
  lab = await startLab({ folder: join(scratch, 'lab'), withVm: false, say: () => {} });
  await measure(lab, qemu);
  report.finish();
} finally {
  await lab?.close();
  await qemu?.quit();
  await rm(scratch, { recursive: true, force: true });
}

interface Sample {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly megabytes: number;
  readonly residentMib: number;
}

async function measure({ cloud }: Lab, source: QemuProcess): Promise<void> {
  const project = join(scratch, 'project');
  createProject(project, 'Measurement');
  const causeway = new CommandLine(project, {
    CAUSEWAY_KEY_FILE: join(scratch, 'vault.key'),
    CAUSEWAY_USER_FOLDER: join(scratch, 'user'),
  });
  await addEndpoints(causeway, { cloud });
  await causeway.expect([
    'endpoint',
    'add',
    'host',
    '--plugin',
    'qemu-hypervisor',
    '--set',
    `qmp_socket=${join(scratch, 's.qmp')}`,
  ]);
  const environment = await writeCloudEnvironment(project, 'qemu-hypervisor');
  await causeway.expect(['replica', 'create', 'host', vm, cloudEndpoint, '--environment', environment]);
  const first = await execute(causeway);
  console.log(`first execution: ${line([first])}`);
  const unchanged: Sample[] = [];
  for (let run = 0; run < Number(values.runs); run += 1) unchanged.push(await execute(causeway));
  await source.io('/machine/peripheral/data/virtio-backend', `write -P 99 ${500 * 1024 * mebibyte} 1M`);
  const changed = await execute(causeway);
  const group = `${values.gib} GiB, nothing changed`;
  const way = (pick: (sample: Sample) => number) => [
    wayOf('causeway', unchanged.map(pick)),
    wayOf('the first execution', [pick(first)]),
    wayOf('1 MiB changed', [pick(changed)]),
  ];
  report.add({
    group,
    what: 'time',
    unit: 's',
    ways: way(({ seconds }) => seconds),
    peer: 'the first execution',
    goal: atMost(targets.seconds, 'value'),
  });
  report.add({
    group,
    what: 'traffic of the engine',
    unit: 'MB',
    ways: way(({ megabytes }) => megabytes),
    peer: 'the first execution',
    goal: atMost(targets.megabytes, 'value'),
  });
  report.add({
    group,
    what: 'CPU of the engine',
    unit: 's',
    ways: way(({ cpuSeconds }) => cpuSeconds),
    peer: 'the first execution',
  });
  report.add({
    group,
    what: 'memory of the engine',
    unit: 'MiB',
    ways: way(({ residentMib }) => residentMib),
    peer: 'the first execution',
  });
  console.log(
    `nothing changed on ${values.gib} GiB (median of ${values.runs}, load ${(loadavg()[0] ?? 0).toFixed(1)}): ${line(unchanged)}`,
  );
  console.log(`1 MiB changed: ${line([changed])}`);
  const [seconds, megabytes] = [
    median(unchanged.map((one) => one.seconds)),
    median(unchanged.map((one) => one.megabytes)),
  ];
  console.log(
    `at most ${targets.seconds} s: ${seconds <= targets.seconds ? 'met' : 'missed'}; at most ${targets.megabytes} MB: ${megabytes <= targets.megabytes ? 'met' : 'missed'}`,
  );
}

function line(samples: readonly Sample[]): string {
  const of = (pick: (sample: Sample) => number): string => median(samples.map(pick)).toFixed(1);
  return `${of(({ seconds }) => seconds)} s, ${of(({ cpuSeconds }) => cpuSeconds)} CPU s, ${of(({ megabytes }) => megabytes)} MB of traffic, ${of(({ residentMib }) => residentMib)} MiB resident`;
}

async function execute(causeway: CommandLine): Promise<Sample> {
  const begun = performance.now();
  const child = causeway.start(['replica', 'execute', vm], ['ignore', 'ignore', 'inherit']);
  const traffic = socketBytes(child.pid ?? 0);
  let [cpuSeconds, residentBytes] = [0, 0];
  const timer = setInterval(() => {
    cpuSeconds = Math.max(cpuSeconds, treeCpuSeconds(child.pid ?? 0));
    residentBytes = Math.max(residentBytes, highestResidentBytes(child.pid ?? 0) ?? 0);
  }, 50);
  const status = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(timer);
  const megabytes = traffic.stop() / 1e6;
  if (status !== 0) throw new Error(`the execution ended with ${String(status)}`);
  return { seconds: (performance.now() - begun) / 1000, cpuSeconds, megabytes, residentMib: residentBytes / mebibyte };
}

/**
 * How fast and at what cost a disk crosses to a worker, beside the tools that people would use instead. Everything runs
 * on this machine, disk and target are files in memory, and all ways take turns in the same run.
 *
 *   node e2e/bench/transfer.ts [--runs 3] [--mib 1024] [--only TEXT] [--link all|TEXT] [--way NAME] [--json]
 *
 * With `--link` everything passes a link of a given round trip and rate; without, loopback as it is.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startSshd } from '../rigs/sshd.ts';
import type { LinkShape } from '../rigs/wan-link.ts';
import { fillRandom, fillSparsely, makeEmpty, mebibyte, treeOf } from './transfer-disks.ts';
import { makeNbdCertificates, peerSettings } from './transfer-peers.ts';
import { waysOver, type Sample, type Way } from './transfer-ways.ts';

/** How much larger than its data the sparse disk is. */
const sparseFactor = 16;

interface Row {
  readonly group: string;
  readonly dataMib: number;
  readonly diskMib: number;
  readonly way: string;
  readonly mibPerSecond: number;
  readonly clientCpuPerGib: number;
  readonly serverCpuPerGib: number;
  readonly runs: readonly number[];
}

const { values } = parseArgs({
  options: { runs: { type: 'string' }, mib: { type: 'string' }, only: { type: 'string' }, link: { type: 'string' }, way: { type: 'string' }, json: { type: 'boolean' } },
});
const runs = Number(values.runs ?? 3);
interface NamedLink extends LinkShape {
  readonly name: string;
  /** Of the disks that cross it, unless the command line says otherwise. */
  readonly mib: number;
}

const links: readonly NamedLink[] = [
  { name: '100 Mbit/s, 20 ms', roundTripMs: 20, megabitsPerSecond: 100, mib: 192 },
  { name: '200 Mbit/s, 40 ms', roundTripMs: 40, megabitsPerSecond: 200, mib: 384 },
  { name: '1 Gbit/s, 80 ms', roundTripMs: 80, megabitsPerSecond: 1000, mib: 1024 },
  { name: '1 Gbit/s, 10 ms, 0.1 % late', roundTripMs: 10, megabitsPerSecond: 1000, lateShare: 0.001, mib: 1024 },
];

for (const tool of ['nbdcopy', 'nbdkit', 'qemu-img', 'openssl', 'mke2fs', 'ssh']) {
  if (!['/usr/bin', '/usr/sbin', '/sbin'].some((folder) => existsSync(join(folder, tool)))) {
    console.error(`${tool} is missing: apt-get install libnbd-bin nbdkit qemu-utils openssl e2fsprogs openssh-client openssh-server`);
    process.exit(2);
  }
}

const scratch = await mkdtemp('/dev/shm/causeway-bench-');
const sshd = await startSshd();
try {
  const rows = await benchmark();
  if (values.json === true) console.log(JSON.stringify({ runs, rows }, null, 2));
  else print(rows);
} finally {
  await sshd.stop();
  await rm(scratch, { recursive: true, force: true });
}

async function benchmark(): Promise<readonly Row[]> {
  const certificates = join(scratch, 'pki');
  await makeNbdCertificates(certificates);
  const rows: Row[] = [];
  for (const link of asked(links)) rows.push(...(await overLink(link, certificates)));
  return rows;
}

function asked(all: readonly NamedLink[]): readonly (NamedLink | undefined)[] {
  if (values.link === undefined) return [undefined];
  return values.link === 'all' ? all : all.filter(({ name }) => name.includes(values.link ?? ''));
}

async function overLink(link: NamedLink | undefined, certificates: string): Promise<readonly Row[]> {
  const sizeBytes = Number(values.mib ?? link?.mib ?? 1024) * mebibyte;
  const disk = (name: string): string => join(scratch, `${name}.img`);
  const [target, random, files, sparse] = [disk('target'), disk('random'), disk('filesystem'), disk('sparse')];
  await Promise.all([target, random, files, sparse].map((path) => rm(path, { force: true })));
  fillRandom(random, sizeBytes);
  fillRandom(target, sizeBytes);
  const tree = join(scratch, 'tree');
  execFileSync('mke2fs', ['-q', '-t', 'ext4', '-d', treeOf(tree, sizeBytes * 0.6), files, `${sizeBytes / mebibyte}M`], { stdio: ['ignore', 'ignore', 'inherit'] });
  await rm(tree, { recursive: true });
  if (link === undefined) fillSparsely(sparse, sizeBytes / 4, (sizeBytes / 4) * sparseFactor);
  const course = (source: string): Parameters<typeof waysOver>[0] => ({ scratch, sshd, certificates, source, target, link });
  const groups: readonly (readonly [group: string, mechanism: 'HTTPS' | 'SSH' | 'both', source: string])[] =
    link === undefined
      ? [
          ['HTTPS, random', 'HTTPS', random],
          ['HTTPS, file system', 'HTTPS', files],
          ['HTTPS, sparse', 'HTTPS', sparse],
          ['SSH, random', 'SSH', random],
          ['SSH, file system', 'SSH', files],
        ]
      : [
          [`${link.name}, random`, 'both', random],
          [`${link.name}, file system`, 'both', files],
        ];
  const rows: Row[] = [];
  for (const [group, mechanism, source] of groups) {
    if (values.only !== undefined && !group.toLowerCase().includes(values.only.toLowerCase())) continue;
    const ways = waysOver(course(source), mechanism).filter(({ name }) => values.way === undefined || name === values.way);
    rows.push(...(await inTurns(group, ways, source, target)));
  }
  return rows;
}

/** One turn of each way, then the next; the median of all turns counts. */
async function inTurns(group: string, ways: readonly Way[], source: string, target: string): Promise<readonly Row[]> {
  const samples = new Map<string, Sample[]>();
  for (let turn = 0; turn < runs; turn++) {
    for (const way of ways) {
      // A disk with free space goes to an empty volume, as new volumes are; noise goes over noise, so that no memory is
      // made on the way.
      const bytes = statSync(source).size;
      if (!group.includes('random')) makeEmpty(target, bytes);
      else if (statSync(target).size !== bytes) {
        makeEmpty(target, 0);
        fillRandom(target, bytes);
      }
      samples.set(way.name, [...(samples.get(way.name) ?? []), await way.run()]);
      execFileSync('cmp', [source, target]);
    }
  }
  // What counts is what there is to copy: holes are for free.
  const dataBytes = statSync(source).blocks * 512;
  const gib = dataBytes / (1024 * mebibyte);
  const rate = (sample: Sample): number => dataBytes / mebibyte / sample.seconds;
  return [...samples].map(([way, taken]) => ({
    group,
    dataMib: Math.round(dataBytes / mebibyte),
    diskMib: Math.round(statSync(source).size / mebibyte),
    way,
    mibPerSecond: median(taken.map(rate)),
    clientCpuPerGib: median(taken.map((sample) => sample.clientCpu / gib)),
    serverCpuPerGib: median(taken.map((sample) => sample.serverCpu / gib)),
    runs: taken.map((sample) => Math.round(rate(sample))),
  }));
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function print(rows: readonly Row[]): void {
  const cell = (text: string, width: number): string => text.padStart(width);
  const both = (row: Row): number => row.clientCpuPerGib + row.serverCpuPerGib;
  console.log(`the peers: ${peerSettings()}`);
  console.log(`${availableParallelism()} processors, load ${(loadavg()[0] ?? 0).toFixed(1)}; CPU in seconds for a GiB of data`);
  for (const group of new Set(rows.map((row) => row.group))) {
    const members = rows.filter((row) => row.group === group);
    const [first] = members;
    console.log(`\n${group} (${first?.diskMib} MiB with ${first?.dataMib} MiB of data, median of ${runs})`);
    console.log(`${''.padEnd(28)}${cell('MiB/s', 8)}${cell('client', 9)}${cell('server', 9)}${cell('both', 9)}   causeway is, of the ...`);
    const own = members.find((row) => row.way === 'causeway');
    const link = members.find((row) => row.way === 'causeway, link alone');
    for (const row of members) {
      const times = (what: (row: Row) => number): string => `${((own === undefined ? Number.NaN : what(own)) / what(row)).toFixed(2)} x`;
      const ratio = row === own ? '' : `${times((one) => one.mibPerSecond)} rate, ${times((one) => one.clientCpuPerGib)} client's CPU, ${times(both)} CPU of both`;
      console.log(`${row.way.padEnd(28)}${cell(row.mibPerSecond.toFixed(0), 8)}${cell(row.clientCpuPerGib.toFixed(2), 9)}${cell(row.serverCpuPerGib.toFixed(2), 9)}${cell(both(row).toFixed(2), 9)}   ${ratio}`);
    }
    const peer = members.find((row) => row.way === 'nbdcopy > nbdkit');
    if (link !== undefined && peer !== undefined) {
      console.log(
        `the floor: the link alone takes ${(link.clientCpuPerGib / peer.clientCpuPerGib).toFixed(2)} x the client's CPU of nbdcopy; ` +
        `with ${both(link).toFixed(2)} CPU s for a GiB on both sides ${availableParallelism()} processors bring at most ` +
        `${((availableParallelism() / both(link)) * 1024).toFixed(0)} MiB/s over it, ${(((availableParallelism() / both(link)) * 1024) / peer.mibPerSecond).toFixed(2)} x the rate of nbdcopy`,
      );
    }
  }
}

import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { startSshd, type SshdRig } from '../rigs/sshd.ts';
import { median, wayOf, type Goal, type Report } from './results.ts';
import { fillRandom, makeEmpty, mebibyte, treeOf } from './transfer-disks.ts';
import { makeNbdCertificates, peerSettings } from './transfer-peers.ts';
import type { Course, Sample, Way } from './transfer-ways.ts';

export interface TransferRow {
  readonly group: string;
  readonly dataMib: number;
  readonly diskMib: number;
  readonly way: string;
  readonly mibPerSecond: number;
  readonly clientCpuPerGib: number;
  readonly serverCpuPerGib: number;
  /** MiB/s of each turn. */
  readonly rates: readonly number[];
}

/** What all copies of a measurement need; in memory. */
export interface TransferRig {
  readonly scratch: string;
  readonly sshd: SshdRig;
  readonly certificates: string;
}

export async function withTransferRig(work: (rig: TransferRig) => Promise<void>): Promise<void> {
  for (const tool of ['nbdcopy', 'nbdkit', 'qemu-img', 'openssl', 'mke2fs', 'ssh']) {
    if (!['/usr/bin', '/usr/sbin', '/sbin'].some((folder) => existsSync(join(folder, tool)))) {
      console.error(
        `${tool} is missing: apt-get install libnbd-bin nbdkit qemu-utils openssl e2fsprogs openssh-client openssh-server`,
      );
      process.exit(2);
    }
  }
  const scratch = await mkdtemp('/dev/shm/causeway-bench-');
  const sshd = await startSshd();
  try {
    const certificates = join(scratch, 'pki');
    await makeNbdCertificates(certificates);
    await work({ scratch, sshd, certificates });
  } finally {
    await sshd.stop();
    await rm(scratch, { recursive: true, force: true });
  }
}

export interface BenchDisks {
  readonly random: string;
  readonly files: string;
  readonly target: string;
}

/** A disk of noise, one with a file system of programs and libraries, and a target of the same size; in place of former ones. */
export async function makeDisks(scratch: string, sizeBytes: number, filesBytes = sizeBytes): Promise<BenchDisks> {
  const disk = (name: string): string => join(scratch, `${name}.img`);
  const disks = { target: disk('target'), random: disk('random'), files: disk('filesystem') };
  await Promise.all(Object.values(disks).map((path) => rm(path, { force: true })));
  fillRandom(disks.random, sizeBytes);
  fillRandom(disks.target, sizeBytes);
  const tree = join(scratch, 'tree');
  execFileSync(
    'mke2fs',
    ['-q', '-t', 'ext4', '-d', treeOf(tree, filesBytes * 0.6), disks.files, `${filesBytes / mebibyte}M`],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  await rm(tree, { recursive: true });
  return disks;
}

/** One turn of each way, then the next; the median of all turns counts. */
export async function inTurns(
  group: string,
  ways: readonly Way[],
  { source, target }: Pick<Course, 'source' | 'target'>,
  runs: number,
): Promise<readonly TransferRow[]> {
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
    rates: taken.map(rate),
  }));
}

/** Prints rows, each beside the first of its group. */
export function printRows(rows: readonly TransferRow[], runs: number): void {
  const cell = (text: string, width: number): string => text.padStart(width);
  const both = (row: TransferRow): number => row.clientCpuPerGib + row.serverCpuPerGib;
  console.log(`the peers: ${peerSettings()}`);
  console.log(
    `${availableParallelism()} processors, load ${(loadavg()[0] ?? 0).toFixed(1)}; CPU in seconds for a GiB of data`,
  );
  for (const group of new Set(rows.map((row) => row.group))) {
    const members = rows.filter((row) => row.group === group);
    const [first] = members;
    console.log(`\n${group} (${first?.diskMib} MiB with ${first?.dataMib} MiB of data, median of ${runs})`);
    console.log(
      `${''.padEnd(28)}${cell('MiB/s', 8)}${cell('client', 9)}${cell('server', 9)}${cell('both', 9)}   causeway is, of the ...`,
    );
    const own = members.find((row) => row.way === 'causeway');
    const link = members.find((row) => row.way === 'causeway, link alone');
    for (const row of members) {
      const times = (what: (row: TransferRow) => number): string =>
        `${((own === undefined ? Number.NaN : what(own)) / what(row)).toFixed(2)} x`;
      const ratio =
        row === own
          ? ''
          : `${times((one) => one.mibPerSecond)} rate, ${times((one) => one.clientCpuPerGib)} client's CPU, ${times(both)} CPU of both`;
      console.log(
        `${row.way.padEnd(28)}${cell(row.mibPerSecond.toFixed(0), 8)}${cell(row.clientCpuPerGib.toFixed(2), 9)}${cell(row.serverCpuPerGib.toFixed(2), 9)}${cell(both(row).toFixed(2), 9)}   ${ratio}`,
      );
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

/** Goals by what is measured, of Causeway against the peer. */
export interface TransferGoals {
  readonly rate?: Goal;
  readonly clientCpu?: Goal;
}

/** Adds the rows of one group, of which the first way counts against `peer`. */
export function reportRows(
  report: Report,
  rows: readonly TransferRow[],
  peer: string,
  goals: TransferGoals = {},
): void {
  const [first] = rows;
  if (first === undefined) return;
  const facts = { group: `${first.group}: ${first.diskMib} MiB with ${first.dataMib} MiB of data`, peer };
  report.add({
    ...facts,
    what: 'rate',
    unit: 'MiB/s',
    ways: rows.map(({ way, rates }) => wayOf(way, rates)),
    ...(goals.rate === undefined ? {} : { goal: goals.rate }),
  });
  report.add({
    ...facts,
    what: "client's processor time for a GiB",
    unit: 's',
    ways: rows.map(({ way, clientCpuPerGib }) => ({ name: way, value: clientCpuPerGib })),
    ...(goals.clientCpu === undefined ? {} : { goal: goals.clientCpu }),
  });
  report.add({
    ...facts,
    what: "server's processor time for a GiB",
    unit: 's',
    ways: rows.map(({ way, serverCpuPerGib }) => ({ name: way, value: serverCpuPerGib })),
  });
}

export function addVersions(report: Report): void {
  report.version('nbdcopy');
  report.version('nbdkit');
  report.version('OpenSSH', 'ssh', '-V');
  report.version('Python', 'python3', '--version');
}

/**
 * How fast and at what cost a disk crosses to a worker, beside the tools that people would use instead. Everything runs
 * on this machine, disk and target are files in memory, and all ways take turns in the same run.
 *
 *   node e2e/bench/transfer.ts [--runs 3] [--mib 1024] [--only https|ssh] [--json]
 */
import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, openSync, closeSync, writeSync, statSync, truncateSync } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import type { DiskReader } from '../../electron/engine/ports/disk-reader.ts';
import { createTransferTables, openTransferState, replicateDisk } from '../../electron/engine/replication/index.ts';
import { agentLock } from '../../electron/engine/transport/agent-launch.ts';
import { connectWorker } from '../../electron/engine/transport/connect-worker.ts';
import { freePort, startSshd } from '../rigs/sshd.ts';
import { endedChildrenCpuSeconds, ownCpuSeconds, treeCpuSeconds } from './process-cpu.ts';
import { ddOverSsh, makeNbdCertificates, nbdcopy, peerSettings, qemuImgConvert, startNbdServer } from './transfer-peers.ts';

const mebibyte = 1024 * 1024;
/** How much larger than its data the sparse disk is. */
const sparseFactor = 16;
const never = new AbortController().signal;

interface Sample {
  readonly seconds: number;
  readonly clientCpu: number;
  readonly serverCpu: number;
}

interface Way {
  readonly name: string;
  /** The disk that it copies; what lies in the target afterwards is compared with it. */
  readonly source: string;
  readonly run: () => Promise<Sample>;
}

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
  options: { runs: { type: 'string' }, mib: { type: 'string' }, only: { type: 'string' }, json: { type: 'boolean' } },
});
const runs = Number(values.runs ?? 3);
const sizeBytes = Number(values.mib ?? 1024) * mebibyte;

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
  if (values.json === true) console.log(JSON.stringify({ runs, sizeBytes, rows }, null, 2));
  else print(rows);
} finally {
  await sshd.stop();
  await rm(scratch, { recursive: true, force: true });
}

async function benchmark(): Promise<readonly Row[]> {
  const noise = join(scratch, 'random.img');
  const target = join(scratch, 'target.img');
  const files = join(scratch, 'filesystem.img');
  const sparse = join(scratch, 'sparse.img');
  fillRandom(noise, sizeBytes);
  fillRandom(target, sizeBytes);
  execFileSync('mke2fs', ['-q', '-t', 'ext4', '-d', treeOf(sizeBytes / 2), files, `${sizeBytes / mebibyte}M`], { stdio: ['ignore', 'ignore', 'inherit'] });
  fillSparsely(sparse, sizeBytes / 4, (sizeBytes / 4) * sparseFactor);
  const certificates = join(scratch, 'pki');
  await makeNbdCertificates(certificates);
  const groups: [string, () => Promise<readonly Way[]>][] = [
    ['HTTPS, random', () => httpsWays(noise, target, certificates)],
    ['HTTPS, file system', () => httpsWays(files, target, certificates)],
    ['HTTPS, sparse', () => httpsWays(sparse, target, certificates)],
    ['SSH, random', () => sshWays(noise, target)],
    ['SSH, file system', () => sshWays(files, target)],
  ];
  const rows: Row[] = [];
  for (const [group, ways] of groups) {
    if (values.only !== undefined && !group.toLowerCase().startsWith(values.only)) continue;
    rows.push(...(await inTurns(group, await ways(), target)));
  }
  return rows;
}

async function httpsWays(source: string, target: string, certificates: string): Promise<readonly Way[]> {
  const peer = (name: string, kind: 'nbdkit' | 'qemu-nbd', copy: typeof nbdcopy): Way => ({
    name,
    source,
    run: async () => {
      const server = await startNbdServer(kind, certificates, target);
      try {
        return await measured(() => copy(source, server.port, certificates), endedChildrenCpuSeconds, () => treeCpuSeconds(server.pid));
      } finally {
        await server.stop();
      }
    },
  });
  return [
    { name: 'causeway', source, run: () => causeway('HTTPS', source, target, 'pipeline') },
    { name: 'causeway, link alone', source, run: () => causeway('HTTPS', source, target, 'link') },
    peer('nbdcopy > nbdkit', 'nbdkit', nbdcopy),
    peer('nbdcopy > qemu-nbd', 'qemu-nbd', nbdcopy),
    peer('qemu-img > nbdkit', 'nbdkit', qemuImgConvert),
    peer('qemu-img > qemu-nbd', 'qemu-nbd', qemuImgConvert),
  ];
}

async function sshWays(source: string, target: string): Promise<readonly Way[]> {
  const peer = (name: string, cipher: string | undefined): Way => ({
    name,
    source,
    run: () => measured(() => ddOverSsh(source, target, sshd, cipher), endedChildrenCpuSeconds, () => treeCpuSeconds(sshd.pid)),
  });
  return [
    { name: 'causeway', source, run: () => causeway('SSH', source, target, 'pipeline') },
    { name: 'causeway, link alone', source, run: () => causeway('SSH', source, target, 'link') },
    peer('dd | ssh dd', undefined),
    peer('dd | ssh -c aes128-gcm dd', 'aes128-gcm@openssh.com'),
  ];
}

/** One turn of each way, then the next; the median of all turns counts. */
async function inTurns(group: string, ways: readonly Way[], target: string): Promise<readonly Row[]> {
  const samples = new Map<string, Sample[]>();
  for (let turn = 0; turn < runs; turn++) {
    for (const way of ways) {
      // A disk with free space goes to an empty volume, as new volumes are; noise goes over noise, so that no memory is
      // made on the way.
      const bytes = statSync(way.source).size;
      if (!group.includes('random')) makeEmpty(target, bytes);
      else if (statSync(target).size !== bytes) {
        makeEmpty(target, 0);
        fillRandom(target, bytes);
      }
      samples.set(way.name, [...(samples.get(way.name) ?? []), await way.run()]);
      execFileSync('cmp', [way.source, target]);
    }
  }
  // What counts is what there is to copy: holes are for free.
  const dataBytes = statSync(ways[0]?.source ?? target).blocks * 512;
  const gib = dataBytes / (1024 * mebibyte);
  const rate = (sample: Sample): number => dataBytes / mebibyte / sample.seconds;
  return [...samples].map(([way, taken]) => ({
    group,
    dataMib: Math.round(dataBytes / mebibyte),
    diskMib: Math.round(statSync(ways[0]?.source ?? target).size / mebibyte),
    way,
    mibPerSecond: median(taken.map(rate)),
    clientCpuPerGib: median(taken.map((sample) => sample.clientCpu / gib)),
    serverCpuPerGib: median(taken.map((sample) => sample.serverCpu / gib)),
    runs: taken.map((sample) => Math.round(rate(sample))),
  }));
}

/** `pipeline`: as an execution does it, with digests, plan and checkpoints. `link`: the same reads and writes alone. */
async function causeway(mechanism: 'HTTPS' | 'SSH', source: string, target: string, what: 'pipeline' | 'link'): Promise<Sample> {
  const workerId = randomUUID();
  const port = await freePort();
  const access = {
    workerId, host: '127.0.0.1', sshPort: sshd.port, httpsPort: port, username: sshd.username,
    privateKeyPem: sshd.privateKeyPem, hostKey: sshd.hostKey,
  };
  const session = await connectWorker(access, mechanism, { allowPaths: [scratch], agentPorts: [port] }, never);
  const reader = await openImage(source);
  const diskBytes = reader.sizeBytes;
  const writer = await session.open({ path: target, serial: '', byPath: [], sizeBytes: diskBytes, inUse: false }, never);
  const agent = mechanism === 'HTTPS' ? await agentPid(workerId) : sshd.pid;
  const folder = await mkdtemp(join(scratch, 'state-'));
  const db = new DatabaseSync(join(folder, 'state.db'));
  createTransferTables(db);
  const state = openTransferState({ db, folder, replicaId: 'bench', diskId: 'disk', sizeBytes: diskBytes });
  const request = {
    reader, writer, state, snapshotId: 'one', baseSnapshotId: undefined, volumeId: 'volume', volumeIsNew: true,
    volumesAreZeroed: true, signal: never,
  };
  try {
    return await measured(
      async () => {
        if (what === 'pipeline') await replicateDisk(request);
        else await copyPlainly(reader, writer);
      },
      ownCpuSeconds,
      () => treeCpuSeconds(agent),
    );
  } finally {
    await writer.close();
    await session.close();
    await reader.close();
    db.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Data as the source tells it, in pieces of a few megabytes: nothing is looked at, remembered or hashed. */
async function copyPlainly(reader: DiskReader, writer: Awaited<ReturnType<Awaited<ReturnType<typeof connectWorker>>['open']>>): Promise<void> {
  const pieceBytes = 2 * mebibyte;
  async function* pieces(): AsyncGenerator<{ readonly offset: number; readonly length: number }> {
    for await (const { offset, length, kind } of reader.extents(never)) {
      for (let at = 0; kind === 'data' && at < length; at += pieceBytes) yield { offset: offset + at, length: Math.min(pieceBytes, length - at) };
    }
  }
  const work = pieces();
  const lane = async (): Promise<void> => {
    const buffer = Buffer.alloc(pieceBytes);
    for (let next = await work.next(); !next.done; next = await work.next()) {
      const part = buffer.subarray(0, next.value.length);
      await reader.read(next.value.offset, part, never);
      await writer.write(next.value.offset, part, never);
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  await writer.flush(never);
}

async function measured(work: () => Promise<void>, clientCpu: () => number, serverCpu: () => number): Promise<Sample> {
  const [client, server, begun] = [clientCpu(), serverCpu(), performance.now()];
  await work();
  const seconds = (performance.now() - begun) / 1000;
  return { seconds, clientCpu: clientCpu() - client, serverCpu: serverCpu() - server };
}

/** A raw image as a source; its holes are known, as nbdcopy knows them. */
async function openImage(path: string): Promise<DiskReader> {
  const file = await open(path, 'r');
  const map = JSON.parse(execFileSync('qemu-img', ['map', '-f', 'raw', '--output=json', path], { encoding: 'utf8' })) as {
    readonly start: number;
    readonly length: number;
    readonly zero: boolean;
  }[];
  return {
    sizeBytes: statSync(path).size,
    coverage: 'allocated',
    granularityBytes: 65_536,
    async *extents() {
      for (const { start, length, zero } of map) yield { offset: start, length, kind: zero ? ('zero' as const) : ('data' as const) };
    },
    read: async (offset, into) => {
      const { bytesRead } = await file.read(into, 0, into.length, offset);
      if (bytesRead !== into.length) throw new Error(`read ${bytesRead} bytes of ${into.length}`);
    },
    close: () => file.close(),
  };
}

async function agentPid(workerId: string): Promise<number> {
  for (const folder of ['/run', tmpdir()]) {
    const text = await readFile(join(folder, `causeway-agent-${agentLock(workerId)}.lock`), 'utf8').catch(() => '');
    if (text !== '') return Number(text.split(' ')[0]);
  }
  throw new Error('the agent has no lock file');
}

function fillRandom(path: string, bytes: number): void {
  const file = openSync(path, 'w');
  for (let at = 0; at < bytes; at += mebibyte) writeSync(file, randomBytes(mebibyte));
  closeSync(file);
  truncateSync(path, bytes);
}

/** Runs of 4 MiB of noise, spread over a disk that is a hole otherwise. */
function fillSparsely(path: string, dataBytes: number, diskBytes: number): void {
  const runBytes = 4 * mebibyte;
  const file = openSync(path, 'w');
  for (let at = 0; at < dataBytes; at += runBytes) writeSync(file, randomBytes(runBytes), 0, runBytes, at * (diskBytes / dataBytes));
  closeSync(file);
  truncateSync(path, diskBytes);
}

function makeEmpty(path: string, bytes: number): void {
  truncateSync(path, 0);
  truncateSync(path, bytes);
}

/** A folder of real files (programs, libraries) of about this size. */
function treeOf(bytes: number): string {
  const tree = join(scratch, 'tree');
  execFileSync('sh', ['-c', `mkdir -p ${tree}; for d in /usr/lib/x86_64-linux-gnu /usr/lib/aarch64-linux-gnu /usr/bin /usr/share /usr/lib; do
    [ -d $d ] || continue
    for f in $d/*; do
      [ $(du -sk ${tree} | cut -f1) -lt ${Math.floor((bytes * 0.9) / 1024)} ] || exit 0
      [ $(du -sk $f | cut -f1) -lt 102400 ] && cp -a $f ${tree}/ 2>/dev/null
    done
  done; exit 0`]);
  return tree;
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

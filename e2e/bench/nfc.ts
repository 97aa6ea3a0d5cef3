/**
 * How fast and at what cost a disk is read from a host's data port, beside a peer's client on the same stand-in. The stand-in
 * is a process of its own; all ways take turns.
 *
 *   CAUSEWAY_NFC_PEER=FOLDER node e2e/bench/nfc.ts [--runs 3] [--mib 256] [--json]
 */
import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadavg } from 'node:os';
import { parseArgs, promisify } from 'node:util';
import type { NfcTicket } from '../../electron/engine/platforms/virtualization-platform/disk-access/disk-content.ts';
import type { NfcEncryption } from '../../electron/engine/platforms/virtualization-platform/nfc/authd.ts';
import { HostSlots } from '../../electron/engine/platforms/virtualization-platform/nfc/host-slots.ts';
import { openNfcDisk, type NfcDisk } from '../../electron/engine/platforms/virtualization-platform/nfc/nfc-disk.ts';
import type { CompressionType } from '../../electron/engine/platforms/virtualization-platform/nfc/protocol.ts';
import { ownCpuSeconds, treeCpuSeconds } from './process-cpu.ts';
import { median, startReport, wayOf, type Way } from './results.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    mib: { type: 'string', default: '256' },
    json: { type: 'boolean' },
  },
});
const report = startReport('nfc');
const MIB = 2 ** 20;
const GIB = 2 ** 30;
const runs = Number(values.runs);
const peer = process.env['CAUSEWAY_NFC_PEER'] ?? '';
const rig = join(import.meta.dirname, '../rigs/virtualization-platform/nfc-server');
const signal = new AbortController().signal;
const CHUNK = MIB;

interface Host {
  readonly child: ChildProcess;
  readonly path: string;
  readonly sizeBytes: number;
  ticket(): Promise<NfcTicket>;
}

interface Sample {
  readonly seconds: number;
  readonly cpu: number;
  readonly hostCpu: number;
}

async function startHost(content: string, answerMs: number, linkMib = 0): Promise<Host> {
  const child = fork(join(rig, 'serve.ts'), [
    '--mib',
    values.mib,
    '--content',
    content,
    '--answer-ms',
    String(answerMs),
    '--link-mib',
    String(linkMib),
  ]);
  const [{ path, sizeBytes }] = (await once(child, 'message')) as [{ path: string; sizeBytes: number }];
  let last: Promise<unknown> = Promise.resolve();
  return {
    child,
    path,
    sizeBytes,
    ticket() {
      const asked = last.then(async () => {
        child.send('ticket');
        const [{ ticket }] = (await once(child, 'message')) as [{ ticket: NfcTicket }];
        return ticket;
      });
      last = asked;
      return asked;
    },
  };
}

/** Reads a whole disk as the pipeline does, with one buffer for each read under way. */
async function readWhole(disk: NfcDisk, concurrency = 16): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      const into = Buffer.allocUnsafeSlow(CHUNK);
      while (next < disk.sizeBytes) {
        const at = next;
        next += CHUNK;
        await disk.read(at, into.subarray(0, Math.min(CHUNK, disk.sizeBytes - at)), signal);
      }
    }),
  );
}

async function own(
  host: Host,
  encryption: NfcEncryption,
  compression: CompressionType | undefined,
  disks = 1,
): Promise<Sample> {
  const slots = new HostSlots();
  const open = await Promise.all(
    Array.from({ length: disks }, () =>
      openNfcDisk(
        {
          ticket: () => host.ticket(),
          path: () => Promise.resolve(host.path),
          encryption,
          ...(compression === undefined ? {} : { compression }),
          slots,
        },
        signal,
      ),
    ),
  );
  const before = { cpu: ownCpuSeconds(), host: treeCpuSeconds(host.child.pid as number), at: performance.now() };
  await Promise.all(open.map((disk) => readWhole(disk)));
  const sample = {
    seconds: (performance.now() - before.at) / 1000,
    cpu: ownCpuSeconds() - before.cpu,
    hostCpu: treeCpuSeconds(host.child.pid as number) - before.host,
  };
  for (const disk of open) await disk.close();
  return sample;
}

async function peers(host: Host, transport: 'nfc' | 'nfcssl'): Promise<Sample> {
  const hostCpu = treeCpuSeconds(host.child.pid as number);
  const ticket = JSON.stringify(await host.ticket());
  const script = join(rig, 'read-with-peer.py');
  const command = 'exec "$@" > /dev/null';
  const { stderr } = await promisify(execFile)('sh', [
    '-c',
    command,
    'sh',
    'python3',
    script,
    peer,
    ticket,
    host.path,
    String(host.sizeBytes),
    transport,
    String(CHUNK),
  ]);
  const { seconds, cpuSeconds } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as {
    seconds: number;
    cpuSeconds: number;
  };
  return { seconds, cpu: cpuSeconds, hostCpu: treeCpuSeconds(host.child.pid as number) - hostCpu };
}

type Ways = readonly (readonly [string, number, (host: Host) => Promise<Sample>])[];

async function table(
  title: string,
  content: string,
  answerMs: number,
  ways: Ways,
  linkMib = 0,
): Promise<Map<string, number>> {
  const host = await startHost(content, answerMs, linkMib);
  const samples = new Map(ways.map(([name]) => [name, [] as Sample[]]));
  for (const [, , way] of ways) await way(host);
  for (let round = 0; round < runs; round++) for (const [name, , way] of ways) samples.get(name)?.push(await way(host));
  console.log(`\n${title}`);
  const rates = new Map<string, number>();
  const [rateWays, cpuWays]: [Way[], Way[]] = [[], []];
  for (const [name, disks] of ways) {
    const bytes = host.sizeBytes * disks;
    const taken = samples.get(name) ?? [];
    const rate = median(taken.map(({ seconds }) => bytes / MIB / seconds));
    rates.set(name, rate);
    rateWays.push(
      wayOf(
        name,
        taken.map(({ seconds }) => bytes / MIB / seconds),
      ),
    );
    cpuWays.push(
      wayOf(
        name,
        taken.map(({ cpu }) => cpu / (bytes / GIB)),
      ),
    );
    const perGib = (pick: (sample: Sample) => number): string =>
      median(taken.map((sample) => pick(sample) / (bytes / GIB))).toFixed(2);
    console.log(
      `${name.padEnd(46)}${rate.toFixed(0).padStart(6)} MiB/s   client ${perGib(({ cpu }) => cpu)} CPU s/GiB   host ${perGib(({ hostCpu }) => hostCpu)} CPU s/GiB`,
    );
  }
  const peerWay = ways[0]![0].startsWith('encrypted') && hasPeer ? 'peer, encrypted' : undefined;
  report.add({
    group: title,
    what: 'rate',
    unit: 'MiB/s',
    ways: rateWays,
    ...(peerWay === undefined ? {} : { peer: peerWay }),
  });
  report.add({
    group: title,
    what: 'CPU',
    unit: 's/GiB',
    ways: cpuWays,
    ...(peerWay === undefined ? {} : { peer: peerWay }),
  });
  host.child.disconnect();
  await once(host.child, 'exit');
  return rates;
}

console.log(
  `load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')}; ${values.mib} MiB a disk, median of ${runs}`,
);
const hasPeer = peer !== '' && existsSync(join(peer, 'openvixdisklib'));
if (!hasPeer) console.log('CAUSEWAY_NFC_PEER names no peer: only Causeway is measured');
const peerWays = (...transports: readonly ('nfc' | 'nfcssl')[]): Ways =>
  hasPeer
    ? transports.map(
        (transport) =>
          [
            transport === 'nfc' ? 'peer, in the clear' : 'peer, encrypted',
            1,
            (host: Host) => peers(host, transport),
          ] as const,
      )
    : [];
const ratio = (rates: ReadonlyMap<string, number>, way: string, peerWay: string): void => {
  if (hasPeer)
    console.log(`${way}: ${((rates.get(way) ?? 0) / (rates.get(peerWay) ?? 1)).toFixed(2)} x the rate of "${peerWay}"`);
};
// On loopback nothing has to be waited for, and the stand-in is what limits everybody. Between a laptop and a host it is the answers.
for (const answerMs of [0, 10, 60]) {
  const rates = await table(`noise, as it is; answers take ${answerMs} ms`, 'noise', answerMs, [
    ['encrypted', 1, (host) => own(host, 'required', 0)],
    ['in the clear', 1, (host) => own(host, 'never', 0)],
    ...peerWays('nfcssl', 'nfc'),
  ]);
  ratio(rates, 'encrypted', 'peer, encrypted');
  ratio(rates, 'in the clear', 'peer, in the clear');
}
await table(
  'noise, encrypted; answers take 10 ms',
  'noise',
  10,
  [1, 4, 10].map(
    (disks) =>
      [`${disks} VMs of one host in parallel`, disks, (host: Host) => own(host, 'required', 0, disks)] as const,
  ),
);
const half = await table('a disk that is half zeros; answers take 10 ms', 'half', 10, [
  ['encrypted, SkipZ', 1, (host) => own(host, 'required', 3)],
  ['encrypted, FastLZ', 1, (host) => own(host, 'required', 2)],
  ['encrypted, zlib', 1, (host) => own(host, 'required', 1)],
  ...peerWays('nfcssl'),
]);
ratio(half, 'encrypted, SkipZ', 'peer, encrypted');
await table(
  'words; answers take 10 ms, over a link of 20 MiB/s',
  'words',
  10,
  [
    ['encrypted, as chosen', 1, (host) => own(host, 'required', undefined)],
    ['encrypted, SkipZ', 1, (host) => own(host, 'required', 3)],
    ['encrypted, FastLZ', 1, (host) => own(host, 'required', 2)],
    ['encrypted, zlib', 1, (host) => own(host, 'required', 1)],
  ],
  20,
);
report.finish();

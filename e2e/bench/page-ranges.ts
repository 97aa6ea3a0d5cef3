/**
 * How fast a snapshot of a managed disk is read by page ranges, beside a plain client that was written with the same SDK and asks for
 * one range after the other. The simulated cloud is a process of its own; both take turns.
 *
 *   node e2e/bench/page-ranges.ts [--runs 3] [--mib 256] [--json]
 */
import { fork, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { parseArgs } from 'node:util';
import { AnonymousCredential, PageBlobClient } from '@azure/storage-blob';
import {
  DiskAccess,
  type AccessTarget,
} from '../../electron/engine/platforms/resource-group-cloud/client/disk-access.ts';
import { openAzure } from '../../electron/engine/platforms/resource-group-cloud/client/open-azure.ts';
import { PageRangeReader } from '../../electron/engine/platforms/resource-group-cloud/source/page-range-reader.ts';
import { systemClock } from '../../electron/engine/time/clock.ts';
import { startAzureLab, stockDisk } from '../rigs/resource-group-cloud/source-lab.ts';
import { ownCpuSeconds } from './process-cpu.ts';
import { median, rowsIn, startReport, wayOf } from './results.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    mib: { type: 'string', default: '256' },
    serve: { type: 'string' },
    measure: { type: 'string' },
    json: { type: 'boolean' },
  },
});
const report = startReport('page-ranges');
const MIB = 2 ** 20;
const sizeBytes = Number(values.mib) * MIB;
const signal = new AbortController().signal;
const name = 'bench-snapshot';

interface Served {
  readonly connection: { readonly ca_certificate: string };
  readonly group: string;
}

/** The cloud with one snapshot full of data, whose storage answers after `answerMs`. */
async function serve(answerMs: number): Promise<void> {
  const lab = await startAzureLab();
  const {
    cloud: { world, resourceGroup: group, location },
    blobs,
    connection,
  } = lab;
  const disk = await stockDisk(lab.cloud, { name: 'bench', sizeBytes });
  for (let at = 0; at < sizeBytes; at += 8 * MIB)
    await world.ground.files.write(disk.properties.uniqueId, at, randomBytes(Math.min(8 * MIB, sizeBytes - at)));
  const cloud = openAzure(connection);
  const { snapshots } = await cloud.compute();
  await cloud.finish(
    'create the snapshot',
    (options) =>
      snapshots.createOrUpdate(
        group,
        name,
        { location, incremental: true, creationData: { createOption: 'Copy', sourceResourceId: disk.id } },
        options,
      ),
    signal,
  );
  cloud.close();
  if (answerMs > 0) blobs.faults.add({ operation: '*', times: Infinity, effect: 'slow', delayMs: answerMs });
  process.once('disconnect', () => void lab.close().then(() => process.exit()));
  process.send?.({ connection, group } satisfies Served);
}

const targetOf = ({ group }: Served): AccessTarget => ({ kind: 'snapshot', group, name });

/** As the SDK's documentation has it: list the ranges, then download one piece at a time. */
async function plain(served: Served): Promise<void> {
  const cloud = openAzure(served.connection);
  const access = new DiskAccess(cloud, targetOf(served));
  try {
    const blob = new PageBlobClient(await access.name(signal), new AnonymousCredential());
    const { pageRange = [] } = await blob.getPageRanges(0, sizeBytes);
    for (const { offset, count = 0 } of pageRange) {
      // The library counts one byte too few.
      for (let at = 0; at < count + 1; at += 4 * MIB)
        await blob.downloadToBuffer(offset + at, Math.min(4 * MIB, count + 1 - at), { concurrency: 1 });
    }
  } finally {
    await access.revoke(signal);
    cloud.close();
  }
}

/** As the pipeline reads, with one buffer for each read under way. */
async function own(served: Served): Promise<void> {
  const cloud = openAzure(served.connection);
  const access = new DiskAccess(cloud, targetOf(served));
  const reader = new PageRangeReader(
    access,
    undefined,
    sizeBytes,
    'bench',
    () => access.end(signal),
    { lists: 0, reads: 0, bytes: 0 },
    systemClock,
  );
  for await (const extent of reader.extents(signal))
    if (extent.kind !== 'data') throw new Error('the snapshot has a hole');
  let next = 0;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      const into = Buffer.allocUnsafeSlow(MIB);
      while (next < sizeBytes) {
        const at = next;
        next += MIB;
        await reader.read(at, into.subarray(0, Math.min(MIB, sizeBytes - at)), signal);
      }
    }),
  );
  await reader.close();
  cloud.close();
}

interface Sample {
  readonly rate: number;
  readonly cpu: number;
}

async function measure(answerMs: number): Promise<void> {
  const child = fork(import.meta.filename, ['--serve', String(answerMs), '--mib', values.mib]);
  const [served] = (await once(child, 'message')) as [Served];
  // For the plain client, which has no certificates of its own.
  setDefaultCACertificates([...getCACertificates('default'), served.connection.ca_certificate]);
  const ways = { 'plain client, one range at a time': plain, Causeway: own };
  const samples = new Map<string, Sample[]>();
  for (let round = -1; round < Number(values.runs); round += 1) {
    for (const [way, read] of Object.entries(ways)) {
      const before = { at: performance.now(), cpu: ownCpuSeconds() };
      await read(served);
      const sample = {
        rate: sizeBytes / MIB / ((performance.now() - before.at) / 1000),
        cpu: ((ownCpuSeconds() - before.cpu) / sizeBytes) * 2 ** 30,
      };
      // The first round warms up.
      if (round >= 0) samples.set(way, [...(samples.get(way) ?? []), sample]);
    }
  }
  console.log(`\nThe storage answers after ${answerMs} ms`);
  const rateOf = (way: string): number => median((samples.get(way) ?? []).map(({ rate }) => rate));
  for (const way of Object.keys(ways))
    console.log(
      `${way.padEnd(36)}${rateOf(way).toFixed(0).padStart(6)} MiB/s   ${median((samples.get(way) ?? []).map(({ cpu }) => cpu)).toFixed(2)} CPU s/GiB`,
    );
  console.log(`ratio ${(rateOf('Causeway') / rateOf('plain client, one range at a time')).toFixed(1)}`);
  for (const [what, unit, pick] of [
    ['rate', 'MiB/s', ({ rate }) => rate],
    ['CPU', 's/GiB', ({ cpu }) => cpu],
  ] as const satisfies readonly (readonly [string, string, (sample: Sample) => number])[]) {
    const way = (as: string, of: string) =>
      wayOf(
        as,
        (samples.get(of) ?? []).map((sample: Sample) => pick(sample)),
      );
    report.add({
      group: `the storage answers after ${answerMs} ms`,
      what,
      unit,
      ways: [way('causeway', 'Causeway'), way('plain client', 'plain client, one range at a time')],
      peer: 'plain client',
    });
  }
  report.finish();
  child.disconnect();
  await once(child, 'exit');
}

if (values.serve !== undefined) await serve(Number(values.serve));
else if (values.measure !== undefined) await measure(Number(values.measure));
else {
  console.log(`${values.mib} MiB of data, ${values.runs} runs each, load ${loadavg()[0]?.toFixed(1)}`);
  // A process of its own for each: each cloud has another certificate, and the plain client keeps the first that it trusts.
  for (const answerMs of ['0', '10', '40']) {
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        import.meta.filename,
        '--measure',
        answerMs,
        '--runs',
        values.runs,
        '--mib',
        values.mib,
        ...(values.json === true ? ['--json'] : []),
      ],
      {
        encoding: 'utf8',
        stdio: ['inherit', values.json === true ? 'pipe' : 'inherit', 'inherit'],
      },
    );
    if (status !== 0) process.exitCode = 1;
    else if (values.json === true) for (const { ratio: _ratio, ...row } of rowsIn(stdout)) report.add(row);
  }
  report.finish();
}

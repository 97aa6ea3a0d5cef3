/**
 * How fast a snapshot is read through the EBS direct APIs, beside a plain client that was written with the same SDK and asks for
 * one block after the other. The simulated cloud is a process of its own; both take turns.
 *
 *   node e2e/bench/ebs-direct.ts [--runs 3] [--mib 256] [--json]
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { EBSClient, GetSnapshotBlockCommand, ListSnapshotBlocksCommand } from '@aws-sdk/client-ebs';
import { retryContext } from '../../electron/engine/cloud-resources/retry-context.ts';
import { AwsCloud } from '../../electron/engine/platforms/large-public-cloud/client/aws-cloud.ts';
import { parseConnection } from '../../electron/engine/platforms/large-public-cloud/client/connection.ts';
import { AdaptiveLanes } from '../../electron/engine/platforms/large-public-cloud/source/mechanisms/ebs-direct/adaptive-lanes.ts';
import { SnapshotReader } from '../../electron/engine/platforms/large-public-cloud/source/mechanisms/ebs-direct/snapshot-reader.ts';
import { RecentCreations } from '../../electron/engine/platforms/large-public-cloud/source/source-context.ts';
import { startLargePublicCloud } from '../rigs/large-public-cloud/start.ts';
import { ownCpuSeconds } from './process-cpu.ts';
import { median, startReport, wayOf } from './results.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    mib: { type: 'string', default: '256' },
    serve: { type: 'string' },
    json: { type: 'boolean' },
  },
});
const report = startReport('ebs-direct');
const MIB = 2 ** 20;
const sizeBytes = Number(values.mib) * MIB;
const signal = new AbortController().signal;
const snapshotId = 'snap-0123456789abcdef0';

interface Served {
  readonly url: string;
  readonly connection: object;
}

/** The cloud with one snapshot full of data, which answers after `answerMs`. */
async function serve(answerMs: number): Promise<void> {
  const cloud = await startLargePublicCloud({ unit: sizeBytes });
  const { world } = cloud;
  const volume = await world.addVolume(1);
  for (let at = 0; at < sizeBytes; at += 8 * MIB)
    await world.ground.files.write(volume.id, at, randomBytes(Math.min(8 * MIB, sizeBytes - at)));
  await world.ground.files.copy(volume.id, snapshotId);
  world.snapshots.set(snapshotId, {
    id: snapshotId,
    volumeId: volume.id,
    size: 1,
    lineage: volume.lineage,
    kmsKeyId: undefined,
    description: '',
    startedAt: new Date(),
    state: 'completed',
    tags: {},
  });
  if (answerMs > 0) cloud.faults.add({ operation: '*', times: Infinity, effect: 'slow', delayMs: answerMs });
  process.once('disconnect', () => void cloud.close().then(() => process.exit()));
  process.send?.({ url: cloud.url, connection: cloud.connection() } satisfies Served);
}

/** As the SDK's documentation has it: list, then read one block at a time. */
async function plain({ connection, url }: Served): Promise<void> {
  const {
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
    region,
  } = connection as Record<string, string>;
  const client = new EBSClient({
    region: region ?? '',
    endpoint: url,
    credentials: { accessKeyId: accessKeyId ?? '', secretAccessKey: secretAccessKey ?? '' },
  });
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListSnapshotBlocksCommand({ SnapshotId: snapshotId, ...(token === undefined ? {} : { NextToken: token }) }),
    );
    for (const { BlockIndex, BlockToken } of page.Blocks ?? []) {
      const block = await client.send(new GetSnapshotBlockCommand({ SnapshotId: snapshotId, BlockIndex, BlockToken }));
      await block.BlockData?.transformToByteArray();
    }
    token = page.NextToken;
  } while (token !== undefined);
  client.destroy();
}

/** As the pipeline reads, with one buffer for each read under way. */
async function own({ connection }: Served): Promise<void> {
  const around = retryContext({});
  const cloud = new AwsCloud(parseConnection(connection));
  const context = {
    ...around,
    cloud,
    recent: new RecentCreations(around.clock),
    folder: '',
    ledger: undefined,
    use: undefined,
    note: () => undefined,
    snapshotMs: 0,
    gib: sizeBytes,
    egressAddress: undefined,
    resolveAddress: undefined,
  };
  const reader = await SnapshotReader.open(
    { context, lanes: new AdaptiveLanes(around), count: { lists: 0, blocks: 0 } },
    { diskId: 'disk', sizeBytes, snapshotId, kmsKeyId: undefined },
    undefined,
    signal,
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
  await cloud.close();
}

interface Sample {
  readonly rate: number;
  readonly cpu: number;
}

async function measure(answerMs: number): Promise<void> {
  const child = fork(import.meta.filename, ['--serve', String(answerMs), '--mib', values.mib]);
  const [served] = (await once(child, 'message')) as [Served];
  const ways = { 'plain client, one block at a time': plain, Causeway: own };
  const samples = new Map<string, Sample[]>();
  for (let round = -1; round < Number(values.runs); round += 1) {
    for (const [name, way] of Object.entries(ways)) {
      const before = { at: performance.now(), cpu: ownCpuSeconds() };
      await way(served);
      const sample = {
        rate: sizeBytes / MIB / ((performance.now() - before.at) / 1000),
        cpu: ((ownCpuSeconds() - before.cpu) / sizeBytes) * 2 ** 30,
      };
      // The first round warms up.
      if (round >= 0) samples.set(name, [...(samples.get(name) ?? []), sample]);
    }
  }
  console.log(`\nThe cloud answers after ${answerMs} ms`);
  const rateOf = (name: string): number => median((samples.get(name) ?? []).map(({ rate }) => rate));
  for (const name of Object.keys(ways))
    console.log(
      `${name.padEnd(36)}${rateOf(name).toFixed(0).padStart(6)} MiB/s   ${median((samples.get(name) ?? []).map(({ cpu }) => cpu)).toFixed(2)} CPU s/GiB`,
    );
  console.log(`ratio ${(rateOf('Causeway') / rateOf('plain client, one block at a time')).toFixed(1)}`);
  for (const [what, unit, pick] of [
    ['rate', 'MiB/s', ({ rate }) => rate],
    ['CPU', 's/GiB', ({ cpu }) => cpu],
  ] as const satisfies readonly (readonly [string, string, (sample: Sample) => number])[]) {
    const way = (name: string, of: string) =>
      wayOf(
        name,
        (samples.get(of) ?? []).map((sample: Sample) => pick(sample)),
      );
    report.add({
      group: `the cloud answers after ${answerMs} ms`,
      what,
      unit,
      ways: [way('causeway', 'Causeway'), way('plain client', 'plain client, one block at a time')],
      peer: 'plain client',
    });
  }
  child.disconnect();
  await once(child, 'exit');
}

if (values.serve === undefined) {
  console.log(`${values.mib} MiB of data, ${values.runs} runs each, load ${loadavg()[0]?.toFixed(1)}`);
  for (const answerMs of [0, 10, 40]) await measure(answerMs);
  report.finish();
} else {
  await serve(Number(values.serve));
}

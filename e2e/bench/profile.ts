/**
 * Where the processor time of a transfer goes, at the client and at the server, by Causeway and by nbdcopy over TLS, and by Causeway over
 * SSH: what a faster transfer would have to save. Samples of the whole computer by perf; root, and nothing else may run.
 *
 *   node e2e/bench/profile.ts [--mib 1024] [--only TEXT] [--json]
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { LinkShape } from '../rigs/wan-link.ts';
import { parts, samplesIn, secondsByPart } from './perf-samples.ts';
import { startReport } from './results.ts';
import { makeEmpty, mebibyte } from './transfer-disks.ts';
import { addVersions, makeDisks, withTransferRig } from './transfer-run.ts';
import { waysOver, type Way } from './transfer-ways.ts';

if (spawnSync('perf', ['--version']).status !== 0) {
  console.error('perf is missing: apt-get install linux-perf');
  process.exit(2);
}
const { values } = parseArgs({
  options: { mib: { type: 'string' }, only: { type: 'string' }, json: { type: 'boolean' } },
});
const sizeBytes = Number(values.mib ?? 1024) * mebibyte;
const samplesPerSecond = 997;
const report = startReport('profile');
addVersions(report);
report.version('perf');

type Profile = Readonly<Record<'client' | 'server', ReadonlyMap<string, number>>>;

const longLink: LinkShape = { roundTripMs: 80, megabitsPerSecond: 1000 };
const shortLink: LinkShape = { roundTripMs: 10, megabitsPerSecond: 1000 };
const besideNbdcopy = ['causeway', 'nbdcopy > nbdkit'];
const besideHttps = ['causeway over SSH', 'causeway'];
const cases: readonly (readonly [
  group: string,
  kind: 'random' | 'files',
  link: LinkShape | undefined,
  ways: readonly string[],
])[] = [
  ['no link, random', 'random', undefined, besideNbdcopy],
  ['no link, file system', 'files', undefined, besideNbdcopy],
  ['1 Gbit/s, 80 ms, file system', 'files', longLink, besideNbdcopy],
  ['1 Gbit/s, 10 ms, file system, by SSH', 'files', shortLink, besideHttps],
];

await withTransferRig(async (rig) => {
  const { target, ...disks } = await makeDisks(rig.scratch, sizeBytes);
  for (const [group, kind, link, names] of cases.filter(([name]) => name.includes(values.only ?? ''))) {
    const source = disks[kind];
    const all = waysOver({ ...rig, source, target, link }, 'both');
    const ways = names.flatMap((wanted) => all.filter(({ name }) => name === wanted));
    const gibibytes = (statSync(source).blocks * 512) / 2 ** 30;
    const profiles: Profile[] = [];
    for (const way of ways) {
      if (kind === 'files') makeEmpty(target, sizeBytes);
      profiles.push(await profiled(way, join(rig.scratch, 'perf.data')));
    }
    console.log(`\n${group}: processor seconds for a GiB of data`);
    for (const side of ['client', 'server'] as const) {
      for (const what of parts) {
        const rows = ways.map(({ name }, index) => ({
          name,
          value: (profiles[index]?.[side].get(what) ?? 0) / gibibytes,
        }));
        if (rows.every(({ value }) => value < 0.02)) continue;
        console.log(
          `${side.padEnd(8)}${what.padEnd(24)}${rows.map(({ value }) => value.toFixed(2).padStart(8)).join('')}`,
        );
        report.add({ group: `${group}: ${side}`, what, unit: 's/GiB', ways: rows });
      }
    }
  }
});
report.finish();

async function profiled(way: Way, file: string): Promise<Profile> {
  const perf = spawn(
    'perf',
    ['record', '-q', '-a', '-g', '-e', 'cpu-clock', '-F', String(samplesPerSecond), '-o', file, '--control', 'fd:3,4'],
    { stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'] },
  );
  const ended = once(perf, 'exit');
  const [control, acknowledged] = [perf.stdio[3], perf.stdio[4]];
  if (
    control === undefined ||
    control === null ||
    !('write' in control) ||
    acknowledged === undefined ||
    acknowledged === null
  )
    throw new Error('perf has no control channel');
  control.write('ping\n');
  await once(acknowledged, 'data');
  await way.run();
  perf.kill('SIGINT');
  await ended;
  const samples = samplesIn(
    execFileSync('perf', ['script', '-i', file, '-F', 'comm,pid,ip,sym,dso'], {
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const isClient = (pid: number, command: string): boolean => pid === process.pid || command === 'nbdcopy';
  return {
    client: secondsByPart(
      samples.filter(({ pid, command }) => isClient(pid, command)),
      samplesPerSecond,
    ),
    server: secondsByPart(
      samples.filter(({ command }) => ['python3', 'nbdkit', 'sshd'].includes(command)),
      samplesPerSecond,
    ),
  };
}

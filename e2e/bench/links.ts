/**
 * How fast and at what cost a disk crosses a long link to a worker, over HTTPS and SSH, beside the tools that people would use
 * instead. A proxy makes the link; all ways take turns in the same run.
 *
 *   node e2e/bench/links.ts [--runs 3] [--mib 1024] [--link TEXT] [--only random|files] [--way NAME] [--json]
 */
import { parseArgs } from 'node:util';
import type { LinkShape } from '../rigs/wan-link.ts';
import { atLeast, atMost, startReport, wayOf } from './results.ts';
import { mebibyte } from './transfer-disks.ts';
import {
  addVersions,
  inTurns,
  makeDisks,
  printRows,
  reportRows,
  withTransferRig,
  type TransferRow,
} from './transfer-run.ts';
import { waysOver } from './transfer-ways.ts';

interface NamedLink extends LinkShape {
  readonly name: string;
  /** Size of the disks that cross it. */
  readonly mib: number;
  /** Of those with a file system. Where they are small, what starting the threads costs is most of what is measured. */
  readonly filesMib?: number;
}

const links: readonly NamedLink[] = [
  { name: '100 Mbit/s, 20 ms', roundTripMs: 20, megabitsPerSecond: 100, mib: 128, filesMib: 640 },
  { name: '200 Mbit/s, 40 ms', roundTripMs: 40, megabitsPerSecond: 200, mib: 256, filesMib: 640 },
  { name: '1 Gbit/s, 80 ms', roundTripMs: 80, megabitsPerSecond: 1000, mib: 768 },
  { name: '1 Gbit/s, 10 ms, 0.1 % late', roundTripMs: 10, megabitsPerSecond: 1000, lateShare: 0.001, mib: 1024 },
];

const { values } = parseArgs({
  options: {
    runs: { type: 'string' },
    mib: { type: 'string' },
    link: { type: 'string' },
    only: { type: 'string' },
    way: { type: 'string' },
    json: { type: 'boolean' },
  },
});
const runs = Number(values.runs ?? 3);
const report = startReport('links');
addVersions(report);

await withTransferRig(async (rig) => {
  const all: TransferRow[] = [];
  for (const link of links.filter(({ name }) => name.includes(values.link ?? ''))) {
    const { random, files, target } = await makeDisks(
      rig.scratch,
      Number(values.mib ?? link.mib) * mebibyte,
      Number(values.mib ?? link.filesMib ?? link.mib) * mebibyte,
    );
    for (const [kind, source] of [
      ['random', random],
      ['files', files],
    ] as const) {
      if (values.only !== undefined && values.only !== kind) continue;
      const course = { ...rig, source, target, link };
      const ways = waysOver(course, 'both').filter(({ name }) => values.way === undefined || name === values.way);
      const rows = await inTurns(`${link.name}, ${kind === 'random' ? 'random' : 'file system'}`, ways, course, runs);
      const isPacked = kind === 'files';
      reportRows(report, rows, 'nbdcopy > nbdkit', {
        rate: atLeast(isPacked ? 2 : 1.1),
        clientCpu: isPacked ? atMost(6, 'value') : atMost(2),
      });
      const [https, ssh] = ['causeway', 'causeway over SSH'].map((name) => rows.find(({ way }) => way === name));
      if (https !== undefined && ssh !== undefined) {
        const [over, beside] = [wayOf(ssh.way, ssh.rates), wayOf(https.way, https.rates)];
        report.add({
          group: `${https.group}, by SSH`,
          what: 'rate beside HTTPS',
          unit: 'MiB/s',
          ways: [over, beside],
          peer: beside.name,
          goal: atLeast(0.9),
        });
      }
      all.push(...rows);
    }
  }
  printRows(all, runs);
});
report.finish();

/**
 * How fast and at what cost a disk crosses to a worker, beside the tools that people would use instead. Everything runs
 * on this machine, disk and target are files in memory, and all ways take turns in the same run.
 *
 *   node e2e/bench/transfer.ts [--runs 3] [--mib 1024] [--only TEXT] [--json]
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { atLeast, startReport } from './results.ts';
import { fillSparsely, mebibyte } from './transfer-disks.ts';
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

/** How much larger than its data the sparse disk is. */
const sparseFactor = 16;

const { values } = parseArgs({
  options: { runs: { type: 'string' }, mib: { type: 'string' }, only: { type: 'string' }, json: { type: 'boolean' } },
});
const runs = Number(values.runs ?? 3);
const sizeBytes = Number(values.mib ?? 1024) * mebibyte;
const report = startReport('transfer');
addVersions(report);

await withTransferRig(async (rig) => {
  const { random, files, target } = await makeDisks(rig.scratch, sizeBytes);
  const sparse = join(rig.scratch, 'sparse.img');
  fillSparsely(sparse, sizeBytes / 4, (sizeBytes / 4) * sparseFactor);
  const groups: readonly (readonly [group: string, mechanism: 'HTTPS' | 'SSH', source: string])[] = [
    ['HTTPS, random', 'HTTPS', random],
    ['HTTPS, file system', 'HTTPS', files],
    ['HTTPS, sparse', 'HTTPS', sparse],
    ['SSH, random', 'SSH', random],
    ['SSH, file system', 'SSH', files],
  ];
  const all: TransferRow[] = [];
  for (const [group, mechanism, source] of groups) {
    if (values.only !== undefined && !group.toLowerCase().includes(values.only.toLowerCase())) continue;
    const course = { ...rig, source, target, link: undefined };
    const rows = await inTurns(group, waysOver(course, mechanism), course, runs);
    reportRows(report, rows, mechanism === 'HTTPS' ? 'nbdcopy > nbdkit' : 'dd | ssh dd', { rate: atLeast(1) });
    all.push(...rows);
  }
  printRows(all, runs);
});
report.finish();

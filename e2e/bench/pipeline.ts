import { DatabaseSync } from 'node:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { hash, randomFillSync } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Extent } from '../../shared/model/extent.ts';
import type { DiskReader } from '../../electron/engine/ports/disk-reader.ts';
import type { WriteTarget } from '../../electron/engine/ports/write-target.ts';
import {
  createTransferTables,
  openTransferState,
  replicateDisk,
  type DiskOutcome,
} from '../../electron/engine/replication/index.ts';
import { startReport } from './results.ts';

/**
 * What the pipeline itself costs: a source and a destination that answer from memory at once, with the digest map and
 * the database on a real file system. Prints GiB/s, CPU seconds a GiB and resident memory.
 *
 *   node e2e/bench/pipeline.ts [GiB of data on each disk] [--json]
 */
const GIB = 2 ** 30;
const MIB = 2 ** 20;
const dataGib = Number(process.argv.slice(2).find((argument) => argument !== '--json') ?? 2);
const report = startReport('pipeline');
const pattern = randomFillSync(Buffer.alloc(8 * MIB + 64 * 1024));

/** A disk of `sizeBytes` whose first `dataBytes`, in runs of 4 MiB spread over it, hold data. */
function reader(sizeBytes: number, dataBytes: number, salt: number): DiskReader {
  const runs = dataBytes / (4 * MIB);
  const stride = Math.floor(sizeBytes / runs / MIB) * MIB;
  return {
    sizeBytes,
    coverage: 'allocated',
    granularityBytes: 65536,
    async *extents(): AsyncGenerator<Extent> {
      let at = 0;
      for (let run = 0; run < runs; run++) {
        const offset = run * stride;
        if (offset > at) yield { offset: at, length: offset - at, kind: 'zero' };
        yield { offset, length: 4 * MIB, kind: 'data' };
        at = offset + 4 * MIB;
      }
      if (at < sizeBytes) yield { offset: at, length: sizeBytes - at, kind: 'zero' };
    },
    async read(offset, into) {
      await turn();
      const from = ((offset / 4096 + salt) * 4096) % (7 * MIB);
      into.set(pattern.subarray(from, from + into.length));
    },
    async close() {},
  };
}

function writer(sizeBytes: number): WriteTarget {
  return {
    sizeBytes,
    alignmentBytes: 1,
    read: () => Promise.reject(new Error('nothing is read back here')),
    async write(_offset, bytes) {
      await turn();
      return { bytesSent: bytes.length };
    },
    zero: () => turn(),
    flush: () => turn(),
    digests: () => Promise.reject(new Error('nothing is in doubt here')),
    async close() {},
  };
}

const folder = mkdtempSync(join(process.env['CAUSEWAY_BENCH_FOLDER'] ?? tmpdir(), 'causeway-bench-'));
const db = new DatabaseSync(join(folder, 'store.sqlite'));
db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
createTransferTables(db);
let highestRss = 0;
const watch = setInterval(() => {
  highestRss = Math.max(highestRss, process.memoryUsage.rss());
}, 50);

function replicate(
  diskId: string,
  sizeBytes: number,
  dataBytes: number,
  snapshotId: string,
  salt: number,
): Promise<DiskOutcome> {
  const state = openTransferState({ db, folder, replicaId: 'bench', diskId, sizeBytes });
  return replicateDisk({
    reader: reader(sizeBytes, dataBytes, salt),
    writer: writer(sizeBytes),
    state,
    snapshotId,
    baseSnapshotId: undefined,
    volumeId: diskId,
    volumeIsNew: true,
    volumesAreZeroed: true,
    signal: new AbortController().signal,
  });
}

async function measure(name: string, dataBytes: number, work: () => Promise<unknown>): Promise<number> {
  highestRss = 0;
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1000;
  const used = process.cpuUsage(cpu);
  const cpuSeconds = (used.user + used.system) / 1e6;
  const gib = dataBytes / GIB;
  const row = [
    name.padEnd(46),
    `${(gib / seconds).toFixed(2)} GiB/s`,
    `${(cpuSeconds / gib).toFixed(2)} CPU s/GiB`,
    `${seconds.toFixed(2)} s`,
    `RSS ${(highestRss / MIB).toFixed(0)} MiB`,
  ];
  console.log(row.join('  '));
  for (const [what, unit, value] of [
    ['CPU', 's/GiB', cpuSeconds / gib],
    ['rate', 'GiB/s', gib / seconds],
    ['memory', 'MiB', highestRss / MIB],
  ] as const) {
    report.add({ group: name, what, unit, ways: [{ name: 'causeway', value }] });
  }
  return cpuSeconds;
}

try {
  const data = dataGib * GIB;
  await replicate('warm', GIB, GIB / 4, 's1', 0);
  await measure('for comparison: SHA-256 of 64 KiB blocks alone', GIB, async () => {
    for (let block = 0; block < 16_384; block++)
      hash('sha256', pattern.subarray((block % 100) * 65_536, (block % 100) * 65_536 + 65_536), 'buffer');
  });
  await measure(`first execution, ${dataGib} GiB`, data, () => replicate('a', data, data, 's1', 0));
  await measure('same content again, compared by digest', data, () => replicate('a', data, data, 's2', 0));
  await measure('all content changed, compared by digest', data, () => replicate('a', data, data, 's3', 1));
  const small = await measure('1 GiB disk, 1 GiB allocated', GIB, () => replicate('b', GIB, GIB, 's1', 0));
  const sparse = await measure('100 GiB disk, 1 GiB allocated', GIB, () => replicate('c', 100 * GIB, GIB, 's1', 0));
  console.log(`100 GiB with 1 GiB allocated costs ${(sparse / small).toFixed(2)} x the CPU of a full 1 GiB disk`);
  report.add({
    group: '100 GiB disk, 1 GiB allocated, beside a full one',
    what: 'CPU',
    unit: 's',
    ways: [
      { name: 'causeway', value: sparse },
      { name: 'the full disk', value: small },
    ],
    peer: 'the full disk',
  });
  await measure('4 disks of 16 TiB in parallel, 2 GiB allocated each', 8 * GIB, () =>
    Promise.all(['w', 'x', 'y', 'z'].map((id) => replicate(id, 16 * 1024 * GIB, 2 * GIB, 's1', 0))),
  );
  report.finish();
} finally {
  clearInterval(watch);
  db.close();
  rmSync(folder, { recursive: true, force: true });
}

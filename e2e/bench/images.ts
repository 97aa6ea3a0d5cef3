/**
 * How fast and at what cost disk images are read by our own readers, beside qemu-nbd with our NBD client: what an image was read with
 * before. Both read the whole disk as the pipeline does and take turns; the files are in the page cache.
 *
 *   node e2e/bench/images.ts [--runs 3] [--mib 512] [--only vmdk] [--json]
 */
import { execFile } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { ImageDiskReader } from '../../electron/engine/images/image-disk-reader.ts';
import { openImage } from '../../electron/engine/images/open-image.ts';
import { NbdDiskReader } from '../../electron/engine/nbd/nbd-disk-reader.ts';
import { serveImage } from '../../electron/engine/nbd/qemu-nbd.ts';
import type { DiskReader } from '../../electron/engine/ports/disk-reader.ts';
import { endedChildrenCpuSeconds, ownCpuSeconds } from './process-cpu.ts';
import { median, startReport, wayOf } from './results.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    mib: { type: 'string', default: '512' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean' },
  },
});
const report = startReport('images');
report.version('qemu-nbd');
const MIB = 2 ** 20;
const GIB = 2 ** 30;
const CHUNK = MIB;
const CONCURRENCY = 8;
const runs = Number(values.runs);
const sizeBytes = Number(values.mib) * MIB;
const signal = new AbortController().signal;
const run = promisify(execFile);

/** Name of the image, QEMU's driver, and what it is made with. */
const images: readonly (readonly [name: string, driver: string, ...args: string[]])[] = [
  ['disk.raw', 'raw', '-S', '0'],
  ['disk.qcow2', 'qcow2'],
  ['subclusters.qcow2', 'qcow2', '-o', 'extended_l2=on,cluster_size=128k'],
  ['zlib.qcow2', 'qcow2', '-c'],
  ['zstd.qcow2', 'qcow2', '-c', '-o', 'compression_type=zstd'],
  ['sparse.vmdk', 'vmdk'],
  ['stream.vmdk', 'vmdk', '-o', 'subformat=streamOptimized'],
  ['disk.vhd', 'vpc', '-o', 'force_size=on'],
  ['disk.vhdx', 'vhdx'],
  ['disk.vdi', 'vdi'],
];

interface Sample {
  readonly seconds: number;
  readonly cpu: number;
}

/** Half of it noise, a quarter text, a quarter zeros in runs of 64 KiB and more: what compression makes of servers' disks. */
async function makeContent(path: string): Promise<void> {
  await using file = await open(path, 'w');
  const noise = Buffer.allocUnsafe(64 * 1024);
  const text = Buffer.from(
    '{"level":"info","at":"2026-01-01T00:00:00Z","message":"request finished","status":200}\n'.repeat(800),
  ).subarray(0, 64 * 1024);
  for (let at = 0, index = 0; at < sizeBytes; at += noise.length, index += 1) {
    const kind = Math.floor(index / 16) % 4;
    if (kind === 3) continue;
    if (kind < 2) randomFillSync(noise);
    await file.write(kind === 2 ? text : noise, 0, noise.length, at);
  }
  await file.truncate(sizeBytes);
}

async function readWhole(reader: DiskReader): Promise<number> {
  const parts: { offset: number; length: number }[] = [];
  for await (const { offset, length, kind } of reader.extents(signal)) {
    for (let at = offset; kind === 'data' && at < offset + length; at += CHUNK)
      parts.push({ offset: at, length: Math.min(CHUNK, offset + length - at) });
  }
  let next = 0;
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      const into = Buffer.allocUnsafeSlow(CHUNK);
      for (let part = parts[next++]; part !== undefined; part = parts[next++])
        await reader.read(part.offset, into.subarray(0, part.length), signal);
    }),
  );
  return parts.reduce((sum, { length }) => sum + length, 0);
}

async function measured(
  openReader: () => Promise<{ reader: DiskReader; close(): Promise<void> }>,
): Promise<Sample & { readonly bytes: number }> {
  const cpu = ownCpuSeconds() + endedChildrenCpuSeconds();
  const at = performance.now();
  const { reader, close } = await openReader();
  const bytes = await readWhole(reader);
  const seconds = (performance.now() - at) / 1000;
  await close();
  return { seconds, cpu: ownCpuSeconds() + endedChildrenCpuSeconds() - cpu, bytes };
}

const folder = await mkdtemp(join(tmpdir(), 'cwy-bench-images-'));
try {
  await makeContent(join(folder, 'content.raw'));
  console.log(
    `load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}; disks of ${values.mib} MiB, a quarter of them zeros; median of ${runs}; rates of what is data`,
  );
  console.log('                     own readers                     qemu-nbd                        own / qemu-nbd');
  for (const [name, driver, ...args] of images.filter(([name]) => name.includes(values.only))) {
    const path = join(folder, name);
    await run('qemu-img', ['convert', '-f', 'raw', '-O', driver, ...args, join(folder, 'content.raw'), path]);
    const own = async () => {
      const reader = new ImageDiskReader(await openImage({ path }, { folder }));
      return { reader, close: () => reader.close() };
    };
    const qemu = async () => {
      const { client, stop } = await serveImage(
        { driver, 'read-only': true, file: { driver: 'file', filename: path } },
        ['base:allocation'],
        signal,
      );
      const reader = new NbdDiskReader(client);
      return {
        reader,
        close: async () => {
          await reader.close();
          await stop();
        },
      };
    };
    const samples = { own: [] as Sample[], qemu: [] as Sample[] };
    const bytes = { own: (await measured(own)).bytes, qemu: (await measured(qemu)).bytes };
    for (let round = 0; round < runs; round++) {
      samples.own.push(await measured(own));
      samples.qemu.push(await measured(qemu));
    }
    const rates = (way: 'own' | 'qemu'): readonly number[] =>
      samples[way].map(({ seconds }) => bytes[way] / MIB / seconds);
    const costs = (way: 'own' | 'qemu'): readonly number[] => samples[way].map(({ cpu }) => cpu / (bytes[way] / GIB));
    const rate = (way: 'own' | 'qemu'): number => median(rates(way));
    const cost = (way: 'own' | 'qemu'): number => median(costs(way));
    for (const [what, unit, of] of [
      ['rate', 'MiB/s', rates],
      ['CPU', 's/GiB', costs],
    ] as const) {
      report.add({
        group: name,
        what,
        unit,
        ways: [wayOf('causeway', of('own')), wayOf('qemu-nbd', of('qemu'))],
        peer: 'qemu-nbd',
      });
    }
    const column = (way: 'own' | 'qemu'): string =>
      `${rate(way).toFixed(0).padStart(5)} MiB/s  ${cost(way).toFixed(2)} CPU s/GiB`.padEnd(32);
    console.log(
      `${name.padEnd(21)}${column('own')}${column('qemu')}${(rate('own') / rate('qemu')).toFixed(2)} x the rate, ${(cost('own') / cost('qemu')).toFixed(2)} x the CPU`,
    );
    await rm(path);
  }
  report.finish();
} finally {
  await rm(folder, { recursive: true, force: true });
}

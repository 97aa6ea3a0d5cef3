// needs: qemu-utils
import { randomBytes, randomInt } from 'node:crypto';
import { mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ImageDiskReader } from '../../electron/engine/images/image-disk-reader.ts';
import { openImage } from '../../electron/engine/images/open-image.ts';
import { buildRedoExtent, vmdkDescriptor } from '../../electron/engine/images/testing/build-images.ts';
import { randomContent, seeded } from '../../electron/engine/images/testing/content.ts';
import { makeLogDirty } from '../../electron/engine/images/testing/vhdx-dirty-log.ts';
import { run } from '../conformance/nbd-servers.ts';
import { firstDifference, readOnto, type DiskRead } from '../conformance/read-snapshot.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const signal = new AbortController().signal;

/** Every variant that `qemu-img create` makes: name of the file, QEMU's driver, its options. */
const variants: readonly (readonly [name: string, driver: string, ...options: string[]])[] = [
  ['a.raw', 'raw'],
  ['v2.qcow2', 'qcow2', 'compat=0.10'],
  ['v3.qcow2', 'qcow2'],
  ['small-clusters.qcow2', 'qcow2', 'cluster_size=512'],
  ['large-clusters.qcow2', 'qcow2', 'cluster_size=2M'],
  ['subclusters.qcow2', 'qcow2', 'extended_l2=on'],
  ['small-subclusters.qcow2', 'qcow2', 'extended_l2=on,cluster_size=16k'],
  ['lazy.qcow2', 'qcow2', 'lazy_refcounts=on'],
  ['zstd.qcow2', 'qcow2', 'compression_type=zstd'],
  ['preallocated.qcow2', 'qcow2', 'preallocation=metadata'],
  ['sparse.vmdk', 'vmdk', 'subformat=monolithicSparse'],
  ['zeroed-grain.vmdk', 'vmdk', 'subformat=monolithicSparse,zeroed_grain=on'],
  ['flat.vmdk', 'vmdk', 'subformat=monolithicFlat'],
  ['split-sparse.vmdk', 'vmdk', 'subformat=twoGbMaxExtentSparse'],
  ['flat-split.vmdk', 'vmdk', 'subformat=twoGbMaxExtentFlat'],
  ['dynamic.vhd', 'vpc'],
  ['fixed.vhd', 'vpc', 'subformat=fixed'],
  ['exact.vhd', 'vpc', 'force_size=on'],
  ['dynamic.vhdx', 'vhdx'],
  ['fixed.vhdx', 'vhdx', 'subformat=fixed'],
  ['small-blocks.vhdx', 'vhdx', 'block_size=1M'],
  ['dynamic.vdi', 'vdi'],
  ['fixed.vdi', 'vdi', 'static=on'],
];

/** Variants that are only converted to: they can't be written to afterwards. */
const converted: readonly (readonly [name: string, driver: string, ...args: string[]])[] = [
  ['compressed.qcow2', 'qcow2', '-c'],
  ['compressed-zstd.qcow2', 'qcow2', '-c', '-o', 'compression_type=zstd'],
  ['compressed-small.qcow2', 'qcow2', '-c', '-o', 'cluster_size=512'],
  ['compressed-large.qcow2', 'qcow2', '-c', '-o', 'cluster_size=2M'],
  ['compressed-subclusters.qcow2', 'qcow2', '-c', '-o', 'extended_l2=on'],
  ['stream.vmdk', 'vmdk', '-o', 'subformat=streamOptimized'],
];

describe('disk images read without QEMU', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cwy-formats-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const at = (name: string) => join(folder, name);
  const create = (name: string, driver: string, size: number, ...options: string[]) =>
    run('qemu-img', [
      'create',
      '-q',
      '-f',
      driver,
      ...options.flatMap((option) => ['-o', option]),
      at(name),
      String(size),
    ]);

  const readAll = async (name: string): Promise<DiskRead> => {
    const reader = new ImageDiskReader(await openImage({ path: at(name) }, { folder }));
    try {
      const read = await readOnto(reader, undefined, signal);
      await expectAnyOffset(reader, read.replica);
      return read;
    } finally {
      await reader.close();
    }
  };

  /** What QEMU reads, filled up to whole sectors. */
  const reference = async (name: string, driver: string): Promise<Buffer> => {
    await run('qemu-img', ['convert', '-f', driver, '-O', 'raw', at(name), at('reference.raw')]);
    const bytes = await readFile(at('reference.raw'));
    return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 511)]);
  };

  const expectAsQemu = async (name: string, driver: string): Promise<DiskRead> => {
    const [mine, qemus] = [await readAll(name), await reference(name, driver)];
    expect(firstDifference(mine.replica, qemus)).toBeUndefined();
    return mine;
  };

  for (const [name, driver, ...options] of variants) {
    it(`reads ${name} (${[driver, ...options].join(' ')}) after random writes as qemu-img does`, async () => {
      for (const size of [9 * MIB, 5_000_192, 70 * KIB]) {
        await create(name, driver, size, ...options);
        await run('qemu-io', ['-f', driver, ...randomWrites(size, driver, 30), at(name)]);
        await expectAsQemu(name, driver);
      }
    });
  }

  for (const [name, driver, ...args] of converted) {
    it(`reads ${name} (${[driver, ...args].join(' ')}) as qemu-img does`, async () => {
      for (const size of [9 * MIB, 5_000_192, 70 * KIB]) {
        await create('content.raw', 'raw', size);
        await run('qemu-io', ['-f', 'raw', ...randomWrites(size, 'raw', 40), at('content.raw')]);
        await run('qemu-img', ['convert', '-f', 'raw', '-O', driver, ...args, at('content.raw'), at(name)]);
        await expectAsQemu(name, driver);
      }
    });
  }

  for (const [driver, ...options] of [
    ['qcow2'],
    ['qcow2', 'extended_l2=on'],
    ['qcow2', 'cluster_size=512'],
    ['vmdk'],
  ] as const) {
    it(`reads a chain of ${[driver, ...options].join(' ')} images as qemu-img does`, async () => {
      const format = driver === 'vmdk' ? 'vmdk' : 'qcow2';
      const size = 6 * MIB;
      await create(`0.${format}`, format, size);
      for (let level = 0; level < 4; level++) {
        const name = `${level}.${format}`;
        if (level > 0)
          await run('qemu-img', [
            'create',
            '-q',
            '-f',
            format,
            '-b',
            `${level - 1}.${format}`,
            '-F',
            format,
            ...options.flatMap((option) => ['-o', option]),
            at(name),
          ]);
        await run('qemu-io', ['-f', format, ...randomWrites(size, format, 20), at(name)]);
      }
      await expectAsQemu(`3.${format}`, format);
      const image = await openImage({ path: at(`3.${format}`) }, { folder });
      expect(image.files.map((file) => file.slice(folder.length + 1))).toEqual(
        [3, 2, 1, 0].map((level) => `${level}.${format}`),
      );
      await image.close();
    });
  }

  it('reads a larger qcow2 image on a smaller raw one', async () => {
    await create('base.raw', 'raw', 2 * MIB);
    await run('qemu-io', ['-f', 'raw', ...randomWrites(2 * MIB, 'raw', 10), at('base.raw')]);
    await run('qemu-img', ['create', '-q', '-f', 'qcow2', '-b', 'base.raw', '-F', 'raw', at('top.qcow2'), '5M']);
    await run('qemu-io', ['-f', 'qcow2', '-c', 'write -P 7 3M 100k', at('top.qcow2')]);
    await expectAsQemu('top.qcow2', 'qcow2');
  });

  it('reads extents of more than one file, in their order', async () => {
    await create('split.vmdk', 'vmdk', 4 * KIB * MIB + 64 * KIB, 'subformat=twoGbMaxExtentSparse');
    await run('qemu-io', [
      '-f',
      'vmdk',
      '-c',
      'write -P 1 2147418112 200k',
      '-c',
      'write -P 2 4294967296 64k',
      '-c',
      'write -P 3 0 64k',
      at('split.vmdk'),
    ]);
    const image = await openImage({ path: at('split.vmdk') }, { folder });
    expect(image.files).toHaveLength(4);
    const reader = new ImageDiskReader(image);
    await run('qemu-img', ['convert', '-f', 'vmdk', '-O', 'raw', at('split.vmdk'), at('reference.raw')]);
    await using whole = await open(at('reference.raw'));
    for (const [offset, length] of [
      [2_147_400_000, 300_000],
      [4_294_900_000, 100_000],
      [0, 70_000],
    ] as const) {
      const mine = Buffer.alloc(length, 0xee);
      await reader.read(offset, mine, signal);
      const theirs = Buffer.alloc(length);
      await whole.read(theirs, 0, length, offset);
      expect(firstDifference(mine, theirs)).toBeUndefined();
    }
    await reader.close();
  });

  it('reads a sparse extent of VMFS as qemu-img does', async () => {
    const bytes = randomContent(9000 * 512, seeded(3));
    await writeFile(at('vm-delta.vmdk'), buildRedoExtent({ sizeBytes: bytes.length, bytes }));
    await writeFile(
      at('vm.vmdk'),
      vmdkDescriptor([`RW ${bytes.length / 512} VMFSSPARSE "vm-delta.vmdk"`], { createType: 'vmfsSparse' }),
    );
    expect(firstDifference((await expectAsQemu('vm.vmdk', 'vmdk')).replica, bytes)).toBeUndefined();
  });

  it('replays the log of a VHDX in memory as QEMU does on the disk', async () => {
    await create('log.vhdx', 'vhdx', 40 * MIB, 'block_size=1M');
    await run('qemu-io', ['-f', 'vhdx', ...randomWrites(40 * MIB, 'vhdx', 20), at('log.vhdx')]);
    await using file = await open(at('log.vhdx'), 'r+');
    await makeLogDirty(file);
    const before = await readFile(at('log.vhdx'));
    const mine = await readAll('log.vhdx');
    expect((await readFile(at('log.vhdx'))).equals(before)).toBe(true);
    await run('qemu-img', ['check', '-q', '-r', 'all', '-f', 'vhdx', at('log.vhdx')]);
    expect(firstDifference(mine.replica, await reference('log.vhdx', 'vhdx'))).toBeUndefined();
    expect(mine.dataBytes).toBeGreaterThan(0);
  });

  it('knows what a large, nearly empty image holds without reading it', async () => {
    for (const [name, driver, ...options] of [
      ['64t.qcow2', 'qcow2'],
      ['64t-subclusters.qcow2', 'qcow2', 'extended_l2=on'],
      ['64t.vhdx', 'vhdx'],
      ['2040g.vhd', 'vpc', 'force_size=on'],
      ['16t.vdi', 'vdi'],
      ['2t.vmdk', 'vmdk'],
    ] as const) {
      const size = name.startsWith('2040g') ? 2000 * 1024 ** 3 : Number.parseInt(name, 10) * 1024 ** 4;
      await create(name, driver, size, ...options);
      await run('qemu-io', ['-f', driver, '-c', `write -P 5 ${size - MIB} 1M`, '-c', 'write -P 6 0 64k', at(name)]);
      const reader = new ImageDiskReader(await openImage({ path: at(name) }, { folder }));
      let data = 0;
      for await (const extent of reader.extents(signal)) if (extent.kind === 'data') data += extent.length;
      // Blocks of a VHDX of this size have 64 MiB.
      expect(data).toBeLessThanOrEqual(128 * MIB);
      const last = Buffer.alloc(MIB);
      await reader.read(size - MIB, last, signal);
      expect(last.every((byte) => byte === 5)).toBe(true);
      await reader.close();
      expect((await stat(at(name))).size).toBeLessThan(size);
    }
  });
});

/** A few reads at odd offsets and lengths give the same bytes as the whole. */
async function expectAnyOffset(reader: ImageDiskReader, whole: Buffer): Promise<void> {
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      const offset = randomInt(whole.length);
      const part = Buffer.alloc(randomInt(1, Math.min(600 * KIB, whole.length - offset) + 1), 0xee);
      await reader.read(offset, part, signal);
      expect(firstDifference(part, whole.subarray(offset, offset + part.length))).toBeUndefined();
    }),
  );
}

/** Commands of qemu-io: patterns, zeros and discards at random places, sector-aligned. */
function randomWrites(size: number, driver: string, count: number): string[] {
  const sectors = Math.floor(size / 512);
  const zeroes = driver === 'qcow2' || driver === 'raw' ? ['write -z', 'write -z -u', 'discard'] : [];
  return Array.from({ length: count }, (_, index) => {
    const offset = randomInt(sectors);
    const length = Math.min(randomInt(1, randomInt(2) === 0 ? 9 : 400), sectors - offset);
    const pattern = `write -P ${(randomBytes(1)[0] ?? 0) | 1}`;
    const command = index % 3 === 2 && zeroes.length > 0 ? (zeroes[index % zeroes.length] ?? pattern) : pattern;
    return ['-c', `${command} ${offset * 512} ${length * 512}`];
  }).flat();
}

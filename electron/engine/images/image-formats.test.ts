import { describe, expect, it } from 'vitest';
import { buildQcow2, buildRedoExtent, buildVdi, buildVmdk, vmdkDescriptor } from './testing/build-images.ts';
import { dynamicVhd, fixedVhd } from './testing/build-vhd.ts';
import { buildVhdx } from './testing/build-vhdx.ts';
import { randomContent, seeded, type Content } from './testing/content.ts';
import { memoryFiles } from './testing/memory-files.ts';
import { readImage } from './testing/read-image.ts';

const MIB = 1024 * 1024;
const signal = new AbortController().signal;
const folder = '/images';

/** A base of random bytes, and what an image above it has of it: some sectors anew, the others not at all. */
function generations(seed: number, sizeBytes: number, sectorBytes = 512) {
  const random = seeded(seed);
  const base = randomContent(sizeBytes, random);
  const top = Buffer.from(base);
  const own = new Set<number>();
  for (let run = 0; run < 40; run++) {
    const first = Math.floor((random() * sizeBytes) / sectorBytes) * sectorBytes;
    const count = 1 + Math.floor(random() * 30);
    for (let at = first; at < Math.min(first + count * sectorBytes, sizeBytes); at += sectorBytes) {
      own.add(at);
      top.fill(random() < 0.3 ? 0 : Math.floor(random() * 256), at, at + sectorBytes);
    }
  }
  const content: Content = { sizeBytes, bytes: top, has: (offset) => own.has(offset) };
  return { base, top, content };
}

function expectSame(one: Buffer, other: Buffer): void {
  expect(one.length).toBe(other.length);
  expect(one.findIndex((byte, index) => byte !== other[index])).toBe(-1);
}

describe('images that other programs do not write', () => {
  for (const seed of [1, 2, 3]) {
    it(`reads a differencing VHD by the bitmaps of its sectors (${seed})`, async () => {
      const { base, top, content } = generations(seed, 300 * 512);
      const parent = { id: 7, relative: '.\\sub\\base.vhd', absolute: 'D:\\vms\\base.vhd' };
      const access = memoryFiles({
        '/images/sub/base.vhd': dynamicVhd({ sizeBytes: base.length, bytes: base }, { id: 7 }),
        '/images/top.vhd': dynamicVhd(content, { parent }),
      });
      expectSame(await readImage('/images/top.vhd', folder, access, signal), top);
      access.files.set('/images/sub/base.vhd', fixedVhd(base, 7));
      expectSame(await readImage('/images/top.vhd', folder, access, signal), top);
    });

    for (const sectorBytes of [512, 4096] as const) {
      it(`reads a differencing VHDX with sectors of ${sectorBytes} bytes (${seed})`, async () => {
        const { base, top, content } = generations(seed, 3 * MIB, sectorBytes);
        const parent = {
          id: 9,
          paths: { relative_path: '.\\base.vhdx', absolute_win32_path: '\\\\?\\D:\\vms\\base.vhdx' },
        };
        const access = memoryFiles({
          '/images/base.vhdx': buildVhdx({ sizeBytes: base.length, bytes: base }, { id: 9, sectorBytes }),
          '/images/top.avhdx': buildVhdx(content, { parent, sectorBytes }),
        });
        expectSame(await readImage('/images/top.avhdx', folder, access, signal), top);
      });
    }

    it(`reads snapshots of ESXi: a redo log on a flat extent (${seed})`, async () => {
      const { base, top, content } = generations(seed, 6000 * 512);
      const sectors = base.length / 512;
      const access = memoryFiles({
        '/images/vm.vmdk': Buffer.from(
          vmdkDescriptor([`RW ${sectors} VMFS "vm-flat.vmdk"`], { cid: 'abcdef01', createType: 'vmfs' }),
        ),
        '/images/vm-flat.vmdk': base,
        '/images/vm-000001.vmdk': Buffer.from(
          vmdkDescriptor([`RW ${sectors} VMFSSPARSE "vm-000001-delta.vmdk"`], {
            createType: 'vmfsSparse',
            parent: { cid: 'abcdef01', name: '/vmfs/volumes/5f/vm/vm.vmdk' },
          }),
        ),
        '/images/vm-000001-delta.vmdk': buildRedoExtent(content),
      });
      expectSame(await readImage('/images/vm-000001.vmdk', folder, access, signal), top);
    });
  }

  it('reads extents of all kinds in one VMDK, in their order', async () => {
    const random = seeded(4);
    const parts = [
      randomContent(64 * 512, random),
      Buffer.alloc(20 * 512),
      randomContent(80 * 512, random),
      randomContent(8 * 512, random),
    ] as const;
    const access = memoryFiles({
      '/images/mixed.vmdk': Buffer.from(
        vmdkDescriptor([
          'RW 64 FLAT "flat.bin" 3',
          'RW 20 ZERO',
          'RW 80 SPARSE "sparse.vmdk"',
          'RDONLY 8 SPARSE "packed.vmdk"',
        ]),
      ),
      '/images/flat.bin': Buffer.concat([Buffer.alloc(3 * 512, 0xdd), parts[0]]),
      '/images/sparse.vmdk': buildVmdk({ sizeBytes: parts[2].length, bytes: parts[2] }, { withoutDescriptor: true }),
      '/images/packed.vmdk': buildVmdk({ sizeBytes: parts[3].length, bytes: parts[3] }, { stream: true }),
    });
    expectSame(await readImage('/images/mixed.vmdk', folder, access, signal), Buffer.concat(parts));
  });

  it('reads a copy of each format as the content that it was made of', async () => {
    const bytes = randomContent(700 * 512, seeded(5));
    const content = { sizeBytes: bytes.length, bytes };
    const images: Readonly<Record<string, Buffer>> = {
      'a.qcow2': buildQcow2(content),
      'packed.qcow2': buildQcow2(content, { compressed: true }),
      'newer.qcow2': buildQcow2(content, { compressed: true, subclusters: true, zstd: true }),
      'a.vmdk': buildVmdk(content),
      'stream.vmdk': buildVmdk(content, { stream: true }),
      'a.vhd': dynamicVhd(content),
      'fixed.vhd': fixedVhd(bytes),
      'a.vdi': buildVdi(content),
      'a.raw': bytes,
    };
    for (const [name, image] of Object.entries(images))
      expectSame(
        await readImage(`/images/${name}`, folder, memoryFiles({ [`/images/${name}`]: image }), signal),
        bytes,
      );
  });

  it('takes the copy of the footer where the end of a dynamic VHD is damaged, and footers of 511 bytes', async () => {
    const bytes = randomContent(100 * 512, seeded(6));
    const damaged = dynamicVhd({ sizeBytes: bytes.length, bytes });
    damaged.fill(0, damaged.length - 512);
    for (const image of [damaged, fixedVhd(bytes).subarray(0, -1)])
      expectSame(await readImage('/images/a.vhd', folder, memoryFiles({ '/images/a.vhd': image }), signal), bytes);
  });

  it('refuses a parent that is another disk than the one that an image is based on', async () => {
    const bytes = randomContent(64 * 512, seeded(7));
    const content = { sizeBytes: bytes.length, bytes };
    const pairs: readonly (readonly [top: string, image: Buffer, base: string, parent: Buffer])[] = [
      [
        'top.vhd',
        dynamicVhd(content, { parent: { id: 7, relative: 'base.vhd' } }),
        'base.vhd',
        dynamicVhd(content, { id: 8 }),
      ],
      [
        'top.vhdx',
        buildVhdx(content, { parent: { id: 9, paths: { relative_path: 'base.vhdx' } } }),
        'base.vhdx',
        buildVhdx(content, { id: 10 }),
      ],
      [
        'top.vmdk',
        buildVmdk(content, { parent: { cid: '12345678', name: 'base.vmdk' } }),
        'base.vmdk',
        buildVmdk(content, { cid: '12345679' }),
      ],
    ];
    for (const [top, image, base, parent] of pairs) {
      const access = memoryFiles({ [`/images/${top}`]: image, [`/images/${base}`]: parent });
      await expect(readImage(`/images/${top}`, folder, access, signal)).rejects.toMatchObject({
        code: 'source.image-unreadable',
        message: expect.stringContaining(base),
      });
      access.files.delete(`/images/${base}`);
      await expect(readImage(`/images/${top}`, folder, access, signal)).rejects.toMatchObject({
        code: 'source.image-part-missing',
      });
      expect(access.work.open).toBe(0);
    }
  });
});

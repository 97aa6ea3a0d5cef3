import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { openImage } from './open-image.ts';
import { buildQcow2, buildVdi, buildVmdk, vmdkDescriptor } from './testing/build-images.ts';
import { dynamicVhd } from './testing/build-vhd.ts';
import { buildVhdx, seal } from './testing/build-vhdx.ts';
import { randomContent, seeded } from './testing/content.ts';
import { memoryFiles, type MemoryFiles } from './testing/memory-files.ts';
import { readImage } from './testing/read-image.ts';
import { logEntry } from './testing/vhdx-dirty-log.ts';
import { parseVmdkDescriptor } from './vmdk-descriptor.ts';

const signal = new AbortController().signal;
const folder = '/images';
const secret = Buffer.from('root:x:0:0:'.repeat(200));
const bytes = randomContent(64 * 512, seeded(1));
const content = { sizeBytes: bytes.length, bytes };

/** A folder with an image, files beside it that extents may name, and secrets outside. */
function withSecrets(files: Readonly<Record<string, Buffer | string>>): MemoryFiles {
  const inside = Object.entries(files).map(([name, text]) => [`${folder}/${name}`, Buffer.from(text)]);
  return memoryFiles({
    '/etc/passwd': secret,
    '/images-secret/passwd': secret,
    '/passwd': secret,
    ...Object.fromEntries(inside),
  });
}

/** Reads the image to its end. Whatever comes of it: nothing outside of the folder was asked for, nothing stays open. */
async function attempt(access: MemoryFiles, name: string): Promise<Buffer | CausewayError> {
  access.reset();
  const result = await readImage(`${folder}/${name}`, folder, access, signal, 1024 * 1024).catch(
    (error: unknown) => error,
  );
  expect([...access.asked].filter((path) => path !== folder && !path.startsWith(`${folder}/`))).toEqual([]);
  expect(access.work.open).toBe(0);
  if (Buffer.isBuffer(result)) {
    expect(result.includes('root:x:0')).toBe(false);
    return result;
  }
  if (!(result instanceof CausewayError)) throw result;
  expect(result.code).toMatch(/^source\./);
  return result;
}

async function expectRefused(
  access: MemoryFiles,
  name: string,
  code: string,
  message: string | RegExp = '',
): Promise<void> {
  const result = await attempt(access, name);
  expect(result).toMatchObject({ code, message: expect.stringMatching(message) });
}

describe('a hostile image', () => {
  /** Ways to write that another parser reads as a file outside of the folder. */
  const extents: readonly (readonly [what: string, lines: readonly string[]])[] = [
    ['a sign before the number', ['RW +8 FLAT "/etc/passwd" 0']],
    ['a line break between access and number', ['RW', '8 FLAT "/etc/passwd" 0']],
    ['a carriage return between access and number', ['RW\r8 FLAT "/etc/passwd" 0']],
    ['a form feed between access and number', ['RW\f8 FLAT "/etc/passwd" 0']],
    ['an extent on the line of a ZERO extent', ['RW 8 ZERO RW 8 FLAT "/etc/passwd" 0']],
    ['a name for a ZERO extent', ['RW 8 ZERO "/etc/passwd" 0']],
    ['text after the offset', ['RW 8 FLAT "data.bin" 0 "/etc/passwd"']],
    ['a hexadecimal number', ['RW 0x8 FLAT "data.bin" 0']],
    ['a number that overflows', ['RW 18446744073709551624 FLAT "data.bin" 0']],
    ['a type in lower case', ['RW 8 flat "/etc/passwd" 0']],
    ['an unknown type', ['RW 8 DEVICE "/dev/sda" 0']],
    ['a flat extent without an offset', ['RW 8 FLAT "data.bin"']],
    ['an offset beyond the end of the file', ['RW 8 FLAT "data.bin" 9999']],
    ['a line that is nothing', ['RW 8 FLAT "data.bin" 0', 'hello']],
  ];
  for (const [what, lines] of extents) {
    it(`is refused: ${what}`, async () => {
      await expectRefused(
        withSecrets({ 'x.vmdk': vmdkDescriptor(lines), 'data.bin': Buffer.alloc(4096) }),
        'x.vmdk',
        'source.image-unreadable',
      );
    });
  }

  it('is read to the last extent: nothing after a ZERO extent is left to another reader', async () => {
    const access = withSecrets({ 'x.vmdk': vmdkDescriptor(['RW 8 ZERO', 'RW 8 FLAT "/etc/passwd" 0']) });
    await expectRefused(access, 'x.vmdk', 'source.image-refers-outside', /passwd/);
  });

  const outside = [
    '/etc/passwd',
    '../etc/passwd',
    '../images-secret/passwd',
    'sub/../../passwd',
    '/images/../etc/passwd',
    '//etc/passwd',
    'file:///etc/passwd',
    'file:/etc/passwd',
    'json:{"driver":"file","filename":"/etc/passwd"}',
    'nbd://127.0.0.1:1/x',
    'fd:3',
    '/dev/fd/0',
    'C:\\Windows\\win.ini',
    '\\\\server\\share\\x',
    '\\\\?\\C:\\x',
    '..',
    '.',
    '',
    '/',
    'a\0b',
    'a\u0007b',
    'link',
    'out/passwd',
  ];
  for (const name of outside) {
    it(`may not name ${JSON.stringify(name)}`, async () => {
      const links = { link: '/etc/passwd', 'out/passwd': '/images-secret/passwd' };
      const images: Readonly<Record<string, Buffer | string>> = {
        'flat.vmdk': vmdkDescriptor([`RW 8 FLAT "${name}" 0`]),
        'sparse.vmdk': vmdkDescriptor([`RW 8 SPARSE "${name}"`]),
        'delta.vmdk': buildVmdk(content, { parent: { cid: '00000001', name } }),
        'backed.qcow2': buildQcow2(content, { backing: name, backingFormat: 'raw' }),
        'diff.vhd': dynamicVhd(content, { parent: { id: 1, relative: name } }),
        'absolute.vhd': dynamicVhd(content, { parent: { id: 1, absolute: name } }),
        'diff.vhdx': buildVhdx(content, { parent: { id: 1, paths: { relative_path: name } } }),
      };
      for (const [image, data] of Object.entries(images)) {
        const access = withSecrets({ [image]: data, 'sub/x': '' });
        for (const [link, target] of Object.entries(links)) access.links.set(`${folder}/${link}`, target);
        expect(await attempt(access, image)).toMatchObject({
          code: expect.stringMatching(/^source\.image-(refers-outside|unreadable|part-missing)$/),
        });
      }
    });
  }

  it('gets the file beside it for an absolute name, never the one that it names', async () => {
    const access = withSecrets({
      'x.qcow2': buildQcow2({ ...content, has: () => false }, { backing: '/etc/passwd', backingFormat: 'raw' }),
      passwd: bytes,
    });
    expect(await attempt(access, 'x.qcow2')).toEqual(bytes);
  });

  it('may not use FIFOs, devices and folders', async () => {
    const access = withSecrets({
      'x.vmdk': vmdkDescriptor(['RW 8 FLAT "fifo" 0']),
      'y.vmdk': vmdkDescriptor(['RW 8 FLAT "sub" 0']),
      'sub/z': '',
    });
    access.special.add(`${folder}/fifo`);
    await expectRefused(access, 'x.vmdk', 'source.image-unreadable', /not a regular file/);
    await expectRefused(access, 'y.vmdk', 'source.image-unreadable', /not a regular file/);
    await expectRefused(access, 'fifo', 'source.image-unreadable', /not a regular file/);
  });

  it('may not hide a descriptor in an extent: a capacity of 0', async () => {
    const extent = buildVmdk(content);
    extent.writeBigUInt64LE(0n, 12);
    Buffer.from(vmdkDescriptor(['RW 8 FLAT "/etc/passwd" 0'])).copy(extent, 512);
    const access = withSecrets({ 'x.vmdk': vmdkDescriptor(['RW 8 SPARSE "x-s001.vmdk"']), 'x-s001.vmdk': extent });
    await expectRefused(access, 'x.vmdk', 'source.image-unreadable', /capacity of 0/);
    await expectRefused(access, 'x-s001.vmdk', 'source.image-unreadable', /capacity of 0/);
  });

  it('has only the data of a sparse extent read, whatever its descriptor says', async () => {
    const extent = buildVmdk(content, { parent: { cid: '00000001', name: '/etc/passwd' } });
    const access = withSecrets({ 'x.vmdk': vmdkDescriptor(['RW 64 SPARSE "x-s001.vmdk"']), 'x-s001.vmdk': extent });
    expect(await attempt(access, 'x.vmdk')).toEqual(bytes);
  });

  it('may not be based on itself', async () => {
    const pairs: Readonly<Record<string, Buffer>> = {
      'a.qcow2': buildQcow2(content, { backing: 'b.qcow2' }),
      'b.qcow2': buildQcow2(content, { backing: './a.qcow2' }),
      'self.qcow2': buildQcow2(content, { backing: 'self.qcow2' }),
      'self.vmdk': buildVmdk(content, { cid: '5', parent: { cid: '00000005', name: 'self.vmdk' } }),
      'self.vhd': dynamicVhd(content, { parent: { id: 1, relative: 'self.vhd' } }),
    };
    for (const name of Object.keys(pairs))
      await expectRefused(withSecrets(pairs), name, 'source.image-unreadable', /is based on/);
  });

  it('may not be based on a chain without end', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 70 }, (_, index) => [
        `${index}.qcow2`,
        buildQcow2(content, { backing: `${index + 1}.qcow2` }),
      ]),
    );
    await expectRefused(withSecrets(files), '0.qcow2', 'source.image-unreadable', /more than 64/);
  });

  it('may not refer to files where its guest can have written that', async () => {
    const access = withSecrets({
      'disk.img': buildQcow2(content, { backing: 'other.raw', backingFormat: 'raw' }),
      'disk2.img': vmdkDescriptor(['RW 8 FLAT "other.raw" 0']),
      'other.raw': Buffer.alloc(4096),
    });
    for (const name of ['disk.img', 'disk2.img'])
      await expectRefused(access, name, 'source.image-refers-outside', /not named like/);
  });

  it('may not refer to files where the guest of its base can have written that', async () => {
    const half = { ...content, has: (offset: number) => offset < 8192 };
    const access = withSecrets({
      'top.qcow2': buildQcow2(half, { backing: 'base.img', backingFormat: null }),
      'base.img': buildQcow2(half, { backing: 'other.raw', backingFormat: 'raw' }),
      'other.raw': secret,
    });
    await expectRefused(access, 'top.qcow2', 'source.image-refers-outside', /base\.img.*not named like/s);
  });

  it('is told by name what is not supported', async () => {
    const change = (image: Buffer, edit: (copy: Buffer) => void) => {
      const copy = Buffer.from(image);
      edit(copy);
      return copy;
    };
    const qcow2 = buildQcow2(content);
    const cases: readonly (readonly [name: string, image: Buffer | string, message: RegExp])[] = [
      ['a.qcow2', change(qcow2, (copy) => copy.writeUInt32BE(2, 32)), /encrypted \(LUKS\)/],
      ['a.qcow2', change(qcow2, (copy) => copy.writeUInt32BE(1, 32)), /encrypted \(AES\)/],
      ['a.qcow2', change(qcow2, (copy) => copy.writeUInt32BE(2, 76)), /marked as corrupt/],
      ['a.qcow2', change(qcow2, (copy) => copy.writeUInt32BE(0x20, 76)), /features that are not supported \(0x20\)/],
      ['a.vmdk', Buffer.from('bebafeca00000000'.padEnd(1024, '0'), 'hex'), /seSparse/],
      ['a.vmdk', vmdkDescriptor(['RW 8 SESPARSE "x-sesparse.vmdk"']), /seSparse/],
      ['a.vmdk', vmdkDescriptor(['RW 8 VMFSRDM "x-rdm.vmdk"']), /raw device mapping/],
      ['a.vmdk', vmdkDescriptor(['RW 8 FLAT "\\\\.\\PhysicalDrive0" 0'], { createType: 'fullDevice' }), /fullDevice/],
      ['a.vdi', change(buildVdi(content), (copy) => copy.writeUInt32LE(4, 0x4c)), /differencing/],
      ['a.vmdk', Buffer.from('1f8b0800000000000003', 'hex'), /compressed with gzip/],
      ['disk1', Buffer.from('1f8b0800000000000003', 'hex'), /compressed with gzip/],
    ];
    for (const [name, image, message] of cases)
      await expectRefused(withSecrets({ [name]: image }), name, 'source.image-unreadable', message);
  });

  it('is read all the same where it is a qcow2 that is marked dirty: only its reference counts may be out of date', async () => {
    const dirty = buildQcow2(content);
    dirty.writeBigUInt64BE(1n, 72);
    expect(await attempt(withSecrets({ 'a.qcow2': dirty }), 'a.qcow2')).toEqual(bytes);
  });

  it('is refused before anything is allocated for impossible sizes', async () => {
    const edits: readonly (readonly [name: string, image: Buffer, edit: (copy: Buffer) => void])[] = [
      ['l1.qcow2', buildQcow2(content), (copy) => copy.writeUInt32BE(0xffffffff, 36)],
      ['size.qcow2', buildQcow2(content), (copy) => copy.writeBigUInt64BE(2n ** 62n, 24)],
      ['clusters.qcow2', buildQcow2(content), (copy) => copy.writeUInt32BE(63, 20)],
      ['grain.vmdk', buildVmdk(content), (copy) => copy.writeBigUInt64LE(2n ** 40n, 20)],
      ['capacity.vmdk', buildVmdk(content), (copy) => copy.writeBigUInt64LE(2n ** 50n, 12)],
      ['gtes.vmdk', buildVmdk(content), (copy) => copy.writeUInt32LE(0xffffffff, 44)],
      ['descriptor.vmdk', buildVmdk(content), (copy) => copy.writeBigUInt64LE(2n ** 40n, 36)],
      ['block.vdi', buildVdi(content), (copy) => copy.writeUInt32LE(0x80000000, 0x178)],
      ['size.vdi', buildVdi(content), (copy) => copy.writeBigUInt64LE(2n ** 60n, 0x170)],
      ['blocks.vdi', buildVdi(content), (copy) => copy.writeBigUInt64LE(2n ** 45n, 0x170)],
    ];
    for (const [name, image, edit] of edits) {
      edit(image);
      const access = withSecrets({ [name]: image });
      await expectRefused(access, name, 'source.image-unreadable');
      expect(access.work.bytes).toBeLessThan(256 * 1024);
    }
  });

  it('is refused when it is cut short, wherever', async () => {
    const whole: Readonly<Record<string, Buffer>> = {
      'a.qcow2': buildQcow2(content),
      'a.vmdk': buildVmdk(content),
      's.vmdk': buildVmdk(content, { stream: true }),
      'a.vdi': buildVdi(content),
      'a.vhd': dynamicVhd(content),
    };
    for (const [name, image] of Object.entries(whole)) {
      for (let length = 0; length < image.length - 4096; length += 1024) {
        const result = await attempt(withSecrets({ [name]: image.subarray(0, length) }), name);
        // A VHD is told by its footer or its copy; a cut one has its blocks checked against the file.
        if (Buffer.isBuffer(result))
          throw new Error(`${name} was read though cut to ${length} of ${image.length} bytes`);
      }
    }
  });

  it('has a VHDX log replayed only in whole, valid entries', async () => {
    const megabyte = 1024 * 1024;
    const image = buildVhdx({ sizeBytes: megabyte, bytes: Buffer.alloc(megabyte, 7) });
    const id = Buffer.alloc(16, 3);
    for (const at of [64 * 1024, 128 * 1024]) {
      id.copy(image, at + 48);
      seal(image.subarray(at, at + 4096));
    }
    const entry = (options: Partial<Parameters<typeof logEntry>[0]> = {}) =>
      logEntry({ sequence: 1n, tail: 0, size: BigInt(image.length), target: 2 * megabyte, id, ...options });
    const withLog = (...entries: readonly Buffer[]) => {
      const copy = Buffer.from(image);
      Buffer.concat(entries).copy(copy, megabyte);
      return withSecrets({ 'a.vhdx': copy });
    };
    await expectRefused(withLog(), 'a.vhdx', 'source.image-unreadable', /no complete sequence/);
    await expectRefused(
      withLog(entry({ id: Buffer.alloc(16, 4) })),
      'a.vhdx',
      'source.image-unreadable',
      /no complete sequence/,
    );
    await expectRefused(withLog(entry({ tail: 4096 })), 'a.vhdx', 'source.image-unreadable', /no complete sequence/);
    await expectRefused(
      withLog(entry({ size: BigInt(image.length + megabyte) })),
      'a.vhdx',
      'source.image-unreadable',
      /cut short/,
    );
    const damaged = entry();
    damaged[100] = 1;
    await expectRefused(withLog(damaged), 'a.vhdx', 'source.image-unreadable', /no complete sequence/);
    // The entry zeroes the block table, so that the disk is empty.
    expect(await attempt(withLog(entry()), 'a.vhdx')).toEqual(Buffer.alloc(megabyte));
    // Heads that claim the same long entry at every sector are not summed again and again.
    const overlapping = Buffer.alloc(megabyte);
    for (let at = 0; at < megabyte; at += 4096) entry().copy(overlapping, at, 0, 64);
    for (let at = 0; at < megabyte; at += 4096) overlapping.writeUInt32LE(megabyte, at + 8);
    await expectRefused(withLog(overlapping), 'a.vhdx', 'source.image-unreadable', /overlap/);
  });
});

describe('a descriptor', () => {
  it('of line breaks alone is refused at a line, after linear work', () => {
    for (const lineBreak of ['\n', '\r\n', ' \n', '\r'])
      expect(() => parseVmdkDescriptor(Buffer.from(lineBreak.repeat(1024 * 1024)), 'x.vmdk')).toThrow(
        /lines|is not valid/,
      );
  });

  it('is refused with the line that is not understood', () => {
    expect(() =>
      parseVmdkDescriptor(Buffer.from('# Disk DescriptorFile\nversion=1\nRW 8 FLAT data.bin 0\n'), 'x.vmdk'),
    ).toThrow('line 3 of its descriptor is not valid: "RW 8 FLAT data.bin 0"');
    expect(() => parseVmdkDescriptor(Buffer.from('CID=1\nCID=2\n'), 'x.vmdk')).toThrow(
      'line 2 of its descriptor sets CID a second time',
    );
    expect(() =>
      parseVmdkDescriptor(Buffer.from('CID=1\nparentCID=ffffffff\nparentFileNameHint="a.vmdk"\n'), 'x.vmdk'),
    ).toThrow(/but parentCID=/);
  });

  it('has its names in the encoding that it says', () => {
    const text = (encoding: string, bytes: Buffer) =>
      Buffer.concat([Buffer.from(`encoding="${encoding}"\nRW 8 FLAT "`), bytes, Buffer.from('" 0\n')]);
    expect(parseVmdkDescriptor(text('UTF-8', Buffer.from('größe.bin')), 'x.vmdk').extents[0]?.file).toBe('größe.bin');
    expect(
      parseVmdkDescriptor(text('windows-1252', Buffer.from('größe.bin', 'latin1')), 'x.vmdk').extents[0]?.file,
    ).toBe('größe.bin');
    expect(() => parseVmdkDescriptor(text('UTF-8', Buffer.from('größe.bin', 'latin1')), 'x.vmdk')).toThrow(
      /is not valid in the encoding/,
    );
    expect(() => parseVmdkDescriptor(text('GBK', Buffer.from('größe.bin')), 'x.vmdk')).toThrow(
      /is not valid in the encoding/,
    );
  });
});

it('opens nothing twice and closes what it opened when an image is refused', async () => {
  const access = withSecrets({
    'x.vmdk': vmdkDescriptor(['RW 8 FLAT "a.bin" 0', 'RW 8 FLAT "a.bin" 8', 'RW 8 FLAT "/etc/passwd" 0']),
    'a.bin': Buffer.alloc(8192),
  });
  await expect(openImage({ path: '/images/x.vmdk' }, { folder, access })).rejects.toMatchObject({
    code: 'source.image-refers-outside',
  });
  expect(access.work.open).toBe(0);
});

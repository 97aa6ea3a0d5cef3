import { win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildQcow2, buildVmdk, vmdkDescriptor } from './testing/build-images.ts';
import { dynamicVhd } from './testing/build-vhd.ts';
import { buildVhdx } from './testing/build-vhdx.ts';
import { randomContent, seeded } from './testing/content.ts';
import { memoryFiles } from './testing/memory-files.ts';
import { readImage } from './testing/read-image.ts';

const signal = new AbortController().signal;
const bytes = randomContent(64 * 512, seeded(1));
const content = { sizeBytes: bytes.length, bytes };
/** An image above a base that has all of the disk. */
const nothing = { ...content, has: () => false };

/** Images that name a base in each way that a format has. */
function above(name: string): Readonly<Record<string, readonly [top: Buffer, base: Buffer]>> {
  return {
    vmdk: [buildVmdk(nothing, { parent: { cid: '00000001', name } }), buildVmdk(content)],
    qcow2: [buildQcow2(nothing, { backing: name }), buildQcow2(content)],
    vhd: [dynamicVhd(nothing, { parent: { id: 7, absolute: name } }), dynamicVhd(content, { id: 7 })],
    vhdx: [
      buildVhdx(nothing, { parent: { id: 9, paths: { absolute_win32_path: name } } }),
      buildVhdx(content, { id: 9 }),
    ],
  };
}

describe('names in images, on Windows', () => {
  for (const [what, folder, given, base] of [
    ['on a drive', 'D:\\VMs', 'd:\\vms', 'D:\\VMs\\base\\base'],
    ['with slashes', 'D:\\VMs', 'D:\\VMs', 'D:/vms/base/base'],
    ['on a share', '\\\\nas\\vms', '\\\\NAS\\vms', '\\\\nas\\vms\\base\\base'],
    ['as a long path', 'D:\\VMs', 'D:\\VMs', '\\\\?\\D:\\VMs\\base\\base'],
    ['as a long path on a share', '\\\\nas\\vms', '\\\\nas\\vms', '\\\\?\\UNC\\nas\\vms\\base\\base'],
  ] as const) {
    it(`are followed to another folder of the endpoint: ${what}`, async () => {
      for (const extension of ['vmdk', 'qcow2', 'vhd', 'vhdx']) {
        // QEMU does not write names with such a prefix.
        if (extension === 'qcow2' && base.startsWith('\\\\')) continue;
        const pair = above(`${base}.${extension}`)[extension];
        if (pair === undefined) throw new Error(extension);
        const access = memoryFiles(
          { [`${folder}\\clone\\top.${extension}`]: pair[0], [`${folder}\\base\\base.${extension}`]: pair[1] },
          win32,
        );
        expect(
          (await readImage(`${given}\\clone\\top.${extension}`, given, access, signal)).equals(bytes),
          extension,
        ).toBe(true);
        expect(access.work.open).toBe(0);
      }
    });
  }

  it('are no devices', async () => {
    for (const name of ['NUL', 'com1.vmdk', 'sub\\CON', 'Aux .vmdk']) {
      const access = memoryFiles(
        { 'D:\\VMs\\top.vmdk': buildVmdk(nothing, { parent: { cid: '00000001', name } }) },
        win32,
      );
      await expect(readImage('D:\\VMs\\top.vmdk', 'D:\\VMs', access, signal)).rejects.toMatchObject({
        code: 'source.image-refers-outside',
        message: expect.stringContaining('device'),
      });
      expect([...access.asked]).toEqual(['D:\\VMs', 'D:\\VMs\\top.vmdk']);
    }
  });

  it('stand for the file beside the image where they lead elsewhere', async () => {
    for (const folder of [
      'E:\\old',
      '\\\\old\\vms',
      '\\\\?\\Volume{6e1b0f2e-0000-0000-0000-100000000000}',
      'D:\\VMs\\gone',
    ]) {
      const access = memoryFiles(
        {
          'D:\\VMs\\top.vmdk': buildVmdk(nothing, { parent: { cid: '00000001', name: `${folder}\\base.vmdk` } }),
          'D:\\VMs\\base.vmdk': buildVmdk(content),
        },
        win32,
      );
      expect((await readImage('D:\\VMs\\top.vmdk', 'D:\\VMs', access, signal)).equals(bytes), folder).toBe(true);
    }
  });

  const outside = [
    'C:\\Windows\\win.ini',
    'D:\\secret\\x',
    'D:\\VMs-secret\\x',
    'D:\\VMs\\..\\secret\\x',
    '..\\secret\\x',
    'sub\\..\\..\\secret\\x',
    '\\secret\\x',
    '/secret/x',
    'D:x',
    'D:',
    'D:\\',
    '\\\\.\\PhysicalDrive0',
    '\\\\?\\GLOBALROOT\\Device\\Harddisk0',
    '\\\\nas\\secret\\x',
    'x:stream',
    'NUL',
    'link.bin',
    'LINK.BIN',
  ];
  for (const name of outside) {
    it(`may not lead out of the folder: ${name}`, async () => {
      const files = {
        'C:\\Windows\\win.ini': bytes,
        'D:\\secret\\x': bytes,
        'D:\\VMs-secret\\x': bytes,
        '\\\\nas\\secret\\x': bytes,
        'D:\\VMs\\sub\\y': bytes,
      };
      const images = { ...above(name), flat: [Buffer.from(vmdkDescriptor([`RW 8 FLAT "${name}" 0`])), bytes] as const };
      for (const [extension, [top]] of Object.entries(images)) {
        const path = `D:\\VMs\\top.${extension === 'flat' ? 'vmdk' : extension}`;
        const access = memoryFiles({ ...files, [path]: top }, win32);
        for (const link of ['D:\\VMs\\link.bin', 'D:\\VMs\\LINK.BIN']) access.links.set(link, 'D:\\secret\\x');
        await expect(readImage(path, 'D:\\VMs', access, signal), extension).rejects.toMatchObject({
          code: expect.stringMatching(/^source\.image-(refers-outside|unreadable|part-missing)$/),
        });
        expect([...access.asked].filter((asked) => asked !== 'D:\\VMs' && !asked.startsWith('D:\\VMs\\'))).toEqual([]);
        expect(access.work.open).toBe(0);
      }
    });
  }
});

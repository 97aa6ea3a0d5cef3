// needs: qemu-utils
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, open, readdir, readFile, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDiskImagesSource } from '../../electron/engine/platforms/disk-images/index.ts';
import type { SourcePlatform } from '../../electron/engine/ports/source-platform.ts';
import { run } from '../conformance/nbd-servers.ts';
import { closeAll } from '../rigs/closing.ts';
import { firstDifference, readOnto } from '../conformance/read-snapshot.ts';

const MIB = 1024 * 1024;
const signal = new AbortController().signal;
const content = Buffer.concat([randomBytes(2 * MIB), Buffer.alloc(3 * MIB), randomBytes(MIB), Buffer.alloc(2 * MIB)]);

describe('disk images', () => {
  let folder = '';
  let images = '';
  let source: SourcePlatform;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cwy-di-'));
    images = join(folder, 'images');
    await mkdir(images);
    await writeFile(join(folder, 'content.raw'), content);
    source = at(images);
  });
  afterEach(() =>
    closeAll(
      () => source.close(),
      () => rm(folder, { recursive: true, force: true }),
    ),
  );

  const at = (path: string) => createDiskImagesSource({ path }, { scratchFolder: join(folder, 'scratch') });
  const convert = (format: string, name: string, ...options: string[]) =>
    run('qemu-img', [
      'convert',
      '-f',
      'raw',
      '-O',
      format,
      ...options,
      join(folder, 'content.raw'),
      join(images, name),
    ]);
  const readDisk = async (vmId: string, diskId: string, from = source) => {
    const snapshot = await from.createSnapshot({ vmId, tag: `${vmId}-tag`, environment: {} }, signal);
    const reader = await from.openDisk(snapshot, diskId, undefined, signal);
    try {
      return await readOnto(reader, undefined, signal);
    } finally {
      await reader.close();
    }
  };

  const formats: readonly (readonly [name: string, format: string, driver: string, ...options: string[]])[] = [
    ['a.raw', 'raw', 'raw'],
    ['a.qcow2', 'qcow2', 'qcow2'],
    ['compressed.qcow2', 'qcow2', 'qcow2', '-c'],
    ['sparse.vmdk', 'vmdk', 'vmdk'],
    ['stream.vmdk', 'vmdk', 'vmdk', '-o', 'subformat=streamOptimized'],
    ['flat.vmdk', 'vmdk', 'vmdk', '-o', 'subformat=monolithicFlat'],
    ['split.vmdk', 'vmdk', 'vmdk', '-o', 'subformat=twoGbMaxExtentSparse'],
    ['dynamic.vhd', 'vpc', 'vpc'],
    ['fixed.vhd', 'vpc', 'vpc', '-o', 'subformat=fixed'],
    ['a.vhdx', 'vhdx', 'vhdx'],
    ['a.vdi', 'vdi', 'vdi'],
  ];
  for (const [name, format, driver, ...options] of formats) {
    it(`reads ${name} (${[format, ...options].join(' ')}) byte for byte as qemu-img does`, async () => {
      await convert(format, name, ...options);
      const reference = join(folder, 'reference.raw');
      await run('qemu-img', ['convert', '-f', driver, '-O', 'raw', join(images, name), reference]);
      const vms = await source.listVms(signal);
      expect(vms.map((vm) => vm.id)).toEqual([name]);
      const result = await readDisk(name, name);
      expect(firstDifference(result.replica, await readFile(reference))).toBeUndefined();
      expect(vms[0]?.totalBytes).toBe(result.replica.length);
    });
  }

  it('rounds a disk up to whole sectors with zeros', async () => {
    await writeFile(join(images, 'odd.raw'), content.subarray(0, 700));
    const result = await readDisk('odd.raw', 'odd.raw');
    expect(result.replica.equals(Buffer.concat([content.subarray(0, 700), Buffer.alloc(324)]))).toBe(true);
    expect(result.extents).toEqual([{ offset: 0, length: 1024, kind: 'data' }]);
  });

  it('reads a chain of backing files in one folder as one disk', async () => {
    await convert('qcow2', 'base.qcow2');
    await run('qemu-img', [
      'create',
      '-q',
      '-f',
      'qcow2',
      '-b',
      'base.qcow2',
      '-F',
      'qcow2',
      join(images, 'top.qcow2'),
    ]);
    await run('qemu-io', ['-f', 'qcow2', '-c', 'write -P 9 4M 64k', join(images, 'top.qcow2')]);
    expect((await source.listVms(signal)).map((vm) => vm.id)).toEqual(['top.qcow2']);
    const expected = Buffer.from(content).fill(9, 4 * MIB, 4 * MIB + 65_536);
    expect(firstDifference((await readDisk('top.qcow2', 'top.qcow2')).replica, expected)).toBeUndefined();
  });

  it('takes an OVA with a stream-optimised VMDK as it is, without unpacking', async () => {
    await convert('vmdk', 'web-disk1.vmdk', '-o', 'subformat=streamOptimized');
    await writeFile(join(images, 'web.ovf'), ovf('web-disk1.vmdk', content.length));
    await run('tar', ['--format=ustar', '-cf', join(folder, 'web.ova'), 'web.ovf', 'web-disk1.vmdk'], { cwd: images });
    const before = await readdir(folder);
    const ova = at(join(folder, 'web.ova'));
    expect(await ova.describeVm('web.ova', signal)).toEqual({
      id: 'web.ova',
      name: 'web & more',
      os_type: 'windows',
      firmware: 'uefi',
      secure_boot: true,
      vcpus: 4,
      memory_mb: 8192,
      disks: [{ id: 'web-disk1.vmdk', size_bytes: content.length, bus: 'scsi', bootable: true }],
      nics: [{ id: 'nic0', network: 'VM Network', mac_address: '00:50:56:aa:bb:01' }],
    });
    expect(firstDifference((await readDisk('web.ova', 'web-disk1.vmdk', ova)).replica, content)).toBeUndefined();
    expect((await readdir(folder)).filter((name) => name !== 'scratch')).toEqual(before);
    // The same VM beside its disk, as a folder with an OVF.
    expect((await source.listVms(signal)).map((vm) => vm.id)).toEqual(['web.ovf']);
    expect(firstDifference((await readDisk('web.ovf', 'web-disk1.vmdk')).replica, content)).toBeUndefined();
    await ova.close();
  });

  it('makes one VM of a folder with a vm.yaml, and one of each subfolder', async () => {
    await mkdir(join(images, 'db-01'));
    await mkdir(join(images, 'app-01'));
    for (const name of ['b.raw', 'a.raw']) {
      await writeFile(join(images, 'db-01', name), content);
      await writeFile(join(images, 'app-01', name), content);
    }
    await writeFile(
      join(images, 'db-01', 'vm.yaml'),
      'name: Database\nos_type: windows\nvcpus: 8\nmemory_mb: 1024\ndisks: [b.raw, a.raw]\nnics:\n  - network: lan\n    ip_addresses: [192.0.2.7]\n',
    );
    expect(await source.describeVm('db-01', signal)).toMatchObject({
      name: 'Database',
      os_type: 'windows',
      vcpus: 8,
      disks: [{ id: 'b.raw' }, { id: 'a.raw' }],
      nics: [{ network: 'lan', ip_addresses: ['192.0.2.7'] }],
    });
    expect((await source.describeVm('app-01', signal)).disks.map((disk) => disk.id)).toEqual(['a.raw', 'b.raw']);
    // What the environment says counts more than the files; a file's own networks stay.
    const environment = {
      os_type: 'linux',
      firmware: 'uefi',
      vcpus: 2,
      memory_mb: 512,
      network: 'dmz',
      digest_block_size: 64,
    };
    const told = { os_type: 'linux', firmware: 'uefi', vcpus: 2, memory_mb: 512 };
    expect(await source.describeVm('db-01', signal, environment)).toMatchObject({
      ...told,
      nics: [{ network: 'lan' }],
    });
    expect(await source.describeVm('app-01', signal, environment)).toMatchObject({
      ...told,
      nics: [{ network: 'dmz' }],
    });
  });

  it('denies that one state was read when the file changed right after a read, and releases the snapshot all the same', async () => {
    await writeFile(join(images, 'a.raw'), content);
    const snapshot = await source.createSnapshot({ vmId: 'a.raw', tag: 't', environment: {} }, signal);
    const reader = await source.openDisk(snapshot, 'a.raw', undefined, signal);
    await reader.read(0, new Uint8Array(512), signal);
    await using file = await open(join(images, 'a.raw'), 'r+');
    await file.write(Buffer.alloc(512, 1), 0, 512, MIB);
    await expect(source.assertUnchanged(snapshot, signal)).rejects.toMatchObject({
      code: 'source.changed-while-reading',
    });
    expect(await source.isAlive(snapshot, signal)).toBe(false);
    await source.promoteToBase(snapshot, undefined, signal);
    await expect(source.openDisk(snapshot, 'a.raw', undefined, signal)).rejects.toMatchObject({
      code: 'source.changed-while-reading',
    });
    await reader.close();
  });

  it('fails a read when a file below the image changes', async () => {
    await convert('qcow2', 'base.qcow2');
    await run('qemu-img', [
      'create',
      '-q',
      '-f',
      'qcow2',
      '-b',
      'base.qcow2',
      '-F',
      'qcow2',
      join(images, 'top.qcow2'),
    ]);
    const snapshot = await source.createSnapshot({ vmId: 'top.qcow2', tag: 't', environment: {} }, signal);
    const reader = await source.openDisk(snapshot, 'top.qcow2', undefined, signal);
    await run('qemu-io', ['-f', 'qcow2', '-c', 'write -P 9 0 64k', join(images, 'base.qcow2')]);
    await expect(reader.read(0, new Uint8Array(512), signal)).rejects.toMatchObject({
      code: 'source.changed-while-reading',
      details: { path: join(await realpath(images), 'base.qcow2') },
    });
    expect(await source.isAlive(snapshot, signal)).toBe(false);
    await reader.close();
  });

  it('needs no program, and holds no file open after it is closed', async () => {
    await convert('qcow2', 'a.qcow2');
    await convert('vmdk', 'split.vmdk', '-o', 'subformat=twoGbMaxExtentSparse');
    const path = process.env['PATH'];
    process.env['PATH'] = join(folder, 'no-programs');
    try {
      expect((await source.check(signal)).steps).toEqual([
        { name: 'Folder or file', outcome: 'passed', evidence: '2 VMs' },
      ]);
      const openFiles = async () =>
        (
          await Promise.all(
            (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
          )
        )
          .filter((file) => file.startsWith(images))
          .map((file) => file.slice(images.length + 1))
          .sort();
      for (const name of ['a.qcow2', 'split.vmdk']) {
        const snapshot = await source.createSnapshot({ vmId: name, tag: name, environment: {} }, signal);
        await source.openDisk(snapshot, name, undefined, signal);
      }
      expect(await openFiles()).toEqual(['a.qcow2', 'split-s001.vmdk', 'split.vmdk']);
      await source.close();
      expect(await openFiles()).toEqual([]);
    } finally {
      process.env['PATH'] = path;
    }
  });

  describe('that want to open other files', () => {
    const secret = () => join(folder, 'secret.raw');
    const refused = async (name: string) => {
      await expect(readDisk(name, name, at(join(images, name)))).rejects.toMatchObject({
        code: 'source.image-refers-outside',
      });
      expect((await source.check(signal)).steps.find((step) => step.name === `${name}: ${name}`)).toMatchObject({
        outcome: 'warning',
      });
    };
    beforeEach(async () => {
      await writeFile(secret(), randomBytes(MIB));
    });

    it('are refused: a backing file elsewhere, absolute, relative or by protocol', async () => {
      for (const backing of [
        secret(),
        '../secret.raw',
        `json:{"driver":"file","filename":"${secret()}"}`,
        'nbd://127.0.0.1:1/x',
      ]) {
        await run('qemu-img', [
          'create',
          '-q',
          '-u',
          '-f',
          'qcow2',
          '-b',
          backing,
          '-F',
          'raw',
          join(images, 'evil.qcow2'),
          '1M',
        ]);
        await refused('evil.qcow2');
      }
    });

    it('are refused: a qcow2 that keeps its data elsewhere', async () => {
      await run('qemu-img', [
        'create',
        '-q',
        '-f',
        'qcow2',
        '-o',
        `data_file=${join(folder, 'data.raw')}`,
        join(images, 'evil.qcow2'),
        '1M',
      ]);
      await refused('evil.qcow2');
    });

    it('are refused: a VMDK descriptor whose extent is elsewhere', async () => {
      for (const extent of [secret(), '../secret.raw', 'nbd://127.0.0.1:1/x']) {
        await writeFile(
          join(images, 'evil.vmdk'),
          `# Disk DescriptorFile\nversion=1\nCID=fffffffe\nparentCID=ffffffff\ncreateType="monolithicFlat"\n\nRW 2048 FLAT "${extent}" 0\n`,
        );
        await refused('evil.vmdk');
      }
    });

    it('are refused: a symbolic link out of the folder', async () => {
      await symlink(secret(), join(images, 'link.raw'));
      await refused('link.raw');
    });

    it('are refused: what another parser of the descriptor would open, also within an OVA', async () => {
      const head = '# Disk DescriptorFile\nversion=1\nCID=fffffffe\nparentCID=ffffffff\ncreateType="monolithicFlat"\n';
      for (const lines of [
        `RW +2048 FLAT "${secret()}" 0`,
        `RW\n2048 FLAT "${secret()}" 0`,
        `RW 2048 ZERO\nRW 2048 FLAT "${secret()}" 0`,
      ]) {
        await writeFile(join(images, 'evil.vmdk'), `${head}${lines}\n`);
        await expect(readDisk('evil.vmdk', 'evil.vmdk')).rejects.toMatchObject({
          code: expect.stringMatching(/^source\.image-(unreadable|refers-outside)$/),
        });
        await writeFile(join(images, 'evil.ovf'), ovf('evil.vmdk', MIB));
        await run('tar', ['--format=ustar', '-cf', join(folder, 'evil.ova'), 'evil.ovf', 'evil.vmdk'], { cwd: images });
        await expect(readDisk('evil.ova', 'evil.vmdk', at(join(folder, 'evil.ova')))).rejects.toMatchObject({
          code: expect.stringMatching(/^source\.image-(unreadable|refers-outside)$/),
        });
        await rm(join(images, 'evil.ovf'));
      }
    });

    it('are refused: FIFOs and symbolic links to them, devices, folders; a listing does not wait for them', async () => {
      await run('mkfifo', [join(images, 'fifo.raw')]);
      await mkdir(join(images, 'folder.raw'));
      for (const [link, target] of [
        ['a.ova', 'fifo.raw'],
        ['a.ovf', 'fifo.raw'],
        ['b.qcow2', 'fifo.raw'],
        ['c.raw', '/dev/zero'],
        ['d.raw', '/proc/self/mem'],
        ['e.raw', 'folder.raw'],
        ['loop.raw', 'loop.raw'],
      ] as const)
        await symlink(target, join(images, link));
      await mkdir(join(images, 'described'));
      await symlink('../fifo.raw', join(images, 'described', 'vm.yaml'));
      await writeFile(join(images, 'good.raw'), content);
      const vms = await source.listVms(signal);
      expect(vms.find((vm) => vm.id === 'good.raw')).toMatchObject({ totalBytes: content.length });
      expect(vms.filter((vm) => vm.totalBytes > 0)).toHaveLength(1);
      const { steps } = await source.check(signal);
      expect(steps.filter((step) => step.outcome === 'warning').length).toBeGreaterThanOrEqual(7);
      await expect(readDisk('fifo.raw', 'fifo.raw', at(join(images, 'fifo.raw')))).rejects.toMatchObject({
        code: 'source.image-unreadable',
      });
    });

    it('stay raw: a guest’s disk that begins like a qcow2 image', async () => {
      await run('qemu-img', [
        'create',
        '-q',
        '-u',
        '-f',
        'qcow2',
        '-b',
        secret(),
        '-F',
        'raw',
        join(images, 'guest.raw'),
        '1M',
      ]);
      const bytes = await readFile(join(images, 'guest.raw'));
      const expected = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 511)]);
      expect(firstDifference((await readDisk('guest.raw', 'guest.raw')).replica, expected)).toBeUndefined();
    });

    it('are refused: an OVF that names a file elsewhere', async () => {
      await writeFile(join(images, 'evil.ovf'), ovf('../secret.raw', MIB));
      await expect(source.describeVm('evil.ovf', signal)).rejects.toMatchObject({
        code: 'source.image-refers-outside',
      });
    });
  });

  it('survives descriptions that are made to hurt', async () => {
    const texts = [
      '',
      '<',
      '<a/>',
      '<Envelope/>',
      `<Envelope>${'<a>'.repeat(20_000)}`,
      `<Envelope>${'<a>'.repeat(20_000)}${'</a>'.repeat(20_000)}</Envelope>`,
      '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><Envelope><VirtualSystem><Name>&b;</Name></VirtualSystem></Envelope>',
      '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><Envelope><VirtualSystem id="&f;"/></Envelope>',
      '<Envelope><VirtualSystem><__proto__><Name>x</Name></__proto__></VirtualSystem></Envelope>',
      '\0\0\0',
      randomBytes(4096).toString('latin1'),
    ];
    for (const text of texts) {
      await writeFile(join(images, 'x.ovf'), text);
      const error: unknown = await source.describeVm('x.ovf', signal).then(
        (vm) => vm,
        (reason: unknown) => reason,
      );
      expect(JSON.stringify(error)).not.toContain('root:');
      expect(error).toMatchObject(
        error instanceof Error ? { code: expect.stringMatching(/^source\./) } : { disks: [] },
      );
    }
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(1024), randomBytes(2048)]) {
      await writeFile(join(images, 'x.ova'), bytes);
      await expect(source.describeVm('x.ova', signal)).rejects.toMatchObject({ code: 'source.description-invalid' });
    }
  });
});

function ovf(href: string, capacity: number): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<ovf:Envelope xmlns:ovf="http://schemas.dmtf.org/ovf/envelope/1" xmlns:rasd="r" xmlns:vmw="v" xmlns:vssd="s">
  <ovf:References><ovf:File ovf:id="file1" ovf:href="${href}"/></ovf:References>
  <ovf:DiskSection><ovf:Disk ovf:diskId="vmdisk1" ovf:fileRef="file1" ovf:capacity="${capacity / MIB}" ovf:capacityAllocationUnits="byte * 2^20"/></ovf:DiskSection>
  <ovf:VirtualSystem ovf:id="vm-1">
    <ovf:Name>web &amp; more</ovf:Name>
    <ovf:OperatingSystemSection ovf:id="112" vmw:osType="windows2019srv_64Guest"><ovf:Description>Microsoft Windows Server 2019</ovf:Description></ovf:OperatingSystemSection>
    <ovf:VirtualHardwareSection>
      <ovf:Item><rasd:InstanceID>1</rasd:InstanceID><rasd:ResourceType>3</rasd:ResourceType><rasd:VirtualQuantity>4</rasd:VirtualQuantity></ovf:Item>
      <ovf:Item><rasd:AllocationUnits>byte * 2^20</rasd:AllocationUnits><rasd:InstanceID>2</rasd:InstanceID><rasd:ResourceType>4</rasd:ResourceType><rasd:VirtualQuantity>8192</rasd:VirtualQuantity></ovf:Item>
      <ovf:Item><rasd:InstanceID>3</rasd:InstanceID><rasd:ResourceType>6</rasd:ResourceType></ovf:Item>
      <ovf:Item><rasd:InstanceID>4</rasd:InstanceID><rasd:Parent>3</rasd:Parent><rasd:ResourceType>17</rasd:ResourceType><rasd:HostResource>ovf:/disk/vmdisk1</rasd:HostResource></ovf:Item>
      <ovf:Item><rasd:InstanceID>5</rasd:InstanceID><rasd:ResourceType>10</rasd:ResourceType><rasd:Address>00:50:56:AA:BB:01</rasd:Address><rasd:Connection>VM Network</rasd:Connection></ovf:Item>
      <vmw:Config ovf:required="false" vmw:key="firmware" vmw:value="efi"/>
      <vmw:Config ovf:required="false" vmw:key="bootOptions.efiSecureBootEnabled" vmw:value="true"/>
    </ovf:VirtualHardwareSection>
  </ovf:VirtualSystem>
</ovf:Envelope>
`;
}

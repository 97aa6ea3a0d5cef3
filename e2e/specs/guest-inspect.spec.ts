// needs: root, namespaces, loop devices, python3, qemu-utils, e2fsprogs, fdisk, util-linux
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../rigs/machines/child-process.ts';
import { loopDevicesOf } from '../rigs/machines/loop-devices-of.ts';
import { contentDigest } from '../rigs/sparse-files.ts';
import type { InspectOutcome } from '../../electron/engine/osmorphing/index.ts';
import { makeVirtioDisc, makeWindowsDisk, requireWindowsRig } from '../rigs/windows/windows-guest.ts';

const cli = join(import.meta.dirname, '../../out/main/cli.js');
const uuid = '11111111-2222-4333-8444-555555555555';
const drivers = ['block/virtio_blk', 'scsi/virtio_scsi', 'net/virtio_net', 'virtio/virtio_pci'].map(
  (name) => `lib/modules/6.1.0-1/kernel/drivers/${name}.ko`,
);

/** The least that counts as a Debian with a kernel. */
const debian: Readonly<Record<string, string>> = {
  'etc/os-release': 'ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Debian GNU/Linux 12"\n',
  'etc/fstab': `UUID=${uuid} / ext4 defaults 0 1\n`,
  'etc/hostname': 'inspected\n',
  'boot/vmlinuz-6.1.0-1': 'kernel',
  'usr/sbin/update-initramfs': '#!/bin/sh\n',
  'etc/initramfs-tools/initramfs.conf': 'MODULES=most\n',
  'var/lib/dpkg/status': 'Package: open-vm-tools\nStatus: install ok installed\nVersion: 1\n\n',
};

describe('causeway guest inspect', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-images-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function disk(name: string, files: Readonly<Record<string, string>>): Promise<string> {
    const tree = join(folder, `${name}.tree`);
    for (const [path, content] of Object.entries(files)) {
      await mkdir(join(tree, dirname(path)), { recursive: true });
      await writeFile(join(tree, path), content, { mode: 0o755 });
    }
    const path = join(folder, `${name}.raw`);
    await run('sh', [
      '-ec',
      'truncate -s 128M "$1"; echo "2048,,83" | sfdisk -q "$1"; mke2fs -q -t ext4 -U "$3" -d "$2" -E offset=1048576 "$1" 120M 2>/dev/null',
      'sh',
      path,
      tree,
      uuid,
    ]);
    return path;
  }
  async function inspect(
    ...args: readonly string[]
  ): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
    const child = spawn(process.execPath, [cli, 'guest', 'inspect', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out, err };
  }
  /** What is attached of this folder's images. */
  const traces = async (): Promise<string> => (await loopDevicesOf(folder)).join('\n');

  it('tells what a guest in an image is, whatever its format, and writes nothing', async () => {
    const raw = await disk('plain', { ...debian, ...Object.fromEntries(drivers.map((path) => [path, ''])) });
    const qcow2 = join(folder, 'plain.qcow2');
    await run('qemu-img', ['convert', '-O', 'qcow2', raw, qcow2]);
    const bytes = await contentDigest(raw);
    for (const image of [raw, qcow2]) {
      const { code, out, err } = await inspect('--json', image);
      expect(err).toBe('');
      expect(JSON.parse(out)).toMatchObject({
        supported: true,
        findings: [],
        warnings: [],
        changes: expect.arrayContaining([
          {
            step: 'remove-hypervisor-tools',
            title: 'Remove the tools of the source platform',
            notes: ['remove open-vm-tools'],
          },
          expect.objectContaining({
            step: 'rebuild-initramfs',
            notes: expect.arrayContaining(['rebuild /boot/initrd.img-6.1.0-1']) as unknown,
          }),
        ]) as unknown,
        files: expect.arrayContaining([
          {
            path: '/etc/cloud/cloud.cfg.d/99_causeway.cfg',
            change: 'added',
            lines: expect.arrayContaining(['+ssh_pwauth: unchanged']) as unknown,
          },
        ]) as unknown,
        dossier: {
          name: 'Debian GNU/Linux 12',
          hostname: 'inspected',
          kernels: ['6.1.0-1'],
          root: { id: `UUID=${uuid}` },
          hypervisorTools: { vmware: ['open-vm-tools'] },
        },
      });
      expect(code).toBe(0);
    }
    expect(await contentDigest(raw)).toBe(bytes);
    expect(await traces()).toBe('');
  });

  it('tells what a preparation would stop at, with the remedy', async () => {
    const raw = await disk('lacking', { ...debian, 'lib/modules/6.1.0-1/kernel/drivers/ata/ata_piix.ko': '' });
    const { code, out } = await inspect(raw);
    expect(out).toContain('OSMorphing would stop:');
    expect(out).toContain("No kernel supports the destination's disks [osmorphing.no-virtio]");
    expect(out).toContain('choose another disk bus');
    expect(out).toContain(
      'A kernel or boot entry may not work on the destination [osmorphing.doubtful-boot]\n  the kernel 6.1.0-1 has no drivers for',
    );
    expect(out).toContain('Configure cloud-init\n  write /etc/cloud/cloud.cfg.d/99_causeway.cfg');
    expect(code).toBe(1);
    expect((await inspect('--disk-bus', 'ide', raw)).code).toBe(0);
    expect(await traces()).toBe('');
  });

  it('says what an image without a system holds', async () => {
    const raw = await disk('empty', { 'data/file': 'nothing' });
    const { code, err } = await inspect(raw);
    expect(err).toContain('[osmorphing.root-not-found]');
    expect(code).toBe(1);
    expect(await traces()).toBe('');
  });

  it('inspects Windows as well', async () => {
    await requireWindowsRig();
    const raw = join(folder, 'windows.raw');
    await makeWindowsDisk(raw);
    const bytes = await contentDigest(raw);
    const { code, out } = await inspect('--json', raw);
    const told: unknown = JSON.parse(out);
    expect(told).toMatchObject({
      supported: true,
      findings: [],
      dossier: { distribution: 'windows', hostname: 'WINSRC' },
      doubts: [
        {
          code: 'osmorphing.doubtful-settings',
          message: expect.stringContaining("activated by a server of the source's cloud") as unknown,
        },
      ],
      changes: expect.arrayContaining([
        {
          step: 'install-drivers',
          title: 'Install VirtIO drivers',
          notes: ['install the drivers of the disc that a deployment is given'],
        },
        {
          step: 'install-agent',
          title: 'Install the guest initialization agent',
          notes: ['install the agent that a deployment is given'],
        },
        {
          step: 'disable-hypervisor-services',
          title: 'Disable services of the source platform',
          notes: ['the service VMMemCtl no longer starts', 'the service VMTools no longer starts'],
        },
        { step: 'configure-network', title: 'Configure the network', notes: ['Ethernet0 gets its address by DHCP'] },
        expect.objectContaining({
          step: 'install-first-boot-scripts',
          notes: expect.arrayContaining([
            '08-causeway-old-cards.ps1',
            'Windows stops at a blue screen until its first boot is done',
          ]) as unknown,
        }),
      ]) as unknown,
      files: expect.arrayContaining([
        { path: '/Cloudbase-Init/FirstBoot/08-causeway-old-cards.ps1', change: 'added' },
        {
          path: '/Windows/System32/config/SOFTWARE',
          change: 'changed',
          lines: [expect.stringMatching(/^-SOFTWARE\\.*KeyManagementServiceName = sz:kms/) as unknown],
        },
        {
          path: '/Windows/System32/config/SYSTEM',
          change: 'changed',
          lines: expect.arrayContaining([
            '-SYSTEM\\ControlSet001\\Services\\VMTools Start = dword:00000002',
            '+SYSTEM\\ControlSet001\\Services\\VMTools Start = dword:00000004',
          ]) as unknown,
        },
      ]) as unknown,
    });
    expect(code).toBe(0);
    // Where it keeps its addresses, nothing turns to DHCP, and the first boot sets them again.
    const kept = JSON.parse((await inspect('--json', '--keep-addresses', raw)).out) as InspectOutcome;
    expect(kept.changes.map(({ step }) => step)).not.toContain('configure-network');
    expect(kept.changes.find(({ step }) => step === 'install-first-boot-scripts')?.notes).toContain(
      '10-causeway-network.ps1',
    );
    expect(kept.findings).toEqual([]);
    // With the disc, each driver and what starts it.
    const disc = await makeVirtioDisc(join(folder, 'virtio.iso'));
    const drivers = JSON.parse((await inspect('--json', '--virtio-disc', disc, raw)).out) as InspectOutcome;
    expect(drivers.changes.find(({ step }) => step === 'install-drivers')?.notes).toContain('viostor for 2k19');
    expect(drivers.files).toEqual(
      expect.arrayContaining([
        { path: '/Windows/System32/drivers/viostor.sys', change: 'added' },
        expect.objectContaining({
          path: '/Windows/System32/config/SYSTEM',
          lines: expect.arrayContaining([
            '+SYSTEM\\ControlSet001\\Services\\viostor Start = dword:00000000',
          ]) as unknown,
        }),
      ]),
    );
    expect(drivers.files.every(({ path }) => !path.includes('Causeway'))).toBe(true);
    const other = JSON.parse((await inspect('--json', '--virtio-disc', raw, raw)).out) as InspectOutcome;
    expect(other.findings.map(({ code: found }) => found)).toEqual(['osmorphing.drivers-missing']);
    expect(await contentDigest(raw)).toBe(bytes);
    expect(await traces()).toBe('');
  });

  it('leaves nothing when it is killed while it works', async () => {
    const raw = await disk('killed', { ...debian, ...Object.fromEntries(drivers.map((path) => [path, ''])) });
    const child = spawn(process.execPath, [cli, 'guest', 'inspect', raw], { stdio: 'ignore' });
    const ended = once(child, 'close');
    await expect
      .poll(async () => child.exitCode !== null || (await traces()) !== '', { timeout: 60_000, interval: 5 })
      .toBe(true);
    child.kill('SIGKILL');
    await ended;
    await expect.poll(traces, { timeout: 120_000 }).toBe('');
  });
});

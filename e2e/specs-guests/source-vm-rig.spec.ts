// lease: emulated guests
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { closeAll } from '../rigs/closing.ts';
import { startDataDiskVm } from '../rigs/data-disk-vm.ts';
import { startSourceVm } from '../rigs/source-vm.ts';
import type { SourceVm } from '../rigs/source-vm.ts';
import { run } from '../rigs/machines/child-process.ts';
import { QmpClient } from '../rigs/machines/qmp-client.ts';

let folder: string;
let vm: SourceVm | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-source-'));
});

afterEach(() =>
  closeAll(
    () => vm?.close(),
    () => rm(folder, { recursive: true, force: true }),
  ),
);

it('boots the Debian guest from SATA, with its data files as they were made and no virtio in its initramfs', async () => {
  const data = join(folder, 'data.raw');
  await writeFile(data, '');
  await truncate(data, 64 * 2 ** 20);
  vm = await startSourceVm({
    folder,
    dataDisks: [{ path: data, format: 'raw' }],
    progress: (line) => process.stderr.write(`${line}\n`),
  });
  await vm.ssh.waitUntilUp();
  expect(
    await vm.ssh.text('cd /srv/data && sha256sum --quiet -c SHA256SUMS && ls /sys/block | tr "\\n" " "'),
  ).toContain('sda sdb');
  expect(await vm.ssh.text('lsinitramfs /boot/initrd.img-* | grep -c virtio_blk || true')).toBe('0');
  const product = await QmpClient.connect(vm.qmpSocket);
  const nodes = (await product.execute('query-named-block-nodes', { flat: true })) as { 'node-name': string }[];
  expect(nodes.map((node) => node['node-name'])).toEqual(expect.arrayContaining(['disk0', 'disk1']));
  product.close();
  await vm.shutdown();
  vm = undefined;
}, 600_000);

it('boots from memory with a data disk that was made without root, and leaves its file system clean', async () => {
  vm = await startDataDiskVm({ folder, progress: (line) => process.stderr.write(`${line}\n`) });
  await vm.ssh.waitUntilUp();
  expect(
    await vm.ssh.text(
      'cd /srv/data && sha256sum --quiet -c SHA256SUMS && grep -c "^/dev/vda1 /srv/data ext4 rw" /proc/mounts',
    ),
  ).toBe('1');
  await vm.ssh.text('echo changed > /srv/data/f2');
  await vm.shutdown();
  const disk = vm.disks[0]?.path ?? '';
  vm = undefined;
  const partition = `${disk}?offset=1048576`;
  expect(await run('debugfs', ['-R', 'cat /f2', partition])).toBe('changed\n');
  await run('e2fsck', ['-fn', partition]);
}, 600_000);

// needs: qemu-utils
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCore, type Core } from '../../electron/engine/core/core.ts';
import { fixedVhdFooter } from '../../electron/engine/images/vhd-footer.ts';
import { ensureStateFolder } from '../../electron/engine/store/database.ts';
import { keyFileWrapper, makeKeyFile } from '../../electron/secrets/key-file-wrapper.ts';
import { createVault } from '../../electron/secrets/vault.ts';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import { closeAll } from '../rigs/closing.ts';
import { labCore } from '../rigs/project/lab-options.ts';
import { startAzureLab, type AzureLab } from '../rigs/resource-group-cloud/source-lab.ts';

/** The first copy of a replica goes to the disks themselves, by signed addresses; the simulated cloud has no workers. */

const MiB = 2 ** 20;
let root: string;
let lab: AzureLab;
let core: Core;
let path: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'causeway-upload-'));
  const [folder, keyFile] = [join(root, 'project'), join(root, 'key')];
  await mkdir(join(root, 'images', 'web'), { recursive: true });
  await mkdir(folder);
  path = join(root, 'images', 'web', 'a.raw');
  await using file = await open(path, 'w');
  await file.write(randomBytes(5 * MiB), 0, 5 * MiB, 0);
  await file.write(randomBytes(MiB), 0, MiB, 20 * MiB);
  // Its end is within a page.
  await file.write(randomBytes(700), 0, 700, 30 * MiB);
  await truncate(path, 30 * MiB + 700);
  lab = await startAzureLab();
  makeKeyFile(keyFile);
  await createVault(join(ensureStateFolder(folder), 'vault.json'), keyFileWrapper(keyFile));
  core = createCore(labCore({ folder, keyFile, cloudFolder: lab.cloud.folder }));
  await core.call('endpoint.add', {
    name: 'images',
    plugin: 'disk-images',
    connection: { path: join(root, 'images'), os_type: 'linux' },
  });
  await core.call('endpoint.add', {
    name: 'cloud',
    plugin: 'resource-group-cloud',
    connection: { ...lab.connection, first_copy: 'direct_upload', caller_address: '127.0.0.1' },
  });
  await core.call('replica.create', {
    name: 'web',
    source: 'images',
    destination: 'cloud',
    vm: 'web',
    destinationEnvironment: {
      location: 'westeurope',
      resource_group: 'migration',
      network_map: { default: 'production/default' },
      storage_map: { default: 'Premium_LRS' },
      vm_size: 'Standard_D2s_v5',
      worker_size: 'Standard_D2s_v5',
      linux_migr_image: { publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server', version: 'latest' },
    },
  });
});
afterEach(() =>
  closeAll(
    () => core.close(),
    () => lab.close(),
    () => rm(root, { recursive: true, force: true }),
  ),
);

async function execute(): Promise<ExecutionDetail> {
  const { id } = await core.call('replica.execute', { replica: 'web' });
  await core.drain();
  return core.call('execution.show', { execution: id });
}

const called = (operation: string): number => lab.recorded.filter((call) => call.operation === operation).length;
const disk = () => [...lab.cloud.world.disks.values()][0];

async function expectSameBytes(): Promise<void> {
  const wanted = await readFile(path);
  await using volume = await open(lab.cloud.volumePath(disk()?.id ?? ''));
  const { buffer } = await volume.read(Buffer.alloc(wanted.length), 0, wanted.length, 0);
  expect(buffer.equals(wanted)).toBe(true);
  expect((await volume.stat()).size).toBe(1024 * MiB);
}

it('is written and verified without a worker, also past the end of the address, which is revoked', async () => {
  lab.cloud.world.forbidden.add('VirtualMachines_CreateOrUpdate');
  const before = lab.blobs.calls.length;
  lab.blobs.faults.add({
    operation: 'UploadPages',
    nth: 3,
    effect: 'refused',
    status: 403,
    code: 'AuthenticationFailed',
  });
  const execution = await execute();
  const puts = lab.blobs.calls.slice(before).filter(({ operation }) => operation === 'UploadPages').length;
  expect(execution, execution.error?.message).toMatchObject({ state: 'completed', leftBehind: 0 });
  await expectSameBytes();
  expect(puts).toBeGreaterThan(2);
  expect(disk()?.properties).toMatchObject({
    diskState: 'Unattached',
    creationData: { createOption: 'Upload', uploadSizeBytes: 1024 * MiB + 512 },
  });
  expect(called('Disks_GrantAccess')).toBeGreaterThan(1);
  expect(lab.blobs.hasAccess(disk()?.properties.uniqueId ?? '')).toBe(false);
  expect(lab.cloud.world.virtualMachines.size).toBe(0);
  expect(lab.cloud.world.leftovers().map((line) => line.split(' ')[0])).toEqual(['volume']);
});

it('leaves no address behind when it fails, and goes on by a worker', async () => {
  lab.cloud.world.forbidden.add('VirtualMachines_CreateOrUpdate');
  lab.blobs.faults.add({
    operation: 'UploadPages',
    nth: 4,
    times: Infinity,
    effect: 'refused',
    status: 403,
    code: 'AuthorizationPermissionMismatch',
  });
  const failed = await execute();
  expect(failed.state).toBe('failed');
  expect(lab.blobs.hasAccess(disk()?.properties.uniqueId ?? '')).toBe(false);
  expect(disk()?.properties.diskState).toBe('Unattached');
  // The cloud takes no second upload: the next execution asks for a worker, which is forbidden here.
  const next = await execute();
  expect([next.state, next.error?.code]).toEqual(['failed', 'cloud.permission-denied']);
  await core.call('replica.delete', { replica: 'web' });
  expect(lab.cloud.world.leftovers()).toEqual([]);
});

it('ends with a footer that QEMU reads as that of a VHD of this size', async () => {
  for (const size of [3 * MiB, 1024 * MiB, 2_000_000 * MiB]) {
    const file = join(root, 'footer.vhd');
    await writeFile(file, '');
    await truncate(file, size);
    await writeFile(file, fixedVhdFooter(size), { flag: 'a' });
    const { stdout } = await promisify(execFile)('qemu-img', ['info', '--output=json', '-f', 'vpc', file]);
    expect((JSON.parse(stdout) as Record<string, unknown>)['virtual-size']).toBe(size);
    await rm(file);
  }
});

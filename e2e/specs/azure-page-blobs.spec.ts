// needs: qemu-utils
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, open, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCore, type Core } from '../../electron/engine/core/core.ts';
import { createAzureDestination } from '../../electron/engine/platforms/resource-group-cloud/destination/azure-destination.ts';
import { ensureStateFolder } from '../../electron/engine/store/database.ts';
import { keyFileWrapper, makeKeyFile } from '../../electron/secrets/key-file-wrapper.ts';
import { createVault } from '../../electron/secrets/vault.ts';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import type { Vm } from '../../shared/model/vm.ts';
import { closeAll } from '../rigs/closing.ts';
import { labCore } from '../rigs/project/lab-options.ts';
import { startAzureLab, type AzureLab } from '../rigs/resource-group-cloud/source-lab.ts';

/** The volumes of a replica are page blobs of a storage account; the simulated cloud has no workers. */

const MiB = 2 ** 20;
const GiB = 2 ** 30;
let root: string;
let lab: AzureLab;
let core: Core;
let path: string;

const environment: JsonObject = {
  location: 'westeurope',
  resource_group: 'migration',
  network_map: { default: 'production/default' },
  storage_map: { default: 'Premium_LRS' },
  vm_size: 'Standard_D2s_v5',
  worker_size: 'Standard_D2s_v5',
  linux_migr_image: { publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server', version: 'latest' },
  storage_account_name: 'migrationblobs',
  storage_container_name: 'disks',
};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'causeway-blobs-'));
  const [folder, keyFile] = [join(root, 'project'), join(root, 'key')];
  await mkdir(join(root, 'images', 'web'), { recursive: true });
  await mkdir(folder);
  path = join(root, 'images', 'web', 'a.raw');
  await using file = await open(path, 'w');
  await file.write(randomBytes(5 * MiB), 0, 5 * MiB, 0);
  // Its end is within a page.
  await file.write(randomBytes(700), 0, 700, 30 * MiB);
  await truncate(path, 30 * MiB + 700);
  lab = await startAzureLab({ storageAccounts: ['migrationblobs', 'other'] });
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
    connection: { ...lab.connection, caller_address: '127.0.0.1' },
  });
  await core.call('replica.create', {
    name: 'web',
    source: 'images',
    destination: 'cloud',
    vm: 'web',
    destinationEnvironment: environment,
  });
});
afterAll(() =>
  closeAll(
    () => core.close(),
    () => lab.close(),
    () => rm(root, { recursive: true, force: true }),
  ),
);

const accounts = () => lab.blobs.world.accounts;
const blob = () => [...accounts().blobs.values()].find(({ snapshot }) => snapshot === '');
const blobFile = (): string => lab.cloud.world.ground.files.path(blob()?.fileId ?? '');
const noWorkers = (): void => void lab.cloud.world.forbidden.add('VirtualMachines_CreateOrUpdate');

async function execute(): Promise<ExecutionDetail> {
  const { id } = await core.call('replica.execute', { replica: 'web' });
  await core.drain();
  return core.call('execution.show', { execution: id });
}

/** The image is what a disk begins with, and the rest of it is zeros. */
async function expectSameBytes(file: string): Promise<void> {
  const wanted = await readFile(path);
  await using volume = await open(file);
  const { buffer } = await volume.read(Buffer.alloc(wanted.length + MiB), 0, wanted.length + MiB, 0);
  expect(buffer.subarray(0, wanted.length).equals(wanted)).toBe(true);
  expect(buffer.subarray(wanted.length).every((byte) => byte === 0)).toBe(true);
}

/** What QEMU takes the blob for. */
async function expectVhd(bytes: number): Promise<void> {
  expect(blob()?.bytes).toBe(bytes + 512);
  const { stdout } = await promisify(execFile)('qemu-img', ['info', '--output=json', '-f', 'vpc', blobFile()]);
  expect((JSON.parse(stdout) as Record<string, unknown>)['virtual-size']).toBe(bytes);
}

it('finds before anything is made that the account is not there, has no page blobs, or is elsewhere, and that a disk is too large', async () => {
  const destination = createAzureDestination(lab.connection, { timing: { pollFirstMs: 5, pollCapMs: 20 } });
  const found = async (more: JsonObject, gib = 1): Promise<readonly string[]> => {
    const vm: Vm = {
      id: 'vm',
      name: 'web',
      os_type: 'linux',
      disks: [{ id: 'root', size_bytes: gib * GiB }],
      nics: [{ id: 'n0', network: 'default' }],
    };
    const findings = await destination.checkEnvironment({ ...environment, ...more }, vm, new AbortController().signal);
    return findings
      .filter(({ path: at }) => at === '/storage_account_name')
      .map(({ rule }) => rule.replace(/.*\//, ''));
  };
  expect(await found({ storage_account_name: 'nobodys' })).toEqual(['online-name-unknown']);
  const account = [...lab.cloud.world.storageAccounts.values()].find(({ name }) => name === 'other');
  if (account === undefined) throw new Error('the lab has no such account');
  Object.assign(account, { kind: 'BlockBlobStorage' });
  expect(await found({ storage_account_name: 'other' })).toEqual(['online-storage-account']);
  Object.assign(account, { kind: 'StorageV2', location: 'northeurope' });
  expect(await found({ storage_account_name: 'other' })).toEqual(['online-storage-account']);
  expect(await found({}, 8191)).toEqual([]);
  expect(await found({}, 8192)).toEqual(['online-disk-too-large']);
  await destination.close();
  expect(accounts().containers.size).toBe(0);
});

it('is copied to a page blob of the container, which is made, without a worker, and brought up to date there', async () => {
  noWorkers();
  const first = await execute();
  expect(first, first.error?.message).toMatchObject({ state: 'completed', leftBehind: 0 });
  expect([...accounts().containers]).toEqual(['migrationblobs/disks']);
  await expectSameBytes(blobFile());
  await expectVhd(GiB);
  expect(lab.cloud.world.leftovers()).toEqual([]);

  await using file = await open(path, 'r+');
  await file.write(randomBytes(3 * 65_536), 0, 3 * 65_536, 2 * MiB);
  await file.write(Buffer.alloc(MiB), 0, MiB, 4 * MiB);
  // Tokens may end at any time, and requests may be lost.
  lab.cloud.signIn.revokeAll();
  lab.blobs.faults.add({ operation: 'UploadPages', nth: 2, effect: 'connection-reset-after' });
  const second = await execute();
  expect(second, second.error?.message).toMatchObject({ state: 'completed', leftBehind: 0 });
  const events = await core.call('execution.events', { execution: second.id });
  expect(
    events
      .filter(({ type }) => type === 'disk.done')
      .reduce((sum, { details }) => sum + Number(details['bytesSent']), 0),
  ).toBeLessThan(MiB);
  await expectSameBytes(blobFile());
});

it('stays where it is: another account is refused before anything is changed', async () => {
  await core.call('replica.update', {
    replica: 'web',
    destinationEnvironment: { ...environment, storage_container_name: 'elsewhere' },
  });
  expect(await execute()).toMatchObject({
    state: 'failed',
    error: { code: 'general.invalid-input', message: expect.stringContaining('page blobs of container disks') },
  });
  expect([...accounts().containers]).toEqual(['migrationblobs/disks']);
  await core.call('replica.update', { replica: 'web', destinationEnvironment: environment });
});

it('is deployed as managed disks of the wanted type, made of the blob, which stays what it is', async () => {
  lab.cloud.world.forbidden.clear();
  const { id } = await core.call('deployment.create', {
    replica: 'web',
    options: { skipMorphing: true, bootCheck: { mode: 'none' } },
  });
  await core.drain();
  const deployment = await core.call('deployment.show', { deployment: id });
  expect(deployment, deployment.error?.message).toMatchObject({ state: 'completed', leftBehind: 0 });
  const [disk] = [...lab.cloud.world.disks.values()];
  expect(disk).toMatchObject({
    sku: { name: 'Premium_LRS' },
    properties: {
      diskSizeGB: 1,
      osType: 'Linux',
      hyperVGeneration: 'V1',
      creationData: { createOption: 'Import', sourceUri: expect.stringContaining('/migrationblobs/disks/') },
    },
  });
  await expectSameBytes(lab.cloud.volumePath(disk?.id ?? ''));
  await expectVhd(GiB);
  // The snapshots that the deployment went by are gone.
  expect([...accounts().blobs.values()].filter(({ snapshot }) => snapshot !== '')).toEqual([]);
  await core.call('deployment.delete', { deployment: id, dryRun: false });
  await core.drain();
});

it('is removed with its replica', async () => {
  const [volume, ...others] = (await core.call('ledger.list', {})).filter(
    ({ kind, state }) => kind === 'volume' && state === 'existing',
  );
  expect([volume?.lifetime, others]).toEqual(['replica', []]);
  await core.call('replica.delete', { replica: 'web' });
  expect([accounts().blobs.size, lab.cloud.world.leftovers()]).toEqual([0, []]);
  expect(lab.cloud.violations).toEqual([]);
});

// needs: booted volumes
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, open, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureStateFolder } from '../../electron/engine/store/database.ts';
import { keyFileWrapper, makeKeyFile } from '../../electron/secrets/key-file-wrapper.ts';
import { createVault } from '../../electron/secrets/vault.ts';
import type { CoreClient } from '../../shared/contract/core-client.ts';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { resourceGroupCloudConnection } from '../conformance/resource-group-cloud-calls.ts';
import { closeAll } from '../rigs/closing.ts';
import { talkingBootSector } from '../rigs/guests/talking-boot-sector.ts';
import { labMachines, usualWorkerKind } from '../rigs/machines/kinds.ts';
import { withLabProject, type LabProject } from '../rigs/project/lab-options.ts';
import { defaultSizes } from '../rigs/resource-group-cloud/catalogue.ts';
import { startResourceGroupCloud, type ResourceGroupCloud } from '../rigs/resource-group-cloud/start.ts';

/** A VM of a folder of images, to the simulated resource-group cloud with real workers: their disks have SCSI numbers. */

const MiB = 1024 * 1024;
let root: string;
let cloud: ResourceGroupCloud;
let project: LabProject;
let files: readonly string[];
let destinationEnvironment: JsonObject;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'causeway-azure-'));
  project = { folder: join(root, 'project'), keyFile: join(root, 'key'), cloudFolder: join(root, 'cloud') };
  await mkdir(join(root, 'images', 'web'), { recursive: true });
  await mkdir(project.folder);
  files = ['a.raw', 'b.raw'].map((name) => join(root, 'images', 'web', name));
  for (const [index, path] of files.entries()) {
    await using file = await open(path, 'w');
    await file.write(
      index === 0 ? talkingBootSector('Debian GNU/Linux 12 web ttyS0\r\n\r\nweb login: ') : randomBytes(MiB),
    );
    await file.write(randomBytes(2 * MiB), 0, 2 * MiB, 20 * MiB);
    await truncate(path, index === 0 ? 64 * MiB : 96 * MiB);
  }
  const [smallest] = defaultSizes;
  if (smallest === undefined) throw new Error('the lab has no sizes');
  cloud = await startResourceGroupCloud({
    folder: project.cloudFolder,
    transitionMs: 3,
    sizes: [...defaultSizes, { ...smallest, name: 'Standard_B1ls', dataDisks: 1 }],
    machines: labMachines({ worker: usualWorkerKind }),
  });
  makeKeyFile(project.keyFile);
  await createVault(join(ensureStateFolder(project.folder), 'vault.json'), keyFileWrapper(project.keyFile));
  const connection = resourceGroupCloudConnection(cloud, {
    caller_address: '127.0.0.0/8',
    use_public_ip: true,
  }) as JsonObject;
  destinationEnvironment = {
    location: 'westeurope',
    resource_group: 'migration',
    network_map: { default: 'production/default' },
    storage_map: { default: 'Premium_LRS' },
    vm_size: 'Standard_D2s_v5',
    worker_size: 'Standard_D2s_v5',
    linux_migr_image: { publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server', version: 'latest' },
  };
  await use(async (core) => {
    await core.call('endpoint.add', {
      name: 'images',
      plugin: 'disk-images',
      connection: { path: join(root, 'images'), os_type: 'linux' },
    });
    await core.call('endpoint.add', { name: 'cloud', plugin: 'resource-group-cloud', connection });
    await core.call('replica.create', {
      name: 'web',
      source: 'images',
      destination: 'cloud',
      vm: 'web',
      destinationEnvironment,
    });
  });
});
afterAll(() =>
  closeAll(
    () => cloud.close(),
    () => rm(root, { recursive: true, force: true }),
  ),
);

const use = <T>(work: (core: CoreClient) => Promise<T>): Promise<T> => withLabProject(project, work);

async function execute(replica = 'web'): Promise<ExecutionDetail> {
  const { id } = await use((core) => core.call('replica.execute', { replica }));
  return use((core) => core.call('execution.show', { execution: id }));
}

/** Each file as it is, and as its disk in the cloud begins. */
async function expectSameBytes(replica = 'web'): Promise<void> {
  const { disks } = await use((core) => core.call('replica.show', { replica }));
  for (const path of files) {
    const disk = disks.find(({ diskId }) => diskId.includes(path.split('/').at(-1) ?? ''));
    const wanted = await readFile(path);
    await using volume = await open(cloud.volumePath(disk?.volumeId ?? ''));
    const { buffer } = await volume.read(Buffer.alloc(wanted.length), 0, wanted.length, 0);
    expect(buffer.equals(wanted), path).toBe(true);
    expect((await volume.stat()).size).toBe(1024 * MiB);
  }
}

const kinds = (): string[] =>
  cloud.world
    .leftovers()
    .map((line) => line.split(' ')[0] ?? '')
    .sort();

it('is copied whole to disks of whole GiB, through a worker that knows them by their numbers', async () => {
  const execution = await execute();
  expect(execution, execution.error?.message).toMatchObject({ state: 'completed', leftBehind: 0 });
  await expectSameBytes();
  expect(kinds()).toEqual(['volume', 'volume']);
  expect([...cloud.world.disks.values()].map(({ sku, properties }) => [sku?.name, properties.diskSizeGB])).toEqual([
    ['Premium_LRS', 1],
    ['Premium_LRS', 1],
  ]);
});

it('sends what changed the second time', async () => {
  await using file = await open(files[1] ?? '', 'r+');
  await file.write(randomBytes(3 * 65_536), 0, 3 * 65_536, 30 * MiB);
  const execution = await execute();
  expect(execution, execution.error?.message).toMatchObject({ state: 'completed', leftBehind: 0 });
  const events = await use((core) => core.call('execution.events', { execution: execution.id }));
  const sent = events.filter(({ type }) => type === 'disk.done').map(({ details }) => Number(details['bytesSent']));
  expect(sent.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(MiB);
  await expectSameBytes();
});

it('is copied in turns by a worker that takes one disk at a time', async () => {
  await use((core) =>
    core.call('replica.create', {
      name: 'in-turns',
      source: 'images',
      destination: 'cloud',
      vm: 'web',
      destinationEnvironment: { ...destinationEnvironment, worker_size: 'Standard_B1ls' },
    }),
  );
  // Attached, detached, and then the disk of the next turn does not come: the turns begin again, with what is attached by then.
  cloud.faults.add({ operation: 'VirtualMachines_AttachDetachDataDisks', nth: 3, effect: 'status-error' });
  const before = cloud.calls.length;
  const execution = await execute('in-turns');
  expect(execution, execution.error?.message).toMatchObject({ state: 'completed', leftBehind: 0 });
  await expectSameBytes('in-turns');
  expect(
    cloud.calls.slice(before).filter(({ operation }) => operation === 'VirtualMachines_AttachDetachDataDisks').length,
  ).toBeGreaterThan(7);
  await use((core) => core.call('replica.delete', { replica: 'in-turns' }));
  expect(kinds()).toEqual(['volume', 'volume']);
});

it('is deployed from snapshots, and its console says that it boots', async () => {
  const { id } = await use((core) =>
    core.call('deployment.create', {
      replica: 'web',
      options: { skipMorphing: true, bootCheck: { mode: 'console', deadlineSeconds: 120 } },
    }),
  );
  const deployment = await use((core) => core.call('deployment.show', { deployment: id }));
  expect(deployment, deployment.error?.message).toMatchObject({
    state: 'completed',
    leftBehind: 0,
    boot: { outcome: 'up' },
    server: { name: 'web' },
  });
  const [vm] = [...cloud.world.virtualMachines.values()];
  expect(vm?.properties.storageProfile.dataDisks.map(({ lun }) => lun)).toEqual([0]);
  expect(kinds()).toEqual(['nic', 'public-ip', 'server', 'volume', 'volume', 'volume', 'volume']);
  await expectSameBytes();
  expect(cloud.violations).toEqual([]);
});

import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../shared/model/json.ts';
import { closeAll } from '../rigs/closing.ts';
import { labMachines, usualWorkerKind } from '../rigs/machines/kinds.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';
import { startAzureLab, stockVm, type AzureLab } from '../rigs/resource-group-cloud/source-lab.ts';

const MIB = 2 ** 20;
const image = { publisher: 'Debian', offer: 'debian-12', sku: '12-gen2', version: 'latest' };
let azure: AzureLab;
let lab: ProjectLab;
let files: Record<string, string>;

beforeAll(async () => {
  azure = await startAzureLab({ machines: labMachines({ worker: usualWorkerKind }) });
  const { cloud } = azure;
  await stockVm(cloud, {
    name: 'web',
    disks: [
      { name: 'web-os', sizeBytes: 1024 * MIB },
      { name: 'web-data', sizeBytes: 256 * MIB },
    ],
  });
  files = Object.fromEntries(
    [...cloud.world.disks.values()].map(({ id, name }) => [`${cloud.resourceGroup}/${name}`, cloud.volumePath(id)]),
  );
  lab = await startProjectLab();
});
afterAll(() =>
  closeAll(
    () => lab?.close(),
    () => azure?.close(),
  ),
);

async function put(disk: string, offset: number, bytes: Buffer): Promise<void> {
  await using file = await open(files[`${azure.cloud.resourceGroup}/${disk}`] ?? '', 'r+');
  await file.write(bytes, 0, bytes.length, offset);
}

it.each([
  ['chosen by the endpoint', 'chosen', { disk_access: 'export_worker' }],
  ['where addresses of snapshots are denied', 'denied', {}],
])('replicates a VM by an export worker, %s', async (_, name, more) => {
  const { cloud } = azure;
  const { world } = cloud;
  if (name === 'denied') world.forbidden.add('Snapshots_GrantAccess').add('Snapshots_RevokeAccess');
  await put('web-os', 3 * MIB, randomBytes(5 * MIB));
  await put('web-data', 200 * MIB, randomBytes(MIB));
  await lab.use(async (core) => {
    const connection = {
      ...azure.connection,
      caller_address: '127.0.0.0/8',
      worker_subnet: 'workers/default',
      ...more,
    } as JsonObject;
    await core.call('endpoint.add', { name: `${name}-source`, plugin: 'resource-group-cloud', connection });
    await core.call('replica.create', {
      name,
      source: `${name}-source`,
      destination: 'cloud',
      vm: `${cloud.resourceGroup}/web`,
      sourceEnvironment: { export_worker_size: 'Standard_D4s_v5', export_worker_image: image },
      destinationEnvironment: {
        network_map: { 'production/default': 'production' },
        availability_zone: 'eu01-1',
        machine_type: 'g1.1',
        migr_network: 'migration',
        migr_machine_type: 'g1.1',
        migr_image_map: { linux: 'Debian 12' },
      },
    });
  });
  const execute = async (): Promise<number> => {
    const execution = await lab.execute(name);
    expect(execution, JSON.stringify(execution.error)).toMatchObject({ state: 'completed', leftBehind: 0 });
    expect(await lab.difference(name, files)).toBeUndefined();
    // The snapshots of the last success alone.
    expect(world.leftovers().map((each) => each.split(' ')[0])).toEqual(['snapshot', 'snapshot']);
    const events = await lab.use((core) => core.call('execution.events', { execution: execution.id }));
    return events
      .filter(({ type }) => type === 'disk.done')
      .reduce((sum, { details }) => sum + Number(details['bytesRead']), 0);
  };
  const full = await execute();
  await put('web-os', 900 * MIB, randomBytes(MIB));
  await put('web-os', 3 * MIB, Buffer.alloc(MIB));
  expect(await execute()).toBeLessThan(full / 2);
  expect(azure.recorded.filter(({ operation }) => operation === 'GetBlob')).toEqual([]);
  await lab.use((core) => core.call('replica.delete', { replica: name }));
  expect(world.leftovers()).toEqual([]);
});

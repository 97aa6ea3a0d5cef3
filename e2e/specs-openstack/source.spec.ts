import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { leftInOrigin, startOriginServer, volumeBytes, type OriginServer } from '../rigs/open-source-cloud/origin-server.ts';
import { startOpenSourceCloud, type OpenSourceCloud } from '../rigs/open-source-cloud/start.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';

const MiB = 1024;
const mib = 1024 * 1024;

let cloud: OpenSourceCloud;
let lab: ProjectLab;
let folder: string;
let exportOptions: JsonObject;

beforeAll(async () => {
  cloud = await startOpenSourceCloud();
  lab = await startProjectLab();
  folder = await mkdtemp(join(tmpdir(), 'causeway-exported-'));
  await lab.use((core) => core.call('endpoint.add', { name: 'origin', plugin: 'open-source-cloud', connection: cloud.connection('origin') as JsonObject }));
  const { networks } = await (await cloud.api('origin')).call<{ networks: { name: string }[] }>('network', 'GET', '/v2.0/networks');
  exportOptions = {
    export_image: 'worker', export_flavor_name: 'rig.disk', export_network: networks.find(({ name }) => name.startsWith('private-'))?.name ?? '',
    export_worker_use_config_drive: true, export_worker_use_fip: true, export_fip_pool_name: 'outside',
  };
});
afterAll(async () => {
  await lab?.close();
  await rm(folder, { recursive: true, force: true });
});

async function createReplica(name: string, vm: string, sourceEnvironment: JsonObject): Promise<void> {
  const destinationEnvironment = {
    network_map: {}, availability_zone: 'eu01-1', machine_type: 'g1.1', migr_network: 'migration', migr_machine_type: 'g1.1', migr_image_map: { linux: 'Debian 12' },
  };
  const { nics } = await lab.use((core) => core.call('vm.show', { endpoint: 'origin', vm }));
  const network_map = Object.fromEntries(nics.map(({ network }) => [network, 'production']));
  await lab.use((core) =>
    core.call('replica.create', { name, source: 'origin', destination: 'cloud', vm, sourceEnvironment, destinationEnvironment: { ...destinationEnvironment, network_map } }));
}

/**
 * Executes and compares each disk with what the replica has of it. Resolves with the bytes that crossed the link.
 *
 * @param files of disks that are no volumes
 */
async function replicate(name: string, server: OriginServer, pool = 'volumes', files: Record<string, string> = {}): Promise<number> {
  const execution: ExecutionDetail = await lab.execute(name);
  expect(execution, JSON.stringify(execution.error)).toMatchObject({ state: 'completed', leftBehind: 0 });
  for (const id of server.volumeIds) await volumeBytes(cloud, id, (files[id] = join(folder, `${id}.raw`)), pool);
  expect(await lab.difference(name, files)).toBeUndefined();
  const events = await lab.use((core) => core.call('execution.events', { execution: execution.id }));
  return events.filter((event) => event.type === 'disk.done').reduce((sum, { details }) => sum + Number(details['bytesSent']), 0);
}

describe('a server that boots from a volume', () => {
  let server: OriginServer;
  beforeAll(async () => {
    server = await startOriginServer(cloud, { name: 'origin-web', boots: 'volume' });
    await server.scribble('vda', 10 * MiB, 20 * MiB);
  });
  afterAll(() => server?.close());

  it('is listed and described with its disks and networks', async () => {
    const vms = await lab.use((core) => core.call('vm.list', { endpoint: 'origin' }));
    expect(vms.find(({ id }) => id === server.id)).toMatchObject({ name: 'origin-web', os_type: 'linux', power: 'running', diskCount: 1, totalBytes: 1024 * mib });
    const vm = await lab.use((core) => core.call('vm.show', { endpoint: 'origin', vm: server.id }));
    expect(vm).toMatchObject({ firmware: 'bios', disks: [{ id: server.volumeIds[0], size_bytes: 1024 * mib, storage_backend: 'standard', bootable: true }] });
    expect(vm.nics).toMatchObject([{ ip_addresses: [expect.stringMatching(/^10\.71\.0\./)], mac_address: expect.stringMatching(/^fa:16:3e/) }]);
  });

  describe.each([
    { mechanism: 'distributed_snapshots', backups: undefined },
    { mechanism: 'objectstore_backups', backups: 'swift' },
    { mechanism: 'distributed_backups', backups: 'ceph' },
    { mechanism: 'service_backups', backups: undefined },
  ])('by $mechanism', ({ mechanism, backups }) => {
    beforeAll(async () => {
      if (backups !== undefined) await cloud.phase('backup-driver', backups);
      const options = mechanism === 'service_backups' ? { service_backups_options: exportOptions } : {};
      await createReplica(mechanism, server.id, { replica_export_mechanism: mechanism, ...options });
    });

    it('is replicated byte for byte', async () => {
      expect(await replicate(mechanism, server)).toBeGreaterThan(19 * mib);
    });

    it('sends what the guest changed since, and little more', async () => {
      await server.scribble('vda', 200 * MiB, 192);
      await server.guest('dd if=/dev/zero of=/dev/vda bs=1M seek=12 count=1 conv=fsync,notrunc');
      const sent = await replicate(mechanism, server);
      expect(sent).toBeGreaterThanOrEqual(192 * 1024);
      expect(sent).toBeLessThan(400 * 1024);
      await server.scribble('vda', 12 * MiB, MiB);
    });

    it('leaves nothing once the replica is deleted', async () => {
      await lab.use((core) => core.call('replica.delete', { replica: mechanism }));
      expect(await leftInOrigin(cloud)).toEqual([]);
    });
  });
});

describe('a server that boots from an image, with a volume on another back end', () => {
  let server: OriginServer;
  let root: Record<string, string>;
  beforeAll(async () => {
    server = await startOriginServer(cloud, { name: 'origin-db', boots: 'image', more: [{ type: 'archive', sizeGib: 1 }] });
    await server.scribble('vda', 5 * MiB, 4 * MiB);
    await server.scribble('vdb', 900 * MiB, 8 * MiB);
    root = { [`root-${server.id}`]: join(cloud.folder, 'nova', 'instances', server.id, 'disk') };
    const service_backups_options = { ...exportOptions, export_flavor_name: 'rig.worker', export_worker_boot_from_volume: true, export_worker_volume_size: 1, export_interim_volume_type: 'archive' };
    await createReplica('db', server.id, { replica_export_mechanism: 'service_backups', service_backups_options });
  });
  afterAll(() => server?.close());

  it('is replicated by a worker, its root disk by way of an image', async () => {
    expect(await replicate('db', server, 'archive', { ...root })).toBeGreaterThan(11 * mib);
  });

  it('sends what changed on either disk', async () => {
    await server.scribble('vda', 6 * MiB, 64);
    await server.scribble('vdb', 100 * MiB, 128);
    const sent = await replicate('db', server, 'archive', { ...root });
    expect(sent).toBeGreaterThanOrEqual(192 * 1024);
    expect(sent).toBeLessThan(400 * 1024);
  });

  it('leaves nothing once the replica is deleted', async () => {
    await lab.use((core) => core.call('replica.delete', { replica: 'db' }));
    expect(await leftInOrigin(cloud)).toEqual([]);
  });
});

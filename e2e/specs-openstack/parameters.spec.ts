import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOpenStackSource } from '../../electron/engine/platforms/open-source-cloud/source/index.ts';
import type { DestinationPlatform, DestinationRun } from '../../electron/engine/ports/destination-platform.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import type { Vm } from '../../shared/model/vm.ts';
import { enterWorker } from '../rigs/machines/enter-worker.ts';
import type { RigApi } from '../rigs/open-source-cloud/admin-api.ts';
import { startDestinationLab, type DestinationLab } from '../rigs/open-source-cloud/destination-lab.ts';
import { startWorkerWith } from '../../electron/engine/workers/attach-volumes.ts';

const gib = 2 ** 30;
const never = new AbortController().signal;

interface CloudVolume {
  readonly volume: {
    readonly volume_type: string;
    readonly size: number;
    readonly bootable: string;
    readonly volume_image_metadata?: { readonly image_name?: string };
  };
}

let lab: DestinationLab;
let api: RigApi;
let platform: DestinationPlatform;

beforeAll(async () => {
  lab = await startDestinationLab('parameters');
  ({ api, platform } = lab);
});
afterAll(() => lab?.close());

const newRun = (disks: Vm['disks'], environment: JsonObject): DestinationRun =>
  lab.newRun(
    { disks },
    {
      network_map: { 'VM Network': lab.network },
      migr_network: lab.network,
      migr_worker_use_config_drive: true,
      migr_worker_use_fip: true,
      ...environment,
    },
  );

const volumeOf = async (id: string): Promise<CloudVolume['volume']> =>
  (await api.call<CloudVolume>('block-storage', 'GET', `/volumes/${id}`)).volume;

describe('a worker', () => {
  it.each([
    {
      about: "from an image, with the flavor's disk, reached over SSH by a floating IP of one subnet",
      environment: {
        migr_image_map: { linux: 'worker' },
        migr_flavor_name: 'rig.disk',
        data_transfer_mechanism: 'SSH',
        migr_fip_pool_name: 'outside/subnet',
      },
      flavor: 'rig.disk',
      ports: [22],
      boot: undefined,
    },
    {
      about: 'from a volume of a type and a size, reached over HTTPS as well',
      environment: {
        migr_image: 'worker',
        migr_image_map: { linux: 'worker-kernel' },
        migr_flavor_name: 'rig.worker',
        data_transfer_mechanism: 'HTTPS',
        migr_fip_pool_name: 'outside',
        migr_worker_boot_from_volume: true,
        migr_worker_volume_size: 3,
        migr_worker_volume_type: 'archive',
      },
      flavor: 'rig.worker',
      ports: [22, 5566],
      boot: { volume_type: 'archive', size: 3, bootable: 'true' },
    },
  ])('is made $about', async ({ environment, flavor, ports, boot }) => {
    const {
      subnets: [outside],
    } = await (
      await lab.cloud.api('admin')
    ).call<{ subnets: { id: string }[] }>('network', 'GET', '/v2.0/subnets?name=outside');
    const run = newRun([{ id: 'd0', size_bytes: gib }], {
      storage_mappings: { default: 'standard' },
      ...environment,
      migr_fip_pool_name: environment.migr_fip_pool_name.replace('subnet', outside?.id ?? ''),
    });
    try {
      const volumes = await platform.ensureVolumes(run, run.vm.disks, never);
      const access = await startWorkerWith(platform, run, 'disk-copy', volumes, never);
      expect(access.host).toMatch(/^198\.51\.100\./);
      await enterWorker(access);
      const { server } = await api.call<{
        server: {
          id: string;
          flavor: { original_name: string };
          image: unknown;
          config_drive: string;
          'os-extended-volumes:volumes_attached': { id: string }[];
        };
      }>('compute', 'GET', `/servers/${access.workerId}`);
      expect(server).toMatchObject({ flavor: { original_name: flavor }, config_drive: 'True' });
      const others = server['os-extended-volumes:volumes_attached'].filter(({ id }) => id !== volumes[0]?.id);
      if (boot === undefined) {
        expect(server.image).toMatchObject({ id: expect.any(String) as unknown });
        expect(others).toEqual([]);
      } else {
        expect(server.image).toBe('');
        expect(others).toHaveLength(1);
        expect(await volumeOf(others[0]?.id ?? '')).toMatchObject({
          ...boot,
          volume_image_metadata: { image_name: 'worker' },
        });
      }
      const {
        ports: [port],
      } = await api.call<{ ports: { security_groups: string[]; fixed_ips: { ip_address: string }[] }[] }>(
        'network',
        'GET',
        `/v2.0/ports?device_id=${server.id}`,
      );
      expect(port?.fixed_ips[0]?.ip_address).toMatch(/^10\.72\.0\./);
      const { security_group_rules: rules } = await api.call<{
        security_group_rules: {
          direction: string;
          port_range_min: number;
          port_range_max: number;
          remote_ip_prefix: string;
        }[];
      }>('network', 'GET', `/v2.0/security-group-rules?security_group_id=${port?.security_groups[0]}`);
      const open = rules.filter(({ direction }) => direction === 'ingress');
      expect(open.map((rule) => rule.port_range_min).sort((a, b) => a - b)).toEqual(ports);
      for (const rule of open)
        expect(rule).toMatchObject({ port_range_max: rule.port_range_min, remote_ip_prefix: '198.51.100.1/32' });
    } finally {
      await platform.stopWorker(run, 'disk-copy', never);
      await platform.deleteVolumes(run, never);
    }
    expect(run.ledger.list()).toEqual([]);
  });
});

it("makes volumes of the type of the disk's own mapping, else of its back end's, else of the default", async () => {
  const disks = [
    { id: 'both', size_bytes: gib, storage_backend: 'ssd' },
    { id: 'by-back-end', size_bytes: gib, storage_backend: 'ssd' },
    { id: 'by-default', size_bytes: gib, storage_backend: 'hdd' },
  ];
  const run = newRun(disks, {
    migr_image: 'worker',
    migr_flavor_name: 'rig.disk',
    migr_fip_pool_name: 'outside',
    storage_mappings: {
      default: 'standard',
      backend_mappings: [{ source: 'ssd', destination: 'archive' }],
      disk_mappings: [{ disk_id: 'both', destination: 'standard' }],
    },
  });
  const volumes = await platform.ensureVolumes(run, disks, never);
  const types = await Promise.all(volumes.map(async ({ id, diskId }) => [diskId, (await volumeOf(id)).volume_type]));
  await platform.deleteVolumes(run, never);
  expect(Object.fromEntries(types)).toEqual({ both: 'standard', 'by-back-end': 'archive', 'by-default': 'standard' });
});

describe('choices', () => {
  it('for a destination are what the project has', async () => {
    const names = [
      'networks',
      'floating_ip_pools',
      'images',
      'machine_types',
      'volume_types',
      'security_groups',
      'server_groups',
      'availability_zones',
      'keypairs',
    ];
    const options = await platform.options(names, {}, never);
    const named = (name: string): string[] => (options[name] ?? []).map((option) => option.name);
    expect(Object.keys(options).sort()).toEqual([...names].sort());
    expect(named('networks')).toContain(lab.network);
    expect(named('networks')).not.toContain('outside');
    expect(
      (await platform.options(['networks'], { list_all_destination_networks: true }, never))['networks']?.map(
        (option) => option.name,
      ),
    ).toContain('outside');
    expect(named('floating_ip_pools')).toEqual(['outside']);
    expect(named('images')).toEqual(['worker']);
    expect(named('machine_types')).toEqual(
      expect.arrayContaining(['rig.small', 'rig.worker', 'rig.disk', 'rig.large']),
    );
    expect(named('volume_types')).toEqual(expect.arrayContaining(['standard', 'archive']));
    expect(named('security_groups').sort()).toEqual(['default', 'open']);
    expect(named('availability_zones')).toEqual(['nova']);
  });

  it('captured as a catalog hold the same and all networks, for validation without the cloud', async () => {
    const catalog = await platform.catalog({}, never);
    expect(catalog).toMatchObject({
      plugin: 'open-source-cloud',
      floating_ip_pools: [{ name: 'outside' }],
      images: [{ name: 'worker', os: 'linux' }],
      networks: expect.arrayContaining([
        expect.objectContaining({ name: lab.network, cidrs: ['10.72.0.0/24'], gateway: '10.72.0.1' }),
        expect.objectContaining({ name: 'outside' }),
      ]) as unknown,
    });
  });

  it("for a source are the project's as well", async () => {
    const source = createOpenStackSource(lab.cloud.connection('origin') as JsonObject, { scratchFolder: lab.folder });
    const options = await source.options(
      ['volume_types', 'images', 'networks', 'machine_types', 'floating_ip_pools'],
      never,
    );
    await source.close();
    const named = (name: string): string[] => (options[name] ?? []).map((option) => option.name);
    expect(named('volume_types')).toEqual(expect.arrayContaining(['standard', 'archive']));
    expect(named('images')).toEqual(['worker']);
    expect(named('networks')).toContain('outside');
    expect(named('floating_ip_pools')).toEqual(['outside']);
  });
});

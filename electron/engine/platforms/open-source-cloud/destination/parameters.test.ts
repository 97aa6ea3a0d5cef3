import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import type { DeploymentRun } from '../../../ports/deployment-platform.ts';
import type { DestinationPlatform, Volume, WorkerRole } from '../../../ports/destination-platform.ts';
import { ledgerScope } from '../../../store/ledger.ts';
import { openStore, type Store } from '../../../store/store.ts';
import { createHastyClock } from '../../../time/testing/hasty-clock.ts';
import { startSmallCloud, there, type Furniture, type SmallCloud } from '../testing/small-cloud.ts';
import { createOpenStackDestination } from './openstack-destination.ts';
import { startWorkerWith } from '../../../workers/attach-volumes.ts';

const signal = new AbortController().signal;
const gib = 2 ** 30;
const vm: Vm = {
  id: 'vm-1',
  name: 'web-01',
  os_type: 'linux',
  vcpus: 2,
  memory_mb: 2048,
  disks: [
    { id: 'root', size_bytes: 2 * gib, bootable: true, storage_backend: 'ds1' },
    { id: 'data', size_bytes: gib, storage_backend: 'ds2' },
    { id: 'log', size_bytes: gib },
  ],
  nics: [
    { id: 'n0', network: 'VM Network', mac_address: '52:54:00:AA:00:01', ip_addresses: ['10.1.0.77'] },
    { id: 'n1', network: 'Backup' },
  ],
};
const environment: JsonObject = {
  network_map: { 'VM Network': 'private', Backup: 'workers' },
  migr_image_map: { linux: 'linux-worker', windows: 'windows-worker' },
  migr_network: 'workers',
  migr_flavor_name: 'small',
};

let folder: string;
let store: Store;
let opened: (() => void | Promise<void>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-parameters-'));
  store = openStore(folder, undefined, createHastyClock());
});
afterEach(async () => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
  const closing = opened;
  opened = [];
  // The cloud's own end fails the test where a request was not as the services describe it.
  for (const close of closing) await close();
});

interface Lab {
  readonly cloud: SmallCloud;
  readonly destination: DestinationPlatform;
  readonly run: DeploymentRun;
  readonly notes: string[];
}

async function lab(more: JsonObject = {}, furniture: Furniture = {}, source: Vm = vm): Promise<Lab> {
  const clock = createHastyClock();
  const cloud = await startSmallCloud(furniture, () => clock.wallTime());
  const destination = createOpenStackDestination(cloud.script.connection, {
    clock,
    random: () => 0,
    egressAddress: async () => ['203.0.113.7'],
  });
  opened.push(
    () => destination.close(),
    () => cloud.script.close(),
  );
  const notes: string[] = [];
  const ledger = ledgerScope(store.ledger, { endpointId: 'end', replicaId: 'rep', executionId: 'exe' });
  const run: DeploymentRun = {
    replicaId: 'rep',
    executionId: 'exe',
    deploymentId: 'dep',
    preparationRole: 'osmorphing-linux',
    vm: source,
    environment: { ...environment, ...more },
    ledger,
    note: (message) => void notes.push(message),
  };
  return { cloud, destination, run, notes };
}

async function worker(more: JsonObject, role: WorkerRole = 'disk-copy') {
  const { cloud, destination, run } = await lab(more);
  const access = await startWorkerWith(destination, run, role, [], signal);
  const [created] = cloud.sent('POST compute/servers') as { server: Record<string, unknown> }[];
  return { cloud, access, server: created?.server ?? {} };
}

async function deployed(more: JsonObject, source: Vm = vm, furniture: Furniture = {}) {
  const made = await lab(more, furniture, source);
  const { cloud, destination, run } = made;
  const { deployment } = destination;
  if (deployment === undefined) throw new Error('no deployments');
  const volumes: readonly Volume[] = await destination.ensureVolumes(run, source.disks, signal);
  const plan = await deployment.plan(run, volumes, signal);
  const nics = await deployment.createNics(run, plan, signal);
  const server = await deployment.createServer(run, plan, volumes, nics, signal);
  const [request] = cloud.sent('POST compute/servers') as {
    server: Record<string, unknown>;
    'os:scheduler_hints'?: object;
  }[];
  return {
    ...made,
    volumes,
    nics,
    deployed: server,
    request: request ?? { server: {} },
    ports: cloud.sent('POST network/ports').map((body) => (body as { port: Record<string, unknown> }).port),
  };
}

describe('the parameters of workers', () => {
  it('are needed as far as they have no usual value', async () => {
    for (const missing of ['migr_network', 'migr_flavor_name', 'migr_image_map']) {
      const { destination, run } = await lab({ [missing]: null });
      await expect(startWorkerWith(destination, run, 'disk-copy', [], signal)).rejects.toMatchObject({
        code: 'cloud.parameter-missing',
      });
    }
  });

  it('make a server of the image and flavor, in the network, with a key of its own and no key pair', async () => {
    const { server, cloud, access } = await worker({});
    expect(server).toMatchObject({
      flavorRef: there.small,
      imageRef: there.linuxImage,
      config_drive: false,
      networks: [{ port: cloud.all('ports')[0]?.id }],
    });
    expect(server).not.toHaveProperty('key_name');
    expect(server).not.toHaveProperty('block_device_mapping_v2');
    expect(Buffer.from(String(server['user_data']), 'base64').toString()).toContain('ssh-ed25519');
    expect(cloud.sent('POST network/ports')).toMatchObject([
      { port: { network_id: there.workers, security_groups: [cloud.all('security_groups').at(-1)?.id] } },
    ]);
    expect(cloud.sent('POST network/floatingips')).toEqual([]);
    expect(access.host).toBe('10.2.0.9');
  });

  it('open the ports that are needed, for the caller alone', async () => {
    const { cloud } = await worker({});
    expect(cloud.all('security_group_rules').map((rule) => [rule['port_range_min'], rule['remote_ip_prefix']])).toEqual(
      [
        [22, '203.0.113.7/32'],
        [5566, '203.0.113.7/32'],
      ],
    );
    const windows = await worker({}, 'osmorphing-windows');
    expect(windows.server).toMatchObject({ imageRef: there.windowsImage });
    expect(windows.cloud.all('security_group_rules').map((rule) => rule['port_range_min'])).toEqual([5986]);
  });

  it('take one image for all when it is named', async () => {
    expect((await worker({ migr_image: 'linux-worker', migr_image_map: { linux: 'nowhere' } })).server).toMatchObject({
      imageRef: there.linuxImage,
    });
  });

  it.each([
    ['public', {}],
    ['public/high', { subnet_id: there.outsideHigh }],
    [undefined, {}],
  ])('give it a floating IP of the pool %s', async (pool, subnet) => {
    const { cloud, access } = await worker({
      migr_worker_use_fip: true,
      ...(pool === undefined ? {} : { migr_fip_pool_name: pool }),
    });
    expect(cloud.sent('POST network/floatingips')).toMatchObject([
      { floatingip: { floating_network_id: there.outside, port_id: cloud.all('ports')[0]?.id, ...subnet } },
    ]);
    expect(access.host).toBe('198.51.100.77');
  });

  it.each([
    [
      { migr_worker_volume_size: 20, migr_worker_volume_type: 'fast' },
      { size: 20, volume_type: 'fast' },
    ],
    [{}, { size: 8 }],
    [{ migr_flavor_name: 'large' }, { size: 3 }],
  ])('boot it from a volume: %j', async (more, volume) => {
    const { cloud, server } = await worker({
      migr_worker_boot_from_volume: true,
      migr_worker_use_config_drive: true,
      ...more,
    });
    expect(cloud.sent('POST volume/volumes')).toMatchObject([{ volume: { imageRef: there.linuxImage, ...volume } }]);
    expect(server).toMatchObject({
      config_drive: true,
      block_device_mapping_v2: [
        {
          source_type: 'volume',
          destination_type: 'volume',
          uuid: cloud.all('volumes')[0]?.id,
          boot_index: 0,
          delete_on_termination: false,
        },
      ],
    });
    expect(server).not.toHaveProperty('imageRef');
  });
});

describe('the parameters of volumes', () => {
  it('give each its type: by disk, else by back end, else the usual one', async () => {
    const mappings = {
      default: 'standard',
      backend_mappings: [
        { source: 'ds1', destination: 'archive' },
        { source: 'ds2', destination: 'archive' },
      ],
      disk_mappings: [{ disk_id: 'root', destination: 'fast' }],
    };
    const { cloud, destination, run } = await lab({ storage_mappings: mappings });
    await destination.ensureVolumes(run, vm.disks, signal);
    expect(cloud.sent('POST volume/volumes').map((body) => (body as { volume: object }).volume)).toMatchObject([
      { size: 2, volume_type: 'fast' },
      { size: 1, volume_type: 'archive' },
      { size: 1, volume_type: 'standard' },
    ]);
  });

  it('leave the type to the cloud where nothing is mapped', async () => {
    const { cloud, destination, run } = await lab();
    await destination.ensureVolumes(run, vm.disks.slice(0, 1), signal);
    expect(cloud.sent('POST volume/volumes')).toMatchObject([{ volume: { size: 2 } }]);
    expect(JSON.stringify(cloud.sent('POST volume/volumes'))).not.toContain('volume_type');
  });
});

describe('the parameters of the migrated VM', () => {
  it('have usual values: the smallest flavor that fits, no key pair, no tags, volumes that stay, addresses of the cloud', async () => {
    const {
      request: { server, ...hints },
      ports,
      volumes,
      deployed: made,
    } = await deployed({});
    expect(server).toMatchObject({ name: 'web-01', flavorRef: there.large });
    expect(server['block_device_mapping_v2']).toMatchObject(
      volumes.map(({ id }, index) => ({ uuid: id, boot_index: index === 0 ? 0 : -1, delete_on_termination: false })),
    );
    for (const left of ['key_name', 'tags', 'config_drive', 'imageRef']) expect(server).not.toHaveProperty(left);
    expect(hints).toEqual({});
    expect(ports).toMatchObject([
      { network_id: there.network, mac_address: '52:54:00:aa:00:01' },
      { network_id: there.workers },
    ]);
    for (const port of ports)
      for (const left of ['fixed_ips', 'security_groups']) expect(port).not.toHaveProperty(left);
    expect(ports[1]).not.toHaveProperty('mac_address');
    expect(made.addresses).toEqual(['10.2.0.9', '10.2.0.9']);
  });

  it('are set on the server and its ports', async () => {
    const {
      request,
      ports,
      cloud,
      deployed: made,
    } = await deployed({
      flavor_name: 'small',
      keypair_name: 'ops',
      server_group: 'apart',
      delete_disks_on_vm_termination: true,
      security_groups: ['web', there.ssh],
      preserve_fixed_ips: true,
      use_floating_ip: true,
      floating_ip_pool: 'public/low',
      instance_tags: { environment: 'production', cost: 'a/b', count: 3 },
    });
    expect(request).toMatchObject({
      server: {
        flavorRef: there.small,
        key_name: 'ops',
        tags: ['environment=production', 'count=3'],
        metadata: { environment: 'production', cost: 'a/b', count: '3', 'managed-by': 'causeway' },
        block_device_mapping_v2: [
          { delete_on_termination: true },
          { delete_on_termination: true },
          { delete_on_termination: true },
        ],
      },
      'os:scheduler_hints': { group: there.group },
    });
    expect(ports).toMatchObject([
      { fixed_ips: [{ subnet_id: there.subnet, ip_address: '10.1.0.77' }], security_groups: [there.web, there.ssh] },
      { security_groups: [there.web, there.ssh] },
    ]);
    expect(cloud.sent('POST network/floatingips')).toMatchObject([
      {
        floatingip: {
          floating_network_id: there.outside,
          subnet_id: there.outsideLow,
          port_id: cloud.all('ports')[0]?.id,
        },
      },
    ]);
    expect(made.addresses[0]).toBe('198.51.100.77');
  });

  it('keep an address that has a prefix length, and get no config drive from the key that is for workers', async () => {
    const nics = [{ ...vm.nics[0]!, ip_addresses: ['10.1.0.77/24'] }];
    const { ports, request } = await deployed(
      { preserve_fixed_ips: true, migr_worker_use_config_drive: true },
      { ...vm, nics },
    );
    expect(ports).toMatchObject([{ fixed_ips: [{ ip_address: '10.1.0.77' }] }]);
    expect(request.server).not.toHaveProperty('config_drive');
  });

  it.each([
    [{}, 'bios', { hw_firmware_type: 'bios', hw_disk_bus: 'virtio' }],
    [
      { hypervisor_type: 'qemu' },
      'uefi',
      { hypervisor_type: 'qemu', hw_firmware_type: 'uefi', hw_machine_type: 'q35' },
    ],
    [{ hypervisor_type: 'hyperv' }, 'uefi', { hypervisor_type: 'hyperv', hw_machine_type: 'hyperv-gen2' }],
  ] as const)('stand on the boot volume for the hypervisor: %j, %s', async (more, firmware, metadata) => {
    const { cloud, volumes } = await deployed(more, { ...vm, firmware });
    const actions = cloud.sent(`POST volume/volumes/${volumes[0]?.id}/action`);
    expect(actions).toEqual([
      { 'os-set_image_metadata': { metadata: expect.objectContaining(metadata) as unknown } },
      { 'os-set_bootable': { bootable: true } },
    ]);
    expect(cloud.sent(`POST volume/volumes/${volumes[1]?.id}/action`)).toEqual([]);
  });

  const foreign = {
    id: there.shared,
    name: 'theirs',
    network_id: there.network,
    mac_address: '52:54:00:aa:00:01',
    device_id: '',
    fixed_ips: [],
    security_groups: [],
  };
  it.each([
    ['keep_mac', 'POST', true],
    ['replace_mac', 'POST', false],
    ['reuse_ports', 'none', true],
  ] as const)('say what becomes of a port with its MAC address: %s', async (policy, how, keeps) => {
    const { ports, cloud, nics } = await deployed(
      { port_reuse_policy: policy },
      { ...vm, nics: vm.nics.slice(0, 1) },
      { ports: [foreign] },
    );
    expect(ports).toHaveLength(how === 'POST' ? 1 : 0);
    if (how === 'POST') expect(ports[0]?.['mac_address']).toBe(keeps ? '52:54:00:aa:00:01' : undefined);
    else expect(nics[0]?.id).toBe(foreign.id);
    expect(cloud.all('ports').some(({ id }) => id === foreign.id)).toBe(policy !== 'keep_mac');
  });

  it('are refused before anything is made when the cloud can’t have them', async () => {
    for (const [key, value, code] of [
      ['network_map', {}, 'cloud.parameter-missing'],
      ['flavor_name', 'huge', 'cloud.name-unknown'],
      ['keypair_name', 'nobody', 'cloud.name-unknown'],
      ['server_group', 'none', 'cloud.name-unknown'],
      ['security_groups', ['wbe'], 'cloud.name-unknown'],
      ['instance_tags', { 'a/b': 'c' }, 'general.invalid-input'],
      ['instance_tags', { 'managed-by': 'me' }, 'general.invalid-input'],
    ] as const) {
      const { destination, run, cloud } = await lab({ [key]: value } as JsonObject);
      await expect(destination.deployment?.plan(run, [], signal), key).rejects.toMatchObject({ code });
      expect(
        cloud.script.requests.filter(({ method, target }) => method !== 'GET' && !target.startsWith('identity/')),
      ).toEqual([]);
    }
  });

  it('keep a fixed IP only where the network has it', async () => {
    const { destination, run } = await lab(
      { preserve_fixed_ips: true },
      {},
      { ...vm, nics: [{ ...vm.nics[0]!, ip_addresses: ['10.9.0.5'] }] },
    );
    await expect(destination.deployment?.plan(run, [], signal)).rejects.toMatchObject({
      code: 'cloud.address-out-of-range',
    });
  });
});

describe('the networks that are offered', () => {
  it.each([
    [false, ['private', 'workers']],
    [true, ['private', 'workers', 'public', 'everybody']],
  ])('with list_all_destination_networks %s', async (all, names) => {
    const { destination } = await lab();
    const { networks } = await destination.options(['networks'], { list_all_destination_networks: all }, signal);
    expect(networks?.map(({ name }) => name)).toEqual(names);
  });

  it('are all in the catalog, which names are checked against later', async () => {
    const { destination } = await lab();
    expect((await destination.catalog({}, signal)).networks?.map(({ name }) => name)).toEqual([
      'private',
      'workers',
      'public',
      'everybody',
    ]);
  });
});

describe('the check of an environment on the cloud', () => {
  const full: JsonObject = {
    ...environment,
    storage_mappings: { default: 'standard', disk_mappings: [{ disk_id: 'root', destination: 'fast' }] },
    flavor_name: 'large',
    keypair_name: 'ops',
    security_groups: ['web'],
    server_group: 'apart',
    use_floating_ip: true,
    floating_ip_pool: 'public/low',
    instance_tags: { team: 'web' },
    migr_worker_use_fip: true,
    migr_worker_boot_from_volume: true,
    migr_worker_volume_size: 40,
    migr_worker_volume_type: 'standard',
  };
  const findings = async (more: JsonObject, source: Vm = vm) => {
    const { destination } = await lab({}, {}, source);
    return (await destination.checkEnvironment({ ...full, ...more }, source, signal)).map(
      ({ severity, path, rule }) => [severity, path, rule.replace('open-source-cloud/online-', '')],
    );
  };

  it('finds nothing in one that works', async () => {
    expect(await findings({})).toEqual([]);
  });

  it.each([
    [{ network_map: { 'VM Network': 'private', Backup: 'nowhere' } }, 'error', '/network_map/Backup', 'name-unknown'],
    [{ network_map: { 'VM Network': 'private' } }, 'error', '/network_map', 'network-not-mapped'],
    [
      { network_map: { 'VM Network': 'private', Backup: 'everybody' } },
      'error',
      '/network_map/Backup',
      'network-without-subnet',
    ],
    [
      { storage_mappings: { disk_mappings: [{ disk_id: 'root', destination: 'gold' }] } },
      'error',
      '/storage_mappings/disk_mappings/0/destination',
      'name-unknown',
    ],
    [{ flavor_name: 'huge' }, 'error', '/flavor_name', 'name-unknown'],
    [{ flavor_name: 'small' }, 'warning', '/flavor_name', 'flavor-small'],
    [{ keypair_name: 'nobody' }, 'error', '/keypair_name', 'name-unknown'],
    [{ security_groups: ['web', 'wbe'] }, 'error', '/security_groups/1', 'name-unknown'],
    [{ server_group: 'none' }, 'error', '/server_group', 'name-unknown'],
    [{ floating_ip_pool: 'public/middle' }, 'error', '/floating_ip_pool', 'floating-ip-pool'],
    [{ migr_fip_pool_name: 'private' }, 'error', '/migr_fip_pool_name', 'floating-ip-pool'],
    [{ instance_tags: { 'a/b': 'c' } }, 'error', '/instance_tags/a~1b', 'tag'],
    [{ migr_network: 'nowhere' }, 'error', '/migr_network', 'name-unknown'],
    [{ migr_flavor_name: 'huge' }, 'error', '/migr_flavor_name', 'name-unknown'],
    [{ migr_worker_volume_type: 'gold' }, 'error', '/migr_worker_volume_type', 'name-unknown'],
    [
      { migr_worker_volume_size: 2, migr_image: 'linux-worker' },
      'error',
      '/migr_worker_volume_size',
      'worker-volume-size',
    ],
    [
      { migr_image: 'windows-worker', migr_worker_boot_from_volume: false },
      'error',
      '/migr_flavor_name',
      'worker-disk',
    ],
    [
      { migr_image: 'linux-worker', migr_worker_boot_from_volume: false, migr_flavor_name: 'large' },
      'warning',
      '/migr_worker_boot_from_volume',
      'worker-without-disk',
    ],
    [{ migr_image_map: { linux: 'nowhere' } }, 'error', '/migr_image_map/linux', 'name-unknown'],
    [{ migr_image_map: { linux: 'windows-worker' } }, 'error', '/migr_image_map/linux', 'image-system'],
    [
      { migr_image_map: { linux: 'linux-worker', windows: 'nowhere' } },
      'warning',
      '/migr_image_map/windows',
      'name-unknown',
    ],
    [{ port_reuse_policy: 'always' }, 'error', '', 'shape'],
  ])('finds what does not: %j', async (more: JsonObject, severity, path, rule) => {
    expect(await findings(more)).toEqual([[severity, path, rule]]);
  });

  it('finds a worker that can’t be planned, and one that is missing for Windows', async () => {
    expect(await findings({ migr_network: null })).toEqual([['error', '', 'parameter-missing']]);
    expect(await findings({ migr_image_map: { linux: 'linux-worker' } }, { ...vm, os_type: 'windows' })).toEqual([
      ['warning', '/migr_image_map', 'image-missing'],
    ]);
  });

  it('finds fixed addresses that can’t be kept', async () => {
    expect(
      await findings({ preserve_fixed_ips: true }, { ...vm, nics: [{ ...vm.nics[0]!, ip_addresses: ['10.9.0.5'] }] }),
    ).toEqual([['error', '/network_map/VM Network', 'address-out-of-range']]);
    expect(
      await findings(
        { preserve_fixed_ips: true },
        { ...vm, nics: [{ ...vm.nics[0]!, ip_addresses: ['10.1.0.5/24', '10.9.0.5', 'fe80::1'] }] },
      ),
    ).toEqual([
      ['warning', '/network_map/VM Network', 'ipv6-dropped'],
      ['warning', '/network_map/VM Network', 'further-addresses'],
      ['error', '/network_map/VM Network', 'address-out-of-range'],
    ]);
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAzureDestination } from '../../electron/engine/platforms/resource-group-cloud/destination/azure-destination.ts';
import type { DeploymentRun } from '../../electron/engine/ports/deployment-platform.ts';
import type { DestinationPlatform, Volume } from '../../electron/engine/ports/destination-platform.ts';
import { ledgerScope } from '../../electron/engine/store/ledger.ts';
import { openStore, type Store } from '../../electron/engine/store/store.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import type { Vm } from '../../shared/model/vm.ts';
import { resourceGroupCloudConnection } from '../conformance/resource-group-cloud-calls.ts';
import { closeAll } from '../rigs/closing.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';
import type { VirtualMachineRecord } from '../rigs/resource-group-cloud/records.ts';
import {
  startResourceGroupCloud,
  type ResourceGroupCloud,
  type ResourceGroupCloudOptions,
} from '../rigs/resource-group-cloud/start.ts';

/** What only this platform has: its parameters, zones, generations and quotas. The rest is in resource-group-cloud-conformance.spec.ts. */

const signal = new AbortController().signal;
const gib = 2 ** 30;
const vm: Vm = {
  id: 'vm-1',
  name: 'web',
  os_type: 'linux',
  vcpus: 2,
  memory_mb: 4096,
  firmware: 'bios',
  disks: [
    { id: 'd0', size_bytes: 3 * gib, storage_backend: 'ds1', bootable: true },
    { id: 'd1', size_bytes: gib + 1, storage_backend: 'ds2' },
  ],
  nics: [{ id: 'n0', network: 'lan', ip_addresses: ['10.20.0.17', 'fe80::1'] }],
};
const environment: JsonObject = {
  location: 'West Europe',
  resource_group: 'migration',
  network_map: { lan: 'production/default' },
  vm_size: 'Standard_D4s_v5',
  worker_size: 'Standard_D2s_v5',
  linux_migr_image: { publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server' },
};

let cloud: ResourceGroupCloud;
let folder: string;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-azure-'));
  store = openStore(folder, undefined, hurriedClock(20));
});
afterEach(() =>
  closeAll(
    () => expect(cloud.violations).toEqual([]),
    () => cloud.close(),
    () => store.close(),
    () => rmSync(folder, { recursive: true, force: true }),
  ),
);

async function open(connection: object = {}, options: ResourceGroupCloudOptions = {}): Promise<DestinationPlatform> {
  cloud = await startResourceGroupCloud({ transitionMs: 2, ...options });
  return createAzureDestination(resourceGroupCloudConnection(cloud, connection), {
    clock: hurriedClock(4),
    timing: {
      requestMs: 5_000,
      pollFirstMs: 2,
      pollCapMs: 5,
      volumeMs: 2_000,
      serverMs: 2_000,
      attachMs: 2_000,
      removeMs: 2_000,
    },
  });
}

const notes: string[] = [];
function run(more: JsonObject = {}, of: Vm = vm): DeploymentRun {
  return {
    replicaId: 'replica',
    executionId: 'execution',
    deploymentId: 'd1',
    preparationRole: 'osmorphing-linux',
    vm: of,
    environment: { ...environment, ...more },
    ledger: ledgerScope(store.ledger, { endpointId: 'endpoint', replicaId: 'replica', executionId: 'execution' }),
    note: (message) => void notes.push(message),
  };
}

async function findings(platform: DestinationPlatform, more: JsonObject = {}, of: Vm = vm): Promise<string[]> {
  const all = await platform.checkEnvironment({ ...environment, ...more }, of, signal);
  return all.map(
    ({ severity, path, rule }) => `${severity} ${path} ${rule.replace('resource-group-cloud/online-', '')}`,
  );
}

const diskOf = (volume: Volume | undefined) => cloud.world.disks.get(volume?.id.toLowerCase() ?? '');

/** The migrated VM as the cloud has it. */
async function deployed(
  platform: DestinationPlatform,
  more: JsonObject = {},
  of: Vm = vm,
): Promise<VirtualMachineRecord> {
  const { deployment } = platform;
  if (deployment === undefined) throw new Error('no deployments');
  const current = run(more, of);
  const replica = await platform.ensureVolumes(current, of.disks, signal);
  const plan = await deployment.plan(current, replica, signal);
  const volumes = await deployment.volumesFromSnapshots(
    current,
    await deployment.snapshotVolumes(current, replica, signal),
    signal,
  );
  const nics = await deployment.createNics(current, plan, signal);
  const server = await deployment.createServer(current, plan, volumes, nics, signal);
  await deployment.deleteSnapshots(current, signal);
  const record = cloud.world.virtualMachines.get(server.id.toLowerCase());
  if (record === undefined) throw new Error('there is no VM');
  return record;
}

describe('the on-line check of an environment', () => {
  it('finds all unknown names in one go, each at its place, and creates nothing', async () => {
    const platform = await open();
    expect(
      await findings(platform, {
        network_map: { lan: 'production/nowhere' },
        vm_size: 'Standard_X1',
        worker_size: 'Standard_X2',
        linux_migr_image: { publisher: 'Nobody', offer: 'nothing', sku: 'none' },
        storage_map: { default: 'Fast_LRS', disk_mappings: [{ disk_id: 'd0', destination: 'Faster_LRS' }] },
      }),
    ).toEqual([
      'error /network_map/lan name-unknown',
      'error /storage_map/default name-unknown',
      'error /storage_map/disk_mappings/0/destination name-unknown',
      'error /vm_size name-unknown',
      'error /worker_size name-unknown',
      'error /linux_migr_image name-unknown',
    ]);
    expect(cloud.world.leftovers()).toEqual([]);
  });

  it('says where the region or the resource group is missing, and looks no further', async () => {
    const platform = await open();
    expect(await findings(platform, { resource_group: 'nowhere' })).toEqual(['error /resource_group name-unknown']);
    expect(await findings(platform, { location: 'mars' })).toEqual(['error /location name-unknown']);
  });

  it.each([
    [
      'more data disks than the size takes',
      { vm_size: 'Standard_B1s' },
      { disks: [0, 1, 2, 3].map((n) => ({ id: `d${n}`, size_bytes: gib })) },
      'error /vm_size size-does-not-fit',
    ],
    [
      'UEFI on a size of generation 1',
      { vm_size: 'Standard_D2_v3' },
      { firmware: 'uefi' },
      'error /vm_size size-does-not-fit',
    ],
    [
      'a size with processors of another kind',
      { vm_size: 'Standard_D2ps_v5' },
      { firmware: 'uefi' },
      'error /vm_size size-does-not-fit',
    ],
    ['a size that the subscription can not have', { vm_size: 'Standard_M8ms' }, {}, 'error /vm_size size-restricted'],
    ['a worker with NVMe disks only', { worker_size: 'Standard_D2s_v6' }, {}, 'error /worker_size worker-size'],
    [
      'a worker for premium disks that takes none',
      {
        worker_size: 'Standard_D2_v3',
        storage_map: { default: 'Premium_LRS' },
        linux_migr_image: { publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server-gen1' },
      },
      {},
      'error /worker_size worker-size',
    ],
    [
      'an OS disk of a type for data alone',
      { storage_map: { default: 'PremiumV2_LRS' } },
      {},
      'error /storage_map os-disk-type',
    ],
    [
      'an address that the cloud keeps for itself',
      { preserve_nic_ips: true },
      { nics: [{ id: 'n0', network: 'lan', ip_addresses: ['10.20.0.3'] }] },
      'error /network_map/lan address-reserved',
    ],
    [
      'an address out of the range, which is another one then',
      { preserve_nic_ips: true },
      { nics: [{ id: 'n0', network: 'lan', ip_addresses: ['10.99.0.3'] }] },
      'warning /network_map/lan address-out-of-range',
    ],
  ] as const)('names %s', async (_about, more, of, expected) => {
    const platform = await open();
    expect(await findings(platform, { ...more } as unknown as JsonObject, { ...vm, ...of } as unknown as Vm)).toContain(
      expected,
    );
  });

  it('counts quotas of the region for disks and worker together', async () => {
    const platform = await open({}, { limits: { StandardSSDDiskCount: 2 } });
    expect(await findings(platform)).toEqual(['error  quota']);
  });

  it('names what the identity is not allowed to do', async () => {
    const platform = await open();
    cloud.world.permissions = [
      { actions: ['*/read', 'Microsoft.Compute/*'], notActions: ['Microsoft.Compute/snapshots/delete'] },
    ];
    const { steps } = await platform.check(signal);
    const { outcome, evidence } = steps.find(({ name }) => name === 'Check the permissions') ?? {
      outcome: 'none',
      evidence: '',
    };
    expect(outcome).toBe('warning');
    expect(evidence).toContain('Deployment: missing Microsoft.Compute/snapshots/delete');
    expect(evidence).toContain('Microsoft.Network/networkInterfaces/write');
    expect(JSON.parse(platform.policyDocument?.(platform.policy?.() ?? []) ?? '{}')).toMatchObject({
      IsCustom: true,
      Actions: expect.arrayContaining(['Microsoft.Compute/disks/write']) as unknown,
    });
  });
});

describe('disks', () => {
  it('have the type of their disk, back end or default, whole GiB, and tags that tell whose they are', async () => {
    const platform = await open();
    const storage_map = {
      default: 'Standard_LRS',
      backend_mappings: [{ source: 'ds1', destination: 'StandardSSD_ZRS' }],
      disk_mappings: [{ disk_id: 'd1', destination: 'Premium_ZRS' }],
    };
    const made = (await platform.ensureVolumes(run({ storage_map }), vm.disks, signal)).map(diskOf);
    expect(
      made.map((disk) => [
        disk?.sku?.name,
        disk?.properties.diskSizeGB,
        disk?.zones,
        disk?.properties.osType,
        disk?.properties.hyperVGeneration,
      ]),
    ).toEqual([
      ['StandardSSD_ZRS', 3, undefined, 'Linux', 'V1'],
      ['Premium_ZRS', 2, undefined, undefined, undefined],
    ]);
    expect(made[0]?.tags).toMatchObject({
      'managed-by': 'causeway',
      'causeway-replica': 'replica',
      'causeway-disk': 'd0',
      'causeway-vm': 'vm-1',
    });
  });

  it('are in the first zone that has their types and both sizes, where a type needs a zone', async () => {
    const platform = await open();
    const storage_map = { disk_mappings: [{ disk_id: 'd1', destination: 'UltraSSD_LRS' }] };
    const made = (await platform.ensureVolumes(run({ storage_map }), vm.disks, signal)).map(diskOf);
    expect(made.map((disk) => [disk?.sku?.name, disk?.zones])).toEqual([
      ['StandardSSD_LRS', ['1']],
      ['UltraSSD_LRS', ['1']],
    ]);
    const { workerId } = await platform.startWorker(run({ storage_map }), 'disk-copy', signal);
    expect(cloud.world.virtualMachines.get(workerId.toLowerCase())?.zones).toEqual(['1']);
    await platform.stopWorker(run({ storage_map }), 'disk-copy', signal);
  });
});

describe('a resource group that somebody deleted', () => {
  it('has nothing left to remove, also of a worker that was being made', async () => {
    const platform = await open();
    await platform.ensureVolumes(run(), vm.disks, signal);
    cloud.faults.add({
      operation: 'VirtualMachines_CreateOrUpdate',
      times: 1,
      effect: 'refused',
      status: 409,
      code: 'AllocationFailed',
    });
    await expect(platform.startWorker(run(), 'disk-copy', signal)).rejects.toThrow('create VM');
    const { world } = cloud;
    for (const all of [
      world.disks,
      world.networkInterfaces,
      world.publicIps,
      world.securityGroups,
      world.virtualNetworks,
      world.resourceGroups,
    ])
      all.clear();
    await platform.stopWorker(run(), 'disk-copy', signal);
    await platform.deleteVolumes(run(), signal);
    expect(await platform.listManaged?.([environment], signal)).toEqual([]);
    expect(store.ledger.list()).toEqual([]);
  });
});

describe('workers', () => {
  it('are opened for the caller alone, on the ports of the way of transfer, in a network of their own', async () => {
    const platform = await open({ caller_address: '198.51.100.7' });
    await platform.startWorker(run(), 'disk-copy', signal);
    const rules = [...cloud.world.securityGroups.values()]
      .flatMap(({ properties }) => properties.securityRules)
      .map(({ properties: rule }) => [
        rule.destinationPortRange,
        rule.sourceAddressPrefixes,
        rule.access,
        rule.direction,
      ]);
    expect(rules).toEqual([
      ['22', ['198.51.100.7/32'], 'Allow', 'Inbound'],
      ['5566', ['198.51.100.7/32'], 'Allow', 'Inbound'],
    ]);
    expect(
      cloud.world
        .leftovers()
        .map((line) => line.split(' ')[0])
        .sort(),
    ).toEqual(['network', 'nic', 'public-ip', 'security-group', 'server', 'volume']);
    await platform.stopWorker(run(), 'disk-copy', signal);
    expect(cloud.world.leftovers()).toEqual([]);
  });

  it('are in the subnet of the endpoint without a public address, where it says so', async () => {
    const platform = await open({
      worker_subnet: 'workers/default',
      worker_use_public_ip: false,
      data_transfer_mechanism: 'SSH',
    });
    const { host } = await platform.startWorker(run(), 'disk-copy', signal);
    expect(host).toBe(
      [...cloud.world.networkInterfaces.values()][0]?.properties.ipConfigurations[0]?.properties.privateIPAddress,
    );
    expect(cloud.world.publicIps.size).toBe(0);
    expect(
      [...cloud.world.securityGroups.values()].flatMap(({ properties }) =>
        properties.securityRules.map((rule) => rule.properties.destinationPortRange),
      ),
    ).toEqual(['22']);
    await platform.stopWorker(run(), 'disk-copy', signal);
  });

  it('of Windows run their user data by the extension of the cloud', async () => {
    const platform = await open();
    const windows = {
      windows_migr_image: { publisher: 'MicrosoftWindowsServer', offer: 'WindowsServer', sku: '2022-datacenter-g2' },
    };
    const access = await platform.startWorker(
      run(windows, { ...vm, os_type: 'windows' }),
      'osmorphing-windows',
      signal,
    );
    expect(access.winrm?.port).toBe(5986);
    const inner = cloud.world.inner.get(access.workerId.toLowerCase());
    expect(inner?.extensions.get('causeway')?.inner?.command).toContain('CustomData.bin');
    expect(inner?.customData).toContain('New-LocalUser');
    await platform.stopWorker(run(windows), 'osmorphing-windows', signal);
  });
});

describe('a migrated VM', () => {
  it('is as the environment and the endpoint say', async () => {
    const platform = await open(
      {
        use_public_ip: true,
        network_security_group: 'web',
        availability_set: 'pair',
        tags: { owner: 'ops' },
        license_type: 'RHEL_BYOS',
      },
      { availabilitySets: ['pair'] },
    );
    const record = await deployed(platform, { preserve_nic_ips: true, storage_map: { default: 'Premium_LRS' } });
    expect(record).toMatchObject({
      name: 'web',
      location: 'westeurope',
      tags: { owner: 'ops', 'managed-by': 'causeway' },
      properties: {
        hardwareProfile: { vmSize: 'Standard_D4s_v5' },
        licenseType: 'RHEL_BYOS',
        diagnosticsProfile: { bootDiagnostics: { enabled: true } },
        storageProfile: {
          osDisk: { createOption: 'Attach', osType: 'Linux' },
          dataDisks: [{ lun: 0, createOption: 'Attach' }],
        },
      },
    });
    expect(record.properties.availabilitySet?.id).toMatch(/\/availabilitySets\/pair$/);
    const [nic] = [...cloud.world.networkInterfaces.values()];
    expect(nic?.properties.networkSecurityGroup?.id).toMatch(/\/networkSecurityGroups\/web$/);
    expect(nic?.properties.ipConfigurations[0]?.properties).toMatchObject({
      privateIPAddress: '10.20.0.17',
      privateIPAllocationMethod: 'Static',
      publicIPAddress: { id: expect.stringContaining('publicIPAddresses') as unknown },
    });
  });

  it("gets another address than the source's where the subnet does not have it, and that is said", async () => {
    notes.length = 0;
    await deployed(
      await open(),
      { preserve_nic_ips: true },
      { ...vm, nics: [{ id: 'n0', network: 'lan', ip_addresses: ['10.99.0.17'] }] },
    );
    const [nic] = [...cloud.world.networkInterfaces.values()];
    expect(nic?.properties.ipConfigurations[0]?.properties).toMatchObject({
      privateIPAddress: '10.20.0.4',
      privateIPAllocationMethod: 'Dynamic',
    });
    expect(notes.join('\n')).toContain('10.99.0.17 is not in the range');
  });

  it('has generation 2 and trusted launch where the source had UEFI and secure boot', async () => {
    const record = await deployed(await open(), {}, { ...vm, firmware: 'uefi', secure_boot: true });
    expect(record.properties.securityProfile).toEqual({
      securityType: 'TrustedLaunch',
      uefiSettings: { secureBootEnabled: true, vTpmEnabled: true },
    });
    expect(
      cloud.world.disks.get(record.properties.storageProfile.osDisk.managedDisk.id.toLowerCase())?.properties,
    ).toMatchObject({ hyperVGeneration: 'V2', securityProfile: { securityType: 'TrustedLaunch' } });
    // Neither an empty disk nor a copy takes that type when it is created: the VM is changed, and runs again.
    expect(cloud.world.inner.get(record.id.toLowerCase())?.power).toBe('running');
    const changes = cloud.calls
      .map(({ operation }) => operation)
      .filter((operation) =>
        ['VirtualMachines_Deallocate', 'VirtualMachines_Update', 'VirtualMachines_Start'].includes(operation),
      );
    expect(changes).toEqual(['VirtualMachines_Deallocate', 'VirtualMachines_Update', 'VirtualMachines_Start']);
  });

  it.each(['VirtualMachines_Deallocate', 'VirtualMachines_Update', 'VirtualMachines_Start'])(
    'gets its security type and runs, also where the answer to %s is lost',
    async (operation) => {
      const platform = await open();
      cloud.faults.add({ operation, effect: 'connection-reset-after', times: 1 });
      const record = await deployed(platform, {}, { ...vm, firmware: 'uefi', secure_boot: true });
      expect([
        record.properties.securityProfile?.securityType,
        cloud.world.inner.get(record.id.toLowerCase())?.power,
      ]).toEqual(['TrustedLaunch', 'running']);
    },
  );

  it('leaves another VM of its name alone', async () => {
    const platform = await open();
    const first = await deployed(platform);
    first.tags = { owner: 'somebody' };
    notes.length = 0;
    const { deployment } = platform;
    const other = { ...run(), deploymentId: 'd2' };
    const replica = await platform.ensureVolumes(other, vm.disks, signal);
    const plan = await deployment?.plan(other, replica, signal);
    if (deployment === undefined || plan === undefined) throw new Error('no deployments');
    const volumes = await deployment.volumesFromSnapshots(
      other,
      await deployment.snapshotVolumes(other, replica, signal),
      signal,
    );
    const server = await deployment.createServer(
      other,
      plan,
      volumes,
      await deployment.createNics(other, plan, signal),
      signal,
    );
    expect(server.name).not.toBe('web');
    expect(notes.join('\n')).toContain('another VM named web');
    expect(first.tags).toEqual({ owner: 'somebody' });
  });
});

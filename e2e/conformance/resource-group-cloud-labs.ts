import { open } from 'node:fs/promises';
import { createAzureDestination } from '../../electron/engine/platforms/resource-group-cloud/destination/azure-destination.ts';
import type { AzureContext } from '../../electron/engine/platforms/resource-group-cloud/destination/session.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import type { Vm } from '../../shared/model/vm.ts';
import type { DeploymentLab } from './deployment-lab.ts';
import type { DestinationLab } from './destination-platform.ts';
import type { OwnVmLab } from './own-vm.ts';
import { stockVm, type LabVm } from '../rigs/resource-group-cloud/source-lab.ts';
import { resourceGroupCloudConnection, startResourceGroupCloudWithCalls } from './resource-group-cloud-calls.ts';
import { patientRequestMs } from '../rigs/hurried-clock.ts';
import type { Clock } from '../../electron/engine/time/clock.ts';
import { enterWorker } from '../rigs/machines/enter-worker.ts';
import { labMachines, usualWorkerKind } from '../rigs/machines/kinds.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';

const gib = 2 ** 30;
const markBytes = 64;
const environment: JsonObject = {
  location: 'westeurope',
  resource_group: 'migration',
  network_map: { 'VM Network': 'production/default', lan: 'production/default', mgmt: 'backup/default' },
  storage_map: { default: 'Premium_LRS' },
  vm_size: 'Standard_D4s_v5',
  worker_size: 'Standard_D2s_v5',
  linux_migr_image: { publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server' },
};
const context = (clock: Clock): AzureContext => ({
  clock,
  timing: {
    requestMs: patientRequestMs,
    pollFirstMs: 2,
    pollCapMs: 5,
    volumeMs: 10_000,
    serverMs: 10_000,
    attachMs: 10_000,
    removeMs: 10_000,
  },
  resolveAddress,
});

const destinationVm: Vm = {
  id: 'vm',
  name: 'web',
  os_type: 'linux',
  vcpus: 1,
  memory_mb: 2048,
  disks: [
    { id: 'disk/0 [ds1] web.vmdk', size_bytes: 2 * gib },
    { id: 'disk-1', size_bytes: 700 * 2 ** 20 },
  ],
  nics: [{ id: 'nic-0', network: 'VM Network' }],
};

/** The simulated cloud with servers that are records, or real machines behind them. */
export async function destinationLab(behind: 'records' | 'machines' = 'records'): Promise<DestinationLab> {
  const { cloud, calls, clock } = await startResourceGroupCloudWithCalls(
    behind === 'machines' ? { machines: labMachines({ worker: usualWorkerKind }) } : {},
  );
  const wrong = { service_principal_credentials: { client_id: cloud.clientId, client_secret: 'not-the-secret' } };
  return {
    ...calls,
    open: (which = 'right') =>
      createAzureDestination(resourceGroupCloudConnection(cloud, which === 'right' ? {} : wrong), context(clock)),
    environment,
    vm: destinationVm,
    inventory: () => cloud.world.leftovers(),
    volumeGib: (id) => cloud.world.disks.get(id.toLowerCase())?.properties.diskSizeGB,
    loseVolume: (id) => void cloud.world.disks.delete(id.toLowerCase()),
    violations: () => cloud.violations,
    ...(behind === 'machines' ? { enter: enterWorker } : {}),
    close: () => cloud.close(),
  };
}

/** VMs of users in the same group, each with a disk of its own beside the one that it boots from. */
export async function ownVmLab(): Promise<OwnVmLab> {
  const { cloud, calls, clock } = await startResourceGroupCloudWithCalls();
  const { world } = cloud;
  let count = 0;
  const start = async (more: Partial<LabVm> = {}, dataDisks = 1) => {
    count += 1;
    const disks = Array.from({ length: 1 + dataDisks }, (_, index) => ({
      name: `mover-${count}-${index}`,
      sizeBytes: 2 ** 20,
    }));
    return stockVm(cloud, { name: `mover-${count}`, disks, ...more });
  };
  const dataOf = (id: string) => world.virtualMachines.get(id.toLowerCase())?.properties.storageProfile.dataDisks ?? [];
  return {
    ...calls,
    open: () => createAzureDestination(resourceGroupCloudConnection(cloud), context(clock)),
    environment,
    vm: destinationVm,
    inventory: () => cloud.world.leftovers(),
    volumeGib: (id) => world.disks.get(id.toLowerCase())?.properties.diskSizeGB,
    loseVolume: (id) => void world.disks.delete(id.toLowerCase()),
    violations: () => cloud.violations,
    tells(id) {
      const vm = world.virtualMachines.get(id.toLowerCase());
      const [low = '', mid = '', high = '', ...rest] = (vm?.properties.vmId ?? '').split('-');
      const bytes = (part: string): string => Buffer.from(part, 'hex').reverse().toString('hex');
      return {
        path: '/metadata/instance/compute?',
        headers: { metadata: 'true' },
        document: {
          name: vm?.name,
          resourceId: vm?.id.replace('/migration/', '/MIGRATION/'),
          vmId: vm?.properties.vmId,
        },
        productUuid: [bytes(low), bytes(mid), bytes(high), ...rest].join('-'),
      };
    },
    noVm: world.idOf(cloud.resourceGroup, 'Microsoft.Compute/virtualMachines', 'nobody'),
    // As people write it, and not as the cloud does.
    startVm: async () =>
      (await start()).id.replace('/resourceGroups/', '/resourcegroups/').replace('/mover-', '/Mover-'),
    async startVmElsewhere() {
      const vm = await start();
      world.stock(world.virtualMachines, Object.assign(vm, { zones: ['2'] }));
      return vm.id;
    },
    startFullVm: async () => (await start({}, world.sizeOf('Standard_D2s_v5')?.dataDisks ?? 0)).id,
    attachedTo: (id) =>
      dataOf(id)
        .map(({ managedDisk }) => managedDisk.id)
        .filter((disk) => !disk.includes('/mover-')),
    runs: (id) => world.inner.get(id.toLowerCase())?.power === 'running' && dataOf(id).some(({ lun }) => lun === 0),
    stopVm: (id) => void Object.assign(world.inner.get(id.toLowerCase()) ?? {}, { power: 'deallocated' }),
    close: () => cloud.close(),
  };
}

const vm: Vm = {
  id: 'vm',
  name: 'Größe_web 01',
  os_type: 'linux',
  vcpus: 2,
  memory_mb: 4096,
  firmware: 'bios',
  disks: [
    { id: 'data', size_bytes: gib },
    { id: 'root', size_bytes: 2 * gib, bootable: true },
  ],
  nics: [
    { id: 'n0', network: 'lan', ip_addresses: ['fe80::1', '10.20.0.17'] },
    { id: 'n1', network: 'mgmt', ip_addresses: ['10.30.0.18'] },
  ],
};

export async function deploymentLab(): Promise<DeploymentLab> {
  const { cloud, calls, clock } = await startResourceGroupCloudWithCalls();
  return {
    ...calls,
    open: () =>
      createAzureDestination(
        resourceGroupCloudConnection(cloud, {
          use_public_ip: true,
          network_security_group: 'web',
          tags: { owner: 'ops' },
        }),
        context(clock),
      ),
    environment,
    vm,
    refused: [
      {
        about: 'a network without a mapping',
        environment: { network_map: { lan: 'production/default' } },
        code: 'cloud.parameter-missing',
      },
      {
        about: 'an unknown subnet',
        environment: { network_map: { lan: 'production/default', mgmt: 'backup/nowhere' } },
        code: 'cloud.name-unknown',
      },
      { about: 'an unknown size', environment: { vm_size: 'Standard_X1' }, code: 'cloud.name-unknown' },
      { about: 'no size', environment: { vm_size: '' }, code: 'cloud.parameter-missing' },
      {
        about: 'UEFI on a size of generation 1',
        environment: { vm_size: 'Standard_D2_v3', storage_map: { default: 'Standard_LRS' } },
        vm: { firmware: 'uefi' },
        code: 'general.invalid-input',
      },
      {
        about: 'premium disks on a size without them',
        environment: { vm_size: 'Standard_D2_v3' },
        code: 'general.invalid-input',
      },
      {
        about: 'an address that the cloud keeps for itself',
        environment: { preserve_nic_ips: true },
        vm: { nics: [{ id: 'n0', network: 'lan', ip_addresses: ['10.20.0.2'] }] },
        code: 'cloud.address-out-of-range',
      },
      {
        about: 'more interfaces than the size takes',
        environment: { vm_size: 'Standard_D2s_v5' },
        vm: { nics: [0, 1, 2].map((n) => ({ id: `n${n}`, network: 'lan' })) },
        code: 'general.invalid-input',
      },
    ],
    inventory: () => cloud.world.leftovers(),
    async writeMark(volumeId, mark) {
      await using file = await open(cloud.volumePath(volumeId), 'r+');
      await file.write(Buffer.from(mark.padEnd(markBytes)), 0, markBytes, 2 ** 20);
    },
    async readMark(volumeId) {
      await using file = await open(cloud.volumePath(volumeId));
      return (await file.read(Buffer.alloc(markBytes), 0, markBytes, 2 ** 20)).buffer.toString().trimEnd();
    },
    async server(id) {
      const server = cloud.world.virtualMachines.get(id.toLowerCase());
      if (server === undefined) return undefined;
      const {
        storageProfile: { osDisk, dataDisks },
        networkProfile,
      } = server.properties;
      return {
        isRunning:
          server.properties.provisioningState === 'Succeeded' &&
          cloud.world.inner.get(id.toLowerCase())?.power === 'running',
        volumeIds: [
          osDisk.managedDisk.id,
          ...dataDisks.toSorted((a, b) => a.lun - b.lun).map(({ managedDisk }) => managedDisk.id),
        ],
        nics: networkProfile.networkInterfaces.map((nic) => ({
          id: nic.id,
          macAddress: cloud.world.networkInterfaces.get(nic.id.toLowerCase())?.properties.macAddress ?? '',
        })),
        firmware:
          cloud.world.disks.get(osDisk.managedDisk.id.toLowerCase())?.properties.hyperVGeneration === 'V2'
            ? 'uefi'
            : 'bios',
      };
    },
    violations: () => cloud.violations,
    close: () => cloud.close(),
  };
}

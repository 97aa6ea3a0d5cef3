import { randomUUID } from 'node:crypto';
import { callFaults, type CallFault, type PlatformCalls } from '../../conformance/platform-calls.ts';
import type { FaultEffect, FaultPlan } from '../cloud-kit/faults.ts';
import type { CallRecord } from '../cloud-kit/http-server.ts';
import { closing } from '../closing.ts';
import { requestClock, type RequestClock } from '../hurried-clock.ts';
import { startBlobs, type BlobSimulation } from './blobs/start.ts';
import type { DiskRecord, NetworkInterfaceRecord, VirtualMachineRecord } from './records.ts';
import { startResourceGroupCloud, type ResourceGroupCloud, type ResourceGroupCloudOptions } from './start.ts';

/** The resource manager and the data plane of one simulated cloud. */
export interface AzureLab {
  readonly cloud: ResourceGroupCloud;
  readonly blobs: BlobSimulation;
  readonly calls: PlatformCalls;
  /** For the product: by it, a request that neither service answers is given up. */
  readonly clock: RequestClock;
  /** Of both services, in their order. */
  readonly recorded: readonly CallRecord[];
  /** What an endpoint's form takes. */
  readonly connection: ReturnType<typeof connectionTo>;
  close(): Promise<void>;
}

export async function startAzureLab(options: ResourceGroupCloudOptions = {}): Promise<AzureLab> {
  const recorded: CallRecord[] = [];
  const joined = joinedCalls(recorded);
  await using stack = new AsyncDisposableStack();
  const cloud = stack.adopt(
    await startResourceGroupCloud({ transitionMs: 3, ...options, onCall: joined.onCall }),
    closing,
  );
  const blobs = stack.adopt(
    await startBlobs({ files: cloud.world.ground.files, tls: cloud.certificate, onCall: joined.onCall }),
    closing,
  );
  cloud.world.access = blobs;
  cloud.world.blobs = blobs.world.accounts.contents;
  blobs.world.accounts.accepts = (authorization) => cloud.signIn.accepts(authorization);
  blobs.world.accounts.isKnown = (account) =>
    [...cloud.world.storageAccounts.values()].some(({ name }) => name === account);
  for (const account of cloud.world.storageAccounts.values())
    Object.assign(account.properties, { primaryEndpoints: { blob: `${blobs.url}/${account.name}/` } });
  joined.plans.push(cloud.faults, blobs.faults);
  const opened = stack.move();
  return {
    cloud,
    blobs,
    recorded,
    calls: joined.calls,
    clock: joined.clock,
    connection: connectionTo(cloud, blobs),
    async close() {
      await opened.disposeAsync();
      const violations = [...new Set([...cloud.violations, ...blobs.violations])];
      if (violations.length > 0)
        throw new Error(`the simulator or its client left the vendor's models: ${violations.join('; ')}`);
    },
  };
}

/** What an endpoint's form takes. */
export function connectionTo(cloud: ResourceGroupCloud, blobs?: { readonly url: string }) {
  return {
    subscription_id: cloud.subscriptionId,
    tenant: cloud.tenant,
    service_principal_credentials: { client_id: cloud.clientId, client_secret: cloud.clientSecret },
    cloud_profile: 'CustomCloud',
    custom_cloud_properties: {
      active_directory: cloud.url,
      resource_manager: cloud.url,
      storage_suffix: blobs === undefined ? 'localhost' : new URL(blobs.url).host,
    },
    ca_certificate: cloud.certificate.cert,
  };
}

const effects: Readonly<Record<CallFault, FaultEffect>> = {
  'refused-for-now': '503',
  throttled: '429',
  'cut-before': 'connection-reset',
  'gateway-error-after': '502-after',
  'cut-after': 'connection-reset-after',
  'never-answered': 'no-answer',
  'fails-later': 'status-error',
};
const forever = 1_000_000;
const longestPauseMs = 5;

/** Calls of several services as one row, so that the next one can be made to go wrong whichever of them it reaches. */
function joinedCalls(recorded: CallRecord[]) {
  const plans: FaultPlan[] = [];
  let next: { at: number; readonly arm: () => void } | undefined;
  let cut: { readonly from: number; readonly tell: () => void } | undefined;
  const clear = (): void => {
    for (const plan of plans) plan.clear();
  };
  /** Arms all services for the `n`th call from now on; which of them it reaches is not known before. */
  const armAt = (n: number, arm: () => void): void => {
    next = { at: recorded.length + n, arm };
    if (n === 1) arm();
  };
  const clock = requestClock(longestPauseMs);
  const onCall = (call: CallRecord): void => {
    recorded.push(call);
    if (call.fault?.effect === 'no-answer') clock.nobodyAnswers();
    if (next?.at === recorded.length + 1) next.arm();
    // It has hit one of them: the others are left alone.
    if (next?.at === recorded.length && cut === undefined) {
      next = undefined;
      clear();
    }
    if (cut !== undefined && recorded.length >= cut.from) cut.tell();
  };
  const calls: PlatformCalls = {
    faults: callFaults,
    callCount: () => recorded.length,
    callName: (number) => recorded[number - 1]?.operation ?? 'none',
    callChanges: (number) => !['GET', 'HEAD'].includes(recorded[number - 1]?.method ?? 'GET'),
    failCall: (n, fault) =>
      armAt(n, () => {
        for (const plan of plans) plan.add({ operation: '*', effect: effects[fault], retryAfterSeconds: 0 });
      }),
    cutOff(n, when, tell) {
      cut = { from: recorded.length + n, tell };
      armAt(n, () => {
        if (when === 'after') {
          // The one call is carried out; every later one is not, of whichever service.
          for (const plan of plans) plan.add({ operation: '*', effect: 'connection-reset-after' });
          next = {
            at: recorded.length + 2,
            arm: () => {
              clear();
              for (const plan of plans) plan.add({ operation: '*', times: forever, effect: 'connection-reset' });
            },
          };
          return;
        }
        for (const plan of plans) plan.add({ operation: '*', times: forever, effect: 'connection-reset' });
      });
    },
    clearFaults() {
      next = undefined;
      cut = undefined;
      clear();
    },
  };
  return { calls, onCall, plans, clock };
}

export interface LabDisk {
  readonly name: string;
  readonly sizeBytes: number;
  readonly sku?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** A disk as if it had always been there. Its size is what a test needs, not a whole number of GiB. */
export async function stockDisk(
  cloud: ResourceGroupCloud,
  { name, sizeBytes, sku = 'Premium_LRS', properties = {} }: LabDisk,
  osDisk?: { readonly generation: 'V1' | 'V2'; readonly osType?: string },
): Promise<DiskRecord> {
  const { world } = cloud;
  const id = world.idOf(cloud.resourceGroup, 'Microsoft.Compute/disks', name);
  const uniqueId = randomUUID();
  await world.ground.files.createBlank(uniqueId, sizeBytes);
  return world.stock(world.disks, {
    id,
    name,
    type: 'Microsoft.Compute/disks',
    location: cloud.location,
    sku: { name: sku, tier: sku.split('_')[0] ?? '' },
    properties: {
      uniqueId,
      timeCreated: new Date(0).toISOString(),
      creationData: { createOption: 'Empty' },
      diskSizeGB: Math.ceil(sizeBytes / 2 ** 30),
      diskSizeBytes: sizeBytes,
      diskState: 'Attached',
      networkAccessPolicy: 'AllowAll',
      provisioningState: 'Succeeded',
      encryption: { type: 'EncryptionAtRestWithPlatformKey' },
      ...(osDisk === undefined ? {} : { osType: osDisk.osType ?? 'Linux', hyperVGeneration: osDisk.generation }),
      ...properties,
    },
  });
}

export interface LabVm {
  readonly name: string;
  readonly disks: readonly LabDisk[];
  readonly generation?: 'V1' | 'V2';
  readonly osType?: 'Linux' | 'Windows';
  readonly size?: string;
  readonly securityProfile?: NonNullable<VirtualMachineRecord['properties']['securityProfile']>;
  readonly tags?: Readonly<Record<string, string>>;
}

/** A running VM with its disks and a NIC, as if it had always been there. */
export async function stockVm(cloud: ResourceGroupCloud, wish: LabVm): Promise<VirtualMachineRecord> {
  const { world, resourceGroup: group, location } = cloud;
  const { name, generation = 'V1', osType = 'Linux' } = wish;
  const disks = [];
  for (const [index, disk] of wish.disks.entries())
    disks.push(await stockDisk(cloud, disk, index === 0 ? { generation, osType } : undefined));
  const [root, ...data] = disks;
  if (root === undefined) throw new Error('a VM has a disk');
  const subnet = `${world.idOf(group, 'Microsoft.Network/virtualNetworks', 'production')}/subnets/default`;
  const nicId = world.idOf(group, 'Microsoft.Network/networkInterfaces', `${name}-nic`);
  const nic: NetworkInterfaceRecord = {
    id: nicId,
    name: `${name}-nic`,
    type: 'Microsoft.Network/networkInterfaces',
    location,
    properties: {
      ipConfigurations: [
        {
          id: `${nicId}/ipConfigurations/primary`,
          name: 'primary',
          properties: {
            primary: true,
            privateIPAddress: '10.20.0.4',
            privateIPAllocationMethod: 'Dynamic',
            privateIPAddressVersion: 'IPv4',
            subnet: { id: subnet },
            provisioningState: 'Succeeded',
          },
        },
      ],
      macAddress: '00-0D-3A-12-34-56',
      primary: true,
      enableAcceleratedNetworking: false,
      enableIPForwarding: false,
      provisioningState: 'Succeeded',
    },
  };
  world.stock(world.networkInterfaces, nic);
  const id = world.idOf(group, 'Microsoft.Compute/virtualMachines', name);
  for (const disk of disks) disk.managedBy = id;
  const attached = ({ id: diskId, name: diskName, properties }: DiskRecord) => ({
    name: diskName,
    createOption: 'Attach',
    diskSizeGB: properties.diskSizeGB,
    managedDisk: { id: diskId },
  });
  const vm: VirtualMachineRecord = {
    id,
    name,
    type: 'Microsoft.Compute/virtualMachines',
    location,
    ...(wish.tags === undefined ? {} : { tags: wish.tags }),
    properties: {
      vmId: randomUUID(),
      timeCreated: new Date(0).toISOString(),
      hardwareProfile: { vmSize: wish.size ?? 'Standard_D2s_v5' },
      storageProfile: {
        osDisk: { osType, ...attached(root) },
        dataDisks: data.map((disk, lun) => ({ lun, ...attached(disk) })),
      },
      networkProfile: { networkInterfaces: [{ id: nicId, properties: { primary: true } }] },
      ...(wish.securityProfile === undefined ? {} : { securityProfile: wish.securityProfile }),
      provisioningState: 'Succeeded',
    },
  };
  world.stock(world.virtualMachines, vm);
  world.inner.set(id.toLowerCase(), { power: 'running', customData: '', publicKeys: [], extensions: new Map() });
  return vm;
}

import { generateKeyPairSync } from 'node:crypto';
import { open } from 'node:fs/promises';
import { createCompartmentCloudDestination } from '../../electron/engine/platforms/compartment-cloud/destination/oci-destination.ts';
import type { CompartmentCloudContext } from '../../electron/engine/platforms/compartment-cloud/destination/session.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import type { Vm } from '../../shared/model/vm.ts';
import { deviceNames } from '../rigs/compartment-cloud/operations/instances.ts';
import {
  startCompartmentCloud,
  type CompartmentCloud,
  type CompartmentCloudOptions,
} from '../rigs/compartment-cloud/start.ts';
import { hurriedClock, patientRequestMs } from '../rigs/hurried-clock.ts';
import type { Clock } from '../../electron/engine/time/clock.ts';
import { enterWorker } from '../rigs/machines/enter-worker.ts';
import { labMachines, usualWorkerKind } from '../rigs/machines/kinds.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';
import type { DeploymentLab } from './deployment-lab.ts';
import type { OwnVmLab } from './own-vm.ts';
import type { InstanceRecord } from '../rigs/compartment-cloud/records.ts';
import type { DestinationLab } from './destination-platform.ts';
import type { PlatformCalls } from './platform-calls.ts';
import { simulatedCalls } from './simulated-calls.ts';

const gib = 2 ** 30;
const markBytes = 64;

/** The simulated compartment cloud, with its calls as the conformance suites want them. */
export async function startCompartmentCloudWithCalls(
  options: CompartmentCloudOptions = {},
): Promise<{ readonly cloud: CompartmentCloud; readonly calls: PlatformCalls; readonly clock: Clock }> {
  const { onCall, of, clock } = simulatedCalls({ changes: ({ method }) => method !== 'GET' });
  const cloud = await startCompartmentCloud({ transitionMs: 3, ...options, onCall });
  return { cloud, calls: of(cloud), clock };
}

/** What an endpoint's form takes. */
export function compartmentCloudConnection(cloud: CompartmentCloud, more: object = {}): object {
  return {
    region: cloud.region,
    tenancy: cloud.tenancy,
    user: cloud.user,
    private_key_data: cloud.privateKey,
    fingerprint: cloud.fingerprint,
    service_url: cloud.url,
    ...more,
  };
}

/** An environment that the simulated cloud carries out: names and ids mixed. */
export function compartmentCloudEnvironment(cloud: CompartmentCloud): JsonObject {
  const mapped = (subnet: string, ...groups: string[]): JsonObject => ({
    id: cloud.idOf('subnet', subnet),
    security_groups: groups.map((name) => cloud.idOf('group', name)),
  });
  return {
    compartment: 'migrations',
    availability_domain: cloud.world.setup.domains[0] ?? '',
    network_map: {
      'VM Network': mapped('production', 'web'),
      lan: mapped('production', 'web'),
      mgmt: mapped('backup'),
    },
    migr_image_map: { linux: cloud.idOf('image', 'Oracle-Linux-9') },
    migr_subnet_id: cloud.idOf('subnet', 'workers'),
    migr_shape_name: 'VM.Standard2.1',
    shape_name: 'VM.Standard.E4.Flex',
    use_pv_mode: true,
  };
}

export const compartmentCloudContext = (
  requestMs: number,
  clock: Clock = hurriedClock(4),
): CompartmentCloudContext => ({
  clock,
  timing: {
    requestMs,
    pollFirstMs: 2,
    pollCapMs: 5,
    volumeMs: 10_000,
    serverMs: 10_000,
    attachMs: 10_000,
    removeMs: 10_000,
  },
  resolveAddress,
});

/** The simulated cloud with servers that are records, or real machines behind them. */
export async function destinationLab(behind: 'records' | 'machines' = 'records'): Promise<DestinationLab> {
  return (await openLab(behind)).lab;
}

async function openLab(
  behind: 'records' | 'machines' = 'records',
): Promise<{ readonly cloud: CompartmentCloud; readonly lab: DestinationLab; readonly clock: Clock }> {
  const { cloud, calls, clock } = await startCompartmentCloudWithCalls(
    behind === 'machines' ? { machines: labMachines({ worker: usualWorkerKind }) } : {},
  );
  const wrong = {
    private_key_data: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    }),
  };
  const lab: DestinationLab = {
    ...calls,
    open: (which = 'right') =>
      createCompartmentCloudDestination(
        compartmentCloudConnection(cloud, which === 'right' ? {} : wrong),
        compartmentCloudContext(patientRequestMs, clock),
      ),
    environment: compartmentCloudEnvironment(cloud),
    vm: {
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
    },
    inventory: () => cloud.world.leftovers(),
    volumeGib: (id) => cloud.world.volumes.get(id)?.sizeInGBs,
    smallestVolumeGib: 50,
    loseVolume: (id) => {
      const volume = cloud.world.volumes.get(id);
      if (volume !== undefined) volume.lifecycleState = 'TERMINATED';
    },
    violations: () => cloud.violations,
    ...(behind === 'machines' ? { enter: enterWorker } : {}),
    close: () => cloud.close(),
  };
  return { cloud, lab, clock };
}

/** Instances of users, of an image that keeps names for volumes. */
export async function ownVmLab(): Promise<OwnVmLab> {
  const { cloud, lab, clock } = await openLab();
  const { world } = cloud;
  const compartmentId = [...world.compartments.values()].find(({ name }) => name === 'migrations')?.id ?? '';
  let count = 0;
  const start = (more: Partial<InstanceRecord> = {}): string => {
    count += 1;
    const image = world.images.get(cloud.idOf('image', 'Oracle-Linux-9'));
    const instance: InstanceRecord = {
      id: world.newId('instance'),
      compartmentId,
      availabilityDomain: world.setup.domains[0] ?? '',
      region: cloud.region,
      displayName: `mover-${count}`,
      timeCreated: world.now(),
      shape: 'VM.Standard2.1',
      shapeConfig: { ocpus: 1, memoryInGBs: 15 },
      launchMode: 'PARAVIRTUALIZED',
      launchOptions: {},
      metadata: {},
      lifecycleState: 'RUNNING',
      freeformTags: {},
      sourceDetails: { sourceType: 'image', imageId: image?.id ?? '' },
      imageId: image?.id ?? '',
      ...more,
    };
    world.instances.set(instance.id, instance);
    return instance.id;
  };
  const attachments = (id: string) =>
    [...world.attachments.values()].filter(
      ({ instanceId, lifecycleState }) => instanceId === id && lifecycleState !== 'DETACHED',
    );
  return {
    ...lab,
    open: () =>
      createCompartmentCloudDestination(
        compartmentCloudConnection(cloud),
        compartmentCloudContext(patientRequestMs, clock),
      ),
    tells: (id) => ({
      path: '/opc/v2/instance/',
      headers: { authorization: 'Bearer Oracle' },
      document: { id, region: cloud.region },
    }),
    noVm: world.newId('instance'),
    startVm: async () => start(),
    startVmElsewhere: async () => start({ availabilityDomain: world.setup.domains[1] ?? 'another' }),
    startFullVm: async () => {
      const id = start();
      const common = {
        availabilityDomain: world.setup.domains[0] ?? '',
        compartmentId,
        instanceId: id,
        timeCreated: world.now(),
        lifecycleState: 'ATTACHED',
      };
      for (const device of deviceNames.slice(1)) {
        const attachment = {
          ...common,
          id: world.newId('volumeattachment'),
          displayName: 'own',
          volumeId: world.newId('volume'),
          attachmentType: 'paravirtualized' as const,
          isReadOnly: false,
          device,
        };
        world.attachments.set(attachment.id, attachment);
      }
      return id;
    },
    attachedTo: (id) => attachments(id).map(({ volumeId }) => volumeId),
    runs: (id) => world.instances.get(id)?.lifecycleState === 'RUNNING',
    stopVm: (id) => void Object.assign(world.instances.get(id) ?? {}, { lifecycleState: 'STOPPED' }),
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

/** @param more of the endpoint's form */
export async function deploymentLab(more: object = {}): Promise<DeploymentLab> {
  const { cloud, calls, clock } = await startCompartmentCloudWithCalls();
  const { world } = cloud;
  const own = <R extends { readonly instanceId: string; readonly lifecycleState: string }>(
    all: Iterable<R>,
    id: string,
  ): R[] => [...all].filter((one) => one.instanceId === id && one.lifecycleState !== 'DETACHED');
  return {
    ...calls,
    open: () =>
      createCompartmentCloudDestination(
        compartmentCloudConnection(cloud, more),
        compartmentCloudContext(patientRequestMs, clock),
      ),
    environment: { ...compartmentCloudEnvironment(cloud), set_public_ip: true },
    vm,
    refused: [
      {
        about: 'a network without a mapping',
        environment: { network_map: { lan: { id: cloud.idOf('subnet', 'production') } } },
        code: 'cloud.parameter-missing',
      },
      {
        about: 'an unknown subnet',
        environment: { network_map: { lan: { id: 'nowhere' }, mgmt: { id: 'nowhere' } } },
        code: 'cloud.name-unknown',
      },
      {
        about: 'a group of another network',
        environment: {
          vcn_compartment: 'networks',
          network_map: {
            lan: { id: cloud.idOf('subnet', 'production'), security_groups: [cloud.idOf('group', 'shared-web')] },
            mgmt: { id: cloud.idOf('subnet', 'backup') },
          },
        },
        code: 'general.invalid-input',
      },
      {
        about: 'a public address where there are none',
        vm: { nics: [{ id: 'n0', network: 'mgmt' }] },
        code: 'general.invalid-input',
      },
      { about: 'an unknown shape', environment: { shape_name: 'VM.None' }, code: 'cloud.name-unknown' },
      { about: 'no shape', environment: { shape_name: '' }, code: 'cloud.parameter-missing' },
      { about: 'more memory than a shape has', vm: { memory_mb: 2 ** 21 }, code: 'general.invalid-input' },
      {
        about: 'more interfaces than a shape has',
        vm: { nics: [0, 1, 2].map((n) => ({ id: `n${n}`, network: 'lan' })) },
        code: 'general.invalid-input',
      },
      {
        about: 'an attachment that there is not',
        environment: { storage_mappings: { default: 'nvme' } },
        code: 'cloud.name-unknown',
      },
      { about: 'an unknown compartment', environment: { compartment: 'elsewhere' }, code: 'cloud.name-unknown' },
    ],
    inventory: () => world.leftovers(),
    async writeMark(volumeId, mark) {
      await using file = await open(cloud.volumePath(volumeId), 'r+');
      await file.write(Buffer.from(mark.padEnd(markBytes)), 0, markBytes, 2 ** 20);
    },
    async readMark(volumeId) {
      await using file = await open(cloud.volumePath(volumeId));
      return (await file.read(Buffer.alloc(markBytes), 0, markBytes, 2 ** 20)).buffer.toString().trimEnd();
    },
    async server(id) {
      const instance = world.instances.get(id);
      if (instance === undefined) return undefined;
      return {
        isRunning: instance.lifecycleState === 'RUNNING',
        volumeIds: [
          ...own(world.bootAttachments.values(), id).map(({ bootVolumeId }) => bootVolumeId),
          ...own(world.attachments.values(), id).map(({ volumeId }) => volumeId),
        ],
        nics: own(world.vnicAttachments.values(), id).map(({ vnicId }) => ({
          id: world.vnics.get(vnicId)?.freeformTags['causeway-nic'] ?? '',
          macAddress: world.vnics.get(vnicId)?.macAddress ?? '',
        })),
        firmware: instance.launchOptions['firmware'] === 'UEFI_64' ? 'uefi' : 'bios',
      };
    },
    violations: () => cloud.violations,
    close: () => cloud.close(),
  };
}

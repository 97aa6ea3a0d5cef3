import { open } from 'node:fs/promises';
import type { ClassicContext } from '../../electron/engine/platforms/classic-infrastructure-cloud/client/open-classic.ts';
import { createClassicDestination } from '../../electron/engine/platforms/classic-infrastructure-cloud/destination/classic-destination.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import type { Vm } from '../../shared/model/vm.ts';
import { startClassicCloud, type ClassicCloud } from '../rigs/classic-infrastructure-cloud/start.ts';
import { hurriedClock, patientRequestMs } from '../rigs/hurried-clock.ts';
import type { Clock } from '../../electron/engine/time/clock.ts';
import { enterWorker } from '../rigs/machines/enter-worker.ts';
import { labMachines, usualWorkerKind } from '../rigs/machines/kinds.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';
import type { SimulationOptions } from '../rigs/cloud-kit/start.ts';
import type { DeploymentLab } from './deployment-lab.ts';
import type { OwnVmLab } from './own-vm.ts';
import type { DestinationLab } from './destination-platform.ts';
import type { PlatformCalls } from './platform-calls.ts';
import { simulatedCalls } from './simulated-calls.ts';

const gib = 2 ** 30;
const markBytes = 64;

/** The simulated classic cloud, with its calls as the conformance suites want them. */
export async function startClassicCloudWithCalls(
  options: SimulationOptions = {},
): Promise<{ readonly cloud: ClassicCloud; readonly calls: PlatformCalls; readonly clock: Clock }> {
  const { onCall, of, clock } = simulatedCalls({
    changes: ({ method, operation }) => method !== 'GET' && operation !== 'authenticate',
  });
  const cloud = await startClassicCloud({ transitionMs: 3, ...options, onCall });
  return { cloud, calls: of(cloud), clock };
}

/** An environment that the simulated cloud carries out: whole names and last parts mixed. */
export function classicCloudEnvironment({ world }: ClassicCloud): JsonObject {
  return {
    network_map: { 'VM Network': 'production', lan: world.own('production'), mgmt: 'backup' },
    migr_image_map: { linux: '/oracle/public/OL_8.9_UEKR6_x86_64' },
    migr_shape_name: 'oc3',
    shape_name: 'oc4',
  };
}

export const classicCloudContext = (requestMs: number, clock: Clock = hurriedClock(4)): ClassicContext => ({
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
): Promise<{ readonly cloud: ClassicCloud; readonly lab: DestinationLab; readonly clock: Clock }> {
  const { cloud, calls, clock } = await startClassicCloudWithCalls(
    behind === 'machines' ? { machines: labMachines({ worker: usualWorkerKind }) } : {},
  );
  const lab: DestinationLab = {
    ...calls,
    open: (which = 'right') =>
      createClassicDestination(
        cloud.connection(which === 'right' ? {} : { password: 'another one' }),
        classicCloudContext(patientRequestMs, clock),
      ),
    environment: classicCloudEnvironment(cloud),
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
    volumeGib: (id) => {
      const volume = cloud.world.volumes.get(id);
      return volume === undefined ? undefined : Number(volume.size) / gib;
    },
    loseVolume: (id) => void cloud.world.volumes.delete(id),
    violations: () => cloud.violations,
    ...(behind === 'machines' ? { enter: enterWorker } : {}),
    close: () => cloud.close(),
  };
  return { cloud, lab, clock };
}

/** Instances of users, with two volumes of their own. */
export async function ownVmLab(): Promise<OwnVmLab> {
  const { cloud, lab, clock } = await openLab();
  const { world } = cloud;
  let count = 0;
  const start = async (volumes: number): Promise<string> => {
    count += 1;
    return world.addInstance(
      `mover-${count}`,
      await Promise.all(
        Array.from({ length: volumes }, (_, index) =>
          world.addVolume(`mover-${count}-${index}`, 2 ** 20, { bootable: index === 0 }),
        ),
      ),
    ).name;
  };
  return {
    ...lab,
    open: () => createClassicDestination(cloud.connection({}), classicCloudContext(patientRequestMs, clock)),
    noVm: world.own('nobody/1d6f3c1e-0000-4000-8000-000000000000'),
    startVm: () => start(2),
    startFullVm: () => start(10),
    attachedTo: (id) =>
      world
        .attachmentsOf(id)
        .map(({ storage_volume_name: name }) => name)
        .filter((name) => !name.includes('/mover-')),
    runs: (id) => world.instances.get(id)?.state === 'running',
    stopVm: (id) => void Object.assign(world.instances.get(id) ?? {}, { state: 'shutdown' }),
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
    { id: 'n0', network: 'lan', ip_addresses: ['10.20.0.17'] },
    { id: 'n1', network: 'mgmt', ip_addresses: ['10.30.0.18'] },
  ],
};

export async function deploymentLab(): Promise<DeploymentLab> {
  const { cloud, calls, clock } = await startClassicCloudWithCalls();
  const { world } = cloud;
  return {
    ...calls,
    open: () => createClassicDestination(cloud.connection(), classicCloudContext(patientRequestMs, clock)),
    environment: { ...classicCloudEnvironment(cloud), set_public_ip: true },
    vm,
    firmwares: ['bios'],
    inPlace: false,
    refused: [
      {
        about: 'a network without a mapping',
        environment: { network_map: { lan: 'production' } },
        code: 'cloud.parameter-missing',
      },
      {
        about: 'an unknown IP network',
        environment: { network_map: { lan: 'nowhere', mgmt: 'backup' } },
        code: 'cloud.name-unknown',
      },
      { about: 'an unknown shape', environment: { shape_name: 'oc99' }, code: 'cloud.name-unknown' },
      {
        about: 'more memory than any shape has',
        environment: { shape_name: '' },
        vm: { memory_mb: 2 ** 21 },
        code: 'cloud.parameter-missing',
      },
      {
        about: 'a storage pool that there is not',
        environment: { storage_mappings: { default: '/oracle/public/storage/floppy' } },
        code: 'cloud.name-unknown',
      },
      { about: 'an unknown key', environment: { keypair_name: 'none' }, code: 'cloud.name-unknown' },
      { about: 'a key that is disabled', environment: { keypair_name: 'old-key' }, code: 'general.invalid-input' },
      {
        about: 'an unknown worker image',
        environment: { migr_image_map: { linux: 'CPM' } },
        code: 'cloud.name-unknown',
      },
      { about: 'UEFI', vm: { firmware: 'uefi' }, code: 'general.invalid-input' },
      {
        about: 'more interfaces than an instance has',
        vm: { nics: Array.from({ length: 9 }, (_, n) => ({ id: `n${n}`, network: 'lan' })) },
        code: 'general.invalid-input',
      },
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
        isRunning: instance.state === 'running',
        volumeIds: world.attachmentsOf(id).map(({ storage_volume_name: name }) => name),
        nics: Object.values(instance.networking).map(({ vnic = '' }) => ({
          id: vnic.split('/').at(-1) ?? '',
          macAddress: world.vnics.get(vnic)?.macAddress ?? '',
        })),
        firmware: undefined,
      };
    },
    violations: () => cloud.violations,
    close: () => cloud.close(),
  };
}

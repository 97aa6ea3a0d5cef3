import { open } from 'node:fs/promises';
import {
  createOvmDestination,
  type OvmDestinationOptions,
} from '../../electron/engine/platforms/server-virtualization-manager/destination/ovm-destination.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import type { Vm } from '../../shared/model/vm.ts';
import type { SimulationOptions } from '../rigs/cloud-kit/start.ts';
import { hurriedClock, patientRequestMs } from '../rigs/hurried-clock.ts';
import type { Clock } from '../../electron/engine/time/clock.ts';
import { enterWorker } from '../rigs/machines/enter-worker.ts';
import { labMachines } from '../rigs/machines/kinds.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';
import { startManager, type SimulatedManager } from '../rigs/server-virtualization-manager/start.ts';
import { templateUser } from '../rigs/server-virtualization-manager/world.ts';
import type { DeploymentLab } from './deployment-lab.ts';
import type { DestinationLab } from './destination-platform.ts';
import type { PlatformCalls } from './platform-calls.ts';
import { simulatedCalls } from './simulated-calls.ts';

const gib = 2 ** 30;
const markBytes = 64;

/** The simulated manager, with its calls as the conformance suites want them. */
async function managerWithCalls(
  more: SimulationOptions = {},
): Promise<{ readonly manager: SimulatedManager; readonly calls: PlatformCalls; readonly clock: Clock }> {
  const { onCall, of, clock } = simulatedCalls({ changes: ({ method }) => method !== 'GET' });
  const manager = await startManager({ transitionMs: 3, ...more, onCall });
  return { manager, calls: of(manager), clock };
}

/** What there is, in the suites' words. */
const inventoryOf = ({ world }: SimulatedManager): readonly string[] =>
  world.leftovers().map((each) => each.replace(/^disk /, 'volume ').replace(/^VM /, 'server '));

/** An environment that the simulated manager carries out. */
export const ovmEnvironment: JsonObject = {
  network_map: { 'VM Network': 'VM Network', lan: 'VM Network', mgmt: 'vlan-20' },
  server_pool_name: 'pool-1',
  repository_name: 'repo-1',
  migr_template_name_map: { linux: 'linux-worker' },
  migr_template_username_map: { linux: templateUser.username },
  migr_template_password_map: { linux: templateUser.password },
};

export const ovmOptions = (clock: Clock = hurriedClock(4)): OvmDestinationOptions => ({
  clock,
  random: () => 0,
  reached: resolveAddress,
  timing: {
    requestMs: patientRequestMs,
    pollFirstMs: 2,
    pollCapMs: 5,
    volumeMs: 10_000,
    serverMs: 10_000,
    attachMs: 10_000,
    removeMs: 10_000,
  },
});

/** Where VMs are records, nobody can sign in. */
export const recordsOnly = (clock?: Clock): OvmDestinationOptions => ({
  ...ovmOptions(clock),
  enrol: async () => 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGFrZXk',
});

/** The simulated manager with VMs that are records, or workers that let the template's user in by password. */
export async function destinationLab(behind: 'records' | 'machines' = 'records'): Promise<DestinationLab> {
  const { manager, calls, clock } = await managerWithCalls(
    behind === 'machines' ? { machines: labMachines({ worker: 'user' }) } : {},
  );
  const options = behind === 'machines' ? ovmOptions(clock) : recordsOnly(clock);
  const { world } = manager;
  return {
    ...calls,
    open: (which = 'right') =>
      createOvmDestination({ ...manager.connection, ...(which === 'right' ? {} : { password: 'wrong' }) }, options),
    environment: ovmEnvironment,
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
    inventory: () => inventoryOf(manager),
    volumeGib: (id) => (world.disks.get(id)?.size ?? Number.NaN) / gib,
    loseVolume: (id) => void world.disks.delete(id),
    violations: () => manager.violations,
    ...(behind === 'machines' ? { enter: enterWorker } : {}),
    close: () => manager.close(),
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
  const { manager, calls, clock } = await managerWithCalls();
  const { world } = manager;
  const pathOf = (id: string): string => world.ground.files.path(id);
  return {
    ...calls,
    open: () => createOvmDestination(manager.connection, recordsOnly(clock)),
    environment: ovmEnvironment,
    vm,
    firmwares: ['bios'],
    refused: [
      {
        about: 'a network without a mapping',
        environment: { network_map: { lan: 'VM Network' } },
        code: 'cloud.parameter-missing',
      },
      {
        about: 'an unknown network',
        environment: { network_map: { lan: 'nowhere', mgmt: 'nowhere' } },
        code: 'cloud.name-unknown',
      },
      { about: 'an unknown server pool', environment: { server_pool_name: 'none' }, code: 'cloud.name-unknown' },
      { about: 'no repository', environment: { repository_name: '' }, code: 'cloud.parameter-missing' },
      { about: 'UEFI', vm: { firmware: 'uefi' }, code: 'general.invalid-input' },
    ],
    inventory: () => inventoryOf(manager),
    async writeMark(volumeId, mark) {
      await using file = await open(pathOf(volumeId), 'r+');
      await file.write(Buffer.from(mark.padEnd(markBytes)), 0, markBytes, 2 ** 20);
    },
    async readMark(volumeId) {
      await using file = await open(pathOf(volumeId));
      return (await file.read(Buffer.alloc(markBytes), 0, markBytes, 2 ** 20)).buffer.toString().trimEnd();
    },
    async server(id) {
      const found = world.vms.get(id);
      if (found === undefined) return undefined;
      const mappings = found.vmDiskMappingIds
        .flatMap(({ value }) => world.mappings.get(value) ?? [])
        .sort((one, other) => one.diskTarget - other.diskTarget);
      return {
        isRunning: found.vmRunState === 'RUNNING',
        volumeIds: mappings.flatMap(({ virtualDiskId }) => virtualDiskId?.value ?? []),
        nics: found.virtualNicIds.map(({ value }) => ({
          id: value,
          macAddress: world.nics.get(value)?.macAddress.toLowerCase() ?? '',
        })),
        firmware: 'bios',
      };
    },
    violations: () => manager.violations,
    close: () => manager.close(),
  };
}

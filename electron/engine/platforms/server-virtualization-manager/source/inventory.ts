import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import type { VmSummary } from '../../../ports/source-platform.ts';
import { addressesOf } from '../client/addresses.ts';
import { ledgerName } from '../client/created.ts';
import type { Manager } from '../client/open-manager.ts';
import { nameOfObject, type OvmDisk, type OvmMapping, type OvmVm } from '../client/shapes.ts';

/** A disk of a VM as the manager describes it. */
export interface VmDisk {
  readonly mapping: OvmMapping;
  readonly disk: OvmDisk;
}

/** A VM with what it is made of. */
export interface VmParts {
  readonly vm: OvmVm;
  /** Virtual disks in the order of their targets, without CDs. */
  readonly disks: readonly VmDisk[];
  /** Targets of physical disks, which are on no repository. */
  readonly physical: readonly number[];
}

const isTemplate = ({ vmRunState }: OvmVm): boolean => vmRunState === 'TEMPLATE';

/** The VMs of the manager, without templates and temporary workers. */
export async function listVms(manager: Manager, signal: AbortSignal): Promise<readonly VmSummary[]> {
  const [vms, mappings, disks, pools] = await Promise.all([
    manager.vms.list(signal),
    manager.mappings.list(signal),
    manager.disks.list(signal),
    manager.serverPools.list(signal),
  ]);
  const diskById = new Map(disks.map((disk) => [disk.id.value, disk]));
  const poolNames = new Map(pools.map((pool) => [pool.id.value, nameOfObject(pool)]));
  return vms
    .filter((vm) => !isTemplate(vm) && !ledgerName.test(vm.name ?? ''))
    .map((vm) => {
      const { disks: own } = partsOf(vm, mappings, diskById);
      const cluster = poolNames.get(vm.serverPoolId?.value ?? '');
      return {
        id: vm.id.value,
        name: nameOfObject(vm),
        os_type: osTypeOf(vm) ?? 'unknown',
        power: powerOf(vm),
        diskCount: own.length,
        totalBytes: own.reduce((sum, { disk }) => sum + disk.size, 0),
        ...(cluster === undefined ? {} : { cluster }),
      };
    });
}

/** @throws `source.vm-not-found` */
export async function readVm(manager: Manager, vmId: string, signal: AbortSignal): Promise<VmParts> {
  const vm = await manager.vms.get(vmId, signal);
  if (vm === undefined || isTemplate(vm))
    throw new CausewayError('source.vm-not-found', `the manager has no VM ${vmId}`);
  const mappings = await Promise.all(vm.vmDiskMappingIds.map(({ value }) => manager.mappings.get(value, signal)));
  const there = mappings.filter((mapping) => mapping !== undefined);
  const disks = await Promise.all(
    there.flatMap(({ virtualDiskId }) => (virtualDiskId ? [manager.disks.get(virtualDiskId.value, signal)] : [])),
  );
  return partsOf(vm, there, new Map(disks.flatMap((disk) => (disk === undefined ? [] : [[disk.id.value, disk]]))));
}

/** @throws `source.vm-not-found` */
export async function describeVm(manager: Manager, vmId: string, signal: AbortSignal): Promise<Vm> {
  const { vm, disks } = await readVm(manager, vmId, signal);
  const nics = await Promise.all(vm.virtualNicIds.map(({ value }) => manager.nics.get(value, signal)));
  const networks = new Map(
    (await manager.networks.list(signal)).map((network) => [network.id.value, nameOfObject(network)]),
  );
  const repositories = new Map(
    (await manager.repositories.list(signal)).map((repository) => [repository.id.value, nameOfObject(repository)]),
  );
  const { cpuCount, memory } = vm;
  return {
    id: vm.id.value,
    name: nameOfObject(vm),
    os_type: osTypeOf(vm) ?? 'linux',
    // The platform has no other firmware.
    firmware: 'bios',
    ...(cpuCount ? { vcpus: cpuCount } : {}),
    ...(memory ? { memory_mb: memory } : {}),
    disks: disks.map(({ disk }, index) => {
      const repository = repositories.get(disk.repositoryId?.value ?? '');
      return {
        id: disk.id.value,
        size_bytes: disk.size,
        bootable: index === 0,
        bus: vm.vmDomainType === 'XEN_HVM' ? 'ide' : 'xen',
        ...(repository === undefined ? {} : { storage_backend: repository }),
      };
    }),
    nics: nics
      .filter((nic) => nic !== undefined)
      .map((nic) => ({
        id: nic.id.value,
        network: networks.get(nic.networkId?.value ?? '') ?? nic.networkId?.name ?? nic.networkId?.value ?? 'unknown',
        ...(nic.macAddress ? { mac_address: nic.macAddress.toLowerCase() } : {}),
        ip_addresses: [...addressesOf(nic)],
      })),
  };
}

/** What no described disk carries, and what had to be assumed: a sentence each. */
export function unsupportedDevices({ vm, physical }: VmParts): readonly string[] {
  const name = nameOfObject(vm);
  return [
    ...physical.map(
      (target) =>
        `${name} has a physical disk at target ${target}, which is not replicated: the manager cannot copy it. Move its data to a virtual disk first`,
    ),
    ...(osTypeOf(vm) === undefined
      ? [
          `${name} has no operating system set, so the guest is assumed to be Linux. If it is Windows, set it in the manager`,
        ]
      : []),
  ];
}

function partsOf(vm: OvmVm, mappings: readonly OvmMapping[], disks: ReadonlyMap<string, OvmDisk>): VmParts {
  const ids = new Set(vm.vmDiskMappingIds.map(({ value }) => value));
  const own = mappings.filter(({ id }) => ids.has(id.value)).sort((one, other) => one.diskTarget - other.diskTarget);
  return {
    vm,
    disks: own.flatMap((mapping) => {
      const disk = disks.get(mapping.virtualDiskId?.value ?? '');
      return disk === undefined || disk.diskType?.includes('CD') === true ? [] : [{ mapping, disk }];
    }),
    physical: own.filter(({ storageElementId }) => storageElementId).map(({ diskTarget }) => diskTarget),
  };
}

function osTypeOf({ osType }: OvmVm): 'linux' | 'windows' | undefined {
  const text = (osType ?? '').trim();
  if (text === '' || /^(none|unknown)$/i.test(text)) return undefined;
  return /windows/i.test(text) ? 'windows' : 'linux';
}

function powerOf({ vmRunState }: OvmVm): VmSummary['power'] {
  if (vmRunState === 'RUNNING') return 'running';
  return vmRunState === 'STOPPED' ? 'stopped' : 'unknown';
}

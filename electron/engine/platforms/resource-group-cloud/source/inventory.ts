import type { Disk as CloudDisk, VirtualMachine } from '@azure/arm-compute';
import type { NetworkInterface } from '@azure/arm-network';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import { labelKeys } from '../../../cloud-resources/labels.ts';
import type { VmSummary } from '../../../ports/source-platform.ts';
import type { AzureCloud } from '../client/open-azure.ts';
import { parseResourceId } from '../client/resource-id.ts';
import { GIB, type SourceContext } from './source-context.ts';
import type { VhdBlob } from './unmanaged/vhd-blobs.ts';

/** A disk of a VM: a managed one, or a page blob. */
export interface VmDisk {
  /** `<resource group>/<name>` in lower case: what people see, and the same however a service spells it. Of an unmanaged one, `<account>/<container>/<blob>`. */
  readonly id: string;
  /** Of an unmanaged one, the address of its blob. */
  readonly resourceId: string;
  readonly sizeBytes: number;
  readonly disk: CloudDisk;
  /** Of an unmanaged one. */
  readonly blob?: VhdBlob;
}

/** A VM with what it is made of. */
export interface VmParts {
  readonly vm: VirtualMachine;
  readonly id: string;
  /** The OS disk first, then data disks by their LUNs. */
  readonly disks: readonly VmDisk[];
}

/** `<resource group>/<name>` of a resource. */
export function shortId(resourceId: string | undefined): string {
  const { group, name } = parseResourceId(resourceId);
  return `${group}/${name}`.toLowerCase();
}

/** VMs of the subscription, without temporary workers. */
export async function listVms(cloud: AzureCloud, signal: AbortSignal): Promise<readonly VmSummary[]> {
  const compute = await cloud.compute();
  const [vms, states, disks] = await Promise.all([
    cloud.list('list VMs', (options) => compute.virtualMachines.listAll(options), signal),
    cloud.list(
      'list the states of VMs',
      (options) => compute.virtualMachines.listAll({ ...options, statusOnly: 'true' }),
      signal,
    ),
    cloud.list('list disks', (options) => compute.disks.list(options), signal),
  ]);
  const sizes = new Map(disks.map((disk) => [disk.id?.toLowerCase(), sizeOf(disk)]));
  const powers = new Map(states.map((vm) => [vm.id?.toLowerCase(), powerOf(vm)]));
  return vms
    .filter((vm) => vm.tags?.[labelKeys.role] === undefined)
    .map((vm): VmSummary => {
      const all = disksOf(vm);
      return {
        id: shortId(vm.id),
        name: vm.name ?? shortId(vm.id),
        os_type: osTypeOf(vm) ?? 'unknown',
        power: powers.get(vm.id?.toLowerCase()) ?? 'unknown',
        diskCount: all.length,
        totalBytes: all.reduce((sum, { id, sizeGib }) => sum + (sizes.get(id.toLowerCase()) ?? sizeGib * GIB), 0),
        folder: `${vm.location}/${parseResourceId(vm.id).group}`,
        tags: Object.entries(vm.tags ?? {}).map(([key, value]) => (value === '' ? key : `${key}: ${value}`)),
      };
    });
}

/**
 * @param vmId `<resource group>/<name>`, or a name alone, which is looked for in the environment's resource group and region
 * @throws `source.vm-not-found`
 */
export async function readVm(
  context: Pick<SourceContext, 'cloud' | 'vhds'>,
  vmId: string,
  environment: JsonObject | undefined,
  signal: AbortSignal,
): Promise<VmParts> {
  const { cloud, vhds } = context;
  const vm = await findVm(cloud, vmId, environment ?? {}, signal);
  const compute = await cloud.compute();
  const disks = await Promise.all(
    disksOf(vm).map(async ({ id: resourceId, name: called, isManaged }): Promise<VmDisk> => {
      if (!isManaged) {
        const blob = await vhds.demand(resourceId, called, signal);
        const { id, url, location, sku: name } = blob;
        return {
          id,
          resourceId: url,
          sizeBytes: await vhds.sizeOf(blob, signal),
          disk: { location, ...(name === undefined ? {} : { sku: { name } }) },
          blob,
        };
      }
      const { group, name } = parseResourceId(resourceId);
      const disk = await cloud.call(`get disk ${name}`, (options) => compute.disks.get(group, name, options), signal);
      return { id: shortId(resourceId), resourceId, sizeBytes: sizeOf(disk), disk };
    }),
  );
  return { vm, id: shortId(vm.id), disks };
}

export async function findVm(
  cloud: AzureCloud,
  vmId: string,
  environment: JsonObject,
  signal: AbortSignal,
): Promise<VirtualMachine> {
  const compute = await cloud.compute();
  const location = textOf(environment['location']);
  const wantedGroup = textOf(environment['resource_group']);
  const [given, inGroup] = vmId.includes('/') ? vmId.split('/') : [wantedGroup, vmId];
  const name = inGroup ?? vmId;
  const found =
    given !== undefined
      ? await cloud.find(`get VM ${name}`, (options) => compute.virtualMachines.get(given, name, options), signal)
      : (await cloud.list('list VMs', (options) => compute.virtualMachines.listAll(options), signal)).find(
          (vm) =>
            vm.name?.toLowerCase() === name.toLowerCase() &&
            (location === undefined || isLocation(vm.location, location)),
        );
  if (found === undefined) throw new CausewayError('source.vm-not-found', `the subscription has no VM ${vmId}`);
  if (wantedGroup !== undefined && parseResourceId(found.id).group.toLowerCase() !== wantedGroup.toLowerCase()) {
    throw new CausewayError('source.vm-not-found', `VM ${vmId} is not in resource group ${wantedGroup}`, {
      details: { parameter: 'resource_group' },
    });
  }
  if (location !== undefined && !isLocation(found.location, location)) {
    throw new CausewayError('source.vm-not-found', `VM ${vmId} is in region ${found.location}, not in ${location}`, {
      details: { parameter: 'location' },
    });
  }
  return found;
}

/** `West Europe` is `westeurope`. */
const isLocation = (one: string, other: string): boolean => plain(one) === plain(other);
const plain = (text: string): string => text.replaceAll(' ', '').toLowerCase();

export async function describeVm(cloud: AzureCloud, parts: VmParts, signal: AbortSignal): Promise<Vm> {
  const { vm, id, disks } = parts;
  const [size, nics] = await Promise.all([sizeOfVm(cloud, vm, signal), nicsOf(cloud, vm, signal)]);
  const secureBoot = vm.securityProfile?.uefiSettings?.secureBootEnabled;
  return {
    id,
    name: vm.name ?? id,
    os_type: osTypeOf(vm) ?? 'linux',
    firmware: generationOf(parts) === 'V2' ? 'uefi' : 'bios',
    ...(secureBoot === undefined ? {} : { secure_boot: secureBoot }),
    ...size,
    disks: disks.map(({ id: diskId, sizeBytes, disk }, index) => ({
      id: diskId,
      size_bytes: sizeBytes,
      bootable: index === 0,
      bus: vm.storageProfile?.diskControllerType === 'NVMe' ? 'nvme' : 'scsi',
      ...(disk.sku?.name === undefined ? {} : { storage_backend: disk.sku.name }),
    })),
    nics,
  };
}

/** Generation 2 has UEFI firmware, generation 1 a BIOS. The OS disk says which, and security types that need UEFI. */
function generationOf({ vm, disks }: VmParts): 'V1' | 'V2' {
  const type = vm.securityProfile?.securityType;
  return disks[0]?.disk.hyperVGeneration === 'V2' || type === 'TrustedLaunch' || type === 'ConfidentialVM'
    ? 'V2'
    : 'V1';
}

async function sizeOfVm(
  cloud: AzureCloud,
  vm: VirtualMachine,
  signal: AbortSignal,
): Promise<{ readonly vcpus?: number; readonly memory_mb?: number }> {
  const name = vm.hardwareProfile?.vmSize;
  const compute = await cloud.compute();
  const skus = await cloud.list(
    'list VM sizes',
    (options) => compute.resourceSkus.list({ ...options, filter: `location eq '${plain(vm.location)}'` }),
    signal,
  );
  const sku = skus.find(
    (one) => one.resourceType === 'virtualMachines' && one.name?.toLowerCase() === name?.toLowerCase(),
  );
  const capability = (wanted: string): number => Number(sku?.capabilities?.find((one) => one.name === wanted)?.value);
  const [vcpus, memory] = [capability('vCPUs'), capability('MemoryGB')];
  return { ...(vcpus > 0 ? { vcpus } : {}), ...(memory > 0 ? { memory_mb: Math.round(memory * 1024) } : {}) };
}

/** NICs of a VM, the primary one first. A network is named `<network>/<subnet>`. */
async function nicsOf(cloud: AzureCloud, vm: VirtualMachine, signal: AbortSignal): Promise<Vm['nics']> {
  const network = await cloud.network();
  const references = (vm.networkProfile?.networkInterfaces ?? []).toSorted(
    (one, other) => Number(other.primary === true) - Number(one.primary === true),
  );
  const nics = await Promise.all(
    references.map(async ({ id }) => {
      const { group, name } = parseResourceId(id);
      return cloud.call(`get NIC ${name}`, (options) => network.networkInterfaces.get(group, name, options), signal);
    }),
  );
  return nics.map((nic) => ({
    id: shortId(nic.id),
    network: networkNameOf(nic),
    ...(nic.macAddress === undefined || nic.macAddress === ''
      ? {}
      : { mac_address: nic.macAddress.replaceAll('-', ':').toLowerCase() }),
    ip_addresses: (nic.ipConfigurations ?? []).flatMap(({ privateIPAddress: address }) =>
      address === undefined ? [] : [address],
    ),
  }));
}

function networkNameOf(nic: NetworkInterface): string {
  const subnet =
    nic.ipConfigurations?.find((one) => one.primary === true)?.subnet?.id ?? nic.ipConfigurations?.[0]?.subnet?.id;
  return subnet === undefined ? 'unknown' : parseResourceId(subnet).names.join('/');
}

/** What people must know before the VM is replicated, a sentence each. */
export function remarksOn({ vm, disks }: VmParts): readonly string[] {
  const name = vm.name ?? '';
  const disksWhere = (is: (disk: CloudDisk) => boolean): string =>
    disks
      .filter(({ disk }) => is(disk))
      .map(({ id }) => id)
      .join(', ');
  const shared = disksWhere((disk) => (disk.maxShares ?? 1) > 1);
  const customerKeys = disksWhere((disk) => disk.encryption?.diskEncryptionSetId !== undefined);
  const slow = disksWhere((disk) => isLate(disk));
  const unmanaged = disks
    .filter(({ blob }) => blob !== undefined)
    .map(({ id }) => id)
    .join(', ');
  return [
    `${name}: the temporary disk of its size, if it has one, is not replicated`,
    ...(disks.length > 1
      ? [
          `${name} has ${disks.length} disks: each snapshot is of its disk alone, and they are requested at the same time. Applications that write to several disks are best shut down before the last execution`,
        ]
      : []),
    ...(unmanaged === ''
      ? []
      : [
          `${unmanaged}: unmanaged, read from snapshots of the page blob by the signed-in identity, which needs the role Storage Blob Data Contributor on the storage account`,
        ]),
    ...(shared === ''
      ? []
      : [`${shared} may be attached to several VMs: what the others write during a snapshot may be in it or not`]),
    ...(customerKeys === ''
      ? []
      : [
          `${customerKeys}: encrypted with a disk encryption set. Its snapshots need access to the same set; the replica is encrypted as the destination is`,
        ]),
    ...(slow === ''
      ? []
      : [
          `${slow}: snapshots of Ultra Disks and Premium SSD v2 can be read once they have been copied in the background, which takes as long as the data`,
        ]),
  ];
}

/** Disks with snapshots that are copied in the background. */
export const isLate = (disk: Pick<CloudDisk, 'sku'>): boolean =>
  ['UltraSSD_LRS', 'PremiumV2_LRS'].includes(disk.sku?.name ?? '');

/** @throws `source.unsupported` for disks that cannot be read from outside of the VM */
export function refuseUnreadable({ vm, id, disks }: VmParts): void {
  const refuse = (why: string): never => {
    throw new CausewayError('source.unsupported', `VM ${id}: ${why}`);
  };
  const { osDisk, dataDisks } = vm.storageProfile ?? {};
  if (osDisk?.diffDiskSettings?.option !== undefined)
    refuse('its OS disk is ephemeral, lies on the host, and has no snapshots');
  // Disks whose place is not told are not left behind in silence.
  const placeless = [osDisk, ...(dataDisks ?? [])]
    .filter((disk) => disk !== undefined && disk.managedDisk?.id === undefined && disk.vhd?.uri === undefined)
    .map((disk) => disk?.name ?? 'a disk');
  if (placeless.length > 0) refuse(`the cloud does not tell where ${placeless.join(', ')} is`);
  if (disks.length === 0) refuse('it has no disk');
  if (vm.securityProfile?.securityType === 'ConfidentialVM')
    refuse('the disks of a confidential VM can only be decrypted by that VM');
  const inGuest = disks.filter(
    ({ disk, blob }, index) =>
      disk.encryptionSettingsCollection?.enabled === true ||
      (blob !== undefined && index === 0 && osDisk?.encryptionSettings?.enabled === true),
  );
  if (inGuest.length > 0)
    refuse(
      `${inGuest.map((disk) => disk.id).join(', ')} is encrypted inside the guest (Azure Disk Encryption) with keys of a key vault; decrypt it first`,
    );
}

interface NamedDisk {
  /** Of an unmanaged one, its address. */
  readonly id: string;
  readonly name: string;
  readonly isManaged: boolean;
  readonly sizeGib: number;
}

function disksOf(vm: VirtualMachine): readonly NamedDisk[] {
  const { osDisk, dataDisks } = vm.storageProfile ?? {};
  const inOrder = (dataDisks ?? []).toSorted((one, other) => one.lun - other.lun);
  return [osDisk, ...inOrder].flatMap((disk) => {
    const id = disk?.managedDisk?.id ?? disk?.vhd?.uri;
    return id === undefined
      ? []
      : [
          {
            id,
            name: disk?.name ?? 'a disk',
            isManaged: disk?.managedDisk?.id !== undefined,
            sizeGib: disk?.diskSizeGB ?? 0,
          },
        ];
  });
}

/** The addresses of the blobs that VMs have as disks. */
export async function unmanagedDisks(cloud: AzureCloud, signal: AbortSignal): Promise<readonly string[]> {
  const compute = await cloud.compute();
  const vms = await cloud.list('list VMs', (options) => compute.virtualMachines.listAll(options), signal);
  return vms.flatMap((vm) =>
    disksOf(vm)
      .filter(({ isManaged }) => !isManaged)
      .map(({ id }) => id),
  );
}

function osTypeOf(vm: VirtualMachine): 'linux' | 'windows' | undefined {
  const type = vm.storageProfile?.osDisk?.osType;
  return type === undefined ? undefined : type.toLowerCase() === 'windows' ? 'windows' : 'linux';
}

export const sizeOf = (disk: Pick<CloudDisk, 'diskSizeBytes' | 'diskSizeGB'>): number =>
  disk.diskSizeBytes ?? (disk.diskSizeGB ?? 0) * GIB;

export function powerOf(vm: Pick<VirtualMachine, 'instanceView'>): VmSummary['power'] {
  const code = vm.instanceView?.statuses?.find((status) => status.code?.startsWith('PowerState/'))?.code;
  if (code === 'PowerState/running') return 'running';
  return code === 'PowerState/stopped' || code === 'PowerState/deallocated' ? 'stopped' : 'unknown';
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

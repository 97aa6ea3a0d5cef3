import type { Instance, InstanceTypeInfo, Volume } from '@aws-sdk/client-ec2';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import { labelKeys } from '../../../cloud-resources/labels.ts';
import type { VmSummary } from '../../../ports/source-platform.ts';
import type { AwsCloud } from '../client/aws-cloud.ts';
import {
  findInstance,
  labelsOf,
  listInstances,
  listInstanceTypes,
  listSubnets,
  listVolumes,
  nameTag,
} from '../client/compute.ts';

/** An EBS volume of an instance. */
export interface InstanceDisk {
  readonly id: string;
  readonly sizeBytes: number;
  readonly device: string;
  readonly isRoot: boolean;
  readonly type: string | undefined;
  readonly kmsKeyId: string | undefined;
  /** How many instances have it: more than one with Multi-Attach. */
  readonly attachments: number;
}

/** An instance with its disks, the one that it boots from first. */
export interface InstanceParts {
  readonly instance: Instance;
  readonly id: string;
  readonly name: string;
  readonly disks: readonly InstanceDisk[];
}

/** The VMs of the region, without temporary workers. */
export async function listVms(cloud: AwsCloud, gib: number, signal: AbortSignal): Promise<readonly VmSummary[]> {
  const [instances, volumes] = await Promise.all([
    listInstances(cloud, [], signal),
    listVolumes(cloud, [{ Name: 'attachment.status', Values: ['attached', 'attaching', 'busy'] }], signal),
  ]);
  return instances.flatMap((instance) => {
    const labels = labelsOf(instance.Tags);
    if (instance.InstanceId === undefined || labels[labelKeys.role] !== undefined) return [];
    const { id, name, disks } = partsOf(instance, volumes, gib);
    const zone = instance.Placement?.AvailabilityZone;
    const tags = Object.entries(labels)
      .filter(([key]) => key !== 'Name')
      .map(([key, value]) => (value === '' ? key : `${key}: ${value}`));
    return [
      {
        id,
        name,
        os_type: osOf(instance),
        power: powerOf(instance),
        diskCount: disks.length,
        totalBytes: disks.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        ...(instance.VpcId === undefined ? {} : { folder: instance.VpcId }),
        ...(zone === undefined ? {} : { cluster: zone }),
        ...(tags.length === 0 ? {} : { tags }),
      },
    ];
  });
}

/** @throws `source.vm-not-found` */
export async function readInstance(
  cloud: AwsCloud,
  vmId: string,
  gib: number,
  signal: AbortSignal,
): Promise<InstanceParts> {
  const instance = await findInstance(cloud, vmId, signal);
  const state = instance?.State?.Name;
  if (instance === undefined || state === 'terminated' || state === 'shutting-down') {
    throw new CausewayError(
      'source.vm-not-found',
      `region ${cloud.connection.region} has no VM ${vmId}${state === undefined ? '' : ` (it is ${state})`}`,
    );
  }
  const volumes = await listVolumes(cloud, [{ Name: 'attachment.instance-id', Values: [vmId] }], signal);
  return partsOf(instance, volumes, gib);
}

export async function describeVm(cloud: AwsCloud, vmId: string, gib: number, signal: AbortSignal): Promise<Vm> {
  const parts = await readInstance(cloud, vmId, gib, signal);
  const { instance, id, name, disks } = parts;
  const [type, networks] = await Promise.all([typeOf(cloud, instance, signal), networkNames(cloud, instance, signal)]);
  const vcpus = type?.VCpuInfo?.DefaultVCpus;
  const memory = type?.MemoryInfo?.SizeInMiB;
  const bus = instance.Hypervisor === 'xen' && type?.Hypervisor !== 'nitro' ? 'xen' : 'nvme';
  return {
    id,
    name,
    os_type: osOf(instance),
    firmware: firmwareOf(instance),
    ...(vcpus === undefined ? {} : { vcpus }),
    ...(memory === undefined ? {} : { memory_mb: memory }),
    disks: disks.map((disk) => ({
      id: disk.id,
      size_bytes: disk.sizeBytes,
      bootable: disk.isRoot,
      bus,
      ...(disk.type === undefined ? {} : { storage_backend: disk.type }),
    })),
    nics: nicsOf(instance).map((nic) => ({
      id: nic.NetworkInterfaceId ?? '',
      network: networks.get(nic.SubnetId ?? '') ?? nic.SubnetId ?? 'unknown',
      ...(nic.MacAddress === undefined ? {} : { mac_address: nic.MacAddress.toLowerCase() }),
      ip_addresses: [
        ...(nic.PrivateIpAddresses ?? []).flatMap(({ PrivateIpAddress: address }) => address ?? []),
        ...(nic.Ipv6Addresses ?? []).flatMap(({ Ipv6Address: address }) => address ?? []),
      ],
    })),
  };
}

/** What people must know of a VM before it is replicated, one sentence each. */
export async function unsupportedDevices(
  cloud: AwsCloud,
  vmId: string,
  gib: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { instance, name, disks } = await readInstance(cloud, vmId, gib, signal);
  const type = await typeOf(cloud, instance, signal);
  const store = type?.InstanceStorageInfo?.TotalSizeInGB ?? 0;
  const shared = disks.filter(({ attachments }) => attachments > 1);
  const group = scalingGroupOf(instance);
  return [
    ...(group === undefined
      ? []
      : [
          `${name} is in the Auto Scaling group ${group}, which terminates and replaces VMs that are stopped: detach it or put it in standby there before it is shut down`,
        ]),
    ...(store > 0
      ? [
          `${name} has instance-store disks of ${store} GB (${instance.InstanceType}), which are not replicated: copy needed data to an EBS volume first. Stopping the VM erases them`,
        ]
      : []),
    ...shared.map(
      (disk) =>
        `Volume ${disk.id} of ${name} is attached to ${disk.attachments} VMs (Multi-Attach): its snapshot is only consistent if the other VMs do not write`,
    ),
    ...(instance.Architecture !== undefined && !['x86_64', 'i386', 'x86_64_mac'].includes(instance.Architecture)
      ? [
          `${name} is of architecture ${instance.Architecture}: it only starts at a destination with machine types of this architecture`,
        ]
      : []),
    ...(instance.Platform === 'Windows' || (instance.PlatformDetails ?? 'Linux/UNIX') === 'Linux/UNIX'
      ? []
      : [`${name} has the licence "${instance.PlatformDetails}" of its cloud, which does not move with the VM`]),
  ];
}

/** The Auto Scaling group that an instance is in, as the service tags it. */
export const scalingGroupOf = ({ Tags: tags }: Pick<Instance, 'Tags'>): string | undefined =>
  labelsOf(tags)['aws:autoscaling:groupName'];

/** @throws `source.unsupported` for an instance that has no EBS root volume or is paravirtual */
export function requireExportable({ instance, name, disks }: InstanceParts): void {
  if (disks.length === 0 || instance.RootDeviceType === 'instance-store') {
    throw new CausewayError(
      'source.unsupported',
      `${name} boots from instance store: only EBS volumes can be replicated. Create an image from it and start it from EBS first`,
      { details: { vmId: instance.InstanceId ?? '' } },
    );
  }
  if (instance.VirtualizationType === 'paravirtual') {
    throw new CausewayError(
      'source.unsupported',
      `${name} is paravirtual (PV): its guest has no boot loader for other platforms. Convert it to HVM first`,
      { details: { vmId: instance.InstanceId ?? '' } },
    );
  }
}

function partsOf(instance: Instance, volumes: readonly Volume[], gib: number): InstanceParts {
  const id = instance.InstanceId ?? '';
  const disks = volumes.flatMap((volume): InstanceDisk[] => {
    const attachment = volume.Attachments?.find(
      (one) => one.InstanceId === id && one.State !== 'detaching' && one.State !== 'detached',
    );
    if (attachment === undefined || volume.VolumeId === undefined || volume.Size === undefined) return [];
    const device = attachment.Device ?? '';
    return [
      {
        id: volume.VolumeId,
        sizeBytes: volume.Size * gib,
        device,
        isRoot: device === instance.RootDeviceName,
        type: volume.VolumeType,
        kmsKeyId: volume.Encrypted === true ? volume.KmsKeyId : undefined,
        attachments: volume.Attachments?.length ?? 1,
      },
    ];
  });
  // By length first: /dev/sdz comes before /dev/sdaa.
  disks.sort(
    (one, other) =>
      Number(other.isRoot) - Number(one.isRoot) ||
      one.device.length - other.device.length ||
      (one.device < other.device ? -1 : 1),
  );
  return { instance, id, name: nameTag(instance.Tags) ?? id, disks };
}

const osOf = ({ Platform: platform, PlatformDetails: details }: Instance): 'linux' | 'windows' =>
  platform === 'Windows' || details?.startsWith('Windows') === true ? 'windows' : 'linux';

/** What it was started with; the wish of its image where it was never running. */
function firmwareOf({ CurrentInstanceBootMode: current, BootMode: wanted }: Instance): 'bios' | 'uefi' {
  return (current ?? wanted) === 'uefi' ? 'uefi' : 'bios';
}

function powerOf({ State: state }: Instance): VmSummary['power'] {
  if (state?.Name === 'running') return 'running';
  return state?.Name === 'stopped' ? 'stopped' : 'unknown';
}

function nicsOf({ NetworkInterfaces: nics = [] }: Instance) {
  return nics.toSorted(
    (one, other) =>
      (one.Attachment?.DeviceIndex ?? 0) - (other.Attachment?.DeviceIndex ?? 0) ||
      (one.Attachment?.NetworkCardIndex ?? 0) - (other.Attachment?.NetworkCardIndex ?? 0),
  );
}

async function typeOf(
  cloud: AwsCloud,
  { InstanceType: type }: Instance,
  signal: AbortSignal,
): Promise<InstanceTypeInfo | undefined> {
  return type === undefined ? undefined : (await listInstanceTypes(cloud, [type], signal))[0];
}

/** Subnets by the names that people gave them; one whose name is not its own keeps its id. */
async function networkNames(
  cloud: AwsCloud,
  instance: Instance,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(nicsOf(instance).flatMap(({ SubnetId: id }) => id ?? []))];
  if (ids.length === 0) return new Map();
  const subnets = await listSubnets(cloud, [], signal);
  const names = subnets.map(({ Tags: tags }) => nameTag(tags));
  return new Map(
    subnets.flatMap(({ SubnetId: id, Tags: tags }) => {
      const name = nameTag(tags);
      if (id === undefined || !ids.includes(id)) return [];
      return [[id, name === undefined || names.filter((one) => one === name).length > 1 ? id : name]];
    }),
  );
}

import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import { resolve, resolvedOrThrow } from '../../../cloud-resources/resolve-reference.ts';
import type { QuotaNeeds } from '../../../cloud-resources/quota-needs.ts';
import { callerRanges, type WorkerNetwork } from '../../../workers/caller-address.ts';
import { needsOfWorker, type WorkerNeeds } from '../../../workers/worker-needs.ts';
import { workerOs, workerPorts } from '../../../workers/worker-ports.ts';
import type { WorkerRole } from '../../../ports/destination-platform.ts';
import { required, type DestinationEnvironment } from './environment.ts';
import { listSubnets, type MappedSubnet } from './network-calls.ts';
import { diskQuota, imageNamed, needsOfSize, readOffers, sizeNamed, type ImageFacts, type VmSize } from './offers.ts';
import { callerOf, placeOf, type AzureSession } from './session.ts';
import { diskTypeOf, usualDiskType, zoneFor } from './disk-types.ts';

/** The network that is made for workers when the endpoint names none. Nothing is routed between it and others. */
export const ownNetworkPrefix = '10.213.0.0/24';

/** Everything about a worker that is known before anything is created. */
export interface WorkerPlan {
  readonly os: 'linux' | 'windows';
  readonly zone: string | undefined;
  /** Undefined: a network of its own is made. */
  readonly subnet: MappedSubnet | undefined;
  readonly image: ImageFacts;
  readonly size: VmSize;
  readonly publicAddress: boolean;
  readonly ports: readonly number[];
  readonly takesUltraDisks: boolean;
}

/** @throws `cloud.parameter-missing`, `cloud.name-unknown`, `general.invalid-input` */
export async function planWorker(
  session: AzureSession,
  environment: DestinationEnvironment,
  vm: Vm,
  role: WorkerRole,
  signal: AbortSignal,
): Promise<WorkerPlan> {
  const os = workerOs(role);
  const { connection } = session;
  const place = placeOf(session, environment);
  const offers = await readOffers(session, place.location, signal);
  const size = sizeNamed(offers, 'worker_size', required(environment, 'worker_size'));
  const parameter = os === 'linux' ? 'linux_migr_image' : 'windows_migr_image';
  const image = await imageNamed(session, place.location, parameter, environment[parameter], signal);
  const problems = [
    ...workerProblems(size, image, os, vm, environment),
    ...(role === 'disk-copy' ? [] : tooManyDisks(size, vm)),
  ];
  if (problems.length > 0)
    throw new CausewayError('general.invalid-input', `worker_size: ${problems.join('; ')}`, {
      details: { parameter: 'worker_size', problems: [...problems] },
    });
  const subnet =
    connection.workerSubnet === undefined
      ? undefined
      : resolvedOrThrow(
          'subnet',
          'worker_subnet',
          connection.workerSubnet,
          resolve(await listSubnets(session, place, signal), connection.workerSubnet),
        );
  return {
    os,
    zone: zoneFor(session, environment, vm, offers),
    subnet,
    image,
    size,
    publicAddress: connection.workerUsePublicIp,
    ports: workerPorts(role, connection.dataTransferMechanism),
    takesUltraDisks: vm.disks.some((disk) => diskTypeOf(disk, environment) === 'UltraSSD_LRS'),
  };
}

/** Why a worker of this size can't be had with this image and the VM's disks, each in one sentence. */
export function workerProblems(
  size: VmSize,
  image: ImageFacts,
  os: 'linux' | 'windows',
  vm: Vm,
  environment: DestinationEnvironment,
): readonly string[] {
  const types = [...new Set(vm.disks.map((disk) => diskTypeOf(disk, environment)))];
  const premium = types.filter((type) => type.startsWith('Premium'));
  return [
    ...(image.system !== undefined && image.system !== os ? [`image ${image.name} is a ${image.system} image`] : []),
    ...(size.architecture === image.architecture
      ? []
      : [`image ${image.name} (${image.architecture}) does not run on ${size.name} (${size.architecture})`]),
    ...(size.generations.includes(image.generation)
      ? []
      : [`${size.name} does not boot generation ${image.generation === 'V2' ? 2 : 1} of image ${image.name}`]),
    ...(size.hasScsi ? [] : [`${size.name} has NVMe disks only: workers find their disks by SCSI numbers`]),
    ...(size.dataDisks === 0 ? [`${size.name} takes no data disks`] : []),
    ...(premium.length > 0 && !size.premium ? [`${size.name} does not take disks of ${premium.join(', ')}`] : []),
    ...(types.includes('UltraSSD_LRS') && size.ultraZones.length === 0
      ? [`${size.name} does not take ultra disks`]
      : []),
  ];
}

/** A worker that prepares a guest needs all of its disks at once; one that copies takes them in turns. */
export function tooManyDisks(size: VmSize, vm: Vm): readonly string[] {
  return vm.disks.length > size.dataDisks
    ? [`${size.name} takes ${size.dataDisks} data disks, and the VM has ${vm.disks.length} disks`]
    : [];
}

export function workerNeeds(plan: WorkerPlan): WorkerNeeds {
  return {
    server: { ...needsOfSize(plan.size), [diskQuota(usualDiskType)]: 1 },
    nic: { NetworkInterfaces: 1 },
    'security-group': { NetworkSecurityGroups: 1, ...(plan.subnet === undefined ? { VirtualNetworks: 1 } : {}) },
    ...(plan.publicAddress ? { 'public-ip': { StandardSkuPublicIpAddresses: 1 } } : {}),
  };
}

/** What a disk copy worker of this environment needs, opened to the computer that asks. */
export async function copyWorkerNeeds(
  session: AzureSession,
  environment: DestinationEnvironment,
  vm: Vm,
  signal: AbortSignal,
): Promise<QuotaNeeds> {
  const plan = await planWorker(session, environment, vm, 'disk-copy', signal);
  await callerRanges(callerOf(session), callerQuestion(plan), signal);
  return needsOfWorker(workerNeeds(plan));
}

/** What has to be known of a worker to tell from where it will be reached. */
export function callerQuestion({ subnet, publicAddress }: WorkerPlan): WorkerNetwork {
  return {
    publicAddress,
    prefixes: subnet?.prefixes ?? [ownNetworkPrefix],
    gateway: typeof subnet?.gateway === 'string' ? subnet.gateway : undefined,
  };
}

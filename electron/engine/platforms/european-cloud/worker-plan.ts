import { callerRanges, type WorkerNetwork } from '../../workers/caller-address.ts';
import { resolve, resolvedOrThrow, resolveText } from '../../cloud-resources/resolve-reference.ts';
import type { QuotaNeeds } from '../../cloud-resources/quota-needs.ts';
import { bootVolumeGib, needsOfWorker, type WorkerNeeds } from '../../workers/worker-needs.ts';
import { workerOs, workerPorts } from '../../workers/worker-ports.ts';
import type { WorkerRole } from '../../ports/destination-platform.ts';
import { callerOf } from './cloud-calls.ts';
import { required, workerImage, type DestinationEnvironment } from './environment.ts';
import type { CloudImage, MachineType } from './iaas/catalog-lists.ts';
import type { Iaas } from './iaas/iaas.ts';
import type { CloudNetwork } from './iaas/networks.ts';
import { resolveImage } from './image-names.ts';
import type { CloudSession } from './session.ts';

/** Everything about a worker that is known before anything is created. */
export interface WorkerPlan {
  readonly os: 'linux' | 'windows';
  readonly zone: string;
  readonly network: CloudNetwork;
  readonly image: CloudImage;
  readonly machineType: MachineType;
  readonly bootVolumeGib: number;
  readonly bootVolumeClass: string | undefined;
  readonly publicAddress: boolean;
  readonly ports: readonly number[];
}

/** @throws `cloud.parameter-missing`, `cloud.name-unknown`, `cloud.name-ambiguous`, `general.invalid-input` */
export async function planWorker(
  iaas: Iaas,
  environment: DestinationEnvironment,
  role: WorkerRole,
  signal: AbortSignal,
): Promise<WorkerPlan> {
  const os = workerOs(role);
  const names = {
    zone: required(environment, 'availability_zone'),
    network: required(environment, 'migr_network'),
    machineType: required(environment, 'migr_machine_type'),
    image: workerImage(environment, os),
  };
  const [networks, types, images, zones, classes] = await Promise.all([
    iaas.networks.list(signal),
    iaas.lists.machineTypes(signal),
    imagesFor(iaas, environment, [names.image], signal),
    iaas.lists.availabilityZones(signal),
    environment.migr_worker_volume_performance_class === undefined ? [] : iaas.lists.performanceClasses(signal),
  ]);
  resolvedOrThrow('availability zone', 'availability_zone', names.zone, resolveText(zones, names.zone));
  if (environment.migr_worker_volume_performance_class !== undefined) {
    const wanted = environment.migr_worker_volume_performance_class;
    resolvedOrThrow(
      'volume performance class',
      'migr_worker_volume_performance_class',
      wanted,
      resolveText(
        classes.map((each) => each.name),
        wanted,
      ),
    );
  }
  const image = resolvedOrThrow('image', `migr_image_map.${os}`, names.image, resolveImage(images, names.image));
  const typed = types.map((type) => ({ ...type, id: type.name }));
  const machineType = resolvedOrThrow(
    'machine type',
    'migr_machine_type',
    names.machineType,
    resolve(typed, names.machineType),
  );
  return {
    os,
    zone: names.zone,
    network: resolvedOrThrow('network', 'migr_network', names.network, resolve(networks, names.network)),
    image,
    machineType,
    bootVolumeGib: bootVolumeSize(environment.migr_worker_volume_size, image, machineType),
    bootVolumeClass: environment.migr_worker_volume_performance_class,
    publicAddress: environment.migr_worker_use_public_ip,
    ports: workerPorts(role, environment.data_transfer_mechanism),
  };
}

/**
 * The images to look names up in. The short list holds current builds only; a name or id that it lacks may still be an
 * earlier one, so that the long list is asked for then.
 */
export async function imagesFor(
  iaas: Iaas,
  environment: Pick<DestinationEnvironment, 'list_all_images'>,
  wanted: readonly string[],
  signal: AbortSignal,
): Promise<readonly CloudImage[]> {
  const images = await iaas.lists.images(environment.list_all_images, signal);
  const complete =
    environment.list_all_images || wanted.every((name) => resolveImage(images, name).outcome === 'found');
  return complete ? images : await iaas.lists.images(true, signal);
}

/** GiB of a worker's boot volume: as asked, else the image's minimum, else what the machine type brings. */
export function bootVolumeSize(
  asked: number | undefined,
  image: Pick<CloudImage, 'name' | 'minDiskSize'>,
  type: Pick<MachineType, 'name' | 'disk'>,
): number {
  const needs = image.minDiskSize ?? 0;
  return bootVolumeGib(
    asked,
    { name: image.name, needs },
    needs > 0 ? needs : (type.disk ?? 0),
    `machine type ${type.name}`,
    'migr_worker_volume_size',
  );
}

/** @param ranges how many ranges of addresses the worker is opened to */
export function workerNeeds(plan: WorkerPlan, ranges: number): WorkerNeeds {
  return {
    server: { vcpu: plan.machineType.vcpus, ram: plan.machineType.ram, volumes: 1, gigabytes: plan.bootVolumeGib },
    nic: { nics: 1 },
    'security-group': { securityGroups: 1, securityGroupRules: plan.ports.length * ranges },
    ...(plan.publicAddress ? { 'public-ip': { publicIps: 1 } } : {}),
  };
}

/** What a disk copy worker of this environment needs, opened to the computer that asks. */
export async function copyWorkerNeeds(
  session: CloudSession,
  iaas: Iaas,
  environment: DestinationEnvironment,
  signal: AbortSignal,
): Promise<QuotaNeeds> {
  const plan = await planWorker(iaas, environment, 'disk-copy', signal);
  return needsOfWorker(workerNeeds(plan, (await callerRanges(callerOf(session), callerQuestion(plan), signal)).length));
}

/** What has to be known of a worker to tell from where it will be reached. */
export function callerQuestion(plan: WorkerPlan): WorkerNetwork {
  const gateway = plan.network.ipv4?.gateway;
  return {
    publicAddress: plan.publicAddress,
    prefixes: plan.network.ipv4?.prefixes ?? [],
    ...(typeof gateway === 'string' ? { gateway } : {}),
  };
}

import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { callerRanges, type Caller, type WorkerNetwork } from '../../../workers/caller-address.ts';
import { resolve, resolvedOrThrow } from '../../../cloud-resources/resolve-reference.ts';
import type { QuotaNeeds } from '../../../cloud-resources/quota-needs.ts';
import { bootVolumeGib, needsOfWorker, type WorkerNeeds } from '../../../workers/worker-needs.ts';
import { workerOs, workerPorts } from '../../../workers/worker-ports.ts';
import type { WorkerRole } from '../../../ports/destination-platform.ts';
import type { Flavor } from '../client/compute.ts';
import type { Image } from '../client/image.ts';
import type { Network } from '../client/network.ts';
import type { OpenStackCloud } from '../client/open-cloud.ts';
import type { OpenStackSession } from './context.ts';
import { required, workerImage, type DestinationEnvironment } from './environment.ts';
import { findPool, resolveNetwork, type FloatingIpPool } from './networks.ts';
import { volumeNeeds } from './quotas.ts';

/** Everything about a worker that is known before anything is created. */
export interface WorkerPlan {
  readonly os: 'linux' | 'windows';
  readonly network: Network;
  readonly image: NamedImage;
  readonly flavor: Flavor;
  /** Set when it boots from a volume. GiB. */
  readonly bootVolume: { readonly sizeGib: number; readonly type: string | undefined } | undefined;
  /** Set when it gets a floating IP. */
  readonly pool: FloatingIpPool | undefined;
  readonly ports: readonly number[];
  readonly configDrive: boolean;
  /** What tells from where it will be reached. */
  readonly reachedThrough: WorkerNetwork;
}

export type NamedImage = Image & { readonly name: string };

/** Images that can be booted, each with a name: not the kernels and initial ramdisks that stand beside them. */
export async function listImages(cloud: OpenStackCloud, signal: AbortSignal): Promise<readonly NamedImage[]> {
  const images = await cloud.image.list({}, signal);
  const isPart = ({ disk_format: format }: Image): boolean => format === 'aki' || format === 'ari';
  return images
    .filter((image) => image.os_hidden !== true && !isPart(image))
    .map((image) => ({ ...image, name: image.name ?? image.id }));
}

/** @throws `cloud.parameter-missing`, `cloud.name-unknown`, `cloud.name-ambiguous`, `general.invalid-input` */
export async function planWorker(
  cloud: OpenStackCloud,
  environment: DestinationEnvironment,
  role: WorkerRole,
  signal: AbortSignal,
): Promise<WorkerPlan> {
  const os = workerOs(role);
  const wanted = {
    network: required(environment, 'migr_network'),
    flavor: required(environment, 'migr_flavor_name'),
    image: workerImage(environment, os),
  };
  const fromVolume = environment.migr_worker_boot_from_volume;
  const [{ projectId }, networks, flavors, images, types, pool] = await Promise.all([
    cloud.identity(signal),
    cloud.network.networks({}, signal),
    cloud.compute.flavors(signal),
    listImages(cloud, signal),
    fromVolume && environment.migr_worker_volume_type !== undefined ? cloud.volume.types(signal) : [],
    environment.migr_worker_use_fip
      ? findPool(cloud, 'migr_fip_pool_name', environment.migr_fip_pool_name, signal)
      : undefined,
  ]);
  const network = resolvedOrThrow(
    'network',
    'migr_network',
    wanted.network,
    resolveNetwork(networks, projectId, wanted.network),
  );
  const image = usableImage(
    resolvedOrThrow('image', wanted.image.parameter, wanted.image.name, resolve(images, wanted.image.name)),
    wanted.image.parameter,
  );
  const flavor = resolvedOrThrow('flavor', 'migr_flavor_name', wanted.flavor, resolve(flavors, wanted.flavor));
  const typeName = environment.migr_worker_volume_type;
  const type =
    fromVolume && typeName !== undefined
      ? resolvedOrThrow('volume type', 'migr_worker_volume_type', typeName, resolve(types, typeName)).name
      : undefined;
  const subnets = pool === undefined ? await cloud.network.subnets({ networkId: network.id }, signal) : [];
  const own = subnets.filter((subnet) => subnet.ip_version === 4);
  return {
    os,
    network,
    image,
    flavor,
    bootVolume: fromVolume
      ? { sizeGib: bootVolumeSize(environment.migr_worker_volume_size, image, flavor), type }
      : undefined,
    pool,
    ports: workerPorts(role, environment.data_transfer_mechanism),
    configDrive: environment.migr_worker_use_config_drive,
    reachedThrough:
      pool === undefined
        ? { publicAddress: false, prefixes: own.map(({ cidr }) => cidr), gateway: own[0]?.gateway_ip ?? undefined }
        : { publicAddress: true, prefixes: pool.prefixes, gateway: pool.gateway },
  };
}

function usableImage(image: NamedImage, parameter: string): NamedImage {
  if (image.status === 'active') return image;
  throw new CausewayError('general.invalid-input', `${parameter}: image ${image.name} has status ${image.status}`, {
    details: { parameter, status: image.status },
  });
}

/** GiB of a worker's boot volume: as asked, else the flavor's disk; never less than the image needs. */
export function bootVolumeSize(
  asked: number | undefined,
  image: Pick<Image, 'min_disk' | 'virtual_size' | 'size'> & { readonly name: string },
  flavor: Pick<Flavor, 'name' | 'disk'>,
): number {
  const content = Math.ceil((image.virtual_size ?? image.size ?? 0) / 2 ** 30);
  const needs = Math.max(image.min_disk ?? 0, content);
  return bootVolumeGib(
    asked,
    { name: image.name, needs },
    Math.max(flavor.disk, needs),
    `flavor ${flavor.name}`,
    'migr_worker_volume_size',
  );
}

/** New groups have two rules of the cloud's own, for what goes out. */
const usualRules = 2;

/** @param ranges how many ranges of addresses the worker is opened to */
export function workerNeeds(plan: WorkerPlan, ranges: number): WorkerNeeds {
  const { bootVolume } = plan;
  return {
    server: { instances: 1, cores: plan.flavor.vcpus, ram: plan.flavor.ram },
    nic: { port: 1 },
    'security-group': { security_group: 1, security_group_rule: usualRules + plan.ports.length * ranges },
    ...(plan.pool === undefined ? {} : { 'public-ip': { floatingip: 1 } }),
    ...(bootVolume === undefined ? {} : { 'boot-volume': volumeNeeds(bootVolume.type, 1, bootVolume.sizeGib) }),
  };
}

/** What a disk copy worker of this environment needs, opened to the computer that asks. */
export async function copyWorkerNeeds(
  session: OpenStackSession,
  environment: DestinationEnvironment,
  signal: AbortSignal,
): Promise<QuotaNeeds> {
  const plan = await planWorker(session.cloud, environment, 'disk-copy', signal);
  return needsOfWorker(
    workerNeeds(plan, (await callerRanges(callerOf(session, plan), plan.reachedThrough, signal)).length),
  );
}

/**
 * How this computer will reach workers with floating IPs: as the floating IP, else as the gateway of the pool where the
 * project can see that, else as the cloud itself.
 */
export function callerOf(
  { cloud, context }: OpenStackSession,
  plan?: Pick<WorkerPlan, 'pool'>,
  floatingIp?: string,
): Caller {
  const { connection } = cloud;
  return {
    addresses: connection.callerAddresses,
    egressAddress: context.egressAddress,
    publicHost: floatingIp ?? plan?.pool?.gateway ?? new URL(connection.identityUrl).hostname,
  };
}

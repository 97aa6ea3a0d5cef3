import { resolve, resolvedOrThrow, type Resolution } from '../../../cloud-resources/resolve-reference.ts';
import type { QuotaNeeds } from '../../../cloud-resources/quota-needs.ts';
import type { WorkerRole } from '../../../ports/destination-platform.ts';
import type { WorkerNetwork } from '../../../workers/caller-address.ts';
import { workerOs, workerPorts } from '../../../workers/worker-ports.ts';
import type { OciShape } from '../client/compute.ts';
import type { OciImage } from '../client/images.ts';
import type { Subnet } from '../client/network.ts';
import { required, workerImage, type DestinationEnvironment } from './environment.ts';
import { workerServerNeeds } from './quotas.ts';
import type { OciSession, Place } from './session.ts';
import { shapeOf, smallestConfig, type ShapeConfig } from './shapes.ts';

/** Everything about a worker that is known before anything is created. */
export interface WorkerPlan {
  readonly os: 'linux' | 'windows';
  readonly subnet: Subnet;
  readonly image: OciImage;
  readonly shape: OciShape;
  readonly config: { readonly shapeConfig?: ShapeConfig };
  readonly publicAddress: boolean;
  readonly ports: readonly number[];
}

/** @throws `cloud.parameter-missing`, `cloud.name-unknown`, `cloud.name-ambiguous` */
export async function planWorker(
  session: OciSession,
  place: Place,
  environment: DestinationEnvironment,
  role: WorkerRole,
  signal: AbortSignal,
): Promise<WorkerPlan> {
  const os = workerOs(role);
  const wanted = {
    subnet: required(environment, 'migr_subnet_id'),
    shape: required(environment, 'migr_shape_name'),
    image: workerImage(environment, os),
  };
  const subnet = resolvedOrThrow(
    'subnet',
    'migr_subnet_id',
    wanted.subnet,
    resolveSubnet(await subnetsOf(session, place, signal), wanted.subnet),
  );
  const image = resolvedOrThrow(
    'image',
    `migr_image_map.${os}`,
    wanted.image,
    resolveNamed(await session.images.list(place.compartmentId, signal), wanted.image),
  );
  const shape = await shapeOf(session, place, 'migr_shape_name', wanted.shape, signal);
  const allowed = subnet.prohibitPublicIpOnVnic !== true;
  return {
    os,
    subnet,
    image,
    shape,
    config: smallestConfig(shape),
    publicAddress: allowed && (session.connection.workerUsePublicIp ?? true),
    ports: workerPorts(role, session.connection.dataTransferMechanism),
  };
}

/** Subnets of the networks' compartment, and of the own one where that is another. */
export async function subnetsOf(
  session: OciSession,
  { compartmentId, networkCompartmentId }: Pick<Place, 'compartmentId' | 'networkCompartmentId'>,
  signal: AbortSignal,
): Promise<readonly Subnet[]> {
  const all = await Promise.all(
    [...new Set([networkCompartmentId, compartmentId])].map((each) => session.network.subnets(each, signal)),
  );
  return all.flat();
}

export function resolveSubnet(subnets: readonly Subnet[], wanted: string): Resolution<Subnet> {
  return resolveNamed(subnets, wanted);
}

/** By id or display name, which is no more than a name here: several resources may have it. */
export function resolveNamed<T extends { readonly id: string; readonly displayName?: string | null | undefined }>(
  all: readonly T[],
  wanted: string,
): Resolution<T> {
  return resolve(
    all.map((each) => ({ ...each, name: each.displayName ?? each.id })),
    wanted,
  );
}

export function workerNeeds(plan: WorkerPlan): { readonly server: QuotaNeeds } {
  return { server: workerServerNeeds(plan.shape, plan.config) };
}

/** What has to be known of a worker to tell from where it will be reached. */
export function callerQuestion({ publicAddress, subnet }: WorkerPlan): WorkerNetwork {
  return {
    publicAddress,
    prefixes: subnet.cidrBlock === undefined || subnet.cidrBlock === null ? [] : [subnet.cidrBlock],
    ...(typeof subnet.virtualRouterIp === 'string' ? { gateway: subnet.virtualRouterIp } : {}),
  };
}

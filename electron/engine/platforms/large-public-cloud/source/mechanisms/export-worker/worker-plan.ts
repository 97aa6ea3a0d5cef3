import type { Image, InstanceTypeInfo, Subnet } from '@aws-sdk/client-ec2';
import { CausewayError } from '../../../../../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonObject } from '../../../../../../../shared/model/json.ts';
import { listImages, listInstanceTypes, listSubnets } from '../../../client/compute.ts';
import { readInstance } from '../../inventory.ts';
import type { SourceContext } from '../../source-context.ts';

/** The default of the interface. */
const usualType = 't2.medium';

/** Everything about a worker that is known before anything is created. */
export interface WorkerPlan {
  readonly imageId: string;
  /** Of the image's own volumes. */
  readonly imageDevices: readonly string[];
  readonly type: string;
  /** Disks of these are NVMe devices with the volume's id as their serial; others are only told by their order. */
  readonly isNitro: boolean;
  readonly subnetId: string;
  readonly vpcId: string;
  readonly zone: string;
  readonly prefix: string;
}

/** @throws `cloud.parameter-missing`, `cloud.name-unknown`, `general.invalid-input` */
export async function planWorker(
  context: SourceContext,
  vmId: string,
  environment: JsonObject,
  signal: AbortSignal,
): Promise<WorkerPlan> {
  const { cloud } = context;
  const map = environment['migr_image_map'];
  const imageId = map !== undefined && isJsonObject(map) ? map['linux'] : undefined;
  if (typeof imageId !== 'string' || imageId === '')
    throw new CausewayError(
      'cloud.parameter-missing',
      'migr_image_map.linux is not set: the worker that reads disks needs a Linux image',
      { details: { parameter: 'migr_image_map.linux' } },
    );
  const given = environment['worker_instance_type'];
  const type = typeof given === 'string' && given !== '' ? given : usualType;
  const { workerSubnetId } = cloud.connection;
  const subnetId =
    workerSubnetId ??
    (await readInstance(cloud, vmId, context.gib, signal)).instance.NetworkInterfaces?.find(
      ({ Attachment: attachment }) => (attachment?.DeviceIndex ?? 0) === 0,
    )?.SubnetId;
  const [images, types, subnets] = await Promise.all([
    listImages(cloud, [imageId], signal),
    listInstanceTypes(cloud, [type], signal),
    subnetId === undefined ? [] : listSubnets(cloud, [{ Name: 'subnet-id', Values: [subnetId] }], signal),
  ]);
  const image = known('machine image', 'migr_image_map.linux', imageId, images[0]);
  const found = known('instance type', 'worker_instance_type', type, types[0]);
  const subnet = known('subnet', 'worker_subnet_id', subnetId ?? 'of the VM', subnets[0]);
  refuseOtherArchitecture(image, found, type);
  const imageDevices = (image.BlockDeviceMappings ?? []).flatMap(({ DeviceName: name, Ebs: volume }) =>
    name === undefined || volume === undefined ? [] : [name],
  );
  return {
    imageId,
    imageDevices,
    type,
    isNitro: found.Hypervisor !== 'xen',
    subnetId: subnet.SubnetId ?? '',
    vpcId: subnet.VpcId ?? '',
    zone: zoneOf(subnet),
    prefix: subnet.CidrBlock ?? '',
  };
}

function known<T>(what: string, parameter: string, name: string, found: T | undefined): T {
  if (found !== undefined) return found;
  throw new CausewayError('cloud.name-unknown', `${parameter}: the region has no ${what} ${name}`, {
    details: { parameter, name },
  });
}

function refuseOtherArchitecture(image: Image, { ProcessorInfo: processor }: InstanceTypeInfo, type: string): void {
  const possible: readonly string[] = processor?.SupportedArchitectures ?? [];
  if (image.Architecture === undefined || possible.length === 0 || possible.includes(image.Architecture)) return;
  throw new CausewayError(
    'general.invalid-input',
    `migr_image_map.linux: image ${image.ImageId} (${image.Architecture}) does not run on instance type ${type} (${possible.join(', ')})`,
    { details: { parameter: 'worker_instance_type' } },
  );
}

const zoneOf = ({ AvailabilityZone: zone }: Subnet): string => zone ?? '';

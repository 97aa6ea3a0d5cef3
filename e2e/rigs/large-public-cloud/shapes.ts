import { ApiError, type Call } from '../cloud-kit/call.ts';
import type { InstanceRecord, SnapshotRecord, VolumeRecord, World } from './world.ts';

/** Records as the API shows them, and readers of what it is asked. */

export const tagList = (tags: Readonly<Record<string, string>>): { Key: string; Value: string }[] =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));

/** The tags that a request gives to a kind of resource. */
export function tagsFor(body: Readonly<Record<string, unknown>>, type: string): Record<string, string> {
  const given = (body['TagSpecifications'] ?? []) as {
    ResourceType?: string;
    Tags?: { Key: string; Value?: string }[];
  }[];
  const tags = given.filter(({ ResourceType: one }) => one === type).flatMap(({ Tags: list = [] }) => list);
  if (tags.length > 50) throw new ApiError(400, 'more than 50 tags', { code: 'TagLimitExceeded' });
  for (const { Key: key, Value: value = '' } of tags) {
    if (key.length > 127 || value.length > 255 || key.startsWith('aws:'))
      throw new ApiError(400, `the tag ${key} is not valid`, { code: 'InvalidParameterValue' });
  }
  return Object.fromEntries(tags.map(({ Key: key, Value: value = '' }) => [key, value]));
}

interface Filter {
  readonly Name?: string;
  readonly Values?: readonly string[];
}

/** Keeps what fits all filters. A filter that is not known is refused, as by the real service. */
export function filtered<T extends { readonly tags: Readonly<Record<string, string>> }>(
  items: readonly T[],
  body: Readonly<Record<string, unknown>>,
  values: Readonly<Record<string, (item: T) => string | readonly string[] | undefined>>,
): T[] {
  const filters = (body['Filters'] ?? []) as readonly Filter[];
  return items.filter((item) =>
    filters.every(({ Name: name = '', Values: wanted = [] }) => {
      const read = values[name];
      if (read === undefined && !name.startsWith('tag:'))
        throw new ApiError(400, `The filter '${name}' is invalid`, { code: 'InvalidParameterValue' });
      const found = read === undefined ? item.tags[name.slice(4)] : read(item);
      return [found].flat().some((one) => one !== undefined && wanted.includes(one));
    }),
  );
}

/** One page of a listing; tokens are plain positions. */
export function paged<T>(
  items: readonly T[],
  { body }: Pick<Call<World>, 'body'>,
  limits: { readonly least: number; readonly most: number },
): { readonly items: readonly T[]; readonly NextToken?: string } {
  const wanted = body['MaxResults'];
  const from =
    body['NextToken'] === undefined
      ? 0
      : Number(Buffer.from(String(body['NextToken']), 'base64url').toString('utf8').replace('at:', ''));
  if (Number.isNaN(from)) throw new ApiError(400, 'The token is invalid', { code: 'InvalidParameterValue' });
  if (wanted === undefined) return { items: items.slice(from) };
  const most = Number(wanted);
  if (most < limits.least || most > limits.most)
    throw new ApiError(400, `Value ( ${most} ) for parameter maxResults is invalid`, { code: 'InvalidParameterValue' });
  const end = from + most;
  return {
    items: items.slice(from, end),
    ...(end < items.length ? { NextToken: Buffer.from(`at:${end}`).toString('base64url') } : {}),
  };
}

export function instanceShape(world: World, record: InstanceRecord): Record<string, unknown> {
  const type = world.types.find(({ name }) => name === record.type);
  const subnet = world.subnets.get(record.subnetId);
  const codes = { pending: 0, running: 16, 'shutting-down': 32, terminated: 48, stopping: 64, stopped: 80 };
  const isGone = record.state === 'terminated';
  return {
    InstanceId: record.id,
    ImageId: record.imageId,
    InstanceType: record.type,
    State: { Code: codes[record.state], Name: record.state },
    ...(record.stateReason === undefined
      ? {}
      : { StateReason: { Code: record.stateReason.code, Message: record.stateReason.message } }),
    Architecture: world.images.get(record.imageId)?.architecture ?? 'x86_64',
    Hypervisor: 'xen',
    VirtualizationType: 'hvm',
    RootDeviceType: 'ebs',
    RootDeviceName: record.rootDevice,
    BootMode: record.bootMode,
    CurrentInstanceBootMode: record.bootMode,
    PlatformDetails: record.platformDetails,
    ...(record.platformDetails.startsWith('Windows') ? { Platform: 'Windows' } : {}),
    Placement: { AvailabilityZone: subnet?.zone ?? '', Tenancy: 'default' },
    ...(isGone ? {} : { SubnetId: record.subnetId, VpcId: subnet?.vpcId ?? '', PrivateIpAddress: record.privateIp }),
    ...(record.publicIp === undefined || record.state !== 'running' ? {} : { PublicIpAddress: record.publicIp }),
    NetworkInterfaces: isGone
      ? []
      : [
          {
            NetworkInterfaceId: record.id.replace(/^i-/, 'eni-'),
            SubnetId: record.subnetId,
            VpcId: subnet?.vpcId ?? '',
            MacAddress: record.mac.toLowerCase(),
            Status: 'in-use',
            PrivateIpAddress: record.privateIp,
            PrivateIpAddresses: [{ Primary: true, PrivateIpAddress: record.privateIp }],
            Attachment: { DeviceIndex: 0, NetworkCardIndex: 0, Status: 'attached' },
            Groups: record.groupIds.map((id) => ({ GroupId: id, GroupName: world.groups.get(id)?.name ?? id })),
          },
        ],
    BlockDeviceMappings: world.volumesOf(record.id).map(({ id, attachment }) => ({
      DeviceName: attachment?.device ?? '',
      Ebs: { VolumeId: id, Status: attachment?.state ?? 'attached' },
    })),
    EbsOptimized: type?.hypervisor === 'nitro',
    Tags: tagList(record.tags),
  };
}

export function volumeShape(record: VolumeRecord): Record<string, unknown> {
  const { attachment } = record;
  return {
    VolumeId: record.id,
    Size: record.size,
    State: record.state,
    AvailabilityZone: record.zone,
    VolumeType: record.type,
    Encrypted: record.kmsKeyId !== undefined,
    ...(record.kmsKeyId === undefined ? {} : { KmsKeyId: record.kmsKeyId }),
    SnapshotId: record.snapshotId ?? '',
    MultiAttachEnabled: false,
    Attachments:
      attachment === undefined
        ? []
        : [
            {
              InstanceId: attachment.instanceId,
              Device: attachment.device,
              State: attachment.state,
              VolumeId: record.id,
              DeleteOnTermination: false,
            },
          ],
    Tags: tagList(record.tags),
  };
}

/** As listings show it, or as the answer to its creation does. */
export function snapshotShape({ setup }: World, record: SnapshotRecord): Record<string, unknown> {
  return {
    SnapshotId: record.id,
    VolumeId: record.volumeId,
    VolumeSize: record.size,
    State: record.state,
    StartTime: record.startedAt,
    OwnerId: setup.account,
    Description: record.description,
    Progress: record.state === 'completed' ? '100%' : '0%',
    Encrypted: record.kmsKeyId !== undefined,
    Tags: tagList(record.tags),
  };
}

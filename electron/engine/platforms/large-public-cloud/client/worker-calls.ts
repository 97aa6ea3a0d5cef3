import type { Filter, SecurityGroup } from '@aws-sdk/client-ec2';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { allPages, type AwsCloud } from './aws-cloud.ts';
import { isAwsCode, wasThere } from './aws-error.ts';
import { asTags, type Labels } from './compute.ts';

export function listSecurityGroups(
  cloud: AwsCloud,
  filters: readonly Filter[],
  signal: AbortSignal,
): Promise<readonly SecurityGroup[]> {
  return allPages(async (token) => {
    const page = await cloud.ask(
      'list security groups',
      'ec2:DescribeSecurityGroups',
      ({ sdk, ec2 }, options) =>
        ec2.send(
          new sdk.DescribeSecurityGroupsCommand({
            Filters: [...filters],
            MaxResults: 500,
            ...(token === undefined ? {} : { NextToken: token }),
          }),
          options,
        ),
      signal,
    );
    return { items: page.SecurityGroups ?? [], next: page.NextToken };
  });
}

/** A group that lets nobody in. Returns its id. */
export async function createSecurityGroup(
  cloud: AwsCloud,
  group: { readonly name: string; readonly vpcId: string; readonly labels: Labels },
  signal: AbortSignal,
): Promise<string> {
  const { GroupId: id } = await cloud.ask(
    `create security group ${group.name}`,
    'ec2:CreateSecurityGroup',
    ({ sdk, ec2Once }, options) =>
      ec2Once.send(
        new sdk.CreateSecurityGroupCommand({
          GroupName: group.name,
          Description: 'Temporary worker of Causeway',
          VpcId: group.vpcId,
          TagSpecifications: [{ ResourceType: 'security-group', Tags: asTags(group.labels) }],
        }),
        options,
      ),
    signal,
  );
  return demand(id, `create security group ${group.name}`);
}

/** Opens a port for ranges of addresses. Open already is done. */
export async function openPort(
  cloud: AwsCloud,
  groupId: string,
  port: number,
  ranges: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  // One at a time: a rule that is there refuses the whole request.
  for (const range of ranges) {
    const to = range.includes(':') ? { Ipv6Ranges: [{ CidrIpv6: range }] } : { IpRanges: [{ CidrIp: range }] };
    try {
      await cloud.ask(
        `open port ${port} of ${groupId}`,
        'ec2:AuthorizeSecurityGroupIngress',
        ({ sdk, ec2 }, options) =>
          ec2.send(
            new sdk.AuthorizeSecurityGroupIngressCommand({
              GroupId: groupId,
              IpPermissions: [{ IpProtocol: 'tcp', FromPort: port, ToPort: port, ...to }],
            }),
            options,
          ),
        signal,
      );
    } catch (error) {
      if (!isAwsCode(error, 'InvalidPermission.Duplicate')) throw error;
    }
  }
}

/** @returns whether it was there */
export async function deleteSecurityGroup(cloud: AwsCloud, id: string, signal: AbortSignal): Promise<boolean> {
  return wasThere(
    cloud.ask(
      `delete security group ${id}`,
      'ec2:DeleteSecurityGroup',
      ({ sdk, ec2 }, options) => ec2.send(new sdk.DeleteSecurityGroupCommand({ GroupId: id }), options),
      signal,
    ),
  );
}

export interface NewInstance {
  /** Two requests with the same token make one instance. */
  readonly token: string;
  readonly imageId: string;
  readonly type: string;
  readonly subnetId: string;
  readonly groupId: string;
  readonly publicIp: boolean;
  /** Names of the volumes that the image brings along: they end with the instance, whatever the image says. */
  readonly imageDevices: readonly string[];
  /** In base64. */
  readonly userData: string;
  readonly labels: Labels;
}

/** Returns its id. */
export async function runInstance(cloud: AwsCloud, wanted: NewInstance, signal: AbortSignal): Promise<string> {
  const tags = asTags(wanted.labels);
  const { Instances: instances = [] } = await cloud.ask(
    'start a worker',
    'ec2:RunInstances',
    ({ sdk, ec2Once }, options) =>
      ec2Once.send(
        new sdk.RunInstancesCommand({
          ClientToken: wanted.token,
          ImageId: wanted.imageId,
          InstanceType: wanted.type as never,
          MinCount: 1,
          MaxCount: 1,
          UserData: wanted.userData,
          InstanceInitiatedShutdownBehavior: 'terminate',
          ...(wanted.imageDevices.length === 0
            ? {}
            : {
                BlockDeviceMappings: wanted.imageDevices.map((DeviceName) => ({
                  DeviceName,
                  Ebs: { DeleteOnTermination: true },
                })),
              }),
          NetworkInterfaces: [
            {
              DeviceIndex: 0,
              SubnetId: wanted.subnetId,
              Groups: [wanted.groupId],
              AssociatePublicIpAddress: wanted.publicIp,
              DeleteOnTermination: true,
            },
          ],
          TagSpecifications: [
            { ResourceType: 'instance', Tags: tags },
            { ResourceType: 'volume', Tags: tags.filter(({ Key: key }) => key === 'Name') },
          ],
        }),
        options,
      ),
    signal,
  );
  return demand(instances[0]?.InstanceId, 'start a worker');
}

/** @returns whether it was there */
export async function terminateInstance(cloud: AwsCloud, id: string, signal: AbortSignal): Promise<boolean> {
  return wasThere(
    cloud.ask(
      `terminate ${id}`,
      'ec2:TerminateInstances',
      ({ sdk, ec2 }, options) => ec2.send(new sdk.TerminateInstancesCommand({ InstanceIds: [id] }), options),
      signal,
    ),
  );
}

/** A volume with a snapshot's content. Returns its id. */
export async function createVolume(
  cloud: AwsCloud,
  wanted: { readonly token: string; readonly snapshotId: string; readonly zone: string; readonly labels: Labels },
  signal: AbortSignal,
): Promise<string> {
  const { VolumeId: id } = await cloud.ask(
    `create a volume from ${wanted.snapshotId}`,
    'ec2:CreateVolume',
    ({ sdk, ec2Once }, options) =>
      ec2Once.send(
        new sdk.CreateVolumeCommand({
          ClientToken: wanted.token,
          SnapshotId: wanted.snapshotId,
          AvailabilityZone: wanted.zone,
          VolumeType: 'gp3',
          TagSpecifications: [{ ResourceType: 'volume', Tags: asTags(wanted.labels) }],
        }),
        options,
      ),
    signal,
  );
  return demand(id, `create a volume from ${wanted.snapshotId}`);
}

/** @returns whether it was there */
export async function deleteVolume(cloud: AwsCloud, id: string, signal: AbortSignal): Promise<boolean> {
  return wasThere(
    cloud.ask(
      `delete volume ${id}`,
      'ec2:DeleteVolume',
      ({ sdk, ec2 }, options) => ec2.send(new sdk.DeleteVolumeCommand({ VolumeId: id }), options),
      signal,
    ),
  );
}

export async function attachVolume(
  cloud: AwsCloud,
  instanceId: string,
  volumeId: string,
  device: string,
  signal: AbortSignal,
): Promise<void> {
  await cloud.ask(
    `attach ${volumeId} to ${instanceId}`,
    'ec2:AttachVolume',
    ({ sdk, ec2Once }, options) =>
      ec2Once.send(
        new sdk.AttachVolumeCommand({ InstanceId: instanceId, VolumeId: volumeId, Device: device }),
        options,
      ),
    signal,
  );
}

/** Not attached is done. */
export async function detachVolume(
  cloud: AwsCloud,
  instanceId: string,
  volumeId: string,
  signal: AbortSignal,
): Promise<void> {
  const asked = cloud.ask(
    `detach ${volumeId} from ${instanceId}`,
    'ec2:DetachVolume',
    ({ sdk, ec2 }, options) =>
      ec2.send(new sdk.DetachVolumeCommand({ InstanceId: instanceId, VolumeId: volumeId }), options),
    signal,
  );
  await wasThere(asked).catch((error: unknown) => {
    if (!isAwsCode(error, 'IncorrectState')) throw error;
  });
}

function demand(id: string | undefined, operation: string): string {
  if (id === undefined)
    throw new CausewayError('cloud.unexpected-answer', `${operation}: the answer has no id`, {
      details: { operation, ambiguous: true },
    });
  return id;
}

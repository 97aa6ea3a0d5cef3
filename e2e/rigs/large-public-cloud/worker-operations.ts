import { ApiError, ok, type Operation } from '../cloud-kit/call.ts';
import { volumeSerial, type Exposure } from '../cloud-kit/server-machines.ts';
import { instanceOf, missing } from './ec2-operations.ts';
import { filtered, instanceShape, paged, tagList, tagsFor, volumeShape } from './shapes.ts';
import { newId, type GroupRecord, type InstanceRecord, type VolumeRecord, type World } from './world.ts';

/** What temporary workers are made of: instances, volumes from snapshots, attachments, security groups. */

function exposures(world: World): readonly Exposure[] {
  return [...world.instances.values()].flatMap(({ id, state, publicIp, groupIds }) =>
    state !== 'running' || publicIp === undefined
      ? []
      : [
          {
            address: publicIp,
            serverId: id,
            ingress: groupIds
              .flatMap((group) => world.groups.get(group)?.rules ?? [])
              .map(({ port, range }) => ({ cidr: range, minPort: port, maxPort: port })),
          },
        ],
  );
}

function exposeLater(world: World): void {
  world.ground.machines.expose(exposures(world)).catch((error: unknown) => {
    process.stderr.write(`the lab's addresses could not be brought up: ${String(error)}\n`);
  });
}

const endsWithInstance = (body: Readonly<Record<string, unknown>>, device: string): boolean =>
  ((body['BlockDeviceMappings'] ?? []) as { DeviceName?: string; Ebs?: { DeleteOnTermination?: boolean } }[]).some(
    ({ DeviceName: name, Ebs: volume }) => name === device && volume?.DeleteOnTermination === true,
  );

function leaveRoot(world: World, instance: InstanceRecord): void {
  const id = newId('vol');
  world.volumes.set(id, {
    id,
    size: 8,
    zone: world.subnets.get(instance.subnetId)?.zone ?? '',
    type: 'gp3',
    kmsKeyId: undefined,
    snapshotId: undefined,
    lineage: id,
    state: 'available',
    attachment: undefined,
    tags: {},
  });
}

const runInstances: Operation<World> = async ({ world, body, fault }) => {
  const { MinCount: count, ...rest } = body;
  return world.clientTokens.once('RunInstances', body['ClientToken'] as string | undefined, { count, ...rest }, () => {
    const type = world.types.find(({ name }) => name === body['InstanceType']);
    if (type === undefined)
      throw new ApiError(400, `The requested instance type is not known: ${String(body['InstanceType'])}`, {
        code: 'InvalidParameterValue',
      });
    const image = world.images.demand(
      String(body['ImageId']),
      () =>
        new ApiError(400, `The image id '[${String(body['ImageId'])}]' does not exist`, {
          code: 'InvalidAMIID.NotFound',
        }),
    );
    const nic = (
      (body['NetworkInterfaces'] ?? []) as {
        SubnetId?: string;
        Groups?: string[];
        AssociatePublicIpAddress?: boolean;
      }[]
    )[0];
    const subnet = world.subnets.demand(
      String(nic?.SubnetId),
      () =>
        new ApiError(400, `The subnet ID '${String(nic?.SubnetId)}' does not exist`, {
          code: 'InvalidSubnetID.NotFound',
        }),
    );
    for (const group of nic?.Groups ?? [])
      if (!world.groups.has(group) || world.isUnknown(group))
        throw new ApiError(400, `The security group '${group}' does not exist`, { code: 'InvalidGroup.NotFound' });
    const used = new Set(
      [...world.instances.values()].filter(({ state }) => state !== 'terminated').map(({ publicIp }) => publicIp),
    );
    const publicIp =
      nic?.AssociatePublicIpAddress === true ? world.ground.publicAddresses.find((one) => !used.has(one)) : undefined;
    const number = 100 + world.instances.size;
    const instance: InstanceRecord = {
      id: newId('i'),
      state: 'pending',
      type: type.name,
      imageId: image.id,
      subnetId: subnet.id,
      rootDevice: '/dev/xvda',
      platformDetails: 'Linux/UNIX',
      bootMode: 'legacy-bios',
      privateIp: `10.1.0.${number}`,
      publicIp,
      mac: `0a:00:00:00:01:${(number % 256).toString(16).padStart(2, '0')}`,
      groupIds: nic?.Groups ?? [],
      userData: Buffer.from(String(body['UserData'] ?? ''), 'base64').toString('utf8'),
      tags: tagsFor(body, 'instance'),
      keepsRoot: image.keepsRoot === true && !endsWithInstance(body, '/dev/xvda'),
    };
    world.instances.set(instance.id, instance);
    world.born(instance.id);
    world.transition({
      fault,
      work: () =>
        world.ground.machines.start({
          serverId: instance.id,
          name: instance.tags['Name'] ?? instance.id,
          vcpus: type.vcpus,
          memoryMiB: type.memoryMib,
          userData: instance.userData,
          boot: { kind: 'image', imageName: image.machine },
          dataVolumes: [],
          nics: [{ mac: instance.mac, ipv4: instance.privateIp }],
        }),
      succeed: () => {
        // It may have been terminated before it ran.
        if (instance.state === 'pending') instance.state = 'running';
        exposeLater(world);
      },
      fail: (reason) =>
        Object.assign(instance, {
          state: 'terminated',
          stateReason: { code: 'Server.InternalError', message: `Server.InternalError: ${reason}` },
        }),
    });
    return ok({
      ReservationId: instance.id.replace(/^i-/, 'r-'),
      OwnerId: world.setup.account,
      Instances: [instanceShape(world, instance)],
    });
  });
};

const terminateInstances: Operation<World> = (call) => {
  const { world, body, fault } = call;
  const ended = (body['InstanceIds'] as string[]).map((id) => {
    const instance = instanceOf(call, id);
    const before = instance.state;
    if (before !== 'terminated' && before !== 'shutting-down') {
      instance.state = 'shutting-down';
      world.transition({
        fault,
        work: () => world.ground.machines.stop(id),
        succeed: () => {
          Object.assign(instance, {
            state: 'terminated',
            stateReason: {
              code: 'Client.UserInitiatedShutdown',
              message: 'Client.UserInitiatedShutdown: User initiated shutdown',
            },
          });
          for (const volume of world.volumesOf(id))
            Object.assign(volume, { state: 'available', attachment: undefined });
          if (instance.keepsRoot === true) leaveRoot(world, instance);
          exposeLater(world);
        },
        fail: () => {
          instance.state = before;
        },
      });
    }
    return { InstanceId: id, PreviousState: { Name: before }, CurrentState: { Name: instance.state } };
  });
  return ok({ TerminatingInstances: ended });
};

const createVolume: Operation<World> = async ({ world, body, fault }) =>
  world.clientTokens.once('CreateVolume', body['ClientToken'] as string | undefined, body, () => {
    const snapshot = world.snapshots.demand(String(body['SnapshotId']), () => missing('Snapshot', body['SnapshotId']));
    if (snapshot.state !== 'completed')
      throw new ApiError(400, `Snapshot '${snapshot.id}' is not completed`, { code: 'IncorrectState' });
    const id = newId('vol');
    const volume: VolumeRecord = {
      id,
      size: snapshot.size,
      zone: String(body['AvailabilityZone']),
      type: String(body['VolumeType'] ?? 'gp2'),
      kmsKeyId: snapshot.kmsKeyId,
      snapshotId: snapshot.id,
      lineage: snapshot.lineage,
      state: 'creating',
      attachment: undefined,
      tags: tagsFor(body, 'volume'),
    };
    world.volumes.set(id, volume);
    world.born(id);
    world.transition({
      fault,
      work: () => world.ground.files.copy(snapshot.id, id),
      succeed: () => {
        volume.state = 'available';
      },
      fail: () => {
        volume.state = 'error';
      },
    });
    return ok(volumeShape(volume));
  });

const deleteVolume: Operation<World> = ({ world, body, fault }) => {
  const volume = world.known(world.volumes, String(body['VolumeId']), () => missing('Volume', body['VolumeId']));
  if (volume.attachment !== undefined)
    throw new ApiError(400, `Volume ${volume.id} is currently attached to ${volume.attachment.instanceId}`, {
      code: 'VolumeInUse',
    });
  const before = volume.state;
  volume.state = 'deleting';
  world.transition({
    fault,
    work: () => world.ground.files.remove(volume.id),
    succeed: () => {
      world.volumes.delete(volume.id);
    },
    fail: () => {
      volume.state = before;
    },
  });
  return ok(undefined);
};

const attachmentShape = ({ id, attachment }: VolumeRecord): Record<string, unknown> => ({
  VolumeId: id,
  InstanceId: attachment?.instanceId ?? '',
  Device: attachment?.device ?? '',
  State: attachment?.state ?? 'detached',
});

const attachVolume: Operation<World> = (call) => {
  const { world, body, fault } = call;
  const instance = instanceOf(call, body['InstanceId']);
  const volume = world.known(world.volumes, String(body['VolumeId']), () => missing('Volume', body['VolumeId']));
  const device = String(body['Device']);
  if (instance.state !== 'running' && instance.state !== 'stopped')
    throw new ApiError(400, `Instance '${instance.id}' is not 'running'.`, { code: 'IncorrectState' });
  if (volume.attachment !== undefined)
    throw new ApiError(400, `${volume.id} is already attached to an instance`, { code: 'VolumeInUse' });
  if (volume.state !== 'available')
    throw new ApiError(400, `Volume '${volume.id}' is not 'available'.`, { code: 'IncorrectState' });
  if (volume.zone !== world.subnets.get(instance.subnetId)?.zone)
    throw new ApiError(400, 'The volume is not in the same availability zone as the instance', {
      code: 'InvalidVolume.ZoneMismatch',
    });
  if (world.volumesOf(instance.id).some(({ attachment }) => attachment?.device === device))
    throw new ApiError(400, `Invalid value '${device}' for unixDevice. Attachment point ${device} is already in use`, {
      code: 'InvalidParameterValue',
    });
  const attachment: NonNullable<VolumeRecord['attachment']> = { instanceId: instance.id, device, state: 'attaching' };
  Object.assign(volume, { state: 'in-use', attachment });
  // Nitro passes the volume's id on as the serial; on Xen only the order tells.
  const isNitro = world.types.find(({ name }) => name === instance.type)?.hypervisor !== 'xen';
  world.transition({
    fault,
    work: () =>
      world.ground.machines.attach(instance.id, {
        volumeId: volume.id,
        path: world.ground.files.path(volume.id),
        device: isNitro ? { serial: volumeSerial(volume.id.replace('-', '')) } : {},
      }),
    succeed: () => {
      attachment.state = 'attached';
    },
    fail: () => Object.assign(volume, { state: 'available', attachment: undefined }),
  });
  return ok(attachmentShape(volume));
};

const detachVolume: Operation<World> = ({ world, body, fault }) => {
  const volume = world.known(world.volumes, String(body['VolumeId']), () => missing('Volume', body['VolumeId']));
  const { attachment } = volume;
  if (attachment === undefined)
    throw new ApiError(400, `Volume '${volume.id}' is in the 'available' state.`, { code: 'IncorrectState' });
  attachment.state = 'detaching';
  world.transition({
    fault,
    work: () => world.ground.machines.detach(attachment.instanceId, volume.id),
    succeed: () => Object.assign(volume, { state: 'available', attachment: undefined }),
    fail: () => {
      attachment.state = 'attached';
    },
  });
  return ok(attachmentShape(volume));
};

const createSecurityGroup: Operation<World> = ({ world, body }) => {
  const name = String(body['GroupName']);
  const vpcId = String(body['VpcId']);
  if ([...world.groups.values()].some((group) => group.name === name && group.vpcId === vpcId))
    throw new ApiError(400, `The security group '${name}' already exists for VPC '${vpcId}'`, {
      code: 'InvalidGroup.Duplicate',
    });
  const group: GroupRecord = {
    id: newId('sg'),
    name,
    description: String(body['Description']),
    vpcId,
    rules: [],
    tags: tagsFor(body, 'security-group'),
  };
  world.groups.set(group.id, group);
  world.born(group.id);
  return ok({ GroupId: group.id, Tags: tagList(group.tags) });
};

const authorizeIngress: Operation<World> = (call) => {
  const { world, body } = call;
  const group = world.known(world.groups, String(body['GroupId']), () => missing('Group', body['GroupId']));
  const permissions = (body['IpPermissions'] ?? []) as {
    FromPort: number;
    IpRanges?: { CidrIp: string }[];
    Ipv6Ranges?: { CidrIpv6: string }[];
  }[];
  const wanted = permissions.flatMap(({ FromPort: port, IpRanges: ranges = [], Ipv6Ranges: more = [] }) =>
    [...ranges.map(({ CidrIp: range }) => range), ...more.map(({ CidrIpv6: range }) => range)].map((range) => ({
      port,
      range,
    })),
  );
  if (wanted.some(({ port, range }) => group.rules.some((rule) => rule.port === port && rule.range === range)))
    throw new ApiError(400, 'the specified rule already exists', { code: 'InvalidPermission.Duplicate' });
  group.rules.push(...wanted);
  exposeLater(world);
  return ok({ Return: true });
};

const describeSecurityGroups: Operation<World> = (call) => {
  const { items, ...rest } = paged(
    filtered(call.world.groups.listed(), call.body, {
      'group-id': ({ id }) => id,
      'group-name': ({ name }) => name,
      'vpc-id': ({ vpcId }) => vpcId,
    }),
    call,
    { least: 5, most: 1000 },
  );
  return ok({
    SecurityGroups: items.map(({ id, name, description, vpcId, tags }) => ({
      GroupId: id,
      GroupName: name,
      Description: description,
      VpcId: vpcId,
      OwnerId: call.world.setup.account,
      Tags: tagList(tags),
    })),
    ...rest,
  });
};

const deleteSecurityGroup: Operation<World> = ({ world, body }) => {
  const group = world.known(world.groups, String(body['GroupId']), () => missing('Group', body['GroupId']));
  if (
    [...world.instances.values()].some(({ state, groupIds }) => state !== 'terminated' && groupIds.includes(group.id))
  )
    throw new ApiError(400, `resource ${group.id} has a dependent object`, { code: 'DependencyViolation' });
  world.groups.delete(group.id);
  return ok({ Return: true, GroupId: group.id });
};

export const workerOperations: Readonly<Record<string, Operation<World>>> = {
  AttachVolume: attachVolume,
  AuthorizeSecurityGroupIngress: authorizeIngress,
  CreateSecurityGroup: createSecurityGroup,
  CreateVolume: createVolume,
  DeleteSecurityGroup: deleteSecurityGroup,
  DeleteVolume: deleteVolume,
  DescribeSecurityGroups: describeSecurityGroups,
  DetachVolume: detachVolume,
  RunInstances: runInstances,
  TerminateInstances: terminateInstances,
};

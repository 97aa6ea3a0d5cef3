import { ApiError, ok, type Call, type Operation } from '../cloud-kit/call.ts';
import { filtered, instanceShape, paged, snapshotShape, tagList, tagsFor, volumeShape } from './shapes.ts';
import { newId, type InstanceRecord, type SnapshotRecord, type World } from './world.ts';

type Ec2Operation = Operation<World>;
const page = { least: 5, most: 1000 };
export const missing = (kind: string, id: unknown): ApiError =>
  new ApiError(400, `The ${kind} ID '${String(id)}' does not exist`, {
    code: `Invalid${kind}${kind === 'Instance' ? 'ID' : ''}.NotFound`,
  });
export const instanceOf = ({ world }: Call<World>, id: unknown): InstanceRecord =>
  world.known(world.instances, String(id), () => missing('Instance', id));

const describeInstances: Ec2Operation = (call) => {
  const { world, body } = call;
  const found = filtered(world.instances.listed(), body, {
    'instance-id': ({ id }) => id,
    'instance-state-name': ({ state }) => state,
  });
  const { items, ...rest } = paged(found, call, page);
  return ok({
    Reservations: items.map((record) => ({
      ReservationId: record.id.replace(/^i-/, 'r-'),
      OwnerId: world.setup.account,
      Instances: [instanceShape(world, record)],
    })),
    ...rest,
  });
};

const describeVolumes: Ec2Operation = (call) => {
  const found = filtered(call.world.volumes.listed(), call.body, {
    'volume-id': ({ id }) => id,
    status: ({ state }) => state,
    'attachment.instance-id': ({ attachment }) => attachment?.instanceId,
    'attachment.status': ({ attachment }) => attachment?.state,
  });
  const { items, ...rest } = paged(found, call, page);
  return ok({ Volumes: items.map(volumeShape), ...rest });
};

const describeSnapshots: Ec2Operation = (call) => {
  const { world, body } = call;
  const found = filtered(world.snapshots.listed(), body, {
    'snapshot-id': ({ id }) => id,
    status: ({ state }) => state,
    'volume-id': ({ volumeId }) => volumeId,
  });
  const { items, ...rest } = paged(found, call, page);
  return ok({
    Snapshots: items.map((record) => ({
      ...snapshotShape(world, record),
      ...(record.kmsKeyId === undefined ? {} : { KmsKeyId: record.kmsKeyId }),
      ...(record.stateMessage === undefined ? {} : { StateMessage: record.stateMessage }),
    })),
    ...rest,
  });
};

const describeSubnets: Ec2Operation = (call) => {
  const { items, ...rest } = paged(
    filtered(call.world.subnets.listed(), call.body, { 'subnet-id': ({ id }) => id, 'vpc-id': ({ vpcId }) => vpcId }),
    call,
    page,
  );
  return ok({
    Subnets: items.map(({ id, vpcId, zone, range, tags }) => ({
      SubnetId: id,
      VpcId: vpcId,
      AvailabilityZone: zone,
      CidrBlock: range,
      State: 'available',
      Tags: tagList(tags),
    })),
    ...rest,
  });
};

const describeImages: Ec2Operation = (call) => {
  const { items, ...rest } = paged(
    filtered(call.world.images.listed(), call.body, { 'image-id': ({ id }) => id }),
    call,
    page,
  );
  return ok({
    Images: items.map(({ id, name, architecture, keepsRoot, tags }) => ({
      ImageId: id,
      Name: name,
      Architecture: architecture,
      State: 'available',
      OwnerId: call.world.setup.account,
      PlatformDetails: 'Linux/UNIX',
      VirtualizationType: 'hvm',
      RootDeviceType: 'ebs',
      RootDeviceName: '/dev/xvda',
      BlockDeviceMappings: [
        { DeviceName: '/dev/xvda', Ebs: { VolumeSize: 8, VolumeType: 'gp3', DeleteOnTermination: keepsRoot !== true } },
      ],
      Tags: tagList(tags),
    })),
    ...rest,
  });
};

const describeInstanceTypes: Ec2Operation = (call) => {
  const types = call.world.types.map((type) => ({ ...type, id: type.name, tags: {} }));
  const { items, ...rest } = paged(filtered(types, call.body, { 'instance-type': ({ name }) => name }), call, {
    least: 5,
    most: 100,
  });
  return ok({
    InstanceTypes: items.map(({ name, vcpus, memoryMib, hypervisor, architecture, instanceStore }) => ({
      InstanceType: name,
      Hypervisor: hypervisor,
      VCpuInfo: { DefaultVCpus: vcpus },
      MemoryInfo: { SizeInMiB: memoryMib },
      ProcessorInfo: { SupportedArchitectures: [architecture] },
      InstanceStorageSupported: instanceStore !== undefined,
      ...(instanceStore === undefined ? {} : { InstanceStorageInfo: { TotalSizeInGB: instanceStore } }),
    })),
    ...rest,
  });
};

/** All volumes of an instance at one moment: their bytes are copied before the answer, what takes its time afterwards is the upload. */
const createSnapshots: Ec2Operation = async (call) => {
  const { world, body } = call;
  const wish = (body['InstanceSpecification'] ?? {}) as { InstanceId?: string };
  const instance = instanceOf(call, wish.InstanceId);
  const volumes = world.volumesOf(instance.id);
  const tags = tagsFor(body, 'snapshot');
  const made = volumes.map((volume): SnapshotRecord => ({
    id: newId('snap'),
    volumeId: volume.id,
    size: volume.size,
    lineage: volume.lineage,
    kmsKeyId: volume.kmsKeyId,
    description: String(body['Description'] ?? ''),
    startedAt: new Date(),
    state: 'pending',
    tags: { ...tags },
  }));
  // Whoever looks for them while they are copied, because their caller has gone away, finds them.
  for (const snapshot of made) {
    world.snapshots.set(snapshot.id, snapshot);
    world.born(snapshot.id);
  }
  for (const snapshot of made) await world.ground.files.copy(snapshot.volumeId, snapshot.id);
  for (const snapshot of made) {
    world.transition({
      fault: call.fault,
      succeed: () => {
        snapshot.state = 'completed';
      },
      fail: (reason) => Object.assign(snapshot, { state: 'error', stateMessage: reason }),
    });
  }
  return ok({ Snapshots: made.map((record) => snapshotShape(world, record)) });
};

const deleteSnapshot: Ec2Operation = async ({ world, body }) => {
  const record = world.known(world.snapshots, String(body['SnapshotId']), () =>
    missing('Snapshot', body['SnapshotId']),
  );
  world.snapshots.delete(record.id);
  await world.ground.files.remove(record.id);
  return ok({});
};

const stopInstances: Ec2Operation = (call) => {
  const { world, body, fault } = call;
  const stopped = (body['InstanceIds'] as string[]).map((id) => {
    const instance = instanceOf(call, id);
    const before = instance.state;
    if (before === 'running') {
      instance.state = 'stopping';
      world.transition({
        fault,
        work: () => world.ground.machines.stop(id),
        succeed: () => {
          instance.state = 'stopped';
        },
        fail: () => {
          instance.state = 'running';
        },
      });
    } else if (before !== 'stopped' && before !== 'stopping') {
      throw new ApiError(400, `The instance '${id}' is not in a state from which it can be stopped`, {
        code: 'IncorrectInstanceState',
      });
    }
    return { InstanceId: id, PreviousState: { Name: before }, CurrentState: { Name: instance.state } };
  });
  return ok({ StoppingInstances: stopped });
};

export const inventoryOperations: Readonly<Record<string, Ec2Operation>> = {
  CreateSnapshots: createSnapshots,
  DeleteSnapshot: deleteSnapshot,
  DescribeImages: describeImages,
  DescribeInstances: describeInstances,
  DescribeInstanceTypes: describeInstanceTypes,
  DescribeSnapshots: describeSnapshots,
  DescribeSubnets: describeSubnets,
  DescribeVolumes: describeVolumes,
  StopInstances: stopInstances,
};

import { randomBytes } from 'node:crypto';
import { noContent, ok } from '../../cloud-kit/call.ts';
import type { MachinePlan, MachineVolume } from '../../cloud-kit/server-machines.ts';
import { gibibyte } from '../../cloud-kit/volume-files.ts';
import { exposeInstancesLater } from '../reachability.ts';
import type {
  ImageRecord,
  InstanceRecord,
  ShapeRecord,
  SubnetRecord,
  VnicRecord,
  VolumeAttachmentRecord,
  VolumeRecord,
} from '../records.ts';
import {
  compartmentOf,
  creation,
  demand,
  domainOf,
  incorrectState,
  invalid,
  isGone,
  listReply,
  notFound,
  refuse,
  tagsOf,
  text,
} from '../world.ts';
import type { Call, Operation, World } from '../world.ts';
import { attachmentsOf, performanceOf, sizeOf } from './volumes.ts';

type Body = Readonly<Record<string, unknown>>;
const bodyOf = (value: unknown, field: string): Body => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(`${field} must be an object`);
  return value as Body;
};

export const listInstances: Operation = (call) =>
  listReply(
    call,
    call.world.instances.listed(),
    ['compartmentId', 'availabilityDomain', 'displayName', 'lifecycleState'],
    (one) => ({ ...one }),
  );
export const getInstance: Operation = ({ world, params }) => {
  const instance = demand(world.instances, params['instanceId']);
  return { status: 200, body: { ...instance }, headers: { etag: world.etagOf(instance) } };
};

export const launchInstance: Operation = creation((call) => {
  const { world, body } = call;
  const [compartmentId, availabilityDomain] = [compartmentOf(call), domainOf(call)];
  const shape = world.setup.shapes.find((one) => one.shape === body['shape']);
  if (shape === undefined) throw invalid(`shape ${String(body['shape'])} is not available`);
  const shapeConfig = configOf(shape, body['shapeConfig']);
  const source = bodyOf(body['sourceDetails'], 'sourceDetails');
  const vnicDetails = bodyOf(body['createVnicDetails'], 'createVnicDetails');
  const subnet = subnetFor(world, vnicDetails);
  const groups = groupsFor(world, vnicDetails, subnet);
  const metadata = (body['metadata'] ?? {}) as Record<string, string>;
  if (JSON.stringify(metadata).length > 32_000) throw invalid('metadata is larger than 32,000 bytes');
  const attachments = ((body['launchVolumeAttachments'] ?? []) as Body[]).map((one) => {
    if (one['type'] === 'emulated') throw invalid('launchVolumeAttachments: the type emulated is not allowed');
    return {
      type: one['type'] as VolumeAttachmentRecord['attachmentType'],
      volume: attachable(world, one['volumeId'], availabilityDomain),
    };
  });
  if (world.withoutCapacity.has(shape.shape)) throw refuse(500, 'InternalError', 'Out of host capacity.');
  world.demandLimits(
    availabilityDomain,
    Object.fromEntries(shape.quotaNames.map((name) => [`compute/${name}`, shapeConfig.ocpus])),
  );
  const { volume: boot, image } = bootVolume(call, source, compartmentId, availabilityDomain);
  const launchOptions = (() => {
    try {
      return optionsFor(world, body['launchOptions'], image);
    } catch (refused) {
      // A refused launch makes nothing.
      if (source['sourceType'] === 'image') world.volumes.delete(boot.id);
      throw refused;
    }
  })();
  const instance: InstanceRecord = {
    id: world.newId('instance'),
    compartmentId,
    availabilityDomain,
    region: world.setup.region,
    displayName: String(body['displayName'] ?? 'instance'),
    timeCreated: world.now(),
    shape: shape.shape,
    shapeConfig,
    launchMode: image?.launchMode ?? 'PARAVIRTUALIZED',
    launchOptions,
    metadata,
    lifecycleState: 'PROVISIONING',
    freeformTags: tagsOf(body),
    sourceDetails: source as unknown as InstanceRecord['sourceDetails'],
    ...(boot.imageId === undefined ? {} : { imageId: boot.imageId }),
  };
  world.instances.set(instance.id, instance);
  const common = { availabilityDomain, compartmentId, instanceId: instance.id, timeCreated: world.now() };
  const bootAttachment = {
    ...common,
    id: instance.id,
    displayName: 'boot',
    bootVolumeId: boot.id,
    lifecycleState: 'ATTACHING',
  };
  world.bootAttachments.set(instance.id, bootAttachment);
  const data = attachments.map(({ type, volume }) => makeAttachment(world, instance, volume, { attachmentType: type }));
  const vnicAttachment = makeVnic(world, instance, subnet, groups, vnicDetails, true);
  const work = world.openWork(call.requestId, {
    operationType: 'LaunchInstance',
    compartmentId,
    resourceId: instance.id,
  });
  world.transition({
    fault: call.fault,
    operation: work,
    work: async () => {
      if (source['sourceType'] === 'image') await layOutBootVolume(world, boot, image);
      // What starts from zeros has nothing to run.
      if (source['sourceType'] !== 'image' || image?.operatingSystem !== 'Custom')
        await world.ground.machines.start(machinePlan(world, instance));
    },
    succeed: () => {
      instance.lifecycleState = 'RUNNING';
      boot.lifecycleState = 'AVAILABLE';
      for (const one of [bootAttachment, ...data, vnicAttachment]) one.lifecycleState = 'ATTACHED';
      exposeInstancesLater(world);
    },
    // What could not be launched is terminated, and takes what was made for it along.
    fail: () => end(world, instance, source['sourceType'] !== 'image'),
  });
  return {
    status: 200,
    body: { ...instance },
    headers: { etag: world.etagOf(instance), 'opc-work-request-id': work.id },
  };
});

let portals = 0;

/** What is attached by iSCSI has a target of its own, with a secret where one was asked for. */
export function makeAttachment(
  world: World,
  instance: InstanceRecord,
  volume: VolumeRecord,
  how: Pick<VolumeAttachmentRecord, 'attachmentType' | 'device'> & {
    readonly displayName?: string;
    readonly isReadOnly?: boolean;
    readonly useChap?: boolean;
  },
): VolumeAttachmentRecord {
  const { useChap = false, isReadOnly = false, displayName = volume.displayName, ...rest } = how;
  portals += 1;
  const attachment: VolumeAttachmentRecord = {
    id: world.newId('volumeattachment'),
    availabilityDomain: instance.availabilityDomain,
    compartmentId: instance.compartmentId,
    instanceId: instance.id,
    volumeId: volume.id,
    displayName,
    timeCreated: world.now(),
    isReadOnly,
    lifecycleState: 'ATTACHING',
    ...rest,
    ...(rest.attachmentType !== 'iscsi'
      ? {}
      : {
          iqn: `iqn.2015-12.com.oracleiaas:${randomBytes(8).toString('hex')}`,
          ...(world.setup.portal ?? { ipv4: `169.254.2.${2 + (portals % 250)}`, port: 3260 }),
          ...(useChap ? { chapUsername: volume.id, chapSecret: randomBytes(8).toString('hex') } : {}),
        }),
  };
  world.attachments.set(attachment.id, attachment);
  return attachment;
}

function configOf(shape: ShapeRecord, given: unknown): InstanceRecord['shapeConfig'] {
  if (!shape.isFlexible) {
    if (given !== undefined) throw invalid(`shapeConfig: ${shape.shape} is not flexible`);
    return { ocpus: shape.ocpus, memoryInGBs: shape.memoryInGBs };
  }
  const { ocpus, memoryInGBs } = bodyOf(given, 'shapeConfig') as {
    readonly ocpus?: number;
    readonly memoryInGBs?: number;
  };
  const [cpu, memory] = [shape.ocpuOptions, shape.memoryOptions];
  if (cpu === undefined || memory === undefined || ocpus === undefined || memoryInGBs === undefined)
    throw invalid('shapeConfig: ocpus and memoryInGBs are needed for a flexible shape');
  if (ocpus < cpu.min || ocpus > cpu.max) throw invalid(`shapeConfig: ocpus must be from ${cpu.min} to ${cpu.max}`);
  const [least, most] = [
    Math.max(memory.minInGBs, memory.minPerOcpuInGBs * ocpus),
    Math.min(memory.maxInGBs, memory.maxPerOcpuInGBs * ocpus),
  ];
  if (memoryInGBs < least || memoryInGBs > most)
    throw invalid(`shapeConfig: memoryInGBs must be from ${least} to ${most}`);
  return { ocpus, memoryInGBs };
}

function attachable(world: World, id: unknown, domain: string): VolumeRecord {
  const volume = demand(world.volumes, id);
  if (volume.lifecycleState !== 'AVAILABLE')
    throw incorrectState(`The volume ${volume.id} is in state ${volume.lifecycleState}`);
  if (volume.availabilityDomain !== domain)
    throw invalid('The volume and the instance are in different availability domains');
  if (attachmentsOf(world, volume.id).length > 0)
    throw refuse(409, 'Conflict', `The volume ${volume.id} is attached already`);
  return volume;
}

function bootVolume(
  call: Call,
  source: Body,
  compartmentId: string,
  availabilityDomain: string,
): { readonly volume: VolumeRecord; readonly image: ImageRecord | undefined } {
  const { world } = call;
  if (source['sourceType'] === 'bootVolume') {
    const volume = attachable(world, source['bootVolumeId'], availabilityDomain);
    if (!volume.id.startsWith('ocid1.bootvolume.')) throw invalid('bootVolumeId is not the id of a boot volume');
    return { volume, image: volume.imageId === undefined ? undefined : world.images.get(volume.imageId) };
  }
  if (source['sourceType'] !== 'image') throw invalid('sourceType must be image or bootVolume');
  const image = demand(world.images, source['imageId']);
  if (isGone(image)) throw notFound('image');
  if (image.lifecycleState !== 'AVAILABLE') throw incorrectState(`The image is in state ${image.lifecycleState}`);
  const sizeInGBs = source['bootVolumeSizeInGBs'] === undefined ? 50 : sizeOf(source['bootVolumeSizeInGBs']);
  world.demandLimits(availabilityDomain, {
    'block-storage/volume-count': 1,
    'block-storage/total-storage-gb': sizeInGBs,
  });
  const volume: VolumeRecord = {
    id: world.newId('bootvolume'),
    compartmentId,
    availabilityDomain,
    displayName: `${String(call.body['displayName'] ?? 'instance')} (Boot Volume)`,
    timeCreated: world.now(),
    sizeInGBs,
    sizeInMBs: sizeInGBs * 1024,
    vpusPerGB: performanceOf(source['bootVolumeVpusPerGB']),
    lifecycleState: 'PROVISIONING',
    isHydrated: true,
    imageId: image.id,
    freeformTags: {},
  };
  world.volumes.set(volume.id, volume);
  return { volume, image };
}

/** The bytes of a boot volume from an image: zeros of an imported image of zeros, and something else of every other one. */
async function layOutBootVolume(world: World, volume: VolumeRecord, image: ImageRecord | undefined): Promise<void> {
  await world.ground.files.createBlank(volume.id, volume.sizeInGBs * gibibyte);
  if (image?.operatingSystem !== 'Custom')
    await world.ground.files.write(volume.id, 0, Buffer.from('an installed system'));
}

/** What an instance starts with: as asked where its image allows that, else as the image says. */
function optionsFor(world: World, given: unknown, image: ImageRecord | undefined): InstanceRecord['launchOptions'] {
  const asked = given === undefined ? {} : bodyOf(given, 'launchOptions');
  const options = { ...image?.launchOptions, ...asked };
  const schema = [...world.schemas.values()].find(({ imageId }) => imageId === image?.id);
  const firmwares = schema?.schemaData['Compute.Firmware']?.values ?? [
    String(image?.launchOptions['firmware'] ?? 'BIOS'),
    ...(image === undefined ? ['UEFI_64'] : []),
  ];
  if (options['firmware'] !== undefined && !firmwares.includes(String(options['firmware'])))
    throw invalid(`launchOptions: firmware ${String(options['firmware'])} is not supported by the image`);
  return options;
}

export function subnetFor(world: World, details: Body): SubnetRecord {
  const subnet = demand(world.subnets, text(details, 'subnetId'));
  if (details['assignPublicIp'] === true && subnet.prohibitPublicIpOnVnic)
    throw invalid('The subnet prohibits public IP addresses on VNICs');
  return subnet;
}

export function groupsFor(world: World, details: Body, subnet: SubnetRecord): readonly string[] {
  const ids = (details['nsgIds'] ?? []) as readonly string[];
  for (const id of ids)
    if (demand(world.groups, id).vcnId !== subnet.vcnId) throw invalid(`nsgIds: the group ${id} is in another VCN`);
  return ids;
}

export function makeVnic(
  world: World,
  instance: InstanceRecord,
  subnet: SubnetRecord,
  nsgIds: readonly string[],
  details: Body,
  isPrimary: boolean,
) {
  const taken = new Set(
    [...world.vnics.values()].filter((vnic) => !isGone(vnic)).flatMap((vnic) => [vnic.privateIp, vnic.publicIp]),
  );
  const prefix = subnet.cidrBlock.replace(/\d+\/\d+$/, '');
  const privateIp = Array.from({ length: 240 }, (_, index) => `${prefix}${index + 10}`).find(
    (address) => !taken.has(address),
  );
  const wantsPublic = details['assignPublicIp'] ?? !subnet.prohibitPublicIpOnVnic;
  const publicIp =
    wantsPublic === true ? world.ground.publicAddresses.find((address) => !taken.has(address)) : undefined;
  if (privateIp === undefined) throw refuse(409, 'IncorrectState', 'The subnet has no free address');
  const vnic: VnicRecord = {
    id: world.newId('vnic'),
    compartmentId: instance.compartmentId,
    availabilityDomain: instance.availabilityDomain,
    displayName: String(details['displayName'] ?? instance.displayName),
    timeCreated: world.now(),
    lifecycleState: 'AVAILABLE',
    freeformTags: tagsOf(details),
    subnetId: subnet.id,
    isPrimary,
    nsgIds,
    privateIp,
    macAddress: ['02', '00', '17', ...(randomBytes(3).toString('hex').match(/../g) ?? [])].join(':').toUpperCase(),
    ...(publicIp === undefined ? {} : { publicIp }),
  };
  world.vnics.set(vnic.id, vnic);
  const attachment = {
    id: world.newId('vnicattachment'),
    availabilityDomain: instance.availabilityDomain,
    compartmentId: instance.compartmentId,
    instanceId: instance.id,
    displayName: vnic.displayName,
    timeCreated: world.now(),
    lifecycleState: 'ATTACHING',
    subnetId: subnet.id,
    vnicId: vnic.id,
  };
  world.vnicAttachments.set(attachment.id, attachment);
  return attachment;
}

/** Ends an instance with its VNICs and attachments. Data volumes stay. */
function end(world: World, instance: InstanceRecord, keepsBootVolume: boolean): void {
  instance.lifecycleState = 'TERMINATED';
  for (const one of [
    ...world.attachments.values(),
    ...world.bootAttachments.values(),
    ...world.vnicAttachments.values(),
  ])
    if (one.instanceId === instance.id) one.lifecycleState = 'DETACHED';
  for (const { vnicId, instanceId } of world.vnicAttachments.values()) {
    const vnic = world.vnics.get(vnicId);
    if (instanceId === instance.id && vnic !== undefined) vnic.lifecycleState = 'TERMINATED';
  }
  const boot = world.volumes.get(world.bootAttachments.get(instance.id)?.bootVolumeId ?? '');
  if (boot !== undefined && !keepsBootVolume) boot.lifecycleState = 'TERMINATED';
  exposeInstancesLater(world);
}

export const terminateInstance: Operation = (call) => {
  const { world, params, query } = call;
  const instance = demand(world.instances, params['instanceId']);
  if (isGone(instance)) throw incorrectState(`The instance is in state ${instance.lifecycleState}`);
  if (instance.lifecycleState === 'TERMINATING') return noContent();
  if (instance.lifecycleState === 'PROVISIONING') throw incorrectState('The instance is in state PROVISIONING');
  const keeps = query.get('preserveBootVolume') === 'true';
  const before = instance.lifecycleState;
  instance.lifecycleState = 'TERMINATING';
  const bootId = world.bootAttachments.get(instance.id)?.bootVolumeId ?? '';
  const work = world.openWork(call.requestId, {
    operationType: 'TerminateInstance',
    compartmentId: instance.compartmentId,
    resourceId: instance.id,
  });
  world.transition({
    fault: call.fault,
    operation: work,
    work: async () => {
      await world.ground.machines.stop(instance.id);
      if (!keeps) await world.ground.files.remove(bootId);
    },
    succeed: () => end(world, instance, keeps),
    fail: () => {
      instance.lifecycleState = before;
    },
  });
  return { status: 204, headers: { 'opc-work-request-id': work.id } };
};

export const instanceAction: Operation = (call) => {
  const { world, params, query } = call;
  const instance = demand(world.instances, params['instanceId']);
  const action = query.get('action') ?? '';
  const from = action === 'START' ? 'STOPPED' : 'RUNNING';
  if (!['START', 'STOP'].includes(action)) throw invalid(`action ${action} is not known`);
  if (instance.lifecycleState !== from) throw incorrectState(`The instance is in state ${instance.lifecycleState}`);
  instance.lifecycleState = action === 'START' ? 'STARTING' : 'STOPPING';
  world.transition({
    fault: call.fault,
    work: () =>
      action === 'START'
        ? world.ground.machines.start(machinePlan(world, instance))
        : world.ground.machines.stop(instance.id),
    succeed: () => {
      instance.lifecycleState = action === 'START' ? 'RUNNING' : 'STOPPED';
      exposeInstancesLater(world);
    },
    fail: () => {
      instance.lifecycleState = from;
    },
  });
  return ok({ ...instance });
};

export const deviceNames = Array.from(
  { length: 32 },
  (_, index) =>
    `/dev/oracleoci/oraclevd${index < 26 ? String.fromCharCode(97 + index) : `a${String.fromCharCode(97 + index - 26)}`}`,
);

/** Images of the platform have rules that give volumes the names that were asked for. */
export const listDevices: Operation = (call) => {
  const instance = demand(call.world.instances, call.params['instanceId']);
  const image = call.world.images.get(instance.imageId ?? '');
  if (image?.launchOptions['isConsistentVolumeNamingEnabled'] !== true) return ok([]);
  const taken = new Set(
    [...call.world.attachments.values()]
      .filter((one) => one.instanceId === instance.id && !isGone(one))
      .map(({ device }) => device),
  );
  return listReply(
    call,
    deviceNames.slice(1).map((name) => ({ name, isAvailable: !taken.has(name) })),
    ['isAvailable'],
  );
};

export const listShapes: Operation = (call) => {
  demand(call.world.compartments, call.query.get('compartmentId') ?? undefined);
  const domain = call.query.get('availabilityDomain');
  return listReply(
    call,
    (domain === null ? call.world.setup.domains : [domain]).flatMap(() => call.world.setup.shapes),
    [],
  );
};

export function dataVolume(world: World, attachment: VolumeAttachmentRecord): MachineVolume {
  const device =
    attachment.attachmentType === 'iscsi'
      ? {
          byPath: `ip-${attachment.ipv4}:${attachment.port}-iscsi-${attachment.iqn}-lun-1`,
          target: targetOf(attachment),
        }
      : attachment.device === undefined
        ? {}
        : { links: [attachment.device.replace('/dev/', '')] };
  return { volumeId: attachment.volumeId, path: world.ground.files.path(attachment.volumeId), device };
}

function targetOf({
  iqn = '',
  chapUsername: user,
  chapSecret: secret,
}: VolumeAttachmentRecord): NonNullable<NonNullable<MachineVolume['device']>['target']> {
  return { iqn, ...(user === undefined || secret === undefined ? {} : { user, secret }) };
}

export function machinePlan(world: World, instance: InstanceRecord): MachinePlan {
  const boot = world.volumes.get(world.bootAttachments.get(instance.id)?.bootVolumeId ?? '');
  const image = world.images.get(instance.imageId ?? '');
  const isWorker = instance.sourceDetails.sourceType === 'image';
  const options = instance.launchOptions;
  return {
    serverId: instance.id,
    name: instance.displayName,
    vcpus: Math.max(1, instance.shapeConfig.ocpus * 2),
    memoryMiB: instance.shapeConfig.memoryInGBs * 1024,
    userData: Buffer.from(instance.metadata['user_data'] ?? '', 'base64').toString('utf8'),
    boot: isWorker
      ? { kind: 'image', imageName: image?.displayName ?? 'image' }
      : {
          kind: 'volume',
          volumeId: boot?.id ?? '',
          path: world.ground.files.path(boot?.id ?? ''),
          firmware: options['firmware'] === 'UEFI_64' ? 'uefi' : 'bios',
          diskBus: options['bootVolumeType'] === 'PARAVIRTUALIZED' ? 'scsi' : 'ide',
          configDrive: false,
        },
    dataVolumes: [...world.attachments.values()]
      .filter((one) => one.instanceId === instance.id && !isGone(one))
      .map((one) => dataVolume(world, one)),
    nics: [...world.vnicAttachments.values()]
      .filter((one) => one.instanceId === instance.id && !isGone(one))
      .flatMap(({ vnicId }) => {
        const vnic = world.vnics.get(vnicId);
        return vnic === undefined ? [] : [{ mac: vnic.macAddress.toLowerCase(), ipv4: vnic.privateIp }];
      }),
  };
}

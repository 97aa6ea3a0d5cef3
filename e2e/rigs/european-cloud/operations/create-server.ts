import { accepted, badRequest, created } from '../../cloud-kit/call.ts';
import type { MachinePlan } from '../../cloud-kit/server-machines.ts';
import { invalid, labelsField, objectField, stringField, stringList } from '../call.ts';
import type { Call, Operation } from '../call.ts';
import { exposeServersLater } from '../reachability.ts';
import type { Labels, NicRecord, ServerRecord, VolumeRecord } from '../records.ts';
import { demandStatus, newId, now } from '../world.ts';
import type { World } from '../world.ts';
import { makeNic } from './networks.ts';
import { nicsOf } from './servers.ts';
import { performanceClassField, zoneField } from './volumes.ts';

/** `POST servers`: from an image or a volume, with NICs that exist or in a network; then the way to ACTIVE. */
export const createServer: Operation = (call) => {
  const { world } = call;
  const type = world.setup.machineTypes.find((one) => one.name === call.body['machineType']);
  if (type === undefined) throw badRequest('machine type is not valid');
  const name = stringField(call, 'name');
  if (name.length > 63 || !/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(name) || name.includes('..'))
    throw invalid('name', 'not a host name');
  const zone = call.body['availabilityZone'] === undefined ? (world.setup.zones[0] ?? '') : zoneField(call);
  const keypairName = call.body['keypairName'] === undefined ? undefined : stringField(call, 'keypairName');
  if (keypairName !== undefined) world.keyPairs.demand(keypairName);
  world.demandQuota({ vcpu: type.vcpus, ram: type.ram });
  const id = newId();
  const dataVolumes = stringList(call.body['volumes'] ?? [], 'volumes').map((volumeId) => {
    const volume = world.volumes.demand(volumeId);
    demandAttachable(volume, zone);
    return volume;
  });
  const affinityGroup =
    call.body['affinityGroup'] === undefined
      ? undefined
      : world.affinityGroups.demand(stringField(call, 'affinityGroup'));
  const boot = bootVolume(call, zone);
  const nics = (() => {
    try {
      return serverNics(call);
    } catch (refused) {
      // A refused creation makes nothing.
      if (boot.source.type === 'image') world.volumes.delete(boot.volume.id);
      throw refused;
    }
  })();
  const server: ServerRecord = {
    id,
    createdAt: now(),
    updatedAt: now(),
    name,
    labels: labelsField(call),
    metadata: metadataField(call),
    machineType: type.name,
    availabilityZone: zone,
    bootVolume: { id: boot.volume.id, deleteOnTermination: boot.deleteOnTermination, source: boot.source },
    attachments: new Map([
      [boot.volume.id, boot.deleteOnTermination],
      ...dataVolumes.map((volume): [string, boolean] => [volume.id, false]),
    ]),
    configDrive: call.body['configDrive'] === true,
    serviceAccountMails: stringList(call.body['serviceAccountMails'] ?? [], 'serviceAccountMails'),
    status: 'CREATING',
    powerStatus: 'STOPPED',
    ...(boot.source.type === 'image' ? { imageId: boot.source.id } : {}),
    ...(keypairName === undefined ? {} : { keypairName }),
    ...(affinityGroup === undefined ? {} : { affinityGroup: affinityGroup.id }),
    ...(call.body['userData'] === undefined ? {} : { userData: stringField(call, 'userData') }),
  };
  world.servers.set(id, server);
  affinityGroup?.members.push(id);
  for (const volume of [boot.volume, ...dataVolumes]) Object.assign(volume, { serverId: id, status: 'ATTACHING' });
  for (const nic of nics) Object.assign(nic, { device: id, status: 'ACTIVE', type: 'server' });
  world.transition({
    fault: call.fault,
    operation: world.openRequest(call.requestId, 'CREATE', 'SERVER', [id]),
    work: () => world.ground.machines.start(machinePlan(world, server)),
    succeed: () => {
      // It may have been deleted before it ran.
      if (server.status !== 'CREATING') return;
      Object.assign(server, { status: 'ACTIVE', powerStatus: 'RUNNING', launchedAt: now() });
      for (const volume of [boot.volume, ...dataVolumes]) volume.status = 'ATTACHED';
      exposeServersLater(world);
    },
    fail: (reason) => Object.assign(server, { status: 'ERROR', powerStatus: 'ERROR', errorMessage: reason }),
  });
  const { attachments: _, userData: __, ...shown } = server;
  return created(shown);
};

export const startServer: Operation = (call) => {
  const { world } = call;
  const server = world.servers.demand(call.params['serverId']);
  demandStatus('server', server.status, ['INACTIVE', 'DEALLOCATED']);
  server.status = 'STARTING';
  world.transition({
    fault: call.fault,
    operation: world.openRequest(call.requestId, 'UPDATE', 'SERVER', [server.id]),
    work: () => world.ground.machines.start(machinePlan(world, server)),
    succeed: () => {
      Object.assign(server, { status: 'ACTIVE', powerStatus: 'RUNNING' });
      exposeServersLater(world);
    },
    fail: (reason) => Object.assign(server, { status: 'ERROR', errorMessage: reason }),
  });
  return accepted();
};

function demandAttachable(volume: VolumeRecord, zone: string): void {
  if (volume.serverId !== undefined) throw badRequest('volume is already attached');
  if (volume.status !== 'AVAILABLE') throw badRequest(`volume is in status ${volume.status}`);
  if (volume.availabilityZone !== zone) throw badRequest('volume and server are in different availability zones');
}

function metadataField(call: Call): Labels {
  if (call.body['metadata'] === undefined) return {};
  const metadata = objectField(call.body['metadata'], 'metadata');
  for (const [key, value] of Object.entries(metadata)) {
    if (!/^[a-zA-Z0-9-_:. ]{1,255}$/.test(key)) throw invalid(`metadata/${key}`, 'key is not valid');
    if (typeof value !== 'string' || value.length > 255) throw invalid(`metadata/${key}`, 'value is not valid');
  }
  return metadata as Labels;
}

interface Boot {
  readonly volume: VolumeRecord;
  readonly source: { readonly type: string; readonly id: string };
  readonly deleteOnTermination: boolean;
}

function bootVolume(call: Call, zone: string): Boot {
  const { world } = call;
  const wish = objectField(call.body['bootVolume'], 'bootVolume');
  const given = objectField(wish['source'], 'bootVolume/source');
  const source = { type: String(given['type']), id: String(given['id']) };
  const deleteOnTermination = wish['deleteOnTermination'] === true;
  if (source.type === 'volume') {
    const volume = world.volumes.demand(source.id);
    demandAttachable(volume, zone);
    if (!volume.bootable) throw badRequest('boot volume is not bootable');
    return { volume, source, deleteOnTermination };
  }
  if (source.type !== 'image') throw invalid('bootVolume/source/type', 'value is not one of the allowed values');
  const image = world.images.demand(source.id);
  if (image.status !== 'AVAILABLE') throw badRequest(`image is in status ${image.status}`);
  const size = wish['size'];
  if (typeof size !== 'number' || !Number.isInteger(size) || size < image.minDiskSize) {
    throw badRequest('boot device size is not valid or missing');
  }
  world.demandQuota({ volumes: 1, gigabytes: size });
  const id = newId();
  const volume: VolumeRecord = {
    id,
    createdAt: now(),
    updatedAt: now(),
    name: id,
    labels: {},
    availabilityZone: zone,
    size,
    status: 'CREATING',
    performanceClass: performanceClassField(call, wish['performanceClass']),
    bootable: true,
    encrypted: false,
    source,
  };
  world.volumes.set(id, volume);
  return { volume, source, deleteOnTermination };
}

function serverNics(call: Call): NicRecord[] {
  const { world } = call;
  const networking = objectField(call.body['networking'], 'networking');
  if (networking['nicIds'] !== undefined) {
    return stringList(networking['nicIds'], 'networking/nicIds').map((id) => {
      const nic = world.nics.demand(id);
      if (nic.device !== undefined) throw badRequest('network interface is in use by a server');
      return nic;
    });
  }
  if (typeof networking['networkId'] !== 'string') throw invalid('networking', 'networkId or nicIds is needed');
  const network = world.networks.demand(networking['networkId']);
  world.demandQuota({ nics: 1 });
  const groups =
    call.body['securityGroups'] === undefined
      ? undefined
      : stringList(call.body['securityGroups'], 'securityGroups').map((wanted) => {
          const matching = [...world.securityGroups.values()].filter(
            (group) => group.id === wanted || group.name === wanted,
          );
          if (matching.length !== 1) throw badRequest(`security group ${wanted} is not known or not unique`);
          return matching[0]?.id ?? '';
        });
  return [
    makeNic(world, network, { ownedByServer: true, ...(groups === undefined ? {} : { securityGroups: groups }) }),
  ];
}

function machinePlan(world: World, server: ServerRecord): MachinePlan {
  const type = world.setup.machineTypes.find((one) => one.name === server.machineType);
  const publicKey = server.keypairName === undefined ? undefined : world.keyPairs.get(server.keypairName)?.publicKey;
  const place = (volumeId: string): { volumeId: string; path: string } => ({
    volumeId,
    path: world.ground.files.path(volumeId),
  });
  const config = world.volumes.get(server.bootVolume.id)?.imageConfig;
  const firmware = {
    firmware: config?.['uefi'] === true ? 'uefi' : 'bios',
    secureBoot: config?.['secureBoot'] === true,
    diskBus: String(config?.['diskBus'] ?? 'virtio'),
  } as const;
  const boot: MachinePlan['boot'] =
    server.bootVolume.source.type === 'volume'
      ? { kind: 'volume', ...place(server.bootVolume.id), ...firmware, configDrive: server.configDrive }
      : { kind: 'image', imageName: world.images.get(server.bootVolume.source.id)?.name ?? '' };
  return {
    serverId: server.id,
    name: server.name,
    vcpus: type?.vcpus ?? 1,
    memoryMiB: type?.ram ?? 1024,
    userData: Buffer.from(server.userData ?? '', 'base64').toString('utf8'),
    boot,
    dataVolumes: [...server.attachments.keys()].filter((id) => id !== server.bootVolume.id).map(place),
    nics: nicsOf(world, server).map(({ mac, ipv4 }) => ({ mac, ipv4 })),
    ...(publicKey === undefined ? {} : { publicKey }),
  };
}

import { accepted, badRequest, conflict, created, noContent, ok } from '../../cloud-kit/call.ts';
import { gibibyte } from '../../cloud-kit/volume-files.ts';
import {
  invalid,
  labelsField,
  mergedLabels,
  nameField,
  objectField,
  optionalString,
  selected,
  stringField,
} from '../call.ts';
import type { Call, Operation } from '../call.ts';
import type { ImageConfig, VolumeRecord } from '../records.ts';
import { demandStatus, newId, now } from '../world.ts';

const maximumSizeGB = 16_000;

const imageConfigKeys = new Set([
  'architecture',
  'bootMenu',
  'cdromBus',
  'diskBus',
  'nicModel',
  'operatingSystem',
  'operatingSystemDistro',
  'operatingSystemVersion',
  'rescueBus',
  'rescueDevice',
  'secureBoot',
  'uefi',
  'videoModel',
  'virtioScsi',
]);

export function sizeField(call: Call): number | undefined {
  const size = call.body['size'];
  if (size === undefined) return undefined;
  if (typeof size !== 'number' || !Number.isInteger(size) || size < 1 || size > maximumSizeGB) {
    throw invalid('size', `value must be an integer from 1 to ${maximumSizeGB}`);
  }
  return size;
}

export function performanceClassField(call: Call, value: unknown): string {
  const classes = call.world.setup.performanceClasses;
  if (value === undefined) return classes[0]?.name ?? '';
  if (!classes.some((one) => one.name === value)) throw badRequest('volume performance class is not valid');
  return value as string;
}

export function zoneField(call: Call): string {
  const zone = stringField(call, 'availabilityZone');
  if (!call.world.setup.zones.includes(zone)) throw badRequest('availability zone is not valid');
  return zone;
}

function imageConfigField(call: Call): ImageConfig {
  const config = objectField(call.body['imageConfig'], 'imageConfig');
  for (const key of Object.keys(config)) {
    if (!imageConfigKeys.has(key)) throw invalid(`imageConfig/${key}`, 'property is unknown');
  }
  return config as ImageConfig;
}

export const listVolumes: Operation = (call) => ok({ items: selected(call, call.world.volumes.listed()) });

export const getVolume: Operation = ({ world, params }) => ok(world.volumes.demand(params['volumeId']));

export const createVolume: Operation = (call) => {
  const { world } = call;
  const availabilityZone = zoneField(call);
  const performanceClass = performanceClassField(call, call.body['performanceClass']);
  const source = call.body['source'] === undefined ? undefined : objectField(call.body['source'], 'source');
  const given = sizeField(call);
  const description = optionalString(call, 'description');
  let size = given;
  let copyFrom: string | undefined;
  if (source?.['type'] === 'snapshot') {
    const snapshot = world.snapshots.demand(String(source['id']));
    demandStatus('snapshot', snapshot.status, ['AVAILABLE']);
    copyFrom = snapshot.id;
    size = Math.max(given ?? 0, snapshot.size);
  } else if (source?.['type'] === 'volume') {
    const origin = world.volumes.demand(String(source['id']));
    demandStatus('volume', origin.status, ['AVAILABLE']);
    copyFrom = origin.id;
    size = Math.max(given ?? 0, origin.size);
  } else if (source?.['type'] === 'image') {
    const image = world.images.demand(String(source['id']));
    if (given !== undefined && given < image.minDiskSize)
      throw badRequest('volume size is smaller than the image needs');
  } else if (source !== undefined) {
    throw invalid('source/type', 'value is not one of the allowed values');
  }
  if (size === undefined) throw invalid('size', 'property is missing');
  if (copyFrom !== undefined && given !== undefined && given < size)
    throw badRequest('volume size is smaller than its source');
  world.demandQuota({ volumes: 1, gigabytes: size }, 413);
  const id = newId();
  const volume: VolumeRecord = {
    id,
    createdAt: now(),
    updatedAt: now(),
    name: nameField(call, id),
    labels: labelsField(call),
    availabilityZone,
    performanceClass,
    size,
    status: 'CREATING',
    bootable: call.body['bootable'] === true,
    encrypted: false,
    ...(description === undefined ? {} : { description }),
    ...(source === undefined ? {} : { source: { type: String(source['type']), id: String(source['id']) } }),
  };
  world.volumes.set(id, volume);
  world.transition({
    fault: call.fault,
    operation: world.openRequest(call.requestId, 'CREATE', 'VOLUME', [id]),
    work: async () => {
      if (copyFrom === undefined) {
        await world.ground.files.createBlank(id, volume.size * gibibyte);
      } else {
        await world.ground.files.copy(copyFrom, id);
        await world.ground.files.grow(id, volume.size * gibibyte);
      }
    },
    succeed: () => {
      volume.status = 'AVAILABLE';
    },
    fail: () => {
      volume.status = 'ERROR';
    },
  });
  return created({ ...volume });
};

export const updateVolume: Operation = (call) => {
  const volume = call.world.volumes.demand(call.params['volumeId']);
  if (call.body['imageConfig'] !== undefined) volume.imageConfig = { ...volume.imageConfig, ...imageConfigField(call) };
  if (call.body['bootable'] !== undefined) volume.bootable = call.body['bootable'] === true;
  if (call.body['name'] !== undefined) volume.name = nameField(call);
  const description = optionalString(call, 'description');
  if (description !== undefined) volume.description = description;
  volume.labels = mergedLabels(call, volume.labels);
  volume.updatedAt = now();
  return ok({ ...volume });
};

export const deleteVolume: Operation = (call) => {
  const { world } = call;
  const volume = world.volumes.demand(call.params['volumeId']);
  if (volume.serverId !== undefined) throw conflict('volume is still in use');
  if (!volume.status.startsWith('ERROR')) demandStatus('volume', volume.status, ['AVAILABLE']);
  const snapshots = [...world.snapshots.values()].filter((snapshot) => snapshot.volumeId === volume.id);
  if (snapshots.length > 0 && call.query.get('cascade') !== 'true') throw conflict('volume has snapshots');
  volume.status = 'DELETING';
  world.transition({
    fault: call.fault,
    operation: world.openRequest(call.requestId, 'DELETE', 'VOLUME', [volume.id]),
    work: async () => {
      for (const id of [volume.id, ...snapshots.map((snapshot) => snapshot.id)]) await world.ground.files.remove(id);
    },
    succeed: () => {
      for (const snapshot of snapshots) world.snapshots.delete(snapshot.id);
      world.volumes.delete(volume.id);
    },
    fail: () => {
      volume.status = 'ERROR_DELETING';
    },
  });
  return noContent();
};

export const resizeVolume: Operation = (call) => {
  const { world } = call;
  const volume = world.volumes.demand(call.params['volumeId']);
  const size = sizeField(call);
  if (size === undefined) throw invalid('size', 'property is missing');
  demandStatus('volume', volume.status, ['AVAILABLE']);
  if (size <= volume.size) throw badRequest('new size has to be larger than the current one');
  world.demandQuota({ gigabytes: size - volume.size }, 413);
  volume.status = 'RESIZING';
  world.transition({
    fault: call.fault,
    operation: world.openRequest(call.requestId, 'UPDATE', 'VOLUME', [volume.id]),
    work: () => world.ground.files.grow(volume.id, size * gibibyte),
    succeed: () => Object.assign(volume, { size, status: 'AVAILABLE', updatedAt: now() }),
    fail: () => {
      volume.status = 'ERROR_RESIZING';
    },
  });
  return accepted();
};

import { noContent } from '../../cloud-kit/call.ts';
import { gibibyte } from '../../cloud-kit/volume-files.ts';
import type { VolumeRecord } from '../records.ts';
import {
  compartmentOf,
  creation,
  demand,
  domainOf,
  incorrectState,
  invalid,
  isGone,
  listReply,
  refuse,
  tagsOf,
} from '../world.ts';
import type { Call, Operation, World } from '../world.ts';

const [smallestGb, largestGb] = [50, 32_768];

export function sizeOf(value: unknown, least = smallestGb): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > largestGb)
    throw invalid(`sizeInGBs must be an integer from ${least} to ${largestGb}`);
  return value;
}

export function performanceOf(value: unknown): number {
  const units = value ?? 10;
  if (typeof units !== 'number' || units % 10 !== 0 || units < 0 || units > 120)
    throw invalid('vpusPerGB must be 0, 10, 20, up to 120');
  return units;
}

const isBoot = (id: string): boolean => id.startsWith('ocid1.bootvolume.');
const shown = (volume: VolumeRecord): object => ({ ...volume });
const withEtag = ({ world }: Call, volume: VolumeRecord) => ({
  status: 200,
  body: shown(volume),
  headers: { etag: world.etagOf(volume) },
});

export function attachmentsOf(world: World, volumeId: string): string[] {
  return [
    ...[...world.attachments.values()]
      .filter((one) => one.volumeId === volumeId && !isGone(one))
      .map((one) => one.instanceId),
    ...[...world.bootAttachments.values()]
      .filter((one) => one.bootVolumeId === volumeId && !isGone(one))
      .map((one) => one.instanceId),
  ];
}

const listOf =
  (kind: (id: string) => boolean): Operation =>
  (call) =>
    listReply(
      call,
      call.world.volumes.listed().filter(({ id }) => kind(id)),
      ['compartmentId', 'availabilityDomain', 'displayName', 'lifecycleState'],
      shown,
    );
export const listVolumes = listOf((id) => !isBoot(id));
export const listBootVolumes = listOf(isBoot);

export const getVolume: Operation = (call) =>
  withEtag(call, demand(call.world.volumes, call.params['volumeId'] ?? call.params['bootVolumeId']));

const created = (kind: 'volume' | 'bootvolume'): Operation =>
  creation((call) => {
    const { world, body } = call;
    const [compartmentId, availabilityDomain] = [compartmentOf(call), domainOf(call)];
    const given = body['sourceDetails'] as { readonly type?: string; readonly id?: string } | undefined;
    const isBackup = given?.type === (kind === 'bootvolume' ? 'bootVolumeBackup' : 'volumeBackup');
    if (kind === 'bootvolume' && given?.type !== 'bootVolume' && !isBackup)
      throw invalid('sourceDetails: a boot volume is made from another boot volume or a backup');
    if (kind === 'volume' && given !== undefined && given.type !== 'volume' && !isBackup)
      throw invalid('sourceDetails: a volume is made from another volume or a backup');
    const source =
      given === undefined
        ? undefined
        : isBackup
          ? { ...demand(world.backups, given.id), availabilityDomain }
          : demand(world.volumes, given.id);
    if (source !== undefined && source.lifecycleState !== 'AVAILABLE')
      throw incorrectState(`The volume ${source.id} is in state ${source.lifecycleState}`);
    if (source !== undefined && source.availabilityDomain !== availabilityDomain)
      throw invalid('A clone is in the availability domain of its source');
    const sizeInGBs =
      body['sizeInGBs'] === undefined && source !== undefined
        ? source.sizeInGBs
        : sizeOf(body['sizeInGBs'], source?.sizeInGBs);
    world.demandLimits(availabilityDomain, {
      'block-storage/volume-count': 1,
      'block-storage/total-storage-gb': sizeInGBs,
    });
    const volume: VolumeRecord = {
      id: world.newId(kind),
      compartmentId,
      availabilityDomain,
      displayName: String(body['displayName'] ?? `volume${world.now()}`),
      timeCreated: world.now(),
      sizeInGBs,
      sizeInMBs: sizeInGBs * 1024,
      vpusPerGB: performanceOf(body['vpusPerGB']),
      lifecycleState: 'PROVISIONING',
      isHydrated: source === undefined,
      freeformTags: tagsOf(body),
      ...(source?.imageId === undefined ? {} : { imageId: source.imageId }),
      ...(source === undefined ? {} : { sourceDetails: { type: given?.type ?? '', id: source.id } }),
    };
    world.volumes.set(volume.id, volume);
    const work = world.openWork(call.requestId, {
      operationType: 'CreateVolume',
      compartmentId,
      resourceId: volume.id,
    });
    world.transition({
      fault: call.fault,
      operation: work,
      work: async () => {
        if (source === undefined) return world.ground.files.createBlank(volume.id, sizeInGBs * gibibyte);
        await world.ground.files.copy(source.id, volume.id);
        await world.ground.files.grow(volume.id, sizeInGBs * gibibyte);
      },
      succeed: () => {
        volume.lifecycleState = 'AVAILABLE';
        // What is behind a clone is copied for a while after it can be used.
        world.transition({
          succeed: () => {
            volume.isHydrated = true;
          },
          fail: () => undefined,
        });
      },
      fail: () => {
        volume.lifecycleState = 'FAULTY';
      },
    });
    return {
      status: 200,
      body: shown(volume),
      headers: { etag: world.etagOf(volume), 'opc-work-request-id': work.id },
    };
  });
export const createVolume = created('volume');
export const createBootVolume = created('bootvolume');

export const updateVolume: Operation = (call) => {
  const { world, body, headers } = call;
  const volume = demand(world.volumes, call.params['volumeId'] ?? call.params['bootVolumeId']);
  const expected = headers['if-match'];
  if (typeof expected === 'string' && expected !== world.etagOf(volume))
    throw refuse(412, 'NoEtagMatch', 'The resource has changed since it was read.');
  if (isGone(volume)) throw incorrectState(`The volume is in state ${volume.lifecycleState}`);
  const size = body['sizeInGBs'] === undefined ? volume.sizeInGBs : sizeOf(body['sizeInGBs']);
  if (size < volume.sizeInGBs) throw invalid('A volume can not become smaller');
  if (size > volume.sizeInGBs && volume.lifecycleState !== 'AVAILABLE')
    throw incorrectState(`The volume is in state ${volume.lifecycleState}`);
  if (body['vpusPerGB'] !== undefined) volume.vpusPerGB = performanceOf(body['vpusPerGB']);
  if (body['displayName'] !== undefined) volume.displayName = String(body['displayName']);
  if (body['freeformTags'] !== undefined) volume.freeformTags = tagsOf(body);
  world.touch(volume);
  if (size > volume.sizeInGBs) {
    world.demandLimits(volume.availabilityDomain, { 'block-storage/total-storage-gb': size - volume.sizeInGBs });
    volume.lifecycleState = 'PROVISIONING';
    world.transition({
      fault: call.fault,
      work: () => world.ground.files.grow(volume.id, size * gibibyte),
      succeed: () => Object.assign(volume, { sizeInGBs: size, sizeInMBs: size * 1024, lifecycleState: 'AVAILABLE' }),
      fail: () => {
        volume.lifecycleState = 'FAULTY';
      },
    });
  }
  return withEtag(call, volume);
};

export const deleteVolume: Operation = (call) => {
  const { world } = call;
  const volume = demand(world.volumes, call.params['volumeId'] ?? call.params['bootVolumeId']);
  if (isGone(volume) || volume.lifecycleState === 'TERMINATING')
    throw incorrectState(`The volume is in state ${volume.lifecycleState}`);
  if (volume.lifecycleState === 'PROVISIONING') throw incorrectState('The volume is in state PROVISIONING');
  if (attachmentsOf(world, volume.id).length > 0) throw incorrectState('The volume is attached to an instance');
  if (
    [...world.volumes.values()].some(
      (other) => other.sourceDetails?.id === volume.id && !other.isHydrated && !isGone(other),
    )
  )
    throw incorrectState('A clone of the volume is being made');
  volume.lifecycleState = 'TERMINATING';
  world.transition({
    fault: call.fault,
    work: () => world.ground.files.remove(volume.id),
    succeed: () => {
      volume.lifecycleState = 'TERMINATED';
    },
    // What could not be deleted is there as before.
    fail: () => {
      volume.lifecycleState = 'FAULTY';
    },
  });
  return noContent();
};

import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { Disk, Vm } from '../../../shared/model/vm.ts';
import { isAmbiguous } from '../http/http-error.ts';
import type { DestinationRun, Volume } from '../ports/destination-platform.ts';
import type { CloudApi, CloudVolume } from './cloud-api.ts';
import { labelKeys, labelValue, type Labels } from './labels.ts';
import { ensureResource, nameOf, ownerLabel, resourceTags } from './ledgered-resource.ts';
import { ourLabel } from './managed-resources.ts';
import { refuseOtherOwner } from './other-owner.ts';
import { deleteAll, deleteResource } from './resource-deletion.ts';
import { freeVolume } from './volume-attachments.ts';
import { bytesOfGib, sizeInGib } from './volume-sizes.ts';
import { awaitVolume, volumeFinders } from './volume-state.ts';

/** The disk's exact size when the volume was made or grown for it: whole GiB would hide that a disk shrank. */
export const diskBytesLabel = 'causeway-disk-bytes';

export function volumeKey(diskId: string): string {
  return `disk/${diskId}`;
}

/** What is there for a disk before anything is changed. Sizes in GiB. */
export interface VolumePlan {
  readonly disk: Disk;
  readonly size: number;
  readonly volume: CloudVolume | undefined;
  /** What the volume grows by: its whole size when there is none. */
  readonly growth: number;
  /** The type that a new volume gets; undefined: the cloud's default. */
  readonly type: string | undefined;
}

/** The plan of a VM's volumes as far as the cloud shows it: those that an earlier execution created are there already. */
export async function volumesOfVm(
  cloud: Pick<CloudApi, 'volumes'>,
  vm: Vm,
  typeOf: (disk: Disk) => string | undefined,
  signal: AbortSignal,
): Promise<readonly VolumePlan[]> {
  const volumes = await cloud.volumes.list({ ...ourLabel, [labelKeys.vm]: labelValue(vm.id) }, signal);
  return vm.disks.map((disk) => {
    const volume = volumes.find(({ labels }) => labels[labelKeys.disk] === labelValue(disk.id));
    const size = sizeInGib(disk.size_bytes);
    return { disk, size, volume, growth: Math.max(0, size - (volume?.sizeGib ?? 0)), type: typeOf(disk) };
  });
}

export interface VolumeRules {
  /** Where volumes are made; undefined: where the cloud likes. */
  readonly zone: string | undefined;
  typeOf(disk: Disk): string | undefined;
  /** Refuses what can't be had as a whole: types, quotas, and the worker that will come next. Called before the first change. */
  checkQuota(plans: readonly VolumePlan[], signal: AbortSignal): Promise<void>;
}

/**
 * One volume a disk: those that exist are kept, and grown where the disk grew. Everything that can be refused (a disk
 * that shrank or is too large, another zone, too small a quota) is refused before the first change.
 */
export async function ensureVolumes(
  cloud: CloudApi,
  run: DestinationRun,
  disks: readonly Disk[],
  rules: VolumeRules,
  signal: AbortSignal,
): Promise<readonly Volume[]> {
  const plans: VolumePlan[] = [];
  for (const disk of disks) plans.push(await planVolume(cloud, run, disk, rules, signal));
  await refuseVolumesOfOthers(cloud, run, signal);
  for (const plan of plans) refuseImpossible(cloud, plan, rules);
  if (plans.some((each) => each.growth > 0)) await rules.checkQuota(plans, signal);

  const volumes: Volume[] = [];
  for (const plan of plans) volumes.push(await ensureVolume(cloud, run, plan, rules, signal));
  await Promise.all(volumes.map((volume) => awaitUsable(cloud, run, volume, signal)));
  return volumes;
}

async function planVolume(
  cloud: CloudApi,
  run: DestinationRun,
  disk: Disk,
  rules: VolumeRules,
  signal: AbortSignal,
): Promise<VolumePlan> {
  const entry = run.ledger.find('volume', volumeKey(disk.id));
  const known = entry?.resourceId === undefined ? undefined : await cloud.volumes.get(entry.resourceId, signal);
  const volume = known === undefined || known.state === 'going' ? undefined : known;
  const size = sizeInGib(disk.size_bytes);
  return { disk, size, volume, growth: Math.max(0, size - (volume?.sizeGib ?? 0)), type: rules.typeOf(disk) };
}

/** @throws `store.replica-elsewhere` when another computer has volumes of this replica, or took this one's over */
async function refuseVolumesOfOthers(cloud: CloudApi, run: DestinationRun, signal: AbortSignal): Promise<void> {
  const volumes = await cloud.volumes.list({ ...ourLabel, [labelKeys.replica]: labelValue(run.replicaId) }, signal);
  for (const volume of volumes) {
    if (volume.state === 'going' || volume.labels[diskBytesLabel] === undefined) continue;
    refuseOtherOwner(run.ledger.owner, volume.labels, `volume ${volume.name} belongs to the project data`);
  }
}

function refuseImpossible(
  { largestVolumeGib }: CloudApi,
  { disk, size, volume }: VolumePlan,
  { zone }: VolumeRules,
): void {
  if (largestVolumeGib !== undefined && size > largestVolumeGib) {
    throw new CausewayError(
      'cloud.disk-too-large',
      `disk ${disk.id}: ${size} GiB, and the limit for a volume is ${largestVolumeGib} GiB`,
      { details: { diskId: disk.id, sizeGib: size } },
    );
  }
  if (volume === undefined) return;
  const madeFor = Number(volume.labels[diskBytesLabel] ?? Number.NaN);
  const shrank = Number.isFinite(madeFor) ? disk.size_bytes < madeFor : size < volume.sizeGib;
  if (shrank) {
    throw new CausewayError(
      'replication.disk-shrank',
      `disk ${disk.id}: ${disk.size_bytes} bytes now, volume ${volume.id} was made for ${Number.isFinite(madeFor) ? madeFor : bytesOfGib(volume.sizeGib)}`,
      {
        details: { diskId: disk.id, sizeBytes: disk.size_bytes, volumeId: volume.id, volumeGib: volume.sizeGib },
      },
    );
  }
  if (zone !== undefined && volume.zone !== undefined && volume.zone !== zone) {
    throw new CausewayError(
      'cloud.zone-mismatch',
      `volume ${volume.id} of disk ${disk.id} is in zone ${volume.zone}, but availability_zone is ${zone}`,
      {
        details: { diskId: disk.id, volumeId: volume.id, volumeZone: volume.zone, zone },
      },
    );
  }
  if (volume.state === 'failed') throw volumeFailed(volume.id, disk, volume.status);
}

/** It may still contain copied data, so it is not deleted. */
function volumeFailed(volumeId: string, disk: Disk, status: string): CausewayError {
  return new CausewayError('cloud.volume-failed', `volume ${volumeId} of disk ${disk.id} has status ${status}`, {
    details: { diskId: disk.id, volumeId, state: status },
  });
}

async function ensureVolume(
  cloud: CloudApi,
  run: DestinationRun,
  plan: VolumePlan,
  { zone }: VolumeRules,
  signal: AbortSignal,
): Promise<Volume> {
  const { disk, size, volume: before, type } = plan;
  const former = run.ledger.find('volume', volumeKey(disk.id));
  const owned = await ensureResource<CloudVolume>(
    cloud,
    run.ledger,
    {
      kind: 'volume',
      key: volumeKey(disk.id),
      lifetime: 'replica',
      details: { ...cloud.entryDetails, diskId: disk.id, sizeGib: size },
    },
    {
      ...volumeFinders(cloud),
      create: (entry, s) =>
        cloud.volumes.create(
          { name: nameOf(entry), zone, sizeGib: size, type, labels: resourceTags(run, entry, diskLabels(run, disk)) },
          s,
        ),
    },
    signal,
  );
  const { resource } = owned;
  if (before === undefined && former?.resourceId !== undefined && owned.fresh) {
    run.note(
      `Volume ${former.resourceId} of disk ${disk.id} no longer exists in the cloud: a new volume is created and the whole disk is copied`,
      {
        diskId: disk.id,
        volumeId: former.resourceId,
        newVolumeId: resource.id,
      },
    );
  }
  if (before !== undefined && type !== undefined && resource.type !== undefined && resource.type !== type) {
    run.note(`Volume ${resource.id} keeps its type ${resource.type}: the type cannot be changed to ${type}`, {
      volumeId: resource.id,
    });
  }
  if (resource.sizeGib < size) await grow(cloud, run, resource, disk, size, signal);
  const isMarked = Object.entries(ownerLabel(owned.entry)).every(([key, value]) => resource.labels[key] === value);
  if (resource.labels[diskBytesLabel] !== String(disk.size_bytes) || !isMarked)
    await cloud.volumes.label(resource.id, { ...diskLabels(run, disk), ...ownerLabel(owned.entry) }, signal);
  return {
    id: resource.id,
    diskId: disk.id,
    sizeBytes: bytesOfGib(Math.max(size, resource.sizeGib)),
    createdByThisCall: owned.fresh,
  };
}

function diskLabels(run: DestinationRun, disk: Disk): Labels {
  return {
    [labelKeys.vm]: labelValue(run.vm.id),
    [labelKeys.disk]: labelValue(disk.id),
    [diskBytesLabel]: String(disk.size_bytes),
  };
}

async function grow(
  cloud: CloudApi,
  run: DestinationRun,
  volume: CloudVolume,
  disk: Disk,
  size: number,
  signal: AbortSignal,
): Promise<void> {
  run.note(`Disk ${disk.id} grew: volume ${volume.id} from ${volume.sizeGib} to ${size} GiB`, {
    diskId: disk.id,
    volumeId: volume.id,
    fromGib: volume.sizeGib,
    toGib: size,
  });
  await freeVolume(cloud, run, volume.id, undefined, signal);
  await awaitVolume(
    cloud,
    volume.id,
    'waiting until it can be resized',
    (each) => each.state === 'available' || each.sizeGib >= size,
    cloud.timing.volumeMs,
    signal,
  );
  for (let attempt = 1; ; attempt += 1) {
    try {
      await cloud.volumes.grow(volume.id, size, signal);
      break;
    } catch (error) {
      const lost = isAmbiguous(error) || (error instanceof CausewayError && error.code === 'cloud.conflict');
      if (!lost || attempt >= cloud.timing.backOff.attempts) throw error;
      await cloud.clock.sleep(cloud.timing.pollFirstMs, signal);
      const now = await cloud.volumes.get(volume.id, signal);
      if (now !== undefined && (now.sizeGib >= size || now.state === 'changing')) break;
    }
  }
  try {
    await awaitVolume(
      cloud,
      volume.id,
      `resizing to ${size} GiB`,
      (each) => each.sizeGib >= size && each.state !== 'changing',
      cloud.timing.volumeMs,
      signal,
    );
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code !== 'cloud.operation-failed') throw error;
    throw volumeFailed(volume.id, disk, String(error.details?.['state']));
  }
}

async function awaitUsable(cloud: CloudApi, run: DestinationRun, volume: Volume, signal: AbortSignal): Promise<void> {
  const entry = run.ledger.find('volume', volumeKey(volume.diskId));
  try {
    await awaitVolume(
      cloud,
      volume.id,
      'waiting until it is available',
      (each) => each.state === 'available' || (!volume.createdByThisCall && each.state === 'attached'),
      cloud.timing.volumeMs,
      signal,
    );
  } catch (error) {
    // A volume whose creation failed is empty and must not block the next attempt.
    if (
      volume.createdByThisCall &&
      entry !== undefined &&
      error instanceof CausewayError &&
      error.code === 'cloud.operation-failed'
    ) {
      await deleteResource(cloud, run.ledger, entry, signal);
    }
    throw error;
  }
}

/**
 * Deletes all volumes of a replica, those of disks that the VM no longer has as well.
 *
 * @throws `cloud.clean-up-incomplete` listing what is left
 */
export function deleteVolumes(
  cloud: Pick<CloudApi, 'deleterFor'>,
  run: DestinationRun,
  signal: AbortSignal,
): Promise<void> {
  const entries = run.ledger.list({ kind: 'volume', lifetime: 'replica' }).filter((entry) => entry.state !== 'removed');
  return deleteAll(cloud, run.ledger, entries, () => false, signal);
}

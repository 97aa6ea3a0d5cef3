import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Disk } from '../../../../shared/model/vm.ts';
import type { DestinationRun, Volume } from '../../ports/destination-platform.ts';
import { isAmbiguous } from '../../http/http-error.ts';
import { freeVolume } from './attachments.ts';
import { callerRanges } from './caller-address.ts';
import { readEnvironment, required, type DestinationEnvironment } from './environment.ts';
import type { Iaas } from './iaas/iaas.ts';
import { labelKeys, labelValue, type Labels } from './iaas/labels.ts';
import type { CloudVolume } from './iaas/volumes.ts';
import { ensureOwned, labelsOf, nameOf } from './owned.ts';
import { resolvedOrThrow, resolveText } from './names.ts';
import { addNeeds, requireQuota } from './quota-needs.ts';
import type { CloudSession } from './session.ts';
import { bytesOfGib, largestVolumeGib, performanceClassOf, sizeInGib } from './storage-class.ts';
import { callerQuestion, planWorker, workerNeeds } from './worker-plan.ts';
import { awaitVolume, isFailed, isGone, volumeFinders } from './volume-state.ts';

/** The disk's exact size when the volume was made or grown for it: whole GiB would hide that a disk shrank. */
export const diskBytesLabel = 'causeway-disk-bytes';

export function volumeKey(diskId: string): string {
  return `disk/${diskId}`;
}

/** What is there for a disk before anything is changed. */
interface Standing {
  readonly disk: Disk;
  readonly size: number;
  readonly volume: CloudVolume | undefined;
}

/**
 * One volume a disk: those that exist are kept, and grown where the disk grew. Everything that can be refused (a disk
 * that shrank or is too large, another zone, too small a quota) is refused before the first change.
 */
export async function ensureVolumes(session: CloudSession, run: DestinationRun, disks: readonly Disk[], signal: AbortSignal): Promise<readonly Volume[]> {
  const environment = readEnvironment(run.environment);
  const zone = required(environment, 'availability_zone');
  const iaas = session.iaas(environment.project);
  const standings: Standing[] = [];
  for (const disk of disks) standings.push(await standingOf(iaas, run, disk, signal));
  for (const standing of standings) refuseImpossible(standing, zone);
  await refuseUnaffordable(session, iaas, environment, standings, signal);

  const volumes: Volume[] = [];
  for (const standing of standings) volumes.push(await ensureVolume(session, iaas, run, environment, zone, standing, signal));
  await Promise.all(volumes.map((volume, index) => awaitUsable(session, iaas, run, volume, standings[index]?.disk.id ?? '', signal)));
  return volumes;
}

async function standingOf(iaas: Iaas, run: DestinationRun, disk: Disk, signal: AbortSignal): Promise<Standing> {
  const entry = run.ledger.find('volume', volumeKey(disk.id));
  const known = entry?.resourceId === undefined ? undefined : await iaas.volumes.get(entry.resourceId, signal);
  return { disk, size: sizeInGib(disk.size_bytes), volume: known === undefined || isGone(known) ? undefined : known };
}

function refuseImpossible({ disk, size, volume }: Standing, zone: string): void {
  if (size > largestVolumeGib) {
    throw new CausewayError('cloud.disk-too-large', `disk ${disk.id}: ${size} GiB, a volume has at most ${largestVolumeGib}`, { details: { diskId: disk.id, sizeGib: size } });
  }
  if (volume === undefined) return;
  const madeFor = Number(volume.labels[diskBytesLabel] ?? Number.NaN);
  const shrank = Number.isFinite(madeFor) ? disk.size_bytes < madeFor : size < volume.size;
  if (shrank) {
    throw new CausewayError('cloud.disk-shrank', `disk ${disk.id}: ${disk.size_bytes} bytes now, volume ${volume.id} was made for ${Number.isFinite(madeFor) ? madeFor : bytesOfGib(volume.size)}`, {
      details: { diskId: disk.id, sizeBytes: disk.size_bytes, volumeId: volume.id, volumeGib: volume.size },
    });
  }
  if (volume.availabilityZone !== undefined && volume.availabilityZone !== zone) {
    throw new CausewayError('cloud.zone-mismatch', `volume ${volume.id} of disk ${disk.id} is in zone ${volume.availabilityZone}, availability_zone is ${zone}`, {
      details: { diskId: disk.id, volumeId: volume.id, volumeZone: volume.availabilityZone, zone },
    });
  }
  if (isFailed(volume)) {
    throw new CausewayError('cloud.operation-failed', `volume ${volume.id} of disk ${disk.id} has status ${volume.status}`, {
      details: { diskId: disk.id, volumeId: volume.id, state: volume.status }, retryable: false,
    });
  }
}

/** What is about to be created has to be possible as a whole: classes, quotas, and the worker that will come next. */
async function refuseUnaffordable(
  session: CloudSession, iaas: Iaas, environment: DestinationEnvironment, standings: readonly Standing[], signal: AbortSignal,
): Promise<void> {
  const missing = standings.filter((each) => each.volume === undefined);
  const growth = standings.reduce((sum, each) => sum + Math.max(0, each.size - (each.volume?.size ?? 0)), 0);
  if (growth === 0) return;
  const wanted = new Set(missing.map((each) => performanceClassOf(each.disk, environment)).filter((name) => name !== undefined));
  if (wanted.size > 0) {
    const classes = (await iaas.lists.performanceClasses(signal)).map((each) => each.name);
    for (const name of wanted) resolvedOrThrow('volume performance class', 'storage_mappings', name, resolveText(classes, name));
  }
  const plan = await planWorker(iaas, environment, 'disk-copy', signal);
  const ranges = await callerRanges(session, callerQuestion(plan), signal);
  const needs = addNeeds({ volumes: missing.length, gigabytes: growth }, workerNeeds(plan, ranges.length));
  requireQuota(needs, await iaas.quotas.read(signal));
}

async function ensureVolume(
  session: CloudSession,
  iaas: Iaas,
  run: DestinationRun,
  environment: DestinationEnvironment,
  zone: string,
  { disk, size, volume: before }: Standing,
  signal: AbortSignal,
): Promise<Volume> {
  const performanceClass = performanceClassOf(disk, environment);
  const former = run.ledger.find('volume', volumeKey(disk.id));
  const owned = await ensureOwned<CloudVolume>(
    session,
    run.ledger,
    {
      kind: 'volume',
      key: volumeKey(disk.id),
      lifetime: 'replica',
      details: { project: iaas.projectId, diskId: disk.id, sizeGib: size },
    },
    {
      ...volumeFinders(iaas),
      create: (entry, s) =>
        iaas.volumes.create(
          {
            name: nameOf(entry),
            availabilityZone: zone,
            size,
            ...(performanceClass === undefined ? {} : { performanceClass }),
            labels: labelsOf(run, entry, diskLabels(run, disk)),
          },
          s,
        ),
    },
    signal,
  );
  const { resource } = owned;
  if (before === undefined && former?.resourceId !== undefined && owned.fresh) {
    run.note(`Volume ${former.resourceId} of disk ${disk.id} is gone from the cloud: a new one takes its place and gets the whole disk`, {
      diskId: disk.id, volumeId: former.resourceId, newVolumeId: resource.id,
    });
  }
  if (before !== undefined && performanceClass !== undefined && resource.performanceClass !== undefined && resource.performanceClass !== performanceClass) {
    run.note(`Volume ${resource.id} keeps its performance class ${resource.performanceClass}; a volume's class can't be changed to ${performanceClass}`, { volumeId: resource.id });
  }
  if (resource.size < size) await grow(session, iaas, run, resource, disk, size, signal);
  if (resource.labels[diskBytesLabel] !== String(disk.size_bytes)) await iaas.volumes.change(resource.id, { labels: diskLabels(run, disk) }, signal);
  return { id: resource.id, diskId: disk.id, serial: resource.id, sizeBytes: bytesOfGib(Math.max(size, resource.size)), isNew: owned.fresh };
}

function diskLabels(run: DestinationRun, disk: Disk): Labels {
  return {
    [labelKeys.vm]: labelValue(run.vm.id),
    [labelKeys.disk]: labelValue(disk.id),
    [diskBytesLabel]: String(disk.size_bytes),
  };
}

async function grow(session: CloudSession, iaas: Iaas, run: DestinationRun, volume: CloudVolume, disk: Disk, size: number, signal: AbortSignal): Promise<void> {
  run.note(`Disk ${disk.id} grew: volume ${volume.id} from ${volume.size} to ${size} GiB`, { diskId: disk.id, volumeId: volume.id, fromGib: volume.size, toGib: size });
  await freeVolume(session, iaas, run, volume.id, undefined, signal);
  await awaitVolume(session, iaas, volume.id, 'waiting until it can be resized', (each) => each.status === 'AVAILABLE' || each.size >= size, session.timing.volumeMs, signal);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await iaas.volumes.resize(volume.id, size, signal);
      break;
    } catch (error) {
      const lost = isAmbiguous(error) || (error instanceof CausewayError && error.code === 'cloud.conflict');
      if (!lost || attempt >= session.timing.backOff.attempts) throw error;
      await session.clock.sleep(session.timing.pollFirstMs, signal);
      const now = await iaas.volumes.get(volume.id, signal);
      if (now !== undefined && (now.size >= size || now.status === 'RESIZING')) break;
    }
  }
  await awaitVolume(session, iaas, volume.id, `resizing to ${size} GiB`, (each) => each.size >= size && each.status !== 'RESIZING', session.timing.volumeMs, signal);
}

async function awaitUsable(session: CloudSession, iaas: Iaas, run: DestinationRun, volume: Volume, diskId: string, signal: AbortSignal): Promise<void> {
  const entry = run.ledger.find('volume', volumeKey(diskId));
  try {
    await awaitVolume(
      session, iaas, volume.id, 'waiting until it is available',
      (each) => each.status === 'AVAILABLE' || (!volume.isNew && each.status === 'ATTACHED'), session.timing.volumeMs, signal,
    );
  } catch (error) {
    // A volume that failed at its creation holds nothing; it must not stand in the way of the next attempt.
    if (volume.isNew && entry !== undefined && error instanceof CausewayError && error.code === 'cloud.operation-failed') {
      await run.ledger.release(entry, { findId: async () => volume.id, remove: (id, _entry, s) => iaas.volumes.delete(id, s) }, signal);
    }
    throw error;
  }
}

import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { NewCloudVolume } from '../../../cloud-resources/cloud-api.ts';
import { hasLabels, labelKeys, type Labels } from '../../../cloud-resources/labels.ts';
import { ensureResource, entryLabel, nameOf, resourceTags } from '../../../cloud-resources/ledgered-resource.ts';
import { deleteAll, deleteResource } from '../../../cloud-resources/resource-deletion.ts';
import { removalRank } from '../../../workers/stop-worker.ts';
import { awaitActive } from '../../../workers/server-state.ts';
import type { DestinationRun } from '../../../ports/destination-platform.ts';
import type { OciVolume } from '../client/block-storage.ts';
import type { OciInstance } from '../client/compute.ts';
import { smallestVolumeGib, useOf, useTag } from './cloud-calls.ts';
import { required, type DestinationEnvironment } from './environment.ts';
import { bootVolumeKeys, cloudApi, deleterFor, getInstance, terminate } from './remove-resource.ts';
import type { OciSession, Place } from './session.ts';
import { shapeOf, smallestConfig } from './shapes.ts';
import { bootVolumeIntent, ensureZeroImage, launchProfile, settleZeroImage, type LaunchProfile } from './zero-image.ts';

/** Nothing else becomes of an instance with this role: it is there for its boot volume. */
const role = 'boot-volume';

/**
 * An empty boot volume. The service has none without a source, so that an instance is launched from an image of zeros, and
 * terminated without its boot volume. The volume carries all its tags before that, and counts as made once it is free.
 */
export async function makeBootVolume(
  session: OciSession,
  place: Place,
  run: DestinationRun,
  environment: DestinationEnvironment,
  wanted: NewCloudVolume,
  signal: AbortSignal,
): Promise<OciVolume> {
  const pending = await findPending(session, place, wanted.labels, signal);
  if (pending !== undefined) return release(session, place, run, pending, signal);
  const profile = launchProfile(run.vm, environment.use_pv_mode);
  const { resource } = await launched(session, place, run, environment, wanted, profile, signal);
  await awaitActive(cloudApi(session, place), resource.id, signal);
  const [boot] = await session.compute.bootAttachments(
    { compartmentId: place.compartmentId, availabilityDomain: place.domain, instanceId: resource.id },
    signal,
  );
  if (boot === undefined)
    throw new CausewayError('cloud.unexpected-answer', `instance ${resource.id} has no boot volume`, {
      details: { instanceId: resource.id },
    });
  const volume = await session.volumes.change(
    boot.bootVolumeId,
    { displayName: wanted.name, freeformTags: { ...wanted.labels, [useTag]: 'pending' } },
    signal,
  );
  return release(session, place, run, volume, signal);
}

/** A boot volume that an interrupted call left, at its instance or free. */
async function findPending(
  session: OciSession,
  place: Place,
  labels: Labels,
  signal: AbortSignal,
): Promise<OciVolume | undefined> {
  const entry = { [labelKeys.entry]: labels[labelKeys.entry] ?? '' };
  return (await session.volumes.list(place.compartmentId, signal)).find(
    (volume) =>
      volume.lifecycleState === 'AVAILABLE' &&
      useOf(volume) === 'pending' &&
      hasLabels({ labels: volume.freeformTags }, entry),
  );
}

/**
 * Ends the instance that holds a boot volume, which is free then. The volume counts as made only after the instance's entry is closed: where
 * the answer to this last change is lost, it is found as made, and nobody would come back to the entry.
 */
async function release(
  session: OciSession,
  place: Place,
  run: DestinationRun,
  volume: OciVolume,
  signal: AbortSignal,
): Promise<OciVolume> {
  const holders = await session.compute.bootAttachments(
    { compartmentId: place.compartmentId, availabilityDomain: place.domain, bootVolumeId: volume.id },
    signal,
  );
  for (const { instanceId } of holders) await terminate(session, instanceId, true, signal);
  const diskLabel = volume.freeformTags[labelKeys.disk] ?? '';
  const entry = run.ledger.find('server', bootVolumeIntent(place, 'server', diskLabel).key);
  if (entry !== undefined)
    await deleteResource({ deleterFor: (each) => deleterFor(session, each) }, run.ledger, entry, signal);
  return session.volumes.change(volume.id, { freeformTags: { [useTag]: 'volume' } }, signal);
}

async function launched(
  session: OciSession,
  place: Place,
  run: DestinationRun,
  environment: DestinationEnvironment,
  wanted: NewCloudVolume,
  profile: LaunchProfile,
  signal: AbortSignal,
): Promise<{ readonly resource: OciInstance }> {
  const shape = await shapeOf(session, place, 'migr_shape_name', required(environment, 'migr_shape_name'), signal);
  const subnetId = required(environment, 'migr_subnet_id');
  const launch = (imageId: string) =>
    ensureResource<OciInstance>(
      session,
      run.ledger,
      bootVolumeIntent(place, 'server', wanted.labels[labelKeys.disk] ?? ''),
      {
        find: async (entry, s) =>
          (await session.compute.list(place.compartmentId, s)).find(
            (each) =>
              hasLabels({ labels: each.freeformTags }, entryLabel(entry)) && each.lifecycleState !== 'TERMINATED',
          ),
        get: (id, _entry, s) => getInstance(session, id, s),
        create: (entry, s) =>
          session.compute.launch(
            {
              compartmentId: place.compartmentId,
              availabilityDomain: place.domain,
              displayName: nameOf(entry),
              shape: shape.shape,
              ...smallestConfig(shape),
              sourceDetails: {
                sourceType: 'image',
                imageId,
                bootVolumeSizeInGBs: Math.max(smallestVolumeGib, wanted.sizeGib),
                ...(session.connection.volumePerformance === undefined
                  ? {}
                  : { bootVolumeVpusPerGB: session.connection.volumePerformance }),
              },
              launchOptions: profile.options,
              createVnicDetails: { subnetId, assignPublicIp: false },
              freeformTags: resourceTags(run, entry, { [labelKeys.role]: role }),
            },
            s,
          ),
      },
      signal,
    );
  let image = await ensureZeroImage(session, place, run, profile, signal);
  let instance: { readonly resource: OciInstance };
  try {
    instance = await launch(image.id);
  } catch (error) {
    // Another replica, the last one that used it, may just have deleted the image.
    const isGone = error instanceof CausewayError && (await session.images.get(image.id, signal)) === undefined;
    if (!isGone) throw error;
    image = await ensureZeroImage(session, place, run, profile, signal);
    instance = await launch(image.id);
  }
  await settleZeroImage(session, place, run, profile, image, signal);
  return instance;
}

/** Removes what an interrupted making of boot volumes left: instances, images that are not complete, buckets. */
export function dropBootVolumeParts(session: OciSession, run: DestinationRun, signal: AbortSignal): Promise<void> {
  const entries = run.ledger
    .list({ lifetime: 'temporary' })
    .filter((entry) => entry.key.startsWith(bootVolumeKeys) && entry.state !== 'removed')
    .sort((a, b) => removalRank[a.kind] - removalRank[b.kind]);
  return deleteAll({ deleterFor: (entry) => deleterFor(session, entry) }, run.ledger, entries, () => false, signal);
}

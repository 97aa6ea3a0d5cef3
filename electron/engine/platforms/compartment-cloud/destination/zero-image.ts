import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import {
  ensureResource,
  entryLabel,
  nameOf,
  resourceTags,
  type Intent,
} from '../../../cloud-resources/ledgered-resource.ts';
import { hasLabels } from '../../../cloud-resources/labels.ts';
import { deleteResource, orRemoveFailed } from '../../../cloud-resources/resource-deletion.ts';
import { pollPlan } from '../../../cloud-resources/retry-context.ts';
import { waitForState } from '../../../http/wait-for-state.ts';
import type { DestinationRun } from '../../../ports/destination-platform.ts';
import type { LedgerEntry, ResourceKind } from '../../../ports/ledger.ts';
import type { LaunchOptions } from '../client/compute.ts';
import type { OciImage } from '../client/images.ts';
import { bootVolumeKeys, deleterFor, zeroImageTag } from './remove-resource.ts';
import type { OciSession, Place } from './session.ts';
import { zeroQcow2 } from './zero-qcow2.ts';

const imageBytes = 2 ** 30;
const objectName = 'zeros.qcow2';

/** How a migrated VM starts: the firmware of the source, and for BIOS whether its devices are paravirtualized. */
export interface LaunchProfile {
  readonly name: string;
  readonly launchMode: 'EMULATED' | 'PARAVIRTUALIZED';
  readonly options: LaunchOptions;
}

export function launchProfile(vm: Pick<Vm, 'firmware'>, usePvMode: boolean): LaunchProfile {
  const firmware = vm.firmware === 'uefi' ? 'UEFI_64' : 'BIOS';
  const isParavirtualized = firmware === 'UEFI_64' || usePvMode;
  return {
    name: `${firmware === 'UEFI_64' ? 'uefi' : 'bios'}-${isParavirtualized ? 'paravirtualized' : 'emulated'}`,
    launchMode: isParavirtualized ? 'PARAVIRTUALIZED' : 'EMULATED',
    options: isParavirtualized
      ? {
          firmware,
          bootVolumeType: 'PARAVIRTUALIZED',
          networkType: 'PARAVIRTUALIZED',
          remoteDataVolumeType: 'PARAVIRTUALIZED',
        }
      : { firmware, bootVolumeType: 'SCSI', networkType: 'E1000', remoteDataVolumeType: 'SCSI' },
  };
}

export function bootVolumeIntent(place: Place, kind: ResourceKind, part: string): Intent {
  return {
    kind,
    key: `${bootVolumeKeys}${part}`,
    lifetime: 'temporary',
    details: { compartment: place.compartmentId, networkCompartment: place.networkCompartmentId, domain: place.domain },
  };
}

/** The image of zeros of a compartment for a profile: the one that is there, for whichever replica it was made, or a new one. */
export async function ensureZeroImage(
  session: OciSession,
  place: Place,
  run: DestinationRun,
  profile: LaunchProfile,
  signal: AbortSignal,
): Promise<OciImage> {
  const there = (await session.images.list(place.compartmentId, signal)).find(
    ({ freeformTags, lifecycleState }) => freeformTags[zeroImageTag] === profile.name && lifecycleState === 'AVAILABLE',
  );
  if (there !== undefined) return there;
  run.note(
    `Importing an empty image into the compartment: the cloud creates boot volumes only from images (${profile.name})`,
    { profile: profile.name },
  );
  const removing = { deleterFor: (entry: LedgerEntry) => deleterFor(session, entry) };
  const namespace = await session.objects.namespace(signal);
  const bucket = await ensureResource(
    session,
    run.ledger,
    bootVolumeIntent(place, 'other', `${profile.name}/bucket`),
    {
      find: (entry, s) => session.objects.findBucket(namespace, nameOf(entry), s),
      get: (name, _entry, s) => session.objects.findBucket(namespace, name, s),
      create: (entry, s) =>
        session.objects.createBucket(
          {
            namespace,
            name: nameOf(entry),
            compartmentId: place.compartmentId,
            freeformTags: resourceTags(run, entry),
          },
          s,
        ),
    },
    signal,
  );
  const at = { namespaceName: namespace, bucketName: bucket.resource.id, objectName };
  const image = await ensureResource<OciImage>(
    session,
    run.ledger,
    bootVolumeIntent(place, 'image', `${profile.name}/image`),
    {
      find: async (entry, s) =>
        (await session.images.list(place.compartmentId, s)).find(({ freeformTags }) =>
          hasLabels({ labels: freeformTags }, entryLabel(entry)),
        ),
      get: (id, _entry, s) => session.images.get(id, s),
      async create(entry, s) {
        await session.objects.put(at, zeroQcow2(imageBytes), s);
        const { resource } = await session.images.importObject(
          {
            compartmentId: place.compartmentId,
            displayName: nameOf(entry),
            launchMode: profile.launchMode,
            freeformTags: resourceTags(run, entry),
            at,
          },
          s,
        );
        return resource;
      },
    },
    signal,
  );
  await orRemoveFailed(
    removing,
    run.ledger,
    image.entry,
    () => awaitImage(session, place, image.resource.id, signal),
    signal,
  );
  // Of either firmware: a replica's volumes may be deployed for another one than they were made for.
  await session.images.allowFirmware(image.resource.id, place.compartmentId, profile.options.firmware, signal);
  // From now on it is everybody's, and goes when no volume stands on it any more.
  return session.images.tag(image.resource.id, { [zeroImageTag]: profile.name }, signal);
}

/**
 * Closes what this run has recorded of an import, once an instance is launched from the image: the image belongs to all replicas now, and its
 * object has served. Before that nothing else would take the image along if this run ended.
 */
export async function settleZeroImage(
  session: OciSession,
  place: Place,
  run: DestinationRun,
  profile: LaunchProfile,
  shared: OciImage,
  signal: AbortSignal,
): Promise<void> {
  const removing = { deleterFor: (entry: LedgerEntry) => deleterFor(session, entry) };
  // Also those whose removal a process began that was killed: what looks for live entries does not meet them.
  const recorded = (kind: ResourceKind, part: string): readonly LedgerEntry[] => {
    const { key } = bootVolumeIntent(place, kind, `${profile.name}/${part}`);
    return run.ledger.list({ kind }).filter((entry) => entry.key === key && entry.state !== 'removed');
  };
  for (const image of recorded('image', 'image')) {
    const id = image.resourceId ?? (await removing.deleterFor(image).findId(signal));
    if (id === shared.id)
      await run.ledger.release(image, { findId: async () => undefined, remove: async () => undefined }, signal);
    else await deleteResource(removing, run.ledger, image, signal);
  }
  for (const bucket of recorded('other', 'bucket')) await deleteResource(removing, run.ledger, bucket, signal);
}

async function awaitImage(session: OciSession, place: Place, id: string, signal: AbortSignal): Promise<void> {
  const operation = `image ${id}: importing`;
  await waitForState(
    { operation, details: { imageId: id } },
    async (s) => {
      const image = await session.images.get(id, s);
      if (image === undefined) {
        const why = await session.workRequests.failureOf(place.compartmentId, id, s);
        throw new CausewayError('cloud.operation-failed', `${operation}: ${why ?? 'the image no longer exists'}`, {
          details: { operation, imageId: id },
        });
      }
      return image.lifecycleState === 'AVAILABLE'
        ? { done: true, value: undefined }
        : { done: false, state: image.lifecycleState };
    },
    pollPlan(session.timing, session.timing.serverMs),
    session.clock,
    signal,
  );
}

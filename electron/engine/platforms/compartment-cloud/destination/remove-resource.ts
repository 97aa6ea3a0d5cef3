import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { CloudApi, ResourceDeleter } from '../../../cloud-resources/cloud-api.ts';
import { hasLabels, labelKeys } from '../../../cloud-resources/labels.ts';
import { deleteAndWait, entryLabel, nameOf } from '../../../cloud-resources/ledgered-resource.ts';
import { ourLabel } from '../../../cloud-resources/managed-resources.ts';
import { attachmentDeleter } from '../../../cloud-resources/own-vm.ts';
import { simpleDeleters } from '../../../cloud-resources/resource-deletion.ts';
import { freeVolume } from '../../../cloud-resources/volume-attachments.ts';
import type { LedgerEntry } from '../../../ports/ledger.ts';
import { isBootVolume, type OciVolume } from '../client/block-storage.ts';
import type { OciInstance } from '../client/compute.ts';
import type { OciImage } from '../client/images.ts';
import { cloudCalls, getBackup, getVolume, useOf, type VolumeWork } from './cloud-calls.ts';
import { isBackup } from '../client/volume-backups.ts';
import type { OciSession, Place } from './session.ts';

/** A compartment as the shared steps of a destination see it. */
export function cloudApi(session: OciSession, place: Place, work: VolumeWork = {}): CloudApi {
  return { ...cloudCalls(session, place, work), deleterFor: (entry) => deleterFor(session, entry) };
}

/** Ledger keys of what is there only while boot volumes are made. */
export const bootVolumeKeys = 'boot-volume/';

/** How each kind of resource is found and removed. An entry's details say in which compartment, domain or group it is. */
export function deleterFor(session: OciSession, entry: LedgerEntry): ResourceDeleter {
  const compartmentId = detail(entry, 'compartment');
  const place: Place = {
    compartmentId,
    networkCompartmentId: detail(entry, 'networkCompartment') || compartmentId,
    domain: detail(entry, 'domain'),
  };
  const label = entryLabel(entry);
  const tagged = ({ freeformTags }: { readonly freeformTags: Readonly<Record<string, string>> }): boolean =>
    hasLabels({ labels: freeformTags }, label);
  const simple = ifThere(session, entry);
  switch (entry.kind) {
    case 'volume':
    case 'volume-snapshot': {
      const isMeant = (volume: OciVolume): boolean =>
        tagged(volume) &&
        volume.lifecycleState !== 'TERMINATED' &&
        (useOf(volume) === 'snapshot') === (entry.kind === 'volume-snapshot');
      const mayBeBackup = entry.kind === 'volume-snapshot' && session.connection.deploymentCopies === 'backups';
      return {
        findId: async (s) =>
          (await session.volumes.list(compartmentId, s)).find(isMeant)?.id ??
          (mayBeBackup
            ? (await session.backups.list(compartmentId, s)).find(
                (backup) => tagged(backup) && backup.lifecycleState !== 'TERMINATED',
              )?.id
            : undefined),
        isThere: async (id, s) =>
          (isBackup(id) ? await getBackup(session, id, s) : await getVolume(session, id, s)) !== undefined,
        remove: (id, s) => (isBackup(id) ? removeBackup(session, id, s) : removeVolume(session, place, entry, id, s)),
      };
    }
    case 'server':
      return {
        findId: async (s) =>
          (await session.compute.list(compartmentId, s)).find((instance) => tagged(instance) && !isOver(instance))?.id,
        isThere: async (id, s) => (await getInstance(session, id, s)) !== undefined,
        async remove(id, s) {
          await removeInstance(session, id, s);
          if (entry.key.startsWith(bootVolumeKeys)) await dropZeroImages(session, compartmentId, s);
        },
      };
    case 'security-group':
      return simple(
        (id, s) => session.network.group(id, s),
        async (s) => (await session.network.groups(compartmentId, s)).find(tagged)?.id,
        (id, s) => session.network.deleteGroup(id, s),
      );
    case 'security-group-rule': {
      const groupId = detail(entry, 'groupId');
      const rules = async (s: AbortSignal) =>
        (await session.network.group(groupId, s)) === undefined ? [] : session.network.rules(groupId, s);
      return simple(
        async (id, s) => (await rules(s)).find((rule) => rule.id === id),
        async (s) => (await rules(s)).find(({ description }) => description === nameOf(entry))?.id,
        (id, s) => session.network.removeRule(groupId, id, s),
      );
    }
    case 'image':
      return simple(
        (id, s) => session.images.get(id, s),
        async (s) => (await session.images.list(compartmentId, s)).find(tagged)?.id,
        (id, s) => session.images.delete(id, s),
      );
    case 'attachment':
      return attachmentDeleter(cloudCalls(session, place), entry);
    case 'other': {
      // A bucket is known by its name alone.
      const bucket = async (name: string, s: AbortSignal) =>
        session.objects.findBucket(await session.objects.namespace(s), name, s);
      return simple(
        bucket,
        async (s) => (await bucket(nameOf(entry), s))?.id,
        async (name, s) => session.objects.deleteBucket(await session.objects.namespace(s), name, s),
      );
    }
    default:
      throw new CausewayError('general.invalid-input', `the compartment cloud has no resources of kind ${entry.kind}`, {
        details: { kind: entry.kind, name: entry.name },
      });
  }
}

/** What is gone must not be asked again: the service refuses that as a conflict, for as long as it still shows what is gone. */
function ifThere(session: OciSession, entry: LedgerEntry): ReturnType<typeof simpleDeleters> {
  const deleterOf = simpleDeleters(session, entry);
  return (get, findId, remove) =>
    deleterOf(get, findId, async (id, signal) =>
      (await get(id, signal)) === undefined ? undefined : remove(id, signal),
    );
}

async function removeVolume(
  session: OciSession,
  place: Place,
  entry: LedgerEntry,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const holder = {
    replicaId: entry.replicaId ?? '',
    note: () => undefined,
    ledger: entry.owner === undefined ? {} : { owner: entry.owner },
  };
  await freeVolume(cloudCalls(session, place), holder, id, undefined, signal);
  await deleteAndWait(
    session,
    `volume ${id}`,
    {
      async remove(s) {
        const now = await getVolume(session, id, s);
        if (now !== undefined && now.lifecycleState !== 'TERMINATING') await session.volumes.delete(id, s);
      },
      get: (s) => getVolume(session, id, s),
      cameBack: ({ lifecycleState }) => lifecycleState === 'AVAILABLE' || lifecycleState === 'FAULTY',
    },
    signal,
  );
  if (isBootVolume(id)) await dropZeroImages(session, place.compartmentId, signal);
}

function removeBackup(session: OciSession, id: string, signal: AbortSignal): Promise<void> {
  return deleteAndWait(
    session,
    `backup ${id}`,
    {
      async remove(s) {
        const now = await getBackup(session, id, s);
        if (now !== undefined && now.lifecycleState !== 'TERMINATING') await session.backups.delete(id, s);
      },
      get: (s) => getBackup(session, id, s),
      cameBack: ({ lifecycleState }) => lifecycleState === 'AVAILABLE' || lifecycleState === 'FAULTY',
    },
    signal,
  );
}

/** On an image that is complete, and which boot volumes of any replica may be made from: the launch profile that it is for. */
export const zeroImageTag = 'causeway-zero-image';

/** Images of zeros in a compartment, and whether a replica's volume still stands on one. */
export async function zeroImages(
  session: OciSession,
  compartmentId: string,
  signal: AbortSignal,
): Promise<readonly { readonly image: OciImage; readonly isUsed: boolean }[]> {
  const images = (await session.images.list(compartmentId, signal)).filter(
    ({ freeformTags }) => freeformTags[zeroImageTag] !== undefined && hasLabels({ labels: freeformTags }, ourLabel),
  );
  if (images.length === 0) return [];
  // A boot volume that has no tags yet is being made.
  const volumes = (await session.volumes.list(compartmentId, signal)).filter(
    (volume) =>
      volume.lifecycleState !== 'TERMINATED' &&
      (volume.freeformTags[labelKeys.vm] !== undefined || volume.freeformTags[labelKeys.entry] === undefined),
  );
  return images.map((image) => ({ image, isUsed: volumes.some(({ imageId }) => imageId === image.id) }));
}

/** Deletes the images of zeros that no replica uses any more. */
async function dropZeroImages(session: OciSession, compartmentId: string, signal: AbortSignal): Promise<void> {
  for (const { image, isUsed } of await zeroImages(session, compartmentId, signal)) {
    if (isUsed) continue;
    await deleteAndWait(
      session,
      `image ${image.id}`,
      {
        remove: async (s) =>
          (await session.images.get(image.id, s)) === undefined ? undefined : session.images.delete(image.id, s),
        get: (s) => session.images.get(image.id, s),
      },
      signal,
    );
  }
}

const isOver = ({ lifecycleState }: OciInstance): boolean => lifecycleState === 'TERMINATED';

/** What is gone is shown for some time. */
export async function getInstance(
  session: OciSession,
  id: string,
  signal: AbortSignal,
): Promise<OciInstance | undefined> {
  const instance = await session.compute.get(id, signal);
  return instance === undefined || isOver(instance) ? undefined : instance;
}

/** Terminates an instance and waits. The boot volume of a worker goes with it; that of a migrated VM has an entry of its own. */
async function removeInstance(session: OciSession, id: string, signal: AbortSignal): Promise<void> {
  const instance = await getInstance(session, id, signal);
  if (instance === undefined) return;
  await terminate(session, id, instance.freeformTags[labelKeys.role] === undefined, signal);
}

export function terminate(
  session: OciSession,
  id: string,
  preserveBootVolume: boolean,
  signal: AbortSignal,
): Promise<void> {
  return deleteAndWait(
    session,
    `instance ${id}`,
    {
      async remove(s) {
        // One that is on its way already must not be asked again: it would be refused as a conflict once it is gone.
        const now = await getInstance(session, id, s);
        if (now !== undefined && now.lifecycleState !== 'TERMINATING')
          await session.compute.terminate(id, preserveBootVolume, s);
      },
      get: (s) => getInstance(session, id, s),
      cameBack: ({ lifecycleState }) => lifecycleState === 'RUNNING' || lifecycleState === 'STOPPED',
    },
    signal,
  );
}

function detail(entry: LedgerEntry, key: string): string {
  const value = entry.details[key];
  return typeof value === 'string' ? value : '';
}

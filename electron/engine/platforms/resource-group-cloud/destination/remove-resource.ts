import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { ResourceDeleter } from '../../../cloud-resources/cloud-api.ts';
import { hasLabels, labelKeys } from '../../../cloud-resources/labels.ts';
import { deleteAndWait, entryLabel, nameOf, type Removal } from '../../../cloud-resources/ledgered-resource.ts';
import { attachmentDeleter } from '../../../cloud-resources/own-vm.ts';
import { freeVolume } from '../../../cloud-resources/volume-attachments.ts';
import { findVolume } from '../../../cloud-resources/volume-state.ts';
import type { LedgerEntry } from '../../../ports/ledger.ts';
import { parseResourceId } from '../client/resource-id.ts';
import { cloudCalls, getVm, snapshotType, vmType } from './cloud-calls.ts';
import {
  networkCalls,
  nicCalls,
  nicNameOf,
  publicIpCalls,
  securityGroupCalls,
  type NetworkKind,
  type NetworkRecord,
} from './network-calls.ts';
import { endUpload } from './direct-upload.ts';
import { spelledAs } from './own-vm.ts';
import { isBlobId, withPageBlobs, type BlobPlace } from './page-blobs.ts';
import { ownId, type AzureSession, type Place } from './session.ts';

/** What the ledger calls a network that was made for workers alone. */
export const workerNetworkKind = 'other';

/** How each kind of resource is found and removed. An entry's details say in which group it is; its name is the entry's. */
export function deleterFor(session: AzureSession, entry: LedgerEntry): ResourceDeleter {
  const place = placeIn(entry);
  const blobs = blobsIn(entry);
  const base = cloudCalls(session, place);
  const cloud = blobs === undefined ? base : withPageBlobs(base, session, place, blobs);
  switch (entry.kind) {
    case 'volume':
      return {
        findId: async (signal) => (await findVolume(cloud, entry, signal))?.id,
        isThere: async (id, signal) => (await cloud.volumes.get(id, signal)) !== undefined,
        async remove(id, signal) {
          await freeVolume(
            cloud,
            {
              replicaId: entry.replicaId ?? '',
              note: () => undefined,
              ledger: entry.owner === undefined ? {} : { owner: entry.owner },
            },
            id,
            undefined,
            signal,
          );
          await endUpload(session, id, signal);
          await deleteAndWait(
            session,
            `disk ${id}`,
            {
              remove: (s) => refusedWhileMade(cloud.volumes.get(id, s), () => cloud.volumes.delete(id, s)),
              get: (s) => cloud.volumes.get(id, s),
              cameBack: ({ state }) => state === 'failed',
            },
            signal,
          );
        },
      };
    case 'volume-snapshot': {
      const id = ownId(session, place.group, snapshotType, nameOf(entry));
      const ofBlob = async (signal: AbortSignal): Promise<string | undefined> =>
        (await cloud.snapshots.list(entryLabel(entry), signal))[0]?.id;
      return {
        findId: async (signal) => (blobs === undefined ? (await cloud.snapshots.get(id, signal))?.id : ofBlob(signal)),
        isThere: async (one, signal) => (await cloud.snapshots.get(one, signal)) !== undefined,
        remove: (one, signal) =>
          deleteAndWait(
            session,
            `snapshot ${one}`,
            {
              remove: (s) => refusedWhileMade(cloud.snapshots.get(one, s), () => cloud.snapshots.delete(one, s)),
              get: (s) => cloud.snapshots.get(one, s),
              cameBack: ({ state }) => state === 'failed',
            },
            signal,
          ),
      };
    }
    case 'server':
      return {
        findId: (signal) => findServer(session, place, entry, signal),
        isThere: async (id, signal) => (await getVm(session, id, signal)) !== undefined,
        remove: (id, signal) => removeServer(session, id, signal),
      };
    case 'nic':
      return networkDeleter(session, place, entry, nicCalls(session));
    case 'public-ip': {
      const ips = publicIpCalls(session);
      const simple = networkDeleter(session, place, entry, ips);
      return {
        ...simple,
        async remove(id, signal) {
          await dissociate(session, id, signal);
          await simple.remove(id, signal);
        },
      };
    }
    case 'security-group':
      return networkDeleter(session, place, entry, securityGroupCalls(session));
    case 'attachment':
      return attachmentDeleter(spelledAs(base, String(entry.details['vmId'])), entry);
    case workerNetworkKind:
      return networkDeleter(session, place, entry, networkCalls(session));
    default:
      throw new CausewayError(
        'general.invalid-input',
        `the resource-group cloud has no resources of kind ${entry.kind}`,
        { details: { kind: entry.kind, name: entry.name } },
      );
  }
}

/** What is still being created can't be deleted yet: that passes. */
async function refusedWhileMade(
  found: Promise<{ readonly state: string; readonly status: string } | undefined>,
  remove: () => Promise<void>,
): Promise<void> {
  const now = await found;
  if (now?.state === 'changing' && now.status.startsWith('Creating'))
    throw new CausewayError('cloud.conflict', `it is still being created (${now.status})`);
  await remove();
}

/** Where the entry's replica has its page blobs; undefined: nowhere. */
function blobsIn({ details, resourceId }: LedgerEntry): BlobPlace | undefined {
  const { storageAccount, storageContainer } = details;
  if (
    typeof storageAccount !== 'string' ||
    typeof storageContainer !== 'string' ||
    (resourceId !== undefined && !isBlobId(resourceId))
  )
    return undefined;
  return { account: storageAccount, container: storageContainer };
}

function placeIn({ details, name }: LedgerEntry): Place {
  const { resourceGroup, location } = details;
  if (typeof resourceGroup !== 'string')
    throw new CausewayError('general.invalid-input', `the entry ${name} does not say its resource group`, {
      details: { name },
    });
  return { group: resourceGroup, location: typeof location === 'string' ? location : '' };
}

function networkDeleter<T extends NetworkRecord>(
  session: AzureSession,
  { group }: Place,
  entry: LedgerEntry,
  calls: NetworkKind<T>,
): ResourceDeleter {
  return {
    async findId(signal) {
      const found = await calls.get(group, nameOf(entry), signal);
      return found === undefined ? undefined : ownId(session, group, calls.type, nameOf(entry));
    },
    isThere: async (id, signal) => (await calls.get(group, parseResourceId(id).name, signal)) !== undefined,
    remove(id, signal) {
      const { name } = parseResourceId(id);
      const removal: Removal<T> = {
        remove: (s) => calls.delete(group, name, s),
        get: (s) => calls.get(group, name, s),
        cameBack: isThereAgain(),
      };
      return deleteAndWait(session, `${entry.kind} ${id}`, removal, signal);
    },
  };
}

/** Network resources don't show that a deletion failed: after several looks they are asked again, which does no harm. */
function isThereAgain(): () => boolean {
  let looks = 0;
  return () => (looks += 1) % 10 === 0;
}

/** The VM that an entry's creation made, by its label: a migrated VM has a name of its own. */
export async function findServer(
  session: AzureSession,
  { group }: Pick<Place, 'group'>,
  entry: LedgerEntry,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { virtualMachines } = await session.compute();
  const vms = await session.list(`list VMs of ${group}`, (options) => virtualMachines.list(group, options), signal);
  const found = vms.find(({ tags }) => hasLabels({ labels: tags }, entryLabel(entry)));
  return found === undefined ? undefined : ownId(session, group, vmType, found.name);
}

/** Deletes a VM, waits, and makes sure that a worker's system disk went with it. Its data disks are free afterwards. */
async function removeServer(session: AzureSession, id: string, signal: AbortSignal): Promise<void> {
  const { group, name } = parseResourceId(id);
  const vm = await getVm(session, id, signal);
  const { virtualMachines, disks } = await session.compute();
  if (vm !== undefined) {
    await deleteAndWait(
      session,
      `VM ${id}`,
      {
        remove: (s) =>
          session.remove(`delete VM ${name}`, (options) => virtualMachines.delete(group, name, options), s),
        get: (s) => getVm(session, id, s),
        cameBack: ({ provisioningState }) => provisioningState === 'Failed',
      },
      signal,
    );
  }
  if (vm !== undefined && vm.tags?.[labelKeys.role] === undefined) return;
  const systemDisk = systemDiskName(name);
  const left = await session.find(
    `read disk ${systemDisk}`,
    (options) => disks.get(group, systemDisk, options),
    signal,
  );
  if (left === undefined) return;
  await deleteAndWait(
    session,
    `disk ${systemDisk}`,
    {
      remove: (s) =>
        session.remove(`delete disk ${systemDisk}`, (options) => disks.delete(group, systemDisk, options), s),
      get: (s) => session.find(`read disk ${systemDisk}`, (options) => disks.get(group, systemDisk, options), s),
      cameBack: ({ provisioningState }) => provisioningState === 'Failed',
    },
    signal,
  );
}

/** The name of a worker's system disk, which is made along with it. */
export const systemDiskName = (vmName: string): string => `${vmName}-os`;

/** Takes a public address from its interface: it can't be deleted before. */
async function dissociate(session: AzureSession, id: string, signal: AbortSignal): Promise<void> {
  const { group, name } = parseResourceId(id);
  const address = await publicIpCalls(session).get(group, name, signal);
  const holder = address === undefined ? undefined : nicNameOf(address);
  if (holder === undefined) return;
  const nics = nicCalls(session);
  const nic = await nics.get(holder.group, holder.name, signal);
  if (nic === undefined) return;
  const ipConfigurations = (nic.ipConfigurations ?? []).map(({ publicIPAddress: _, ...rest }) => rest);
  await nics.put(holder.group, holder.name, { ...nic, ipConfigurations }, signal);
}

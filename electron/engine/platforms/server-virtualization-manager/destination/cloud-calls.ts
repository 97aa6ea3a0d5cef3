import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { cloneTypes } from '../../../../../shared/plugins/server-virtualization-manager/clone-type.ts';
import type {
  CloudApi,
  CloudCalls,
  CloudSnapshot,
  CloudVolume,
  ResourceDeleter,
} from '../../../cloud-resources/cloud-api.ts';
import { hasLabels, labelKeys, labelValue, managedBy, type Labels } from '../../../cloud-resources/labels.ts';
import { entryLabel, nameOf, resourceTags } from '../../../cloud-resources/ledgered-resource.ts';
import { diskBytesLabel } from '../../../cloud-resources/replica-volumes.ts';
import { simpleDeleters } from '../../../cloud-resources/resource-deletion.ts';
import { bytesOfGib } from '../../../cloud-resources/volume-sizes.ts';
import type { DestinationRun } from '../../../ports/destination-platform.ts';
import type { LedgerEntry } from '../../../ports/ledger.ts';
import {
  createDisk,
  deleteDisk,
  deleteVm,
  freeTarget,
  mapDisk,
  mappingsOf,
  renameDisk,
  resizeDisk,
  unmapDisk,
  vmAction,
} from '../client/changes.ts';
import { cloneByFirstType } from '../client/clone-types.ts';
import { lostClone, type cloneWindow } from '../client/lost-clones.ts';
import { ledgerName, readTags, tagText } from '../client/created.ts';
import type { Manager } from '../client/open-manager.ts';
import { nameOfObject, type OvmDisk, type OvmVm } from '../client/shapes.ts';
import { ownDiskUse, readServer, workerDeleter } from '../workers/template-worker.ts';

const useTag = 'causeway-use';
const snapshotUse: Labels = { [useTag]: 'snapshot' };
export const isSnapshot = (disk: OvmDisk): boolean => hasLabels({ labels: readTags(disk.description) }, snapshotUse);
/** Workers' own disks go with them. */
export const isWorkerDisk = (disk: OvmDisk): boolean => hasLabels({ labels: readTags(disk.description) }, ownDiskUse);

/** For what copies of disks are made, and how. */
export interface CopyWork {
  readonly run: DestinationRun;
  readonly cloneType?: string | undefined;
  /** When copies are about to be asked for. Left out where none are. */
  readonly window?: Awaited<ReturnType<typeof cloneWindow>>;
}

/** The manager as the shared steps of a destination see it. A volume's type is its repository, a snapshot is a copy of a disk. */
export function cloudCalls(manager: Manager, work?: CopyWork): CloudCalls {
  const { timing, clock, random, disks } = manager;
  const first = work?.cloneType ?? '';
  const types = [...new Set([first, ...cloneTypes])].filter((each) => each !== '');
  const getDisk = async (id: string, signal: AbortSignal): Promise<OvmDisk> => {
    const disk = await disks.get(id, signal);
    if (disk === undefined)
      throw new CausewayError('cloud.not-found', `virtual disk ${id} no longer exists`, { details: { volumeId: id } });
    return disk;
  };
  const listed = async (labels: Labels, snapshots: boolean, signal: AbortSignal): Promise<readonly OvmDisk[]> => {
    const all = await disks.list(signal);
    const found = all.filter(
      (disk) =>
        isSnapshot(disk) === snapshots &&
        !isWorkerDisk(disk) &&
        hasLabels({ labels: readTags(disk.description) }, labels),
    );
    if (found.length > 0 || work === undefined) return found;
    const lost = await claimLostCopy(manager, work.run, labels, all, signal);
    return lost === undefined ? [] : [lost];
  };

  /** A copy, named and labelled. One that was not named is found by its job: see `claimLostCopy`. */
  async function copyOf(
    originId: string,
    repositoryId: string | undefined,
    name: string,
    labels: Labels,
    signal: AbortSignal,
  ): Promise<OvmDisk> {
    const origin = await getDisk(originId, signal);
    const note = (message: string): void => work?.run.note(message, { volumeId: originId });
    const { id } = await cloneByFirstType(
      manager,
      origin,
      repositoryId ?? origin.repositoryId?.value ?? '',
      types,
      note,
      signal,
    );
    await renameDisk(manager, id.value, name, tagText(labels), signal);
    return getDisk(id.value, signal);
  }

  return {
    timing,
    clock,
    random,
    entryDetails: work?.window ?? {},
    // Copies stand by themselves, so that both would do; one copy less is made of the volume.
    copiesFrom: 'volume',
    largestVolumeGib: undefined,
    volumes: {
      list: async (labels, signal) =>
        Promise.all((await listed(labels, false, signal)).map((disk) => asVolume(manager, disk, signal))),
      async get(id, signal) {
        const disk = await disks.get(id, signal);
        return disk === undefined ? undefined : asVolume(manager, disk, signal);
      },
      async create({ name, sizeGib, type, contentOf, labels }, signal) {
        if (contentOf === undefined)
          return asVolume(
            manager,
            await createDisk(
              manager,
              { name, description: tagText(labels), size: bytesOfGib(sizeGib), repositoryId: type ?? '' },
              signal,
            ),
            signal,
          );
        return asVolume(
          manager,
          await copyOf(
            'snapshotId' in contentOf ? contentOf.snapshotId : contentOf.volumeId,
            type,
            name,
            labels,
            signal,
          ),
          signal,
        );
      },
      async label(id, labels, signal) {
        const disk = await getDisk(id, signal);
        await renameDisk(
          manager,
          id,
          nameOfObject(disk),
          tagText({ ...readTags(disk.description), ...labels }),
          signal,
        );
        return asVolume(manager, await getDisk(id, signal), signal);
      },
      grow: (id, sizeGib, signal) => resizeDisk(manager, id, bytesOfGib(sizeGib), signal),
      delete: (id, signal) => deleteDisk(manager, id, signal),
    },
    snapshots: {
      list: async (labels, signal) => (await listed(labels, true, signal)).map(asSnapshot),
      async get(id, signal) {
        const disk = await disks.get(id, signal);
        return disk === undefined ? undefined : asSnapshot(disk);
      },
      create: async ({ volumeId, name, labels }, signal) =>
        asSnapshot(await copyOf(volumeId, undefined, name, { ...labels, ...snapshotUse }, signal)),
      delete: (id, signal) => deleteDisk(manager, id, signal),
    },
    servers: {
      get: (id, signal) => readServer(manager, id, signal),
      async attach(id, volumeId, signal) {
        const mappings = await mappingsOf(manager, await getVm(manager, id, signal), signal);
        await mapDisk(manager, id, volumeId, freeTarget(mappings), signal);
      },
      async detach(id, volumeId, signal) {
        const vm = await manager.vms.get(id, signal);
        const mappings = vm === undefined ? [] : await mappingsOf(manager, vm, signal);
        for (const mapping of mappings)
          if (mapping.virtualDiskId?.value === volumeId) await unmapDisk(manager, id, mapping.id.value, signal);
      },
    },
  };
}

/** The same, with how each kind of resource is found and removed. */
export function cloudApi(manager: Manager, work?: CopyWork): CloudApi {
  return { ...cloudCalls(manager, work), deleterFor: (entry) => deleterFor(manager, entry) };
}

/**
 * The copy of an entry that has no name yet, because the answer was lost or the process ended before it was named: by the job that made it.
 * The names of the originals have the ids of their own entries, so that no other copy is taken for it.
 */
async function lostCopy(
  manager: Manager,
  entry: LedgerEntry,
  all: readonly OvmDisk[],
  signal: AbortSignal,
): Promise<{ readonly copy: OvmDisk; readonly origins: readonly OvmDisk[] } | undefined> {
  const { volumeId, diskId } = entry.details;
  if (entry.resourceId !== undefined) return undefined;
  const wanted =
    typeof diskId === 'string'
      ? {
          [labelKeys.managedBy]: managedBy,
          [labelKeys.replica]: labelValue(entry.replicaId ?? ''),
          [labelKeys.disk]: labelValue(diskId),
        }
      : undefined;
  const origins = all.filter(
    (disk) =>
      disk.id.value === volumeId || (wanted !== undefined && hasLabels({ labels: readTags(disk.description) }, wanted)),
  );
  const copy = await lostClone(
    manager,
    entry.details,
    origins.map((disk) => ({ id: disk.id.value, name: nameOfObject(disk) })),
    async (id, within) => {
      const disk = await manager.disks.get(id, within);
      return disk !== undefined &&
        !ledgerName.test(disk.name ?? '') &&
        disk.vmDiskMappingIds.length === 0 &&
        origins.some((each) => each.id.value !== id && each.size === disk.size)
        ? disk
        : undefined;
    },
    signal,
  );
  return copy === undefined ? undefined : { copy, origins };
}

/** Names the lost copy of the entry that the labels are of, so that it is found from now on. */
async function claimLostCopy(
  manager: Manager,
  run: DestinationRun,
  labels: Labels,
  all: readonly OvmDisk[],
  signal: AbortSignal,
): Promise<OvmDisk | undefined> {
  const entry = run.ledger
    .list()
    .find((each) => entryLabel(each)[labelKeys.entry] === labels[labelKeys.entry] && each.state !== 'removed');
  const lost = entry === undefined ? undefined : await lostCopy(manager, entry, all, signal);
  if (entry === undefined || lost === undefined) return undefined;
  const known = Object.assign({}, ...lost.origins.map(({ description }) => readTags(description))) as Labels;
  const kept = Object.fromEntries(
    [labelKeys.disk, diskBytesLabel].flatMap((key) => (known[key] === undefined ? [] : [[key, known[key]]])),
  );
  const {
    copy: { id },
  } = lost;
  await renameDisk(
    manager,
    id.value,
    nameOf(entry),
    tagText(resourceTags(run, entry, { ...kept, ...(entry.kind === 'volume-snapshot' ? snapshotUse : {}) })),
    signal,
  );
  return manager.disks.get(id.value, signal);
}

export async function getVm(manager: Manager, id: string, signal: AbortSignal): Promise<OvmVm> {
  const vm = await manager.vms.get(id, signal);
  if (vm === undefined)
    throw new CausewayError('cloud.not-found', `VM ${id} no longer exists`, { details: { serverId: id } });
  return vm;
}

async function asVolume(manager: Manager, disk: OvmDisk, signal: AbortSignal): Promise<CloudVolume> {
  const [held] = disk.vmDiskMappingIds;
  const mapping = held === undefined ? undefined : await manager.mappings.get(held.value, signal);
  return {
    id: disk.id.value,
    name: nameOfObject(disk),
    state: mapping === undefined ? 'available' : 'attached',
    status: mapping === undefined ? 'not mapped' : 'mapped',
    sizeGib: Math.floor(disk.size / 2 ** 30),
    type: disk.repositoryId?.value,
    zone: undefined,
    serverId: mapping?.vmId?.value,
    labels: readTags(disk.description),
  };
}

const asSnapshot = (disk: OvmDisk): CloudSnapshot => ({
  id: disk.id.value,
  state: 'available',
  status: 'complete',
  labels: readTags(disk.description),
});

/** How each kind of resource is found and removed. */
export function deleterFor(manager: Manager, entry: LedgerEntry): ResourceDeleter {
  const label = entryLabel(entry);
  const isTagged = ({ description }: { readonly description?: string | null | undefined }): boolean =>
    hasLabels({ labels: readTags(description) }, label);
  const simple = simpleDeleters(manager, entry);
  switch (entry.kind) {
    case 'volume':
    case 'volume-snapshot':
      return simple(
        (id, signal) => manager.disks.get(id, signal),
        async (signal) => {
          const all = await manager.disks.list(signal);
          return (all.find(isTagged) ?? (await lostCopy(manager, entry, all, signal))?.copy)?.id.value;
        },
        async (id, signal) => {
          await freeFromWorkers(manager, id, signal);
          await deleteDisk(manager, id, signal);
        },
      );
    case 'nic':
      return simple(
        (id, signal) => manager.nics.get(id, signal),
        async (signal) => (await manager.nics.list(signal)).find(isTagged)?.id.value,
        (id, signal) =>
          manager.api.remove(
            `delete virtual NIC ${id}`,
            `/Vm/${encodeURIComponent(String(entry.details['serverId']))}/VirtualNic/${encodeURIComponent(id)}`,
            signal,
          ),
      );
    case 'server':
      return entry.lifetime === 'temporary'
        ? workerDeleter(manager, entry)
        : simple(
            (id, signal) => manager.vms.get(id, signal),
            async (signal) => (await manager.vms.list(signal)).find(isTagged)?.id.value,
            async (id, signal) => {
              const vm = await manager.vms.get(id, signal);
              if (vm === undefined) return;
              if (vm.vmRunState !== 'STOPPED') await vmAction(manager, id, 'kill', signal);
              for (const mapping of await mappingsOf(manager, vm, signal))
                await unmapDisk(manager, id, mapping.id.value, signal);
              await deleteVm(manager, id, signal);
            },
          );
    default:
      throw new CausewayError('general.invalid-input', `Oracle VM has no resources of kind ${entry.kind}`, {
        details: { kind: entry.kind, name: entry.name },
      });
  }
}

/** Workers give a disk up; a migrated VM keeps it. */
async function freeFromWorkers(manager: Manager, diskId: string, signal: AbortSignal): Promise<void> {
  const disk = await manager.disks.get(diskId, signal);
  for (const { value } of disk?.vmDiskMappingIds ?? []) {
    const mapping = await manager.mappings.get(value, signal);
    const vm = mapping?.vmId ? await manager.vms.get(mapping.vmId.value, signal) : undefined;
    if (vm === undefined) continue;
    if (readTags(vm.description)[labelKeys.role] === undefined)
      throw new CausewayError('cloud.volume-in-use', `virtual disk ${diskId} is attached to VM ${nameOfObject(vm)}`, {
        details: { volumeId: diskId, serverId: vm.id.value },
      });
    await unmapDisk(manager, vm.id.value, value, signal);
  }
}

import type { Disk as ApiDisk, Snapshot as ApiSnapshot, VirtualMachine } from '@azure/arm-compute';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Disk, Vm } from '../../../../../shared/model/vm.ts';
import type {
  CloudCalls,
  CloudServer,
  CloudSnapshot,
  CloudVolume,
  NewCloudVolume,
  ServerState,
  VolumeState,
} from '../../../cloud-resources/cloud-api.ts';
import { hasLabels, labelKeys, labelValue } from '../../../cloud-resources/labels.ts';
import { isAmbiguous } from '../../../http/http-error.ts';
import { retryDelayMs } from '../../../http/retry-after.ts';
import { parseResourceId, sameId } from '../client/resource-id.ts';
import { ownId, type AzureSession, type Place } from './session.ts';

export const diskType = 'Microsoft.Compute/disks';
export const snapshotType = 'Microsoft.Compute/snapshots';
export const vmType = 'Microsoft.Compute/virtualMachines';

/** GiB of the largest disk that there is of the usual types. */
export const largestVolumeGib = 32_767;

/** What a new disk has to say besides its size: what boots from it, and how. */
export interface BootDiskFacts {
  readonly osType: 'Linux' | 'Windows';
  readonly hyperVGeneration: 'V1' | 'V2';
}

/** How new disks are made for one VM. */
export interface DiskRules {
  readonly vm: Pick<Vm, 'disks'> | undefined;
  readonly bootDisk: BootDiskFacts | undefined;
  /** New disks wait for an upload of their bytes by a signed address. */
  readonly isUploaded?: boolean;
  /** The storage account of page blobs that disks are made from. */
  readonly storageAccountId?: string;
}

/** One resource group in one region as the shared steps of a destination see it. */
export function cloudCalls(
  session: AzureSession,
  { group, location }: Place,
  rules: DiskRules = { vm: undefined, bootDisk: undefined },
): CloudCalls {
  const { timing, clock, random } = session;
  const compute = () => session.compute();
  const volumeOf = (disk: ApiDisk): CloudVolume => asVolume(session, group, disk);
  const snapshotOf = (snapshot: ApiSnapshot): CloudSnapshot => asSnapshot(session, group, snapshot);
  const getDisk = async (id: string, signal: AbortSignal): Promise<ApiDisk | undefined> => {
    const { group: in_, name } = parseResourceId(id);
    const { disks } = await compute();
    return session.find(`read disk ${name}`, (options) => disks.get(in_, name, options), signal);
  };
  return {
    timing,
    clock,
    random,
    entryDetails: { resourceGroup: group, location },
    copiesFrom: 'snapshot',
    largestVolumeGib,
    volumes: {
      async list(labels, signal) {
        const { disks } = await compute();
        const found = await session.list(
          `list disks of ${group}`,
          (options) => disks.listByResourceGroup(group, options),
          signal,
        );
        return found.filter(({ tags }) => hasLabels({ labels: tags }, labels)).map(volumeOf);
      },
      async get(id, signal) {
        const disk = await getDisk(id, signal);
        return disk === undefined ? undefined : volumeOf(disk);
      },
      async create(volume, signal) {
        const { disks } = await compute();
        await session.submit(
          `create disk ${volume.name}`,
          (options) => disks.createOrUpdate(group, volume.name, newDisk(location, volume, rules), options),
          signal,
        );
        const made = await session.find(
          `read disk ${volume.name}`,
          (options) => disks.get(group, volume.name, options),
          signal,
        );
        // A reading may be behind the creation by some moments.
        return volumeOf(
          made ?? {
            name: volume.name,
            location,
            provisioningState: 'Creating',
            diskSizeGB: volume.sizeGib,
            tags: { ...volume.labels },
          },
        );
      },
      async label(id, labels, signal) {
        const { group: in_, name } = parseResourceId(id);
        const before = await getDisk(id, signal);
        if (before === undefined)
          throw new CausewayError('cloud.not-found', `disk ${name} no longer exists`, { details: { volumeId: id } });
        const tags = { ...before.tags, ...labels };
        const { disks } = await compute();
        await session.submit(`tag disk ${name}`, (options) => disks.update(in_, name, { tags }, options), signal);
        return volumeOf({ ...before, tags });
      },
      async grow(id, sizeGib, signal) {
        const { group: in_, name } = parseResourceId(id);
        const { disks } = await compute();
        await session.submit(
          `grow disk ${name}`,
          (options) => disks.update(in_, name, { diskSizeGB: sizeGib }, options),
          signal,
        );
      },
      async delete(id, signal) {
        const { group: in_, name } = parseResourceId(id);
        const { disks } = await compute();
        await session.remove(`delete disk ${name}`, (options) => disks.delete(in_, name, options), signal);
      },
    },
    snapshots: {
      async list(labels, signal) {
        const { snapshots } = await compute();
        const found = await session.list(
          `list snapshots of ${group}`,
          (options) => snapshots.listByResourceGroup(group, options),
          signal,
        );
        return found.filter(({ tags }) => hasLabels({ labels: tags }, labels)).map(snapshotOf);
      },
      async get(id, signal) {
        const { group: in_, name } = parseResourceId(id);
        const { snapshots } = await compute();
        const found = await session.find(
          `read snapshot ${name}`,
          (options) => snapshots.get(in_, name, options),
          signal,
        );
        return found === undefined ? undefined : snapshotOf(found);
      },
      async create({ volumeId, name, labels }, signal) {
        const { snapshots } = await compute();
        const wish: ApiSnapshot = {
          location,
          incremental: true,
          sku: { name: 'Standard_LRS' },
          creationData: { createOption: 'Copy', sourceResourceId: volumeId },
          tags: { ...labels },
        };
        await session.submit(
          `create snapshot ${name}`,
          (options) => snapshots.createOrUpdate(group, name, wish, options),
          signal,
        );
        const made = await session.find(
          `read snapshot ${name}`,
          (options) => snapshots.get(group, name, options),
          signal,
        );
        return snapshotOf(made ?? { name, location, provisioningState: 'Creating', tags: { ...labels } });
      },
      async delete(id, signal) {
        const { group: in_, name } = parseResourceId(id);
        const { snapshots } = await compute();
        await session.remove(`delete snapshot ${name}`, (options) => snapshots.delete(in_, name, options), signal);
      },
    },
    servers: {
      get: (id, signal) => getServer(session, id, signal),
      attach: (id, volumeId, signal) => changeDisks(session, id, volumeId, 'attached', signal),
      detach: (id, volumeId, signal) => changeDisks(session, id, volumeId, 'detached', signal),
    },
  };
}

/** A disk as the API takes it. Only a disk that a VM boots from has a generation and a system. */
function newDisk(
  location: string,
  { sizeGib, type, zone, contentOf, labels }: NewCloudVolume,
  { vm, bootDisk, isUploaded, storageAccountId }: DiskRules,
): ApiDisk {
  const boots =
    bootDisk !== undefined && vm !== undefined && labelValue(bootDiskOf(vm)?.id ?? '') === labels[labelKeys.disk];
  const origin =
    contentOf === undefined ? undefined : 'snapshotId' in contentOf ? contentOf.snapshotId : contentOf.volumeId;
  const isZonal = zone !== undefined && type?.endsWith('_ZRS') !== true;
  return {
    location,
    ...(isZonal ? { zones: [zone] } : {}),
    ...(type === undefined ? {} : { sku: { name: type } }),
    // The size of an upload is that of its bytes with their footer.
    ...(contentOf === undefined && isUploaded === true ? {} : { diskSizeGB: sizeGib }),
    creationData:
      origin === undefined
        ? isUploaded === true
          ? { createOption: 'Upload', uploadSizeBytes: sizeGib * 2 ** 30 + 512 }
          : { createOption: 'Empty' }
        : storageAccountId === undefined
          ? { createOption: 'Copy', sourceResourceId: origin }
          : { createOption: 'Import', sourceUri: origin, storageAccountId },
    ...(boots ? { osType: bootDisk.osType, hyperVGeneration: bootDisk.hyperVGeneration } : {}),
    tags: { ...labels },
  };
}

/** The disk that the source boots from; the first one when the source does not say. */
export function bootDiskOf(vm: Pick<Vm, 'disks'>): Disk | undefined {
  return vm.disks.find((disk) => disk.bootable === true) ?? vm.disks[0];
}

function volumeState({ provisioningState, diskState, managedBy }: ApiDisk): VolumeState {
  if (provisioningState === 'Failed') return 'failed';
  if (provisioningState === 'Deleting') return 'going';
  if (provisioningState !== 'Succeeded') return 'changing';
  if (diskState === 'Attached' || diskState === 'Reserved' || managedBy !== undefined) return 'attached';
  return diskState === 'Unattached' || diskState === 'ReadyToUpload' || diskState === 'ActiveUpload'
    ? 'available'
    : 'changing';
}

function asVolume(session: AzureSession, group: string, disk: ApiDisk): CloudVolume {
  const { name, provisioningState, diskState, diskSizeGB, sku, zones, managedBy, tags } = disk;
  return {
    id: ownId(session, groupIn(disk.id, group), diskType, name),
    name: name ?? '',
    state: volumeState(disk),
    status: [provisioningState, diskState].filter((part) => part !== undefined).join(', '),
    sizeGib: diskSizeGB ?? 0,
    type: sku?.name,
    zone: zones?.[0],
    serverId:
      managedBy === undefined
        ? undefined
        : ownId(session, groupIn(managedBy, group), vmType, parseResourceId(managedBy).name),
    labels: tags ?? {},
  };
}

/** Answers may spell the group in capitals: it is the asked one wherever it is the same. */
function groupIn(id: string | undefined, asked: string): string {
  if (id === undefined) return asked;
  const { group } = parseResourceId(id);
  return group.toLowerCase() === asked.toLowerCase() ? asked : group;
}

function asSnapshot(session: AzureSession, group: string, snapshot: ApiSnapshot): CloudSnapshot {
  const { name, provisioningState = 'Creating', completionPercent, tags } = snapshot;
  // Of some types of disks a snapshot can be used only once its copy in the background is complete.
  const isComplete = completionPercent === undefined || completionPercent >= 100;
  const state =
    provisioningState === 'Failed'
      ? 'failed'
      : provisioningState === 'Succeeded' && isComplete
        ? 'available'
        : 'changing';
  return {
    id: ownId(session, groupIn(snapshot.id, group), snapshotType, name),
    state,
    status: isComplete ? provisioningState : `${provisioningState}, ${completionPercent} %`,
    labels: tags ?? {},
  };
}

export async function getVm(
  session: AzureSession,
  id: string,
  signal: AbortSignal,
): Promise<VirtualMachine | undefined> {
  const { group, name } = parseResourceId(id);
  const { virtualMachines } = await session.compute();
  return session.find(
    `read VM ${name}`,
    (options) => virtualMachines.get(group, name, { ...options, expand: 'instanceView' }),
    signal,
  );
}

async function getServer(session: AzureSession, id: string, signal: AbortSignal): Promise<CloudServer | undefined> {
  const vm = await getVm(session, id, signal);
  return vm === undefined ? undefined : asServer(session, parseResourceId(id).group, vm);
}

export function asServer(session: AzureSession, group: string, vm: VirtualMachine): CloudServer {
  const statuses = vm.instanceView?.statuses ?? [];
  const power = statuses.find(({ code }) => code?.startsWith('PowerState/'))?.code?.slice('PowerState/'.length);
  const failure = statuses.find(({ code }) => code?.startsWith('ProvisioningState/failed'));
  const status = [vm.provisioningState, power].filter((part) => part !== undefined).join(', ');
  const problem =
    failure === undefined
      ? undefined
      : [failure.code?.split('/')[2], failure.message].filter((part) => part !== undefined).join(': ');
  return {
    id: ownId(session, group, vmType, vm.name),
    name: vm.name ?? '',
    state: serverState(vm.provisioningState, power, failure?.code),
    status,
    problem,
    labels: vm.tags ?? {},
  };
}

function serverState(
  provisioning: string | undefined,
  power: string | undefined,
  failure: string | undefined,
): ServerState {
  if (provisioning === 'Deleting') return 'off';
  if (provisioning === 'Failed') {
    // A change that failed, such as an attachment, leaves the VM running; one whose system never reported did not start.
    return power === 'running' &&
      failure?.includes('/OSProvisioning') !== true &&
      failure?.includes('/Allocation') !== true
      ? 'running'
      : 'failed';
  }
  if (power === 'stopped' || power === 'deallocated' || power === 'deallocating' || power === 'stopping') return 'off';
  return provisioning === 'Succeeded' && power === 'running' ? 'running' : 'changing';
}

/** The LUN of an attached disk. */
export async function lunOf(session: AzureSession, vmId: string, diskId: string, signal: AbortSignal): Promise<number> {
  const vm = await getVm(session, vmId, signal);
  const found = vm?.storageProfile?.dataDisks?.find(({ managedDisk }) => sameId(managedDisk?.id, diskId));
  if (found?.lun === undefined)
    throw new CausewayError(
      'cloud.unexpected-answer',
      `VM ${parseResourceId(vmId).name} does not list disk ${parseResourceId(diskId).name} among its disks`,
      { details: { serverId: vmId, volumeId: diskId } },
    );
  return found.lun;
}

/**
 * Attaches or detaches one disk and waits for the end of that. Such a request is not repeatable: after a lost answer the VM is read before
 * it is asked again. Not attached is done; so is attached to this VM.
 */
async function changeDisks(
  session: AzureSession,
  vmId: string,
  diskId: string,
  wanted: 'attached' | 'detached',
  signal: AbortSignal,
): Promise<void> {
  const { group, name } = parseResourceId(vmId);
  const disk = parseResourceId(diskId).name;
  const { virtualMachines } = await session.compute();
  const what = wanted === 'attached' ? `attach disk ${disk} to VM ${name}` : `detach disk ${disk} from VM ${name}`;
  for (let attempt = 1; ; attempt += 1) {
    const vm = await getVm(session, vmId, signal);
    if (vm === undefined) {
      if (wanted === 'detached') return;
      throw new CausewayError('cloud.not-found', `${what}: the VM no longer exists`, { details: { serverId: vmId } });
    }
    const disks = vm.storageProfile?.dataDisks ?? [];
    const isThere = disks.some(({ managedDisk }) => sameId(managedDisk?.id, diskId));
    const isSettled = vm.provisioningState !== 'Updating';
    if (isSettled && isThere === (wanted === 'attached')) return;
    try {
      if (!isSettled)
        throw new CausewayError('cloud.conflict', `${what}: another change of the VM is under way`, {
          details: { serverId: vmId },
        });
      const taken = new Set(disks.map(({ lun }) => lun));
      const lun = Array.from({ length: 64 }, (_, index) => index).find((index) => !taken.has(index)) ?? 0;
      const request =
        wanted === 'attached'
          ? { dataDisksToAttach: [{ diskId, lun, caching: 'None' as const }] }
          : { dataDisksToDetach: [{ diskId }] };
      await session.finish(
        what,
        (options) => virtualMachines.attachDetachDataDisks(group, name, request, options),
        signal,
        session.timing.attachMs,
      );
      return;
    } catch (error) {
      signal.throwIfAborted();
      const passes = isAmbiguous(error) || (error instanceof CausewayError && error.code === 'cloud.conflict');
      if (!passes || attempt > session.timing.backOff.attempts) throw error;
      await session.clock.sleep(retryDelayMs(session.timing.backOff, attempt, undefined, session.random), signal);
    }
  }
}

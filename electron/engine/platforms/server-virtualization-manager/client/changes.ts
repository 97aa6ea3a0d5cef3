import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { isAmbiguous } from '../../../http/http-error.ts';
import { retryDelayMs } from '../../../http/retry-after.ts';
import type { Manager } from './open-manager.ts';
import type { OvmDisk, OvmJob, OvmMapping, OvmNic, OvmVm } from './shapes.ts';

const path = (...parts: readonly string[]): string => parts.map((part) => `/${encodeURIComponent(part)}`).join('');

/** The id of what a job made. @throws `cloud.unexpected-answer` */
function madeBy(job: OvmJob, operation: string): string {
  if (job.resultId) return job.resultId.value;
  throw new CausewayError('cloud.unexpected-answer', `${operation}: the job names no result`, {
    details: { operation, jobId: job.id.value, ambiguous: true },
  });
}

/** An object that a job made. It exists by then, but may not be there for a reader yet. */
async function demand<T>(what: string, found: T | undefined): Promise<T> {
  if (found !== undefined) return found;
  throw new CausewayError('cloud.not-found', `${what} no longer exists`);
}

/**
 * Sends a change that must not be made twice. If its answer was lost, what it was to bring about is looked for before it is sent again: the
 * job may still be running.
 */
async function surely(
  manager: Manager,
  change: (signal: AbortSignal) => Promise<unknown>,
  isDone: (signal: AbortSignal) => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  const {
    timing: { backOff, looksBeforeCreatingAgain: looks },
    clock,
    random,
  } = manager;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await change(signal);
      return;
    } catch (error) {
      signal.throwIfAborted();
      // Refused because an earlier one was carried out, or somebody else was faster.
      const isLate = error instanceof CausewayError && error.code === 'cloud.conflict' && attempt > 1;
      if (!isAmbiguous(error) && !isLate) throw error;
      for (let look = 0; look < looks; look += 1) {
        await clock.sleep(retryDelayMs(backOff, attempt + look, undefined, random), signal);
        if (await isDone(signal)) return;
      }
      if (attempt >= backOff.attempts) throw error;
    }
  }
}

/** Copies a disk into a repository. The copy has a name that the manager chose until it is renamed. */
export async function cloneDisk(
  manager: Manager,
  diskId: string,
  repositoryId: string,
  cloneType: string,
  signal: AbortSignal,
): Promise<OvmDisk> {
  const operation = `clone virtual disk ${diskId} (${cloneType})`;
  const job = await manager.api.job(
    {
      operation,
      method: 'PUT',
      path: path('VirtualDisk', diskId, 'clone'),
      query: { cloneType },
      json: { type: 'com.oracle.ovm.mgr.ws.model.Repository', value: repositoryId },
      deadlineMs: manager.timing.volumeMs * 12,
    },
    signal,
  );
  const id = madeBy(job, operation);
  return demand(`virtual disk ${id}`, await manager.disks.get(id, signal));
}

interface Labelled {
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
}

/** An update sends the whole object back, with the generation that was read: the manager refuses it when somebody else was faster. */
function rename<T extends Labelled>(
  manager: Manager,
  what: string,
  url: string,
  get: (signal: AbortSignal) => Promise<T | undefined>,
  name: string,
  description: string,
  signal: AbortSignal,
): Promise<void> {
  return surely(
    manager,
    async (within) => {
      const object = await demand(what, await get(within));
      await manager.api.job(
        { operation: `name ${what}`, method: 'PUT', path: url, json: { ...object, name, description } },
        within,
      );
    },
    async (within) => {
      const now = await get(within);
      return now?.name === name && now.description === description;
    },
    signal,
  );
}

export function renameDisk(
  manager: Manager,
  id: string,
  name: string,
  description: string,
  signal: AbortSignal,
): Promise<void> {
  return rename(
    manager,
    `virtual disk ${id}`,
    path('VirtualDisk', id),
    (within) => manager.disks.get(id, within),
    name,
    description,
    signal,
  );
}

/** Gone is done. */
export async function deleteDisk(manager: Manager, diskId: string, signal: AbortSignal): Promise<void> {
  const disk = await manager.disks.get(diskId, signal);
  if (disk?.repositoryId)
    await manager.api.remove(
      `delete virtual disk ${diskId}`,
      path('Repository', disk.repositoryId.value, 'VirtualDisk', diskId),
      signal,
    );
}

/** A VM from a template, stopped, with disks of its own. It has a name that the manager chose until it is renamed. */
export async function cloneVm(
  manager: Manager,
  templateId: string,
  where: { readonly serverPoolId: string; readonly repositoryId: string },
  signal: AbortSignal,
): Promise<OvmVm> {
  const operation = `clone template ${templateId}`;
  const job = await manager.api.job(
    {
      operation,
      method: 'PUT',
      path: path('Vm', templateId, 'clone'),
      query: { ...where, createTemplate: 'false' },
      deadlineMs: manager.timing.serverMs,
    },
    signal,
  );
  const id = madeBy(job, operation);
  return demand(`VM ${id}`, await manager.vms.get(id, signal));
}

export function renameVm(
  manager: Manager,
  id: string,
  name: string,
  description: string,
  signal: AbortSignal,
): Promise<void> {
  return rename(
    manager,
    `VM ${id}`,
    path('Vm', id),
    (within) => manager.vms.get(id, within),
    name,
    description,
    signal,
  );
}

export function vmAction(
  manager: Manager,
  vmId: string,
  action: 'start' | 'stop' | 'kill',
  signal: AbortSignal,
): Promise<void> {
  const wanted = action === 'start' ? 'RUNNING' : 'STOPPED';
  return surely(
    manager,
    (within) =>
      manager.api.job(
        {
          operation: `${action} VM ${vmId}`,
          method: 'PUT',
          path: path('Vm', vmId, action),
          deadlineMs: manager.timing.serverMs,
        },
        within,
      ),
    async (within) => (await manager.vms.get(vmId, within))?.vmRunState === wanted,
    signal,
  );
}

/** Gone is done. The VM's disks stay. */
export function deleteVm(manager: Manager, vmId: string, signal: AbortSignal): Promise<void> {
  return manager.api.remove(`delete VM ${vmId}`, path('Vm', vmId), signal);
}

/** The mappings of a VM, in the order of their targets. */
export async function mappingsOf(manager: Manager, vm: OvmVm, signal: AbortSignal): Promise<readonly OvmMapping[]> {
  const all = await Promise.all(vm.vmDiskMappingIds.map(({ value }) => manager.mappings.get(value, signal)));
  return all.filter((mapping) => mapping !== undefined).sort((one, other) => one.diskTarget - other.diskTarget);
}

/** The lowest target that no disk of a VM has: what a disk left free is used again. */
export function freeTarget(mappings: readonly OvmMapping[]): number {
  const taken = new Set(mappings.map(({ diskTarget }) => diskTarget));
  let target = 0;
  while (taken.has(target)) target += 1;
  return target;
}

export function mapDisk(
  manager: Manager,
  vmId: string,
  diskId: string,
  diskTarget: number,
  signal: AbortSignal,
): Promise<void> {
  const json = {
    virtualDiskId: { type: 'com.oracle.ovm.mgr.ws.model.VirtualDisk', value: diskId },
    diskWriteMode: 'READ_WRITE',
    emulatedBlockDevice: false,
    storageElementId: null,
    diskTarget,
  };
  return surely(
    manager,
    (within) =>
      manager.api.job(
        {
          operation: `attach virtual disk ${diskId} to VM ${vmId}`,
          method: 'POST',
          path: path('Vm', vmId, 'VmDiskMapping'),
          json,
        },
        within,
      ),
    async (within) => {
      const vm = await manager.vms.get(vmId, within);
      return (
        vm !== undefined &&
        (await mappingsOf(manager, vm, within)).some(({ virtualDiskId }) => virtualDiskId?.value === diskId)
      );
    },
    signal,
  );
}

/** Gone is done. */
export function unmapDisk(manager: Manager, vmId: string, mappingId: string, signal: AbortSignal): Promise<void> {
  return manager.api.remove(
    `detach disk mapping ${mappingId} from VM ${vmId}`,
    path('Vm', vmId, 'VmDiskMapping', mappingId),
    signal,
  );
}

/** A new object that a job made. */
async function create<T>(
  manager: Manager,
  operation: string,
  url: string,
  json: unknown,
  get: (id: string, signal: AbortSignal) => Promise<T | undefined>,
  signal: AbortSignal,
  query?: Readonly<Record<string, string>>,
): Promise<T> {
  const id = madeBy(
    await manager.api.job(
      { operation, method: 'POST', path: url, json, ...(query === undefined ? {} : { query }) },
      signal,
    ),
    operation,
  );
  return demand(`${operation}: ${id}`, await get(id, signal));
}

/** An empty disk, as a sparse file. */
export function createDisk(
  manager: Manager,
  {
    name,
    description,
    size,
    repositoryId,
  }: { readonly name: string; readonly description: string; readonly size: number; readonly repositoryId: string },
  signal: AbortSignal,
): Promise<OvmDisk> {
  const json = { name, description, size, diskType: 'VIRTUAL_DISK', shareable: false };
  return create(
    manager,
    `create virtual disk ${name}`,
    path('Repository', repositoryId, 'VirtualDisk'),
    json,
    (id, s) => manager.disks.get(id, s),
    signal,
    { sparse: 'true' },
  );
}

export async function resizeDisk(manager: Manager, diskId: string, size: number, signal: AbortSignal): Promise<void> {
  await manager.api.job(
    {
      operation: `resize virtual disk ${diskId}`,
      method: 'PUT',
      path: path('VirtualDisk', diskId, 'resize'),
      query: { size: String(size), sparse: 'true' },
    },
    signal,
  );
}

/** A VM without disks and NICs, stopped. */
export function createVm(
  manager: Manager,
  vm: Readonly<Record<string, unknown>> & { readonly name: string },
  signal: AbortSignal,
): Promise<OvmVm> {
  return create(manager, `create VM ${vm.name}`, path('Vm'), vm, (id, s) => manager.vms.get(id, s), signal);
}

export function createNic(
  manager: Manager,
  vmId: string,
  nic: { readonly name: string; readonly description: string; readonly networkId: string },
  signal: AbortSignal,
): Promise<OvmNic> {
  const { networkId, ...rest } = nic;
  const json = { ...rest, networkId: { type: 'com.oracle.ovm.mgr.ws.model.Network', value: networkId } };
  return create(
    manager,
    `create virtual NIC ${nic.name}`,
    path('Vm', vmId, 'VirtualNic'),
    json,
    (id, s) => manager.nics.get(id, s),
    signal,
  );
}

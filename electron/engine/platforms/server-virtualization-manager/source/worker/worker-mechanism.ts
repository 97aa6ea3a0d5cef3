import { join } from 'node:path';
import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonObject } from '../../../../../../shared/model/json.ts';
import { simpleDeleters, deleteResource } from '../../../../cloud-resources/resource-deletion.ts';
import type { DestinationRun, DeviceIdentity, Volume } from '../../../../ports/destination-platform.ts';
import type { DiskReader } from '../../../../ports/disk-reader.ts';
import type { LedgerEntry } from '../../../../ports/ledger.ts';
import type { ResourceDeleter } from '../../../../cloud-resources/cloud-api.ts';
import { DigestFile, digestFileName, forgetDigests } from '../../../../workers/export/digest-store.ts';
import { ExportWorker, exportRole } from '../../../../workers/export/export-worker.ts';
import { WorkerVolumeReader } from '../../../../workers/export/worker-volume-reader.ts';
import { deleteDisk, freeTarget, mapDisk, mappingsOf, unmapDisk } from '../../client/changes.ts';
import type { Manager } from '../../client/open-manager.ts';
import { nameOfObject } from '../../client/shapes.ts';
import type { VmParts } from '../inventory.ts';
import {
  ledgerOf,
  markText,
  type DiskMark,
  type MarkedDisk,
  type SourceContext,
  type TakeRequest,
} from '../source-context.ts';
import { cloneTypesFor, ensureClone, findClone } from './clones.ts';
import { readServer, startWorkerVm, workerDeleter, type Reached } from '../../workers/template-worker.ts';
import { planWorker } from './worker-plan.ts';

/**
 * Clones of the disks, which a temporary VM hashes and reads. What changed is told by digests that are kept here since the last success; the
 * clones go as soon as they were read.
 */
export class WorkerMechanism {
  readonly #context: SourceContext;
  readonly #folder: string;
  readonly #worker: ExportWorker;
  readonly #enrolled = new Map<string, string>();

  constructor(context: SourceContext, reached: Reached) {
    this.#context = context;
    this.#folder = join(context.folder, 'server-virtualization-manager-digests');
    const { manager } = context;
    this.#worker = new ExportWorker({
      cloud: {
        clock: manager.clock,
        deleterFor: (entry) => deleterFor(manager, entry),
        servers: { get: (id, signal) => readServer(manager, id, signal), attach: unused, detach: unused },
      },
      start: async (keyRing, run, signal) =>
        startWorkerVm(
          manager,
          keyRing,
          run,
          exportRole,
          await planWorker(manager, run.environment, poolOf(run.environment), signal),
          { reached, enrolled: this.#enrolled },
          signal,
        ),
      attach: (_run, workerId, volume, signal) => attach(manager, workerId, volume, signal),
    });
  }

  /** Learns, before anything is made, whether the disks can be cloned and a worker can be had. */
  async prepare({ vm }: VmParts, environment: JsonObject, signal: AbortSignal): Promise<void> {
    await planWorker(this.#context.manager, environment, vm, signal);
    cloneTypesFor(wantedType(environment), vm);
  }

  /** Clones the disks one after the other, and resolves with their marks in the order of the VM's disks. */
  async take({ tag, environment, vm: parts }: TakeRequest, signal: AbortSignal): Promise<readonly DiskMark[]> {
    const { manager, use } = this.#context;
    const { vm, disks } = parts;
    const { repositoryId, serverPoolId } = await planWorker(manager, environment, vm, signal);
    const types = cloneTypesFor(wantedType(environment), vm);
    if (vm.vmRunState !== 'STOPPED' && disks.length > 1) {
      use?.note?.(
        `The ${disks.length} disks of ${nameOfObject(vm)} are cloned one after the other while it runs. If an application writes to several disks, stop the VM for the last execution`,
        { vmId: vm.id.value },
      );
    }
    const marks: DiskMark[] = [];
    for (const disk of disks) {
      const cloneId = await ensureClone(this.#context, tag, disk, repositoryId, types, signal);
      marks.push({
        mechanism: 'worker',
        cloneId,
        digests: digestFileName(tag, disk.disk.id.value),
        worker: { ...withoutPassword(environment), serverPoolId },
      });
    }
    return marks;
  }

  async isAlive({ mark }: MarkedDisk, signal: AbortSignal): Promise<boolean> {
    return (await this.#context.manager.disks.get(markText(mark, 'cloneId'), signal)) !== undefined;
  }

  /** @param environment with the password of the template's user, which no record has */
  async open(
    { diskId, sizeBytes, mark }: MarkedDisk,
    base: MarkedDisk | undefined,
    environment: JsonObject,
    signal: AbortSignal,
  ): Promise<DiskReader> {
    const volume: Volume = { id: markText(mark, 'cloneId'), diskId, sizeBytes, createdByThisCall: false };
    const worker = mark['worker'];
    const opened = await this.#worker.open(
      this.#run({ ...environment, ...(isJsonObject(worker) ? worker : {}) }),
      volume,
      signal,
    );
    const own = new DigestFile(this.#folder, markText(mark, 'digests'), sizeBytes);
    const former =
      base === undefined || base.sizeBytes !== sizeBytes
        ? undefined
        : new DigestFile(this.#folder, markText(base.mark, 'digests'), sizeBytes);
    return new WorkerVolumeReader(opened, sizeBytes, own, (await former?.isComplete()) === true ? former : undefined);
  }

  /** Removes the worker; clones can go after that. */
  stop(signal: AbortSignal): Promise<void> {
    return this.#worker.stop(this.#run({}), signal);
  }

  async forget(disks: readonly MarkedDisk[]): Promise<void> {
    for (const { mark } of disks) await forgetDigests(this.#folder, markText(mark, 'digests'));
  }

  remove(entry: LedgerEntry, signal: AbortSignal): Promise<void> {
    return deleteResource(
      { deleterFor: (each) => deleterFor(this.#context.manager, each) },
      ledgerOf(this.#context),
      entry,
      signal,
    );
  }

  close(): Promise<void> {
    return this.#worker.close();
  }

  #run(environment: JsonObject): DestinationRun {
    const { use } = this.#context;
    return {
      replicaId: use?.replicaId ?? '',
      executionId: use?.executionId ?? '',
      vm: { id: '', name: '', os_type: 'linux', disks: [], nics: [] },
      environment,
      ledger: ledgerOf(this.#context),
      note: (message, details) => use?.note?.(message, details),
    };
  }
}

/** How what the worker's way of reading created is found and removed. */
export function deleterFor(manager: Manager, entry: LedgerEntry): ResourceDeleter {
  if (entry.kind === 'server') return workerDeleter(manager, entry);
  if (entry.kind !== 'volume')
    throw new CausewayError('general.bug', `a source of this platform creates no ${entry.kind}`);
  return simpleDeleters(manager, entry)(
    (id, signal) => manager.disks.get(id, signal),
    async (signal) => (await findClone(manager, entry, signal))?.id,
    async (id, signal) => {
      // A worker that could not be removed may still have it.
      const disk = await manager.disks.get(id, signal);
      for (const { value } of disk?.vmDiskMappingIds ?? []) {
        const mapping = await manager.mappings.get(value, signal);
        if (mapping?.vmId) await unmapDisk(manager, mapping.vmId.value, value, signal);
      }
      await deleteDisk(manager, id, signal);
    },
  );
}

/** Maps a clone to the worker. Xen's disks have no serial: they are told by their order. */
async function attach(
  manager: Manager,
  workerId: string,
  volume: Volume,
  signal: AbortSignal,
): Promise<DeviceIdentity> {
  const mappings = async () => {
    const vm = await manager.vms.get(workerId, signal);
    if (vm === undefined) throw new CausewayError('cloud.not-found', `worker ${workerId} no longer exists`);
    return mappingsOf(manager, vm, signal);
  };
  let all = await mappings();
  const of = () => all.find(({ virtualDiskId }) => virtualDiskId?.value === volume.id);
  if (of() === undefined) {
    await mapDisk(manager, workerId, volume.id, freeTarget(all), signal);
    all = await mappings();
  }
  return { kind: 'order', order: of()?.diskTarget ?? 0, sizeBytes: volume.sizeBytes };
}

/** Clones are attached by their mappings here. */
function unused(): never {
  throw new CausewayError('general.bug', 'no volume is attached in this way on this platform');
}

const wantedType = ({ virtual_disk_clone_type: type }: JsonObject): string | undefined =>
  typeof type === 'string' ? type : undefined;

function withoutPassword({ export_template_password: _, ...rest }: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(rest).filter(([key]) => key.startsWith('export_') || key === 'repository_name'),
  );
}

function poolOf({ serverPoolId }: JsonObject): Pick<VmParts['vm'], 'serverPoolId'> {
  return typeof serverPoolId === 'string' ? { serverPoolId: { value: serverPoolId } } : {};
}

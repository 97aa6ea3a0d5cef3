import { join } from 'node:path';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonObject } from '../../../../../shared/model/json.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import type { CloudApi } from '../../../cloud-resources/cloud-api.ts';
import { ensureResource, nameOf, resourceTags } from '../../../cloud-resources/ledgered-resource.ts';
import { deleteResource, orRemoveFailed } from '../../../cloud-resources/resource-deletion.ts';
import { attachVolume } from '../../../cloud-resources/volume-attachments.ts';
import { awaitVolume, volumeFinders } from '../../../cloud-resources/volume-state.ts';
import type { DestinationRun } from '../../../ports/destination-platform.ts';
import type { DiskReader } from '../../../ports/disk-reader.ts';
import type { Snapshot } from '../../../ports/source-platform.ts';
import { DigestFile, digestFileName, forgetDigests } from '../../../workers/export/digest-store.ts';
import { ExportWorker } from '../../../workers/export/export-worker.ts';
import { WorkerVolumeReader } from '../../../workers/export/worker-volume-reader.ts';
import { cloudApi } from '../destination/cloud-api.ts';
import { lunOf } from '../destination/cloud-calls.ts';
import { usualDiskType } from '../destination/disk-types.ts';
import { readEnvironment } from '../destination/environment.ts';
import { deleterFor } from '../destination/remove-resource.ts';
import { placeOf } from '../destination/session.ts';
import { startWorker } from '../destination/start-worker.ts';
import { planWorker, tooManyDisks, type WorkerPlan } from '../destination/worker-plan.ts';
import { GIB, ledgerOf, runOf, type SourceContext } from './source-context.ts';

/**
 * The environment of a worker for a VM of this region, in the words of the steps that start workers; undefined where the source's
 * environment names no size.
 */
export function workerEnvironment(
  environment: JsonObject,
  vm: { readonly location: string; readonly group: string },
): JsonObject | undefined {
  const { export_worker_size: size, export_worker_image: image, resource_group: group } = environment;
  if (typeof size !== 'string' || size.trim() === '') return undefined;
  return {
    location: vm.location,
    resource_group: typeof group === 'string' && group.trim() !== '' ? group : vm.group,
    worker_size: size,
    ...(image === undefined ? {} : { linux_migr_image: image }),
  };
}

/** What is opened. */
export interface WorkerRequest {
  readonly snapshot: Snapshot;
  readonly diskId: string;
  readonly snapshotId: string;
  readonly sizeBytes: number;
  readonly environment: JsonObject;
  /** The same disk in the base, if the snapshot was taken on it. */
  readonly base: Snapshot | undefined;
}

/**
 * Copies of the snapshots, which a temporary VM in the cloud hashes and reads, for where snapshots cannot be read by their addresses.
 * What changed is told by digests that are kept here since the last success.
 */
export class WorkerPath {
  readonly #context: SourceContext;
  readonly #folder: string;
  readonly #worker: ExportWorker;

  constructor(context: SourceContext) {
    this.#context = context;
    this.#folder = join(context.folder, 'resource-group-cloud-digests');
    const { session } = context;
    this.#worker = new ExportWorker({
      cloud: {
        clock: session.clock,
        deleterFor: (entry) => deleterFor(session, entry),
        servers: cloudApi(session, { group: '', location: '' }).servers,
      },
      start: (keyRing, run, signal) =>
        startWorker(session, keyRing, run, 'disk-copy', signal).catch((error: unknown) => {
          throw inExportWords(error);
        }),
      attach: async (run, workerId, volume, signal) => {
        await attachVolume(this.#api(run), run, workerId, volume.id, signal);
        return { kind: 'lun', lun: await lunOf(session, workerId, volume.id, signal), sizeBytes: volume.sizeBytes };
      },
    });
  }

  /** Learns, before anything is made, whether a worker can be had. */
  async prepare(environment: JsonObject, disks: Snapshot['disks'], signal: AbortSignal): Promise<void> {
    await this.#plan(environment, vmOf('', disks), signal);
  }

  /** The worker keeps all copies until it is removed, so that its size must take as many as there are. */
  async #plan(environment: JsonObject, vm: Vm, signal: AbortSignal): Promise<WorkerPlan> {
    try {
      const plan = await planWorker(this.#context.session, readEnvironment(environment), vm, 'disk-copy', signal);
      const problems = tooManyDisks(plan.size, vm);
      if (problems.length > 0)
        throw new CausewayError('general.invalid-input', `worker_size: ${problems.join('; ')}`, {
          details: { parameter: 'worker_size', problems: [...problems] },
        });
      return plan;
    } catch (error) {
      throw inExportWords(error);
    }
  }

  async open(request: WorkerRequest, signal: AbortSignal): Promise<DiskReader> {
    const { snapshot, diskId, sizeBytes, environment, base } = request;
    const run: DestinationRun = { ...runOf(this.#context, environment), vm: vmOf(snapshot.vmId, snapshot.disks) };
    const volumeId = await this.#ensureCopy(run, request, signal);
    const opened = await this.#worker.open(run, { id: volumeId, diskId, sizeBytes, createdByThisCall: false }, signal);
    const own = new DigestFile(this.#folder, digestFileName(snapshot.tag, diskId), sizeBytes);
    const formerSize = base?.disks.find((disk) => disk.diskId === diskId)?.sizeBytes;
    const former =
      base === undefined || formerSize !== sizeBytes
        ? undefined
        : new DigestFile(this.#folder, digestFileName(base.tag, diskId), sizeBytes);
    return new WorkerVolumeReader(opened, sizeBytes, own, (await former?.isComplete()) === true ? former : undefined);
  }

  /** A disk with a snapshot's content. Removed with the execution. */
  async #ensureCopy(
    run: DestinationRun,
    { snapshot, diskId, snapshotId, sizeBytes }: WorkerRequest,
    signal: AbortSignal,
  ): Promise<string> {
    const api = this.#api(run);
    const { zone } = await this.#plan(run.environment, run.vm, signal);
    const { resource, entry } = await ensureResource<{ readonly id: string }>(
      api,
      run.ledger,
      {
        kind: 'volume',
        key: `${snapshot.tag}/${diskId}/copy`,
        lifetime: 'replica',
        details: { ...api.entryDetails, diskId },
      },
      {
        ...volumeFinders(api),
        create: (each, within) =>
          api.volumes.create(
            {
              name: nameOf(each),
              sizeGib: Math.ceil(sizeBytes / GIB),
              type: usualDiskType,
              zone,
              contentOf: { snapshotId },
              labels: resourceTags(run, each),
            },
            within,
          ),
      },
      signal,
    );
    const ready = () =>
      awaitVolume(
        api,
        resource.id,
        `copying disk ${diskId} into it`,
        ({ state }) => state === 'available' || state === 'attached',
        api.timing.volumeMs * 12,
        signal,
      );
    await orRemoveFailed(api, run.ledger, entry, ready, signal);
    return resource.id;
  }

  /** Removes the worker and the copies; nothing to do when there are none. */
  async stop(signal: AbortSignal): Promise<void> {
    const ledger = ledgerOf(this.#context);
    if (ledger.list().every(({ kind, state }) => kind === 'volume-snapshot' || state === 'removed')) return;
    await this.#worker.stop(runOf(this.#context), signal);
    const removing = {
      deleterFor: (each: Parameters<CloudApi['deleterFor']>[0]) => deleterFor(this.#context.session, each),
    };
    for (const entry of ledger.list({ kind: 'volume' }).filter(({ state }) => state !== 'removed'))
      await deleteResource(removing, ledger, entry, signal);
  }

  /** Removes what is kept here, on this computer, of a snapshot that is no base any more. */
  async forget({ tag, disks }: Snapshot): Promise<void> {
    for (const { diskId } of disks) await forgetDigests(this.#folder, digestFileName(tag, diskId));
  }

  close(): Promise<void> {
    return this.#worker.close();
  }

  #api(run: DestinationRun): CloudApi {
    const { session } = this.#context;
    return cloudApi(session, placeOf(session, readEnvironment(run.environment)));
  }
}

/** As the steps that start workers see the VM whose disks are read. */
function vmOf(id: string, disks: Snapshot['disks']): Vm {
  return {
    id,
    name: id,
    os_type: 'linux',
    nics: [],
    disks: disks.map(({ diskId, sizeBytes }) => ({ id: diskId, size_bytes: sizeBytes })),
  };
}

const words: Readonly<Record<string, string>> = {
  worker_size: 'export_worker_size',
  linux_migr_image: 'export_worker_image',
};

/** An error of the steps that start workers, in the words of the source's parameters. */
function inExportWords(error: unknown): unknown {
  if (!(error instanceof CausewayError)) return error;
  const { parameter } = error.details;
  const renamed = typeof parameter === 'string' ? words[parameter] : undefined;
  if (renamed === undefined) return error;
  const message = Object.entries(words).reduce((text, [from, to]) => text.replaceAll(from, to), error.message);
  return new CausewayError(error.code, message, {
    details: { ...error.details, parameter: renamed },
    retryable: error.retryable,
    cause: error,
  });
}

/** What a snapshot's state says of the worker that may read it. */
export function workerOf(snapshot: Snapshot): JsonObject | undefined {
  const { worker } = snapshot.state;
  return isJsonObject(worker) ? worker : undefined;
}

import { join } from 'node:path';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import { ensureResource, nameOf, resourceTags } from '../../../cloud-resources/ledgered-resource.ts';
import { deleteResource, findResourceOf, orRemoveFailed } from '../../../cloud-resources/resource-deletion.ts';
import { awaitVolume, volumeFinders } from '../../../cloud-resources/volume-state.ts';
import { runChecks } from '../../../endpoint-checks/run-checks.ts';
import { OpenReaders, type DiskReader } from '../../../ports/disk-reader.ts';
import type { DestinationRun, ManagedResource } from '../../../ports/destination-platform.ts';
import type { LedgerEntry, LedgerScope } from '../../../ports/ledger.ts';
import type { PlatformContext } from '../../../ports/platform-context.ts';
import type { CheckReport, FeaturePolicy, OptionList } from '../../../ports/platform-common.ts';
import type { Snapshot, SourcePlatform, VmSummary } from '../../../ports/source-platform.ts';
import { SnapshotRecords } from '../../../source-records/snapshot-records.ts';
import { DigestFile, digestFileName, forgetDigests } from '../../../workers/export/digest-store.ts';
import { ExportWorker, exportRole } from '../../../workers/export/export-worker.ts';
import { WorkerVolumeReader } from '../../../workers/export/worker-volume-reader.ts';
import { openClassic, type ClassicContext } from '../client/open-classic.ts';
import { attachToWorker } from '../cloud/attach-to-worker.ts';
import { endpointChecks } from '../cloud/endpoint-checks.ts';
import { readOptions } from '../cloud/options.ts';
import { cloudApi, listManaged } from '../cloud/remove-resource.ts';
import { planWorker, startWorker, volumesAtOnce } from '../cloud/start-worker.ts';
import {
  describeVm,
  listVms,
  unsupportedDevices,
  readInstance,
  requireExportable,
  requirePlaces,
} from './inventory.ts';
import { areComplete, takeSnapshots } from './snapshots.ts';
import {
  belongsTo,
  exportWish,
  keyOf,
  ledgerOf,
  runOf,
  snapshotState,
  stateOf,
  type DiskMark,
  type SourceContext,
} from './source-context.ts';

const folderName = 'classic-infrastructure-cloud';

/** The source for the VMs of one account. Opens nothing yet. @throws `general.invalid-input` */
export function createClassicSource(
  connection: unknown,
  { scratchFolder, ledger, use }: PlatformContext,
  context: ClassicContext = {},
): SourcePlatform {
  return new ClassicSource({ classic: openClassic(connection, context), folder: scratchFolder, ledger, use });
}

/**
 * VMs of one account. Each volume gets a collocated snapshot; volumes that are made of those are hashed and read by a temporary worker. What
 * changed is told by digests that are kept here since the last success, so that nothing stays on the platform in between.
 */
class ClassicSource implements SourcePlatform {
  readonly #context: SourceContext;
  readonly #records: SnapshotRecords;
  readonly #digests: string;
  readonly #worker: ExportWorker;
  readonly #readers = new OpenReaders();

  constructor(context: SourceContext) {
    const { classic } = context;
    this.#context = context;
    this.#records = new SnapshotRecords(context.folder, folderName);
    this.#digests = join(context.folder, `${folderName}-digests`);
    this.#worker = new ExportWorker({
      cloud: cloudApi(classic),
      async start(keyRing, run, signal) {
        const plan = await planWorker(classic, exportWish(run.environment), exportRole, 'SSH', signal);
        return startWorker(classic, keyRing, run, exportRole, plan, signal);
      },
      attach: (run, workerId, volume, signal) => attachToWorker(classic, run, workerId, volume, signal),
    });
  }

  check(signal: AbortSignal): Promise<CheckReport> {
    const { classic } = this.#context;
    return runChecks(
      endpointChecks(classic, [
        ['instances', (s) => classic.compute.instances(s)],
        ['volumes', (s) => classic.storage.volumes(s)],
        ['snapshots', (s) => classic.storage.snapshots(s)],
        ['shapes', (s) => classic.compute.shapes(s)],
        ['image lists', (s) => classic.compute.imageLists(s)],
        ['security lists', (s) => classic.network.security('seclist', s)],
      ]),
      signal,
    );
  }

  listVms(signal: AbortSignal): Promise<readonly VmSummary[]> {
    return listVms(this.#context.classic, signal);
  }

  describeVm(vmId: string, signal: AbortSignal): Promise<Vm> {
    return describeVm(this.#context.classic, vmId, signal);
  }

  unsupportedDevices(vmId: string, signal: AbortSignal): Promise<readonly string[]> {
    return unsupportedDevices(this.#context.classic, vmId, signal);
  }

  policy(): readonly FeaturePolicy[] {
    return [
      {
        feature: 'Check the endpoint and list VMs',
        isEssential: true,
        privileges: ['Compute_Monitor role of the site'],
      },
      {
        feature: 'Replicate: snapshots, volumes of them, workers, security lists',
        isEssential: true,
        privileges: ['Compute_Operations role of the site'],
      },
    ];
  }

  options(names: readonly string[], signal: AbortSignal): Promise<Readonly<Record<string, OptionList>>> {
    return readOptions(this.#context.classic, names, signal);
  }

  async prepare(vmId: string, environment: JsonObject, signal: AbortSignal): Promise<void> {
    const { classic } = this.#context;
    const parts = await readInstance(classic, vmId, signal);
    requireExportable(parts);
    const plan = await planWorker(classic, exportWish(environment), exportRole, 'SSH', signal);
    requirePlaces(parts, volumesAtOnce(plan));
  }

  async createSnapshot(
    {
      vmId,
      tag,
      environment,
      base,
    }: { readonly vmId: string; readonly tag: string; readonly environment: JsonObject; readonly base?: Snapshot },
    signal: AbortSignal,
  ): Promise<Snapshot> {
    const known = await this.#records.find(vmId, tag);
    if (known !== undefined) return known;
    const { classic } = this.#context;
    const parts = await readInstance(classic, vmId, signal);
    requireExportable(parts);
    const takenAt = new Date(classic.clock.wallTime()).toISOString();
    const marks = await takeSnapshots(this.#context, tag, parts, signal);
    const snapshot: Snapshot = {
      id: tag,
      tag,
      vmId,
      takenAt,
      disks: marks.map(({ diskId, sizeBytes }) => ({ diskId, sizeBytes })),
      state: snapshotState(base?.tag, environment, marks),
    };
    await this.#records.keep(snapshot);
    return snapshot;
  }

  isAlive(snapshot: Snapshot, signal: AbortSignal): Promise<boolean> {
    return areComplete(this.#context, stateOf(snapshot).marks, signal);
  }

  async assertUnchanged(snapshot: Snapshot, signal: AbortSignal): Promise<void> {
    if (await this.isAlive(snapshot, signal)) return;
    throw new CausewayError(
      'source.snapshot-lost',
      `some volume snapshots of snapshot ${snapshot.tag} of VM ${snapshot.vmId} no longer exist`,
    );
  }

  async openDisk(
    snapshot: Snapshot,
    diskId: string,
    base: Snapshot | undefined,
    signal: AbortSignal,
  ): Promise<DiskReader> {
    const { base: on, environment, marks } = stateOf(snapshot);
    const disk = marks.find((mark) => mark.diskId === diskId);
    if (disk === undefined)
      throw new CausewayError('source.disk-not-found', `the snapshot ${snapshot.tag} has no disk ${diskId}`);
    const run = runOf(this.#context, environment);
    const id = await this.#ensureCopy(run, snapshot.tag, disk, signal);
    const { sizeBytes } = disk;
    const opened = await this.#worker.open(run, { id, diskId, sizeBytes, createdByThisCall: false }, signal);
    const before =
      base === undefined || on !== base.tag ? undefined : base.disks.find((each) => each.diskId === diskId);
    const former = base === undefined || before?.sizeBytes !== sizeBytes ? undefined : this.#digestFile(base.tag, disk);
    const isKnown = (await former?.isComplete()) === true;
    return this.#readers.track(
      new WorkerVolumeReader(opened, sizeBytes, this.#digestFile(snapshot.tag, disk), isKnown ? former : undefined),
    );
  }

  async promoteToBase(snapshot: Snapshot, formerBase: Snapshot | undefined, signal: AbortSignal): Promise<void> {
    await this.#worker.stop(runOf(this.#context), signal);
    // Its digests are all that the next increment needs.
    await this.#remove(() => true, signal);
    if (formerBase !== undefined && formerBase.tag !== snapshot.tag) await this.#forget(formerBase);
    await this.#records.forget(snapshot);
  }

  async discardSnapshot(snapshot: Snapshot, _base: Snapshot | undefined, signal: AbortSignal): Promise<void> {
    await this.deleteBase(snapshot, signal);
  }

  async discardPending(
    { vmId, tag }: { readonly vmId: string; readonly tag: string },
    signal: AbortSignal,
  ): Promise<void> {
    const known = await this.#records.find(vmId, tag);
    if (known !== undefined) return this.discardSnapshot(known, undefined, signal);
    await this.#remove((entry) => belongsTo(entry, tag), signal);
  }

  async deleteBase(base: Snapshot, signal: AbortSignal): Promise<void> {
    await this.#worker.stop(runOf(this.#context), signal);
    await this.#remove((entry) => belongsTo(entry, base.tag), signal);
    await this.#forget(base);
  }

  removeResource(entry: LedgerEntry, ledger: LedgerScope, signal: AbortSignal): Promise<void> {
    return deleteResource(cloudApi(this.#context.classic), ledger, entry, signal);
  }

  findResource(entry: LedgerEntry, signal: AbortSignal): Promise<{ readonly id: string } | undefined> {
    return findResourceOf(cloudApi(this.#context.classic), entry, signal);
  }

  listManaged(signal: AbortSignal): Promise<readonly ManagedResource[]> {
    return listManaged(this.#context.classic, signal);
  }

  async close(): Promise<void> {
    await this.#readers.closeAll();
    await this.#worker.close();
    this.#context.classic.close();
  }

  /** A volume with a disk's content, in the pool of its original. It goes before its snapshot, whose blocks it shares. */
  async #ensureCopy(run: DestinationRun, tag: string, disk: DiskMark, signal: AbortSignal): Promise<string> {
    const { classic } = this.#context;
    const cloud = cloudApi(classic);
    const { resource, entry } = await ensureResource<{ readonly id: string }>(
      classic,
      run.ledger,
      {
        kind: 'volume',
        key: keyOf(tag, `copy/${disk.diskId}`),
        lifetime: 'replica',
        details: { diskId: disk.diskId },
      },
      {
        ...volumeFinders(cloud),
        async create(each, s) {
          const snapshot = await classic.storage.snapshot(disk.snapshot, s);
          if (typeof snapshot?.snapshot_id !== 'string')
            throw new CausewayError(
              'source.snapshot-lost',
              `the snapshot ${disk.snapshot} of disk ${disk.diskId} no longer exists`,
            );
          const made = await classic.storage.createVolume(
            {
              name: nameOf(each),
              size: { bytes: disk.sizeBytes },
              pool: disk.pool,
              labels: resourceTags(run, each),
              snapshotId: snapshot.snapshot_id,
            },
            s,
          );
          return { id: made.name };
        },
      },
      signal,
    );
    const ready = () =>
      awaitVolume(
        cloud,
        resource.id,
        `making a copy of disk ${disk.diskId}`,
        ({ state }) => state === 'available' || state === 'attached',
        cloud.timing.volumeMs,
        signal,
      );
    await orRemoveFailed(cloud, run.ledger, entry, ready, signal);
    return resource.id;
  }

  #digestFile(tag: string, { diskId, sizeBytes }: DiskMark): DigestFile {
    return new DigestFile(this.#digests, digestFileName(tag, diskId), sizeBytes);
  }

  /** The last one first: copies go before the snapshots that they were made of. */
  async #remove(isOver: (entry: LedgerEntry) => boolean, signal: AbortSignal): Promise<void> {
    const ledger = ledgerOf(this.#context);
    const entries = ledger
      .list()
      .filter((entry) => entry.state !== 'removed' && entry.lifetime === 'replica' && isOver(entry));
    for (const entry of entries.toReversed())
      await deleteResource(cloudApi(this.#context.classic), ledger, entry, signal);
  }

  async #forget(snapshot: Snapshot): Promise<void> {
    for (const { diskId } of snapshot.disks) await forgetDigests(this.#digests, digestFileName(snapshot.tag, diskId));
    await this.#records.forget(snapshot);
  }
}

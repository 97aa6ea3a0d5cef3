import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonObject } from '../../../../../shared/model/json.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import { managedOf } from '../../../cloud-resources/managed-resources.ts';
import { deleteResource, findResourceOf } from '../../../cloud-resources/resource-deletion.ts';
import type { ManagedResource } from '../../../ports/destination-platform.ts';
import type { DiskReader } from '../../../ports/disk-reader.ts';
import type { LedgerEntry, LedgerScope } from '../../../ports/ledger.ts';
import type { CheckReport, FeaturePolicy, OptionList } from '../../../ports/platform-common.ts';
import type { Snapshot, SourcePlatform, VmSummary } from '../../../ports/source-platform.ts';
import { SnapshotRecords } from '../../../source-records/snapshot-records.ts';
import { revokeAccess } from '../client/disk-access.ts';
import type { PageAccess } from '../client/page-access.ts';
import { parseResourceId } from '../client/resource-id.ts';
import { listManagedBlobs } from '../destination/list-managed.ts';
import { deleterFor } from '../destination/remove-resource.ts';
import { AccessPool } from './access-pool.ts';
import { BlobCopies, copyPlaceIn, copyPlaceOf, demandAccount, isDenied, type CopyPlace } from './blob-copies.ts';
import { checkSource } from './check.ts';
import { WorkerPath, workerEnvironment, workerOf } from './export-worker.ts';
import { describeVm, listVms, readVm, refuseUnreadable, remarksOn, unmanagedDisks, type VmParts } from './inventory.ts';
import { sourceOptions } from './options.ts';
import { PageRangeReader, readingCost, type ReadCount } from './page-range-reader.ts';
import { customRole } from '../client/permissions.ts';
import { sourcePermissions } from './permissions.ts';
import { shutDown, startVm } from './power.ts';
import type { SnapshotMark } from './snapshot-mark.ts';
import { findSnapshotId, isThere, recordedOf, removeSnapshot, takeSnapshots, targetOf } from './snapshots.ts';
import { ledgerOf, type SourceContext } from './source-context.ts';
import { labelledBlobSnapshots } from './unmanaged/blob-snapshots.ts';
import { isBlobId } from './unmanaged/vhd-blobs.ts';

/** VMs of one subscription, read from incremental snapshots of their managed disks, or from snapshots of the page blobs that their unmanaged ones are. */
export class AzureSource implements SourcePlatform {
  readonly #context: SourceContext;
  readonly #records: SnapshotRecords;
  readonly #accesses: AccessPool;
  readonly #copies: BlobCopies;
  readonly #worker: WorkerPath;
  readonly #count: ReadCount = { lists: 0, reads: 0, bytes: 0 };

  constructor(context: SourceContext) {
    this.#context = context;
    this.#records = new SnapshotRecords(context.folder, 'resource-group-cloud');
    this.#accesses = new AccessPool(context.cloud);
    this.#copies = new BlobCopies(context, this.#accesses);
    this.#worker = new WorkerPath(context);
  }

  check(signal: AbortSignal): Promise<CheckReport> {
    return checkSource(this.#context.cloud, signal);
  }

  policy(): readonly FeaturePolicy[] {
    return sourcePermissions;
  }

  policyDocument(features: readonly FeaturePolicy[]): string {
    return customRole('Causeway', this.#context.cloud.connection.subscriptionId, features);
  }

  listVms(signal: AbortSignal): Promise<readonly VmSummary[]> {
    return listVms(this.#context.cloud, signal);
  }

  async describeVm(vmId: string, signal: AbortSignal, environment?: JsonObject): Promise<Vm> {
    return describeVm(this.#context.cloud, await readVm(this.#context, vmId, environment, signal), signal);
  }

  async unsupportedDevices(vmId: string, signal: AbortSignal): Promise<readonly string[]> {
    return remarksOn(await readVm(this.#context, vmId, undefined, signal));
  }

  options(names: readonly string[], signal: AbortSignal): Promise<Readonly<Record<string, OptionList>>> {
    return sourceOptions(this.#context.cloud, names, signal);
  }

  /** Learns before anything is made whether the VM's disks can be read. */
  async prepare(vmId: string, environment: JsonObject, signal: AbortSignal): Promise<void> {
    const parts = await readVm(this.#context, vmId, environment, signal);
    refuseUnreadable(parts);
    if (parts.disks.every(({ blob }) => blob !== undefined)) return;
    const copies = copyPlaceOf(environment, placeOfVm(parts).group);
    if (copies !== undefined) return demandAccount(this.#context, copies, signal);
    // Where a worker is what comes second, it is planned when it is needed.
    if (this.#context.cloud.connection.diskAccess === 'export_worker')
      await this.#worker.prepare(
        demandWorker(workerEnvironment(environment, placeOfVm(parts))),
        sizesOf(parts),
        signal,
      );
  }

  async createSnapshot(
    request: {
      readonly vmId: string;
      readonly tag: string;
      readonly environment: JsonObject;
      readonly base?: Snapshot;
    },
    signal: AbortSignal,
  ): Promise<Snapshot> {
    const { vmId, tag, environment, base } = request;
    const known = await this.#records.find(vmId, tag);
    if (known !== undefined) return known;
    const parts = await readVm(this.#context, vmId, environment, signal);
    refuseUnreadable(parts);
    await this.#dropHalf(tag, parts.disks.length, signal);
    const worker = workerEnvironment(environment, placeOfVm(parts));
    const copies = copyPlaceOf(environment, placeOfVm(parts).group);
    const takenAt = new Date(this.#context.cloud.clock.wallTime()).toISOString();
    const marks = await takeSnapshots(this.#context, tag, parts.disks, signal);
    const snapshot: Snapshot = {
      id: tag,
      tag,
      vmId,
      takenAt,
      disks: sizesOf(parts),
      state: {
        ...(base === undefined ? {} : { base: base.tag }),
        ...(worker === undefined ? {} : { worker }),
        ...(copies === undefined ? {} : { copies: { ...copies } }),
        disks: Object.fromEntries(parts.disks.map(({ id }, index) => [id, { ...marks[index] }])),
      },
    };
    await this.#records.keep(snapshot);
    return snapshot;
  }

  /**
   * An attempt before may have got snapshots of some disks only. Those were taken at another time than the others would be now, and a guest
   * that is put together of disks of two times is broken: all are taken again.
   */
  async #dropHalf(tag: string, disks: number, signal: AbortSignal): Promise<void> {
    const recorded = recordedOf(ledgerOf(this.#context), { of: tag });
    const taken = recorded.filter(({ state }) => state === 'existing');
    if (taken.length === 0 || (taken.length === disks && recorded.length === disks)) return;
    await this.discardPending({ tag }, signal);
  }

  async isAlive(snapshot: Snapshot, signal: AbortSignal): Promise<boolean> {
    for (const { diskId } of snapshot.disks) {
      const mark = markOf(snapshot, diskId);
      if (mark === undefined || !(await isThere(this.#context, mark, signal))) return false;
    }
    return true;
  }

  /** A snapshot never changes: it is enough that each is there, and is the one that was taken. */
  async assertUnchanged(snapshot: Snapshot, signal: AbortSignal): Promise<void> {
    if (!(await this.isAlive(snapshot, signal))) {
      throw new CausewayError(
        'source.snapshot-lost',
        `some snapshots of VM ${snapshot.vmId} for ${snapshot.tag} no longer exist in the cloud`,
      );
    }
  }

  async openDisk(
    snapshot: Snapshot,
    diskId: string,
    base: Snapshot | undefined,
    signal: AbortSignal,
  ): Promise<DiskReader> {
    const mark = markOf(snapshot, diskId);
    const disk = snapshot.disks.find((one) => one.diskId === diskId);
    if (mark === undefined || disk === undefined)
      throw new CausewayError('source.disk-not-found', `the snapshot ${snapshot.tag} has no disk ${diskId}`);
    const byWorker = (): Promise<DiskReader> => {
      const environment = demandWorker(workerOf(snapshot));
      const former = base !== undefined && snapshot.state['base'] === base.tag ? base : undefined;
      return this.#worker.open(
        { snapshot, diskId, snapshotId: mark.snapshotId, sizeBytes: disk.sizeBytes, environment, base: former },
        signal,
      );
    };
    const { diskAccess } = this.#context.cloud.connection;
    // Copies are made of snapshots of managed disks alone.
    const isBlob = isBlobId(mark.snapshotId);
    const copies = isBlob ? undefined : copyPlaceIn(snapshot);
    if (copies !== undefined) return this.#openCopy(snapshot, disk, mark, base, copies, signal);
    if (diskAccess === 'export_worker' && !isBlob) return byWorker();
    const canFallBack = !isBlob && diskAccess === 'auto' && workerOf(snapshot) !== undefined;
    try {
      return await this.#openDirectly(snapshot, disk, mark, base, canFallBack, signal);
    } catch (error) {
      if (!canFallBack || !isDenied(error)) throw error;
      this.#context.use?.note?.(
        `Disk ${diskId} cannot be read from its snapshot (${error.message}): an export worker reads a copy`,
      );
      return byWorker();
    }
  }

  /** From a copy in a storage account. What changed is listed by the snapshots' own addresses, where these can be reached. */
  async #openCopy(
    snapshot: Snapshot,
    disk: Snapshot['disks'][number],
    mark: SnapshotMark,
    base: Snapshot | undefined,
    place: CopyPlace,
    signal: AbortSignal,
  ): Promise<DiskReader> {
    const { diskId, sizeBytes } = disk;
    const copy = await this.#copies.open({ snapshot, diskId, snapshotId: mark.snapshotId, sizeBytes, place }, signal);
    const former = await this.#baseOf(snapshot, disk, mark, base, signal);
    const own = former === undefined ? undefined : this.#take(mark.snapshotId);
    const earlier = former === undefined ? undefined : this.#take(former.snapshotId);
    const giveBack = async (): Promise<void> => void (await Promise.all([own?.giveBack(), earlier?.giveBack()]));
    if (own !== undefined && earlier !== undefined) {
      const reader = new PageRangeReader(
        own.access,
        earlier.access,
        sizeBytes,
        `disk ${diskId}`,
        giveBack,
        this.#count,
        this.#context.cloud.clock,
        copy,
      );
      const refusal = await reader.whyNotComparable(signal).catch(async (error: unknown) => {
        if (isDenied(error)) return error.message;
        await giveBack();
        throw error;
      });
      if (refusal === undefined) return reader;
      await giveBack();
      this.#noteUncompared(diskId, refusal);
    }
    return new PageRangeReader(
      copy,
      undefined,
      sizeBytes,
      `disk ${diskId}`,
      async () => undefined,
      this.#count,
      this.#context.cloud.clock,
    );
  }

  #noteUncompared(diskId: string, refusal: string): void {
    this.#context.use?.note?.(
      `The cloud does not tell what changed on disk ${diskId} since the last execution, so that all of it is compared: ${refusal}`,
    );
  }

  /** @param isAsked something is read immediately, to learn whether the cloud grants an address and whether that can be reached from here */
  async #openDirectly(
    snapshot: Snapshot,
    disk: Snapshot['disks'][number],
    mark: SnapshotMark,
    base: Snapshot | undefined,
    isAsked: boolean,
    signal: AbortSignal,
  ): Promise<DiskReader> {
    const { diskId } = disk;
    const label = `disk ${diskId}`;
    const own = this.#take(mark.snapshotId);
    const alone = async (): Promise<DiskReader> => {
      const reader = new PageRangeReader(
        own.access,
        undefined,
        disk.sizeBytes,
        label,
        own.giveBack,
        this.#count,
        this.#context.cloud.clock,
      );
      if (!isAsked) return reader;
      try {
        await reader.probe(signal);
      } catch (error) {
        await reader.close();
        throw error;
      }
      return reader;
    };
    const former = await this.#baseOf(snapshot, disk, mark, base, signal).catch(async (error: unknown) => {
      await own.giveBack();
      throw error;
    });
    if (former === undefined) return alone();
    const earlier = this.#take(former.snapshotId);
    const giveBackBoth = async (): Promise<void> => void (await Promise.all([own.giveBack(), earlier.giveBack()]));
    const reader = new PageRangeReader(
      own.access,
      earlier.access,
      disk.sizeBytes,
      label,
      giveBackBoth,
      this.#count,
      this.#context.cloud.clock,
    );
    const refusal = await reader.whyNotComparable(signal).catch(async (error: unknown) => {
      await giveBackBoth();
      throw error;
    });
    if (refusal === undefined) return reader;
    await earlier.giveBack();
    this.#noteUncompared(diskId, refusal);
    return alone();
  }

  #take(snapshotId: string): { readonly access: PageAccess; readonly giveBack: () => Promise<void> } {
    if (isBlobId(snapshotId))
      return { access: this.#context.vhds.accessTo(snapshotId), giveBack: async () => undefined };
    const target = targetOf(snapshotId);
    return { access: this.#accesses.take(target), giveBack: () => this.#accesses.giveBack(target) };
  }

  /** The disk in the base, if the cloud can tell what changed since: same disk, same size, and its snapshot is still there. */
  async #baseOf(
    snapshot: Snapshot,
    disk: { readonly diskId: string; readonly sizeBytes: number },
    mark: SnapshotMark,
    base: Snapshot | undefined,
    signal: AbortSignal,
  ): Promise<SnapshotMark | undefined> {
    if (base === undefined || snapshot.state['base'] !== base.tag) return undefined;
    const former = markOf(base, disk.diskId);
    const size = base.disks.find((one) => one.diskId === disk.diskId)?.sizeBytes;
    if (former === undefined || size !== disk.sizeBytes || mark.family === '' || former.family !== mark.family)
      return undefined;
    return (await isThere(this.#context, former, signal)) ? former : undefined;
  }

  async promoteToBase(snapshot: Snapshot, formerBase: Snapshot | undefined, signal: AbortSignal): Promise<void> {
    const cost = readingCost(this.#count);
    if (cost !== undefined) this.#context.use?.note?.(cost.text, cost.details);
    Object.assign(this.#count, { lists: 0, reads: 0, bytes: 0 });
    await this.#worker.stop(signal);
    await this.#revoke(snapshot, signal);
    // Those of the former base, and of executions that never ended.
    for (const entry of recordedOf(ledgerOf(this.#context), { notOf: snapshot.tag }))
      await removeSnapshot(this.#context, ledgerOf(this.#context), entry, signal);
    if (formerBase !== undefined && formerBase.tag !== snapshot.tag) await this.#worker.forget(formerBase);
    await this.#records.forget(snapshot);
  }

  async discardSnapshot(snapshot: Snapshot, base: Snapshot | undefined, signal: AbortSignal): Promise<void> {
    await this.discardPending(snapshot, signal);
    if (base !== undefined) await this.#revoke(base, signal);
    await this.#worker.forget(snapshot);
    await this.#records.forget(snapshot);
  }

  async discardPending({ tag }: { readonly tag: string }, signal: AbortSignal): Promise<void> {
    await this.#worker.stop(signal);
    for (const entry of recordedOf(ledgerOf(this.#context), { of: tag }))
      await removeSnapshot(this.#context, ledgerOf(this.#context), entry, signal);
  }

  async deleteBase(base: Snapshot, signal: AbortSignal): Promise<void> {
    await this.discardPending(base, signal);
    await this.#worker.forget(base);
    await this.#records.forget(base);
  }

  shutdown(vmId: string, environment: JsonObject, signal: AbortSignal): Promise<void> {
    return shutDown(this.#context.cloud, vmId, environment, signal);
  }

  start(vmId: string, environment: JsonObject, signal: AbortSignal): Promise<void> {
    return startVm(this.#context.cloud, vmId, environment, signal);
  }

  removeResource(entry: LedgerEntry, ledger: LedgerScope, signal: AbortSignal): Promise<void> {
    if (entry.kind === 'volume-snapshot') return removeSnapshot(this.#context, ledger, entry, signal);
    return deleteResource({ deleterFor: (each) => deleterFor(this.#context.session, each) }, ledger, entry, signal);
  }

  async findResource(entry: LedgerEntry, signal: AbortSignal): Promise<{ readonly id: string } | undefined> {
    if (entry.kind !== 'volume-snapshot')
      return findResourceOf({ deleterFor: (each) => deleterFor(this.#context.session, each) }, entry, signal);
    const id = await findSnapshotId(this.#context, entry, signal);
    return id === undefined ? undefined : { id };
  }

  /** Workers and their parts are listed with those of the destination side. */
  async listManaged(signal: AbortSignal): Promise<readonly ManagedResource[]> {
    const { cloud } = this.#context;
    const compute = await cloud.compute();
    const snapshots = await cloud.list('list snapshots', (options) => compute.snapshots.list(options), signal);
    const labelled = snapshots.map(({ id, name, tags }) => ({ id: id ?? '', name, labels: tags ?? {} }));
    const blobs = await labelledBlobSnapshots(this.#context, await unmanagedDisks(cloud, signal), signal);
    const copies = await listManagedBlobs(
      this.#context.session,
      (this.#context.ledger?.list({ kind: 'volume' }) ?? []).map(({ details }) => details),
      signal,
    );
    return [
      ...copies,
      ...managedOf([['volume-snapshot', [...labelled, ...blobs]]], ({ id }) =>
        isBlobId(id) ? { blob: withoutQuery(id) } : { resourceGroup: parseResourceId(id).group },
      ),
    ];
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#accesses.close(), this.#worker.close()]);
    this.#context.cloud.close();
  }

  /** Also addresses that an earlier process got and could not give back. */
  async #revoke(snapshot: Snapshot, signal: AbortSignal): Promise<void> {
    for (const { diskId } of snapshot.disks) {
      const mark = markOf(snapshot, diskId);
      if (mark !== undefined && !isBlobId(mark.snapshotId))
        await revokeAccess(this.#context.cloud, targetOf(mark.snapshotId), signal);
    }
  }
}

/** @throws `cloud.parameter-missing` */
function demandWorker(environment: JsonObject | undefined): JsonObject {
  if (environment !== undefined) return environment;
  throw new CausewayError(
    'cloud.parameter-missing',
    'export_worker_size is not set, and the endpoint reads disks by an export worker',
    { details: { parameter: 'export_worker_size' } },
  );
}

const withoutQuery = (address: string): string => `${new URL(address).origin}${new URL(address).pathname}`;

const sizesOf = ({ disks }: VmParts): Snapshot['disks'] =>
  disks.map(({ id, sizeBytes }) => ({ diskId: id, sizeBytes }));

function placeOfVm({ vm }: VmParts): { readonly location: string; readonly group: string } {
  return { location: vm.location, group: parseResourceId(vm.id).group };
}

function markOf(snapshot: Snapshot, diskId: string): SnapshotMark | undefined {
  const { disks } = snapshot.state;
  const mark = isJsonObject(disks) ? disks[diskId] : undefined;
  if (!isJsonObject(mark)) return undefined;
  const { snapshotId, uniqueId, family } = mark;
  return typeof snapshotId === 'string' && typeof uniqueId === 'string' && typeof family === 'string'
    ? { snapshotId, uniqueId, family }
    : undefined;
}

import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import { readFlag } from '../../../../../shared/plugins/shapes/values.ts';
import { OpenReaders, type DiskReader } from '../../../ports/disk-reader.ts';
import type { ManagedResource } from '../../../ports/destination-platform.ts';
import type { LedgerEntry, LedgerScope } from '../../../ports/ledger.ts';
import type { OwnVmAccess } from '../../../ports/own-vm.ts';
import type { CheckReport, FeaturePolicy, OptionList } from '../../../ports/platform-common.ts';
import type { Snapshot, SourcePlatform, VmSummary } from '../../../ports/source-platform.ts';
import { SnapshotRecords } from '../../../source-records/snapshot-records.ts';
import { checkSource, mayReadDirectly } from './check.ts';
import { describeVm, listVms, unsupportedDevices, readInstance, requireExportable } from './inventory.ts';
import { listManaged } from './list-managed.ts';
import { ebsDirectMechanism } from './mechanisms/ebs-direct/mechanism.ts';
import { awsOwnVm } from './mechanisms/export-worker/own-vm.ts';
import { exportWorkerMechanism } from './mechanisms/export-worker/mechanism.ts';
import type { ReadMechanism } from './mechanisms/read-mechanism.ts';
import { sourceOptions } from './options.ts';
import { featurePolicies } from './policy.ts';
import { policyDocument } from './policy-document.ts';
import { findRecorded, removeRecorded } from './remove-recorded.ts';
import { shutDown } from './shut-down.ts';
import { areComplete, belongsTo, takeSnapshots } from './snapshots.ts';
import {
  diskMarks,
  ledgerOf,
  snapshotMark,
  snapshotState,
  type DiskMark,
  type Mechanism,
  type SourceContext,
} from './source-context.ts';

/** VMs of one region. Every snapshot is a set of EBS snapshots of one moment; how they are read is the endpoint's choice. */
export class AwsSource implements SourcePlatform {
  readonly #context: SourceContext;
  readonly #records: SnapshotRecords;
  readonly #mechanisms: Readonly<Record<Mechanism, ReadMechanism>>;
  readonly #readers = new OpenReaders();
  readonly ownVm: Pick<OwnVmAccess, 'check' | 'hints'>;

  constructor(context: SourceContext) {
    this.#context = context;
    this.#records = new SnapshotRecords(context.folder, 'large-public-cloud');
    this.ownVm = awsOwnVm(context);
    this.#mechanisms = { ebs_direct: ebsDirectMechanism(context), worker: exportWorkerMechanism(context) };
  }

  check(signal: AbortSignal): Promise<CheckReport> {
    return checkSource(this.#context, signal);
  }

  listVms(signal: AbortSignal): Promise<readonly VmSummary[]> {
    return listVms(this.#context.cloud, this.#context.gib, signal);
  }

  describeVm(vmId: string, signal: AbortSignal): Promise<Vm> {
    return describeVm(this.#context.cloud, vmId, this.#context.gib, signal);
  }

  unsupportedDevices(vmId: string, signal: AbortSignal): Promise<readonly string[]> {
    return unsupportedDevices(this.#context.cloud, vmId, this.#context.gib, signal);
  }

  policy(): readonly FeaturePolicy[] {
    return featurePolicies;
  }

  policyDocument(): string {
    return policyDocument(this.#context.cloud.connection);
  }

  options(names: readonly string[], signal: AbortSignal): Promise<Readonly<Record<string, OptionList>>> {
    return sourceOptions(this.#context.cloud, names, signal);
  }

  async prepare(vmId: string, environment: JsonObject, signal: AbortSignal): Promise<void> {
    const { cloud, gib } = this.#context;
    requireExportable(await readInstance(cloud, vmId, gib, signal));
    if (cloud.connection.diskAccess === 'worker') await this.#mechanisms.worker.prepare(vmId, environment, signal);
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
    if (readFlag(environment['shutdown_migrated_instance']) === true) await shutDown(this.#context, vmId, signal);
    const parts = await readInstance(this.#context.cloud, vmId, this.#context.gib, signal);
    requireExportable(parts);
    const { takenAt, marks } = await takeSnapshots(this.#context, tag, parts, signal);
    const mechanism = await this.#choose(vmId, environment, marks, signal);
    const snapshot: Snapshot = {
      id: tag,
      tag,
      vmId,
      takenAt,
      disks: marks.map(({ diskId, sizeBytes }) => ({ diskId, sizeBytes })),
      state: snapshotState(
        {
          mechanism,
          base: base !== undefined && snapshotMark(base).mechanism === mechanism ? base.tag : undefined,
          environment,
        },
        marks,
      ),
    };
    await this.#records.keep(snapshot);
    return snapshot;
  }

  /** Snapshots never change: it is enough that all of them are there. */
  isAlive(snapshot: Snapshot, signal: AbortSignal): Promise<boolean> {
    return areComplete(
      this.#context,
      diskMarks(snapshot).map(({ snapshotId }) => snapshotId),
      signal,
    );
  }

  async assertUnchanged(snapshot: Snapshot, signal: AbortSignal): Promise<void> {
    if (await this.isAlive(snapshot, signal)) return;
    throw new CausewayError(
      'source.snapshot-lost',
      `some EBS snapshots of snapshot ${snapshot.tag} of VM ${snapshot.vmId} no longer exist`,
    );
  }

  async openDisk(
    snapshot: Snapshot,
    diskId: string,
    base: Snapshot | undefined,
    signal: AbortSignal,
  ): Promise<DiskReader> {
    const disk = diskMarks(snapshot).find((mark) => mark.diskId === diskId);
    if (disk === undefined)
      throw new CausewayError('source.disk-not-found', `the snapshot ${snapshot.tag} has no disk ${diskId}`);
    const mark = snapshotMark(snapshot);
    const isBase = base !== undefined && mark.base === base.tag && snapshotMark(base).mechanism === mark.mechanism;
    const before = isBase ? diskMarks(base).find((each) => each.diskId === diskId) : undefined;
    const reader = await this.#mechanisms[mark.mechanism].open(
      {
        tag: snapshot.tag,
        vmId: snapshot.vmId,
        environment: mark.environment,
        disk,
        disks: snapshot.disks.length,
        base:
          base === undefined || before === undefined || before.sizeBytes !== disk.sizeBytes
            ? undefined
            : { tag: base.tag, disk: before },
      },
      signal,
    );
    return this.#readers.track(reader);
  }

  async promoteToBase(snapshot: Snapshot, formerBase: Snapshot | undefined, signal: AbortSignal): Promise<void> {
    const mechanism = this.#mechanisms[snapshotMark(snapshot).mechanism];
    await mechanism.stop(signal);
    await this.#remove((entry) => !isKeptFor(entry, snapshot.tag), signal);
    if (formerBase !== undefined && formerBase.tag !== snapshot.tag) await this.#forget(formerBase);
    await this.#records.forget(snapshot);
    const cost = mechanism.cost();
    if (cost !== undefined) this.#context.note(cost.text, cost.details);
  }

  async discardSnapshot(snapshot: Snapshot, _base: Snapshot | undefined, signal: AbortSignal): Promise<void> {
    await this.#mechanisms[snapshotMark(snapshot).mechanism].stop(signal);
    await this.#remove((entry) => belongsTo(entry, snapshot.tag), signal);
    await this.#forget(snapshot);
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
    await this.#mechanisms[snapshotMark(base).mechanism].stop(signal);
    await this.#remove((entry) => belongsTo(entry, base.tag), signal);
    await this.#forget(base);
  }

  shutdown(vmId: string, _environment: JsonObject, signal: AbortSignal): Promise<void> {
    return shutDown(this.#context, vmId, signal);
  }

  removeResource(entry: LedgerEntry, ledger: LedgerScope, signal: AbortSignal): Promise<void> {
    return removeRecorded({ ...this.#context, ledger }, entry, signal);
  }

  findResource(entry: LedgerEntry, signal: AbortSignal): Promise<{ readonly id: string } | undefined> {
    return findRecorded(this.#context, entry, signal);
  }

  listManaged(signal: AbortSignal): Promise<readonly ManagedResource[]> {
    return listManaged(this.#context.cloud, signal);
  }

  async close(): Promise<void> {
    await this.#readers.closeAll();
    await Promise.allSettled(Object.values(this.#mechanisms).map((mechanism) => mechanism.close()));
    await this.#context.cloud.close();
  }

  /** As the endpoint says; with `auto`, by a worker where the EBS direct APIs are denied. */
  async #choose(
    vmId: string,
    environment: JsonObject,
    marks: readonly DiskMark[],
    signal: AbortSignal,
  ): Promise<Mechanism> {
    const { cloud, note } = this.#context;
    const { diskAccess } = cloud.connection;
    if (diskAccess !== 'auto') return diskAccess;
    if (await mayReadDirectly(cloud, marks[0]?.snapshotId ?? '', signal)) return 'ebs_direct';
    await this.#mechanisms.worker.prepare(vmId, environment, signal);
    note('The account may not use the EBS direct APIs: a worker reads the disks', { vmId });
    return 'worker';
  }

  /** The last one first. */
  async #remove(isOver: (entry: LedgerEntry) => boolean, signal: AbortSignal): Promise<void> {
    const entries = ledgerOf(this.#context)
      .list()
      .filter((entry) => entry.state !== 'removed' && entry.lifetime === 'replica' && isOver(entry));
    for (const entry of entries.toReversed()) await removeRecorded(this.#context, entry, signal);
  }

  async #forget(snapshot: Snapshot): Promise<void> {
    await this.#mechanisms[snapshotMark(snapshot).mechanism].forget(snapshot.tag, diskMarks(snapshot));
    await this.#records.forget(snapshot);
  }
}

/** Of the snapshot that is the base from now on, its EBS snapshots stay, and nothing else does. */
const isKeptFor = (entry: LedgerEntry, tag: string): boolean =>
  entry.kind === 'volume-snapshot' && belongsTo(entry, tag);

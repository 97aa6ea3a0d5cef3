import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import { OpenReaders, type DiskReader } from '../../../ports/disk-reader.ts';
import type { ManagedResource } from '../../../ports/destination-platform.ts';
import type { LedgerEntry, LedgerScope } from '../../../ports/ledger.ts';
import { ownVmAccess } from '../../../cloud-resources/own-vm.ts';
import { openStackHints } from '../../../cloud-resources/vm-hints.ts';
import { cloudApi } from '../destination/cloud-api.ts';
import type { OwnVmAccess } from '../../../ports/own-vm.ts';
import type { CheckReport, OptionList } from '../../../ports/platform-common.ts';
import type { Snapshot, SourcePlatform, VmSummary } from '../../../ports/source-platform.ts';
import { SnapshotRecords } from '../../../source-records/snapshot-records.ts';
import { checkSource } from './check.ts';
import { markedDisks } from './disk-mark.ts';
import type { ExportMechanism } from './mechanisms/export-mechanism.ts';
import { describeServer, disksOf, ephemeralDisks, listServers, readServer, silentOs } from './inventory.ts';
import { listManaged } from './list-managed.ts';
import { mechanisms, type MechanismName } from './mechanisms/index.ts';
import { usableMechanism } from './mechanisms/usable-mechanism.ts';
import { sourceOptions } from './options.ts';
import { recordedOf } from './recorded.ts';
import { findRecorded, removeRecorded } from './remove-recorded.ts';
import { shutDown } from './shut-down.ts';
import { startVm } from './start-vm.ts';
import { ledgerOf, type MarkedDisk, type SourceContext } from './source-context.ts';

/** Servers of one project. Which mechanism exports them is each replica's choice, as far as this computer can; a snapshot remembers which took it. */
export class OpenStackSource implements SourcePlatform {
  readonly #context: SourceContext;
  readonly #records: SnapshotRecords;
  readonly #opened = new Map<MechanismName, ExportMechanism>();
  readonly #readers = new OpenReaders();
  readonly ownVm: Pick<OwnVmAccess, 'check' | 'hints'>;

  constructor(context: SourceContext) {
    this.#context = context;
    this.#records = new SnapshotRecords(context.folder, 'open-source-cloud');
    this.ownVm = ownVmAccess(() => cloudApi(context.session), { areCopies: true, hints: openStackHints });
  }

  check(signal: AbortSignal): Promise<CheckReport> {
    return checkSource(this.#context, signal);
  }

  listVms(signal: AbortSignal): Promise<readonly VmSummary[]> {
    return listServers(this.#context.cloud, signal);
  }

  describeVm(vmId: string, signal: AbortSignal, environment?: JsonObject): Promise<Vm> {
    return describeServer(this.#context.cloud, vmId, environment, signal);
  }

  async unsupportedDevices(vmId: string, signal: AbortSignal): Promise<readonly string[]> {
    const server = await this.#context.cloud.compute.servers.get(vmId, signal);
    if (server === undefined) return [];
    const silent = silentOs(await readServer(this.#context.cloud, vmId, signal));
    return [...ephemeralDisks(server), ...(silent === undefined ? [] : [silent])];
  }

  options(names: readonly string[], signal: AbortSignal): Promise<Readonly<Record<string, OptionList>>> {
    return sourceOptions(this.#context.cloud, names, signal);
  }

  /** Learns before anything is made whether the server's disks can be exported as the environment says. */
  async prepare(vmId: string, environment: JsonObject, signal: AbortSignal): Promise<void> {
    const { name } = await this.#exportable(vmId, environment, signal);
    await this.#mechanism(name).prepare?.(environment, signal);
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
    const { vmId, tag, environment } = request;
    const known = await this.#records.find(vmId, tag);
    if (known !== undefined) return known;
    const { name, insteadOf, disks } = await this.#exportable(vmId, environment, signal);
    if (insteadOf !== undefined) {
      this.#context.use?.note?.(
        `server ${vmId} is read through an export worker (${name}) instead of by ${insteadOf.name}: ${insteadOf.reason}`,
        { mechanism: name, insteadOf: insteadOf.name },
      );
    }
    const base = request.base !== undefined && mechanismOf(request.base) === name ? request.base : undefined;
    const takenAt = new Date(this.#context.clock.wallTime()).toISOString();
    const marks = await this.#mechanism(name).take(
      { tag, environment, disks, base: base === undefined ? [] : markedDisks(base) },
      signal,
    );
    const snapshot: Snapshot = {
      id: tag,
      tag,
      vmId,
      takenAt,
      disks: disks.map(({ id, sizeBytes }) => ({ diskId: id, sizeBytes })),
      state: {
        mechanism: name,
        ...(base === undefined ? {} : { base: base.tag }),
        disks: Object.fromEntries(disks.map(({ id }, index) => [id, marks[index] ?? {}])),
      },
    };
    await this.#records.keep(snapshot);
    return snapshot;
  }

  async isAlive(snapshot: Snapshot, signal: AbortSignal): Promise<boolean> {
    const mechanism = this.#mechanism(mechanismOf(snapshot));
    for (const disk of markedDisks(snapshot)) if (!(await mechanism.isAlive(disk, signal))) return false;
    return true;
  }

  /** Each mechanism reads what the cloud does not change: it is enough that all of it is still there. */
  async assertUnchanged(snapshot: Snapshot, signal: AbortSignal): Promise<void> {
    if (!(await this.isAlive(snapshot, signal))) {
      throw new CausewayError(
        'source.snapshot-lost',
        `some resources of snapshot ${snapshot.tag} of server ${snapshot.vmId} no longer exist in the cloud`,
      );
    }
  }

  async openDisk(
    snapshot: Snapshot,
    diskId: string,
    base: Snapshot | undefined,
    signal: AbortSignal,
  ): Promise<DiskReader> {
    const disk = markedDisks(snapshot).find((candidate) => candidate.diskId === diskId);
    if (disk === undefined)
      throw new CausewayError('source.disk-not-found', `the snapshot ${snapshot.tag} has no disk ${diskId}`);
    return this.#readers.track(
      await this.#mechanism(mechanismOf(snapshot)).open(disk, baseDisk(snapshot, base, diskId), signal),
    );
  }

  async promoteToBase(snapshot: Snapshot, formerBase: Snapshot | undefined, signal: AbortSignal): Promise<void> {
    await this.#mechanism(mechanismOf(snapshot)).commit(snapshot.tag, markedDisks(snapshot), signal);
    if (formerBase !== undefined && formerBase.tag !== snapshot.tag)
      await this.#mechanism(mechanismOf(formerBase)).forget?.(markedDisks(formerBase));
    await this.#records.forget(snapshot);
  }

  async discardSnapshot(snapshot: Snapshot, _base: Snapshot | undefined, signal: AbortSignal): Promise<void> {
    await this.#mechanism(mechanismOf(snapshot)).drop(snapshot.tag, markedDisks(snapshot), 'alone', signal);
    await this.#records.forget(snapshot);
  }

  async discardPending(
    { vmId, tag }: { readonly vmId: string; readonly tag: string },
    signal: AbortSignal,
  ): Promise<void> {
    const known = await this.#records.find(vmId, tag);
    if (known !== undefined) return this.discardSnapshot(known, undefined, signal);
    for (const entry of recordedOf(ledgerOf(this.#context), { of: tag }))
      await removeRecorded(this.#context, entry, signal);
  }

  async deleteBase(base: Snapshot, signal: AbortSignal): Promise<void> {
    await this.#mechanism(mechanismOf(base)).drop(base.tag, markedDisks(base), 'ancestors', signal);
    await this.#records.forget(base);
  }

  shutdown(vmId: string, _environment: JsonObject, signal: AbortSignal): Promise<void> {
    return shutDown(this.#context, vmId, signal);
  }

  start(vmId: string, _environment: JsonObject, signal: AbortSignal): Promise<void> {
    return startVm(this.#context, vmId, signal);
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
    await Promise.allSettled([...this.#opened.values()].map((mechanism) => mechanism.close()));
    this.#context.cloud.close();
  }

  #mechanism(name: MechanismName): ExportMechanism {
    const opened = this.#opened.get(name) ?? mechanisms[name](this.#context);
    this.#opened.set(name, opened);
    return opened;
  }

  /** @throws `source.vm-not-found`; `source.unsupported` for a disk that the mechanism cannot read; `source.tool-missing` */
  async #exportable(vmId: string, environment: JsonObject, signal: AbortSignal) {
    const disks = disksOf(await readServer(this.#context.cloud, vmId, signal));
    const { name, insteadOf } = await usableMechanism(environment, signal);
    if (name !== 'service_backups' && disks.some((disk) => disk.volumeId === undefined)) {
      throw new CausewayError(
        'source.unsupported',
        `server ${vmId} was booted from an image: its root disk is not a volume, and ${name} only reads volumes; choose service_backups`,
        {
          details: { parameter: 'replica_export_mechanism' },
        },
      );
    }
    const encrypted = disks.filter((disk) => disk.encrypted).map((disk) => disk.id);
    if (name !== 'service_backups' && encrypted.length > 0) {
      throw new CausewayError(
        'source.unsupported',
        `${encrypted.join(', ')} is encrypted by the cloud, and ${name} would read encrypted data; choose service_backups`,
        {
          details: { parameter: 'replica_export_mechanism' },
        },
      );
    }
    return { name, insteadOf, disks };
  }
}

function mechanismOf(snapshot: Snapshot): MechanismName {
  const name = snapshot.state['mechanism'];
  if (typeof name === 'string' && Object.hasOwn(mechanisms, name)) return name as MechanismName;
  throw new CausewayError('general.bug', `the snapshot ${snapshot.tag} was taken by an unknown mechanism`);
}

/** The disk in the base that the snapshot was taken on, if it was in it. */
function baseDisk(snapshot: Snapshot, base: Snapshot | undefined, diskId: string): MarkedDisk | undefined {
  if (base === undefined || snapshot.state['base'] !== base.tag) return undefined;
  return markedDisks(base).find((disk) => disk.diskId === diskId);
}

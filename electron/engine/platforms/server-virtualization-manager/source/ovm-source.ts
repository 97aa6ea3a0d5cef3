import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import { OpenReaders, type DiskReader } from '../../../ports/disk-reader.ts';
import type { ManagedResource } from '../../../ports/destination-platform.ts';
import type { LedgerEntry, LedgerScope } from '../../../ports/ledger.ts';
import type { CheckReport, OptionList } from '../../../ports/platform-common.ts';
import type { Snapshot, SourcePlatform, VmSummary } from '../../../ports/source-platform.ts';
import { labelKeys } from '../../../cloud-resources/labels.ts';
import { findResourceOf } from '../../../cloud-resources/resource-deletion.ts';
import { SnapshotRecords } from '../../../source-records/snapshot-records.ts';
import { checkSource } from './check.ts';
import { ExporterMechanism } from './exporter/exporter-mechanism.ts';
import { describeVm, listVms, readVm, unsupportedDevices, type VmParts } from './inventory.ts';
import { shutDown } from './shut-down.ts';
import { startVm } from './start-vm.ts';
import { ledgerOf, markedDisks, markText, recordedOf, type MarkedDisk, type SourceContext } from './source-context.ts';
import { deleterFor, WorkerMechanism } from './worker/worker-mechanism.ts';
import { ledgerName, readTags } from '../client/created.ts';
import { nameOfObject } from '../client/shapes.ts';
import { managerOptions } from '../client/options.ts';
import type { Reached } from '../workers/template-worker.ts';

/** VMs of one manager. The exporter service reads their disks where a server of the VM has it, else a temporary worker. */
export class OvmSource implements SourcePlatform {
  readonly #context: SourceContext;
  readonly #records: SnapshotRecords;
  readonly #exporter: ExporterMechanism;
  readonly #worker: WorkerMechanism;
  readonly #readers = new OpenReaders();
  /** The environments of this process's snapshots, by VM: they have the password of the worker's template, which no record has. */
  readonly #environments: Map<string, JsonObject>;

  constructor(context: SourceContext, reached: Reached, environments: ReadonlyMap<string, JsonObject> = new Map()) {
    this.#environments = new Map(environments);
    this.#context = context;
    this.#records = new SnapshotRecords(context.folder, 'server-virtualization-manager');
    this.#exporter = new ExporterMechanism(context);
    this.#worker = new WorkerMechanism(context, reached);
  }

  check(signal: AbortSignal): Promise<CheckReport> {
    return checkSource(this.#context.manager, signal);
  }

  listVms(signal: AbortSignal): Promise<readonly VmSummary[]> {
    return listVms(this.#context.manager, signal);
  }

  describeVm(vmId: string, signal: AbortSignal): Promise<Vm> {
    return describeVm(this.#context.manager, vmId, signal);
  }

  async unsupportedDevices(vmId: string, signal: AbortSignal): Promise<readonly string[]> {
    return unsupportedDevices(await readVm(this.#context.manager, vmId, signal));
  }

  options(names: readonly string[], signal: AbortSignal): Promise<Readonly<Record<string, OptionList>>> {
    return managerOptions(this.#context.manager, names, signal);
  }

  /** Learns before anything is made how the VM's disks will be read, and whether what that needs is there. */
  async prepare(vmId: string, environment: JsonObject, signal: AbortSignal): Promise<void> {
    const vm = await readVm(this.#context.manager, vmId, signal);
    const found = await this.#exporter.find(vm, signal);
    if ('address' in found) return;
    await this.#worker.prepare(vm, environment, signal);
    this.#context.use?.note?.(
      `The disks of VM ${nameOfObject(vm.vm)} are read by a temporary worker, as no exporter service can be used: ${found.reasons.join('; ') || 'its server pool has no servers'}`,
      { vmId },
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
    const { vmId, tag, environment } = request;
    this.#environments.set(vmId, environment);
    const known = await this.#records.find(vmId, tag);
    if (known !== undefined) return known;
    const vm = await readVm(this.#context.manager, vmId, signal);
    const takenAt = new Date(this.#context.manager.clock.wallTime()).toISOString();
    // A repeated call goes on with what the first one made.
    const begun = recordedOf(ledgerOf(this.#context), tag).find(
      ({ kind }) => kind === 'source-snapshot' || kind === 'volume',
    )?.kind;
    const server = begun === 'volume' ? undefined : await this.#exporterFor(vm, request.base, signal);
    if (begun === 'source-snapshot' && server === undefined)
      throw new CausewayError(
        'source.unreachable',
        `the exporter that took snapshot ${tag} of VM ${vmId} cannot be reached`,
      );
    const take = { tag, environment, vm };
    const marks =
      server === undefined ? await this.#worker.take(take, signal) : await this.#exporter.take(take, server, signal);
    const base =
      request.base !== undefined && mechanismOf(request.base) === (server === undefined ? 'worker' : 'exporter')
        ? request.base
        : undefined;
    const snapshot: Snapshot = {
      id: tag,
      tag,
      vmId,
      takenAt,
      disks: vm.disks.map(({ disk }) => ({ diskId: disk.id.value, sizeBytes: disk.size })),
      state: {
        mechanism: server === undefined ? 'worker' : 'exporter',
        ...(base === undefined ? {} : { base: base.tag }),
        disks: Object.fromEntries(vm.disks.map(({ disk }, index) => [disk.id.value, marks[index] ?? {}])),
      },
    };
    await this.#records.keep(snapshot);
    return snapshot;
  }

  /** A worker can be started only by a process that has the password of its template: another one takes a new snapshot. */
  async isAlive(snapshot: Snapshot, signal: AbortSignal): Promise<boolean> {
    if (mechanismOf(snapshot) === 'worker' && !this.#environments.has(snapshot.vmId)) return false;
    return this.#isThere(snapshot, signal);
  }

  /** Neither a clone nor a snapshot changes: it is enough that all of it is still there. */
  async assertUnchanged(snapshot: Snapshot, signal: AbortSignal): Promise<void> {
    if (!(await this.#isThere(snapshot, signal))) {
      throw new CausewayError(
        'source.snapshot-lost',
        `some copies of snapshot ${snapshot.tag} of VM ${snapshot.vmId} no longer exist on the platform`,
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
    const former = baseDisk(snapshot, base, diskId);
    if (mechanismOf(snapshot) === 'exporter')
      return this.#readers.track(await this.#exporter.open(disk, former, signal));
    const environment = this.#environments.get(snapshot.vmId);
    if (environment === undefined)
      throw new CausewayError(
        'source.snapshot-lost',
        `the snapshot ${snapshot.tag} is read by a worker, and the password of its template is only known to the process that took the snapshot`,
      );
    return this.#readers.track(await this.#worker.open(disk, former, environment, signal));
  }

  async promoteToBase(snapshot: Snapshot, formerBase: Snapshot | undefined, signal: AbortSignal): Promise<void> {
    // Clones are of no use any more, nor is what a repeated or interrupted execution left.
    if (mechanismOf(snapshot) === 'worker') await this.#worker.stop(signal);
    if (formerBase !== undefined && formerBase.tag !== snapshot.tag) await this.#release(formerBase, signal);
    for (const entry of ledgerOf(this.#context).list()) {
      const isBase = entry.kind === 'source-snapshot' && entry.key.startsWith(`${snapshot.tag}/`);
      if (entry.state !== 'removed' && entry.lifetime === 'replica' && !isBase) await this.#remove(entry, signal);
    }
    await this.#records.forget(snapshot);
  }

  async discardSnapshot(snapshot: Snapshot, _base: Snapshot | undefined, signal: AbortSignal): Promise<void> {
    await this.#release(snapshot, signal);
    await this.#records.forget(snapshot);
  }

  async discardPending(
    { vmId, tag }: { readonly vmId: string; readonly tag: string },
    signal: AbortSignal,
  ): Promise<void> {
    const known = await this.#records.find(vmId, tag);
    if (known !== undefined) return this.discardSnapshot(known, undefined, signal);
    await this.#worker.stop(signal);
    for (const entry of recordedOf(ledgerOf(this.#context), tag)) await this.#remove(entry, signal);
  }

  async deleteBase(base: Snapshot, signal: AbortSignal): Promise<void> {
    await this.#release(base, signal);
    await this.#records.forget(base);
  }

  shutdown(vmId: string, _environment: JsonObject, signal: AbortSignal): Promise<void> {
    return shutDown(this.#context.manager, vmId, signal);
  }

  start(vmId: string, _environment: JsonObject, signal: AbortSignal): Promise<void> {
    return startVm(this.#context.manager, vmId, signal);
  }

  removeResource(entry: LedgerEntry, ledger: LedgerScope, signal: AbortSignal): Promise<void> {
    const context = { ...this.#context, ledger };
    return entry.kind === 'source-snapshot'
      ? new ExporterMechanism(context).remove(entry, signal)
      : new WorkerMechanism(context, unreached).remove(entry, signal);
  }

  findResource(entry: LedgerEntry, signal: AbortSignal): Promise<{ readonly id: string } | undefined> {
    if (entry.kind === 'source-snapshot') return this.#exporter.findRecorded(entry, signal);
    return findResourceOf({ deleterFor: (each) => deleterFor(this.#context.manager, each) }, entry, signal);
  }

  /** By their names. Snapshots of the exporter have none: the ledger alone knows them. */
  async listManaged(signal: AbortSignal): Promise<readonly ManagedResource[]> {
    const { manager } = this.#context;
    const named = (kind: 'server' | 'volume', objects: readonly Created[]): readonly ManagedResource[] =>
      objects.flatMap(({ id, name, description }) => {
        const tags = readTags(description);
        const entryId = ledgerName.exec(name ?? '')?.[1];
        return entryId === undefined
          ? []
          : [
              {
                kind,
                id: id.value,
                name: name ?? id.value,
                entryId,
                replicaId: tags[labelKeys.replica],
                owner: tags[labelKeys.owner],
                details: {},
              },
            ];
      });
    return [...named('volume', await manager.disks.list(signal)), ...named('server', await manager.vms.list(signal))];
  }

  async close(): Promise<void> {
    await this.#readers.closeAll();
    await this.#worker.close();
    this.#context.manager.close();
  }

  async #isThere(snapshot: Snapshot, signal: AbortSignal): Promise<boolean> {
    const mechanism = mechanismOf(snapshot) === 'exporter' ? this.#exporter : this.#worker;
    for (const disk of markedDisks(snapshot)) if (!(await mechanism.isAlive(disk, signal))) return false;
    return true;
  }

  /** The server whose exporter reads the VM; undefined: a worker reads it. */
  async #exporterFor(vm: VmParts, base: Snapshot | undefined, signal: AbortSignal): Promise<string | undefined> {
    const found = await this.#exporter.find(vm, signal);
    if ('address' in found) return found.address;
    const former = base === undefined || mechanismOf(base) !== 'exporter' ? undefined : markedDisks(base)[0];
    // A service that is away for a moment is no reason to copy everything by another way.
    if (former !== undefined)
      throw new CausewayError(
        'source.unreachable',
        `the exporter at ${markText(former.mark, 'server')}, which has read this VM so far, cannot be used: ${found.reasons.join('; ')}`,
      );
    return undefined;
  }

  async #release(snapshot: Snapshot, signal: AbortSignal): Promise<void> {
    const isOfWorker = mechanismOf(snapshot) === 'worker';
    if (isOfWorker) await this.#worker.stop(signal);
    for (const entry of recordedOf(ledgerOf(this.#context), snapshot.tag)) await this.#remove(entry, signal);
    if (isOfWorker) await this.#worker.forget(markedDisks(snapshot));
  }

  #remove(entry: LedgerEntry, signal: AbortSignal): Promise<void> {
    return entry.kind === 'source-snapshot' ? this.#exporter.remove(entry, signal) : this.#worker.remove(entry, signal);
  }
}

interface Created {
  readonly id: { readonly value: string };
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
}

/** Nothing is read while a resource is removed. */
const unreached: Reached = (host, port) => ({ host, port });

function mechanismOf(snapshot: Snapshot): 'exporter' | 'worker' {
  const name = snapshot.state['mechanism'];
  if (name === 'exporter' || name === 'worker') return name;
  throw new CausewayError('general.bug', `the snapshot ${snapshot.tag} was taken by an unknown mechanism`);
}

/** The disk in the base that the snapshot was taken on, if it was in it. */
function baseDisk(snapshot: Snapshot, base: Snapshot | undefined, diskId: string): MarkedDisk | undefined {
  if (base === undefined || snapshot.state['base'] !== base.tag) return undefined;
  return markedDisks(base).find((disk) => disk.diskId === diskId);
}

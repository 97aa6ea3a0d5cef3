import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import type { ManagedResource } from '../../../ports/destination-platform.ts';
import { OpenReaders, type DiskReader } from '../../../ports/disk-reader.ts';
import type { LedgerEntry, LedgerScope } from '../../../ports/ledger.ts';
import type { CheckReport, FeaturePolicy, OptionList } from '../../../ports/platform-common.ts';
import type { Snapshot, SourcePlatform, VmSummary } from '../../../ports/source-platform.ts';
import { SnapshotRecords } from '../../../source-records/snapshot-records.ts';
import { isGone } from '../client/fault.ts';
import { readInventory, readObject } from '../client/properties.ts';
import { checkSource, type CheckedConnection } from './check.ts';
import { enableTracking, restartTracking } from './enable-tracking.ts';
import { describe, listVms, readVm, replicable, type VmState } from './inventory.ts';
import { openDisk } from './open-disk.ts';
import { shutDown } from './shut-down.ts';
import { startVm } from './start-vm.ts';
import { ownSnapshot, snapshotName, stunTag } from './snapshot-marks.ts';
import { featurePrivileges } from './privileges.ts';
import { hasIndependentDisks, markDisk, snapshotIdOf } from './snapshot-state.ts';
import {
  consolidate,
  creationTask,
  findRecorded,
  findSnapshot,
  readSnapshotDisks,
  removeLeftovers,
  removeSnapshot,
  removeStuns,
  removeTagged,
  settleTasks,
  snapshotObject,
  takeSnapshot,
  type RecordedSnapshot,
  type TakenSnapshot,
} from './snapshots.ts';
import type { SourceContext } from './source-context.ts';
import { trackingGap, whyNotOff } from './tracking-history.ts';
import { distrustedTracking, missesChanges } from './tracking-trust.ts';
import { disksWithKnownAreas, type TrackingStarts } from './used-areas.ts';
import { snapshotsOf, type VirtualDisk } from './vm-devices.ts';

/** VMs of a management server or of a single host. Between executions nothing is kept on the platform: a base is its change ids. */
export class VsphereSource implements SourcePlatform {
  readonly #context: SourceContext;
  readonly #connection: CheckedConnection;
  readonly #records: SnapshotRecords;
  readonly #readers = new OpenReaders();
  /** By id of the VM: of tracking that this execution has enabled. */
  readonly #trackingStarts = new Map<string, TrackingStarts>();

  constructor(context: SourceContext, connection: CheckedConnection, scratchFolder: string) {
    this.#context = context;
    this.#connection = connection;
    this.#records = new SnapshotRecords(scratchFolder, 'virtualization-platform');
  }

  check(signal: AbortSignal): Promise<CheckReport> {
    return checkSource(this.#context, this.#connection, signal);
  }

  listVms(signal: AbortSignal): Promise<readonly VmSummary[]> {
    return listVms(this.#context, signal);
  }

  async describeVm(vmId: string, signal: AbortSignal): Promise<Vm> {
    return describe(this.#context.session, await readVm(this.#context.session, vmId, signal), signal);
  }

  async unsupportedDevices(vmId: string, signal: AbortSignal): Promise<readonly string[]> {
    return shortcomings(await readVm(this.#context.session, vmId, signal));
  }

  policy(): readonly FeaturePolicy[] {
    return featurePrivileges;
  }

  async options(): Promise<Readonly<Record<string, OptionList>>> {
    return {};
  }

  async prepare(vmId: string, environment: JsonObject, signal: AbortSignal): Promise<void> {
    const context = this.#context;
    refuse(await readVm(context.session, vmId, signal));
    await settleTasks(context, vmId, signal);
    await removeLeftovers(context, vmId, undefined, signal);
    await consolidate(context, vmId, signal);
    if (environment['automatically_enable_cbt'] !== true) return;
    // A name of its own, so that a process that is killed here leaves what the next one finds.
    const tag = stunTag(context.use?.executionId ?? vmId);
    await removeTagged(context, vmId, tag, signal);
    const starts = await enableTracking(context, await readVm(context.session, vmId, signal), tag, signal);
    if (starts.size > 0) this.#trackingStarts.set(vmId, starts);
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
    const context = this.#context;
    const recorded = await this.#records.find(vmId, tag);
    if (recorded !== undefined) return recorded;
    const state = await readVm(context.session, vmId, signal);
    refuse(state);
    const existing = await findSnapshot(context, vmId, tag, signal);
    if (
      existing === undefined &&
      environment['automatically_enable_cbt'] === true &&
      base !== undefined &&
      missesChanges(replicable(state), base)
    ) {
      await restartTracking(context, state, stunTag(context.use?.executionId ?? vmId), signal);
    }
    // The server's own clock, which its history goes by. A snapshot's time may be another clock's, of the host.
    const askedAt = await context.session.currentTime(signal);
    const taken: TakenSnapshot = existing ?? (await takeSnapshot(context, state, tag, signal));
    const task = taken.task ?? (await creationTask(context, vmId, taken.id, signal));
    // Asked after the snapshot was taken: what happens later is not in it.
    const [frozen, independent, gap] = await Promise.all([
      readSnapshotDisks(context, taken.id, signal),
      this.#independentDisks(state, taken.task !== undefined, signal),
      base === undefined ? undefined : trackingGap(context, state, base, signal),
    ]);
    const disks = [...frozen, ...independent];
    const distrusted = await distrustedTracking(context, { vmId, taken: taken.id, disks, base }, signal);
    const known =
      base === undefined
        ? await disksWithKnownAreas(context, state.vm, disks, this.#trackingStarts.get(vmId), signal)
        : new Set<number>();
    const version = environment['disklib_compatibility_version'];
    const snapshot: Snapshot = {
      id: taken.id,
      tag,
      vmId,
      takenAt: Date.parse(taken.createTime) < Date.parse(askedAt) ? taken.createTime : askedAt,
      disks: disks.map(({ key, sizeBytes }) => ({ diskId: String(key), sizeBytes })),
      state: {
        snapshot: taken.id,
        ...(base === undefined ? {} : { base: base.tag }),
        ...(gap === undefined ? {} : { gap }),
        ...(task === undefined ? {} : { creationTask: task }),
        // Of a snapshot that was found, the VM's state at its time is not known.
        wasRunning: taken.task === undefined || state.power !== 'stopped',
        environment: version === undefined ? {} : { disklib_compatibility_version: version },
        disks: Object.fromEntries(
          disks.map((disk) => [
            String(disk.key),
            markDisk(disk, distrusted.get(disk.key), known.has(disk.key) && !distrusted.has(disk.key)),
          ]),
        ),
      },
    };
    await this.#records.keep(snapshot);
    return snapshot;
  }

  async isAlive(snapshot: Snapshot, signal: AbortSignal): Promise<boolean> {
    return (await findRecorded(this.#context, snapshot.vmId, recordOf(snapshot), signal)) !== undefined;
  }

  /** A snapshot's links are frozen as long as it exists; disks that it does not contain are as they were as long as the VM is off. */
  async assertUnchanged(snapshot: Snapshot, signal: AbortSignal): Promise<void> {
    if (!(await this.isAlive(snapshot, signal))) {
      throw new CausewayError(
        'source.snapshot-lost',
        `snapshot ${snapshot.tag} of VM ${snapshot.vmId} no longer exists`,
        { details: { vmId: snapshot.vmId, tag: snapshot.tag } },
      );
    }
    if (!hasIndependentDisks(snapshot)) return;
    const started = await whyNotOff(
      this.#context,
      await readVm(this.#context.session, snapshot.vmId, signal),
      snapshot,
      signal,
    );
    if (started !== undefined) {
      throw new CausewayError(
        'source.changed-while-reading',
        `VM ${snapshot.vmId}: ${started}, so that its independent disks may have changed while they were read`,
        { details: { vmId: snapshot.vmId } },
      );
    }
  }

  async openDisk(
    snapshot: Snapshot,
    diskId: string,
    base: Snapshot | undefined,
    signal: AbortSignal,
  ): Promise<DiskReader> {
    return this.#readers.track(await openDisk(this.#context, snapshot, diskId, base, signal));
  }

  /** The change ids are in the snapshot's state, so that the base needs no snapshot. */
  async promoteToBase(snapshot: Snapshot, _formerBase: Snapshot | undefined, signal: AbortSignal): Promise<void> {
    await this.#release(snapshot, signal);
  }

  async discardSnapshot(snapshot: Snapshot, _base: Snapshot | undefined, signal: AbortSignal): Promise<void> {
    await this.#release(snapshot, signal);
  }

  async discardPending(
    { vmId, tag }: { readonly vmId: string; readonly tag: string },
    signal: AbortSignal,
  ): Promise<void> {
    const known = await this.#records.find(vmId, tag);
    if (known !== undefined) return this.#release(known, signal);
    await settleTasks(this.#context, vmId, signal);
    await removeTagged(this.#context, vmId, tag, signal);
    await removeStuns(this.#context, vmId, true, signal);
  }

  async deleteBase(base: Snapshot, signal: AbortSignal): Promise<void> {
    await this.#release(base, signal);
    await removeStuns(this.#context, base.vmId, false, signal);
  }

  shutdown(vmId: string, _environment: JsonObject, signal: AbortSignal): Promise<void> {
    return shutDown(this.#context, vmId, signal);
  }

  start(vmId: string, _environment: JsonObject, signal: AbortSignal): Promise<void> {
    return startVm(this.#context, vmId, signal);
  }

  /** Snapshots of Causeway on any VM, those of other projects as well. */
  async listManaged(signal: AbortSignal): Promise<readonly ManagedResource[]> {
    const found = await readInventory(this.#context.session, { VirtualMachine: ['snapshot'] }, signal);
    return found.flatMap(({ object, properties }) =>
      snapshotsOf(properties.get('snapshot')).flatMap((node): readonly ManagedResource[] => {
        const own = ownSnapshot(node);
        if (own === undefined) return [];
        return [
          {
            kind: 'source-snapshot',
            id: node.id,
            name: node.name,
            entryId: own.tag,
            replicaId: own.replicaId,
            owner: own.owner,
            details: { vmId: object.id, tag: own.tag },
          },
        ];
      }),
    );
  }

  async removeResource(entry: LedgerEntry, ledger: LedgerScope, signal: AbortSignal): Promise<void> {
    await ledger.release(
      entry,
      {
        findId: async (_given, within) => (await this.findResource(entry, within))?.id,
        remove: async (id, _given, within) => {
          const vmId = await this.#vmOf(entry, id, within);
          if (vmId !== undefined) await removeSnapshot(this.#context, vmId, { id, name: nameIn(entry) }, within);
        },
      },
      signal,
    );
  }

  async findResource(entry: LedgerEntry, signal: AbortSignal): Promise<{ readonly id: string } | undefined> {
    const { vmId, tag } = entry.details;
    if (entry.resourceId !== undefined) {
      const of = await this.#vmOf(entry, entry.resourceId, signal);
      return of === undefined
        ? undefined
        : findRecorded(this.#context, of, { id: entry.resourceId, name: nameIn(entry) }, signal);
    }
    return typeof vmId === 'string' && typeof tag === 'string'
      ? findSnapshot(this.#context, vmId, tag, signal)
      : undefined;
  }

  async close(): Promise<void> {
    await this.#readers.closeAll();
    await this.#context.access.close();
    await this.#context.session.close();
  }

  /** What no snapshot contains and can be read all the same, of a VM that was off before its snapshot was taken and is off after it. */
  async #independentDisks(
    { vm, power }: VmState,
    wasTakenNow: boolean,
    signal: AbortSignal,
  ): Promise<readonly VirtualDisk[]> {
    const now = await readVm(this.#context.session, vm.id, signal);
    const independent = now.devices.disks.filter(({ isIndependent }) => isIndependent);
    if (wasTakenNow && power === 'stopped' && now.power === 'stopped') return independent;
    for (const { label, obstacle } of independent)
      this.#context.note(
        `VM ${now.name}: ${label} is not replicated by this execution, because it ${obstacle ?? ''} and the VM was not off when its snapshot was taken. Its volume is kept unchanged.`,
      );
    return [];
  }

  /** The VM of a recorded snapshot. */
  async #vmOf({ details }: LedgerEntry, snapshotId: string, signal: AbortSignal): Promise<string | undefined> {
    if (typeof details['vmId'] === 'string') return details['vmId'];
    try {
      return (await readObject(this.#context.session, snapshotObject(snapshotId), ['vm'], signal)).properties.get('vm')
        ?.text;
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  async #release(snapshot: Snapshot, signal: AbortSignal): Promise<void> {
    await settleTasks(this.#context, snapshot.vmId, signal);
    await removeSnapshot(this.#context, snapshot.vmId, recordOf(snapshot), signal);
    await removeStuns(this.#context, snapshot.vmId, true, signal);
    await this.#records.forget(snapshot);
  }
}

const recordOf = (snapshot: Snapshot): RecordedSnapshot => ({
  id: snapshotIdOf(snapshot),
  name: snapshotName(snapshot.tag),
});

/** The name of the snapshot of a ledger's entry. */
const nameIn = ({ details: { tag } }: LedgerEntry): string | undefined =>
  typeof tag === 'string' ? snapshotName(tag) : undefined;

/** @throws `source.unsupported`, `source.unreachable` before anything is begun */
function refuse(state: VmState): void {
  const details = { vmId: state.vm.id };
  if (!state.isConnected)
    throw new CausewayError('source.unreachable', `the host of VM ${state.name} is not connected`, { details });
  if (state.isLocked)
    throw new CausewayError(
      'source.unsupported',
      `VM ${state.name} is encrypted, and its keys are locked: unlock it first`,
      { details },
    );
  if (replicable(state).length === 0) {
    const why = state.devices.disks.map(({ label, obstacle }) => `${label} ${obstacle ?? ''}`).join(', ');
    throw new CausewayError(
      'source.unsupported',
      `VM ${state.name} has no disk that can be replicated${why === '' ? '' : `: ${why}`}`,
      { details },
    );
  }
}

/** What is not replicated, what had to be assumed, and what later executions will cost: a sentence each. */
function shortcomings(state: VmState): readonly string[] {
  const { devices, power, osType, osName, isTracked, canTrack, snapshots } = state;
  const foreign = snapshots.filter((node) => ownSnapshot(node) === undefined);
  const cost = 'each execution reads and compares the whole disks';
  return [
    ...devices.disks.flatMap(({ label, obstacle, isIndependent }) => {
      if (obstacle === undefined) return [];
      if (!isIndependent) return [`${label} is not replicated: it ${obstacle}. Shut the VM down and copy it by hand`];
      return [
        `${label} is replicated only while the VM is off, because it ${obstacle}: ${power === 'stopped' ? 'this execution compares the whole disk' : 'executions while the VM runs leave its volume unchanged. Shut the VM down with the last one'}`,
      ];
    }),
    ...devices.passedThrough,
    ...(devices.hasTpm
      ? ['The virtual TPM is not replicated: keep the recovery keys of disks that the guest has encrypted with it']
      : []),
    ...(state.isLocked ? ['The VM is encrypted, and its keys are locked: unlock it before it is replicated'] : []),
    ...(osType === undefined
      ? [`The guest OS (${osName === '' ? 'not set' : osName}) is not known, so that it is treated as Linux`]
      : []),
    ...(state.needsConsolidation ? ['The disks need consolidation, which is done before the first snapshot'] : []),
    ...(isTracked
      ? []
      : !canTrack
        ? [`The virtual hardware does not support changed block tracking: ${cost}`]
        : foreign.length > 0
          ? [
              `Changed block tracking is off and cannot be enabled while the VM has snapshots (${foreign.map(({ name }) => name).join(', ')}): ${cost}`,
            ]
          : [`Changed block tracking is off: unless automatically_enable_cbt is set, ${cost}`]),
  ];
}

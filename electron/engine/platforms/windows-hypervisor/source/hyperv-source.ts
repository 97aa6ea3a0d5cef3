import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import { readFlag } from '../../../../../shared/plugins/shapes/values.ts';
import type { ManagedResource } from '../../../ports/destination-platform.ts';
import type { DiskReader } from '../../../ports/disk-reader.ts';
import type { LedgerEntry, LedgerScope } from '../../../ports/ledger.ts';
import type { CheckReport, FeaturePolicy, OptionList } from '../../../ports/platform-common.ts';
import type { Snapshot, SourcePlatform, UnlistedPlace, VmSummary } from '../../../ports/source-platform.ts';
import { SnapshotRecords } from '../../../source-records/snapshot-records.ts';
import { pollUntil } from '../../../time/poll.ts';
import { stateSchema, stoppedSchema, vmsSchema, type Checkpoint, type HostVm } from '../control/answers.ts';
import type { FoundVm } from '../control/hosts.ts';
import { checkSource, type CheckedConnection } from './check.ts';
import { baseMark, breakOf, checkpointName, diskMark, markDisk, ownCheckpoint, placeOf } from './checkpoint-state.ts';
import {
  awaitMerge,
  convertCheckpoint,
  powerDoubt,
  readCheckpoints,
  removeCheckpoint,
  removeLeftovers,
  removeReferencePoint,
  takeCheckpoint,
} from './checkpoints.ts';
import { dropDigests, openDisk } from './open-disk.ts';
import { rightsFor } from './rights.ts';
import type { SourceContext } from './source-context.ts';
import { canTrack, describe, disksOf, networkOf, replicable, shortcomings, summarize } from './vm-facts.ts';

const shutdownPlan = { deadlineMs: 10 * 60_000, firstMs: 500, capMs: 5000 };

/** VMs of a Hyper-V host or of all nodes of its cluster. Between executions one reference point is kept for each VM. */
export class HypervSource implements SourcePlatform {
  readonly #context: SourceContext;
  readonly #connection: CheckedConnection;
  readonly #records: SnapshotRecords;
  /** What was there before a request that makes something, so that it is known by what is new. */
  readonly #intents: SnapshotRecords;
  readonly #readers = new Set<DiskReader>();
  #unlisted: readonly UnlistedPlace[] = [];

  constructor(context: SourceContext, connection: CheckedConnection, scratchFolder: string) {
    this.#context = context;
    this.#connection = connection;
    this.#records = new SnapshotRecords(scratchFolder, 'windows-hypervisor');
    this.#intents = new SnapshotRecords(scratchFolder, 'windows-hypervisor-intents');
  }

  check(signal: AbortSignal): Promise<CheckReport> {
    return checkSource(this.#context, this.#connection, signal);
  }

  async listVms(signal: AbortSignal): Promise<readonly VmSummary[]> {
    const { hosts } = this.#context;
    const { cluster } = await hosts.facts(signal);
    const { answers, silent } = await hosts.askAll('read-vms', { ids: null }, vmsSchema, signal);
    this.#unlisted = [
      ...(await hosts.down(signal)).map((node) => ({
        name: node,
        error: new CausewayError(
          'source.unreachable',
          `node ${node} of the cluster is down: VMs that have not moved to another node are not listed`,
        ),
      })),
      ...silent.map(({ host, error }) => ({
        name: host,
        error: new CausewayError(error.code, `VMs of node ${host} are not listed: ${error.message}`, { cause: error }),
      })),
    ];
    for (const { link, answer } of answers) for (const { id } of answer.vms) hosts.remember(id, link);
    return answers.flatMap(({ answer: { host, vms, failed } }) => [
      ...vms.map((vm) => summarize(vm, cluster?.name ?? host)),
      // Why it cannot be read is said when it is opened.
      ...failed.map(({ id, name }): VmSummary => ({
        id,
        name,
        os_type: 'unknown',
        power: 'unknown',
        diskCount: 0,
        totalBytes: 0,
        cluster: cluster?.name ?? host,
      })),
    ]);
  }

  unlisted(): readonly UnlistedPlace[] {
    return this.#unlisted;
  }

  async describeVm(vmId: string, signal: AbortSignal): Promise<Vm> {
    return describe((await this.#context.hosts.find(vmId, signal)).vm);
  }

  async unsupportedDevices(vmId: string, signal: AbortSignal): Promise<readonly string[]> {
    return shortcomings((await this.#context.hosts.find(vmId, signal)).vm);
  }

  policy(): readonly FeaturePolicy[] {
    return rightsFor(this.#connection);
  }

  async options(names: readonly string[], signal: AbortSignal): Promise<Readonly<Record<string, OptionList>>> {
    const networks = new Set<string>();
    if (names.some((name) => name.endsWith('networks'))) {
      const { answers } = await this.#context.hosts.askAll('read-vms', { ids: null }, vmsSchema, signal);
      for (const { answer } of answers)
        for (const { nics } of answer.vms) for (const nic of nics) networks.add(networkOf(nic));
    }
    const list = [...networks].map((network) => ({ id: network, name: network }));
    return Object.fromEntries(names.map((name) => [name, name.endsWith('networks') ? list : []]));
  }

  async prepare(vmId: string, _environment: JsonObject, signal: AbortSignal): Promise<void> {
    const { vm } = await this.#context.hosts.find(vmId, signal);
    refuse(vm);
    await removeLeftovers(this.#context, vmId, signal);
    const foreign =
      (await readCheckpoints(this.#context, vmId, signal))?.checkpoints.filter(
        (checkpoint) => ownCheckpoint(checkpoint) === undefined,
      ) ?? [];
    if (foreign.length > 0)
      this.#context.note(
        `VM ${vm.name} has a recovery checkpoint of another program (${foreign.map(({ name }) => name).join(', ')}): a backup is under way, or has failed.`,
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
    const recorded = await this.#records.find(vmId, tag);
    if (recorded !== undefined) return recorded;
    const found = await this.#context.hosts.find(vmId, signal);
    refuse(found.vm);
    const { known, claim } = await this.#expectCheckpoint(found, tag, signal);
    const { host, checkpoint } = await takeCheckpoint(
      this.#context,
      found,
      {
        tag,
        known,
        claim,
        mayBeCrashConsistent: readFlag(environment['fallback_to_crash_consistent_snapshots']) === true,
      },
      signal,
    );
    const wanted = new Map(replicable(found.vm).map((disk) => [disk.id, disk]));
    const files = checkpoint.disks.filter(({ identifier }) => wanted.has(identifier));
    const missing = [...wanted.values()].filter(({ id }) => !files.some(({ identifier }) => identifier === id));
    if (missing.length > 0) {
      throw new CausewayError(
        'source.snapshot-failed',
        `VM ${found.vm.name}: the checkpoint does not contain ${missing.map(({ slot }) => `disk ${slot}`).join(', ')}`,
        { details: { vmId, tag } },
      );
    }
    const trackingIds = base === undefined ? {} : await this.#trackingIds(found, { host, base }, signal);
    const snapshot: Snapshot = {
      id: checkpoint.id,
      tag,
      vmId,
      takenAt: checkpoint.createdAt,
      // In the order of the VM's controllers, whatever the checkpoint's own is.
      disks: [...wanted.keys()].map((diskId) => ({
        diskId,
        sizeBytes: files.find(({ identifier }) => identifier === diskId)?.sizeBytes ?? 0,
      })),
      state: {
        host,
        checkpoint: checkpoint.id,
        verifyServer: readFlag(environment['verify_rct_server']) !== false,
        ...(base === undefined ? {} : { base: base.tag }),
        disks: Object.fromEntries(
          files.map((file) => {
            const { identifier, path, sizeBytes, format } = file;
            const former = base === undefined ? undefined : diskMark(base, identifier);
            const otherwise = former === undefined ? undefined : breakOf(former, file);
            if (otherwise !== undefined)
              this.#context.note(
                `VM ${found.vm.name}, disk ${wanted.get(identifier)?.slot ?? identifier} ${otherwise}. The whole disk is compared.`,
              );
            const isTracked = former !== undefined && otherwise === undefined;
            return [
              identifier,
              markDisk({
                path,
                sizeBytes,
                format,
                slot: wanted.get(identifier)?.slot ?? '',
                place: placeOf(path),
                trackingId: isTracked ? trackingIds[identifier] : undefined,
              }),
            ];
          }),
        ),
      },
    };
    await this.#records.keep(snapshot);
    return snapshot;
  }

  async isAlive(snapshot: Snapshot, signal: AbortSignal): Promise<boolean> {
    const state = await readCheckpoints(this.#context, snapshot.vmId, signal);
    const checkpoint = state?.checkpoints.find(
      ({ id, name }) => id === snapshot.id && name === checkpointName(snapshot.tag),
    );
    return (
      checkpoint !== undefined &&
      snapshot.disks.every(({ diskId }) =>
        checkpoint.disks.some(
          ({ identifier, path }) => identifier === diskId && path === diskMark(snapshot, diskId)?.path,
        ),
      )
    );
  }

  /** A checkpoint's files are frozen as long as it exists. */
  async assertUnchanged(snapshot: Snapshot, signal: AbortSignal): Promise<void> {
    if (!(await this.isAlive(snapshot, signal))) {
      throw new CausewayError(
        'source.snapshot-lost',
        `checkpoint ${snapshot.tag} of VM ${snapshot.vmId} no longer exists`,
        { details: { vmId: snapshot.vmId, tag: snapshot.tag } },
      );
    }
  }

  async openDisk(
    snapshot: Snapshot,
    diskId: string,
    base: Snapshot | undefined,
    signal: AbortSignal,
  ): Promise<DiskReader> {
    const reader = await openDisk(this.#context, snapshot, diskId, base, signal);
    const tracked: DiskReader = {
      ...reader,
      close: async () => {
        this.#readers.delete(tracked);
        await reader.close();
      },
    };
    this.#readers.add(tracked);
    return tracked;
  }

  async promoteToBase(snapshot: Snapshot, formerBase: Snapshot | undefined, signal: AbortSignal): Promise<void> {
    const { vmId, tag, id } = snapshot;
    await this.#context.access.release?.(signal);
    const record = await this.#records.find(vmId, tag);
    if (baseMark(record) === undefined) {
      const point = await convertCheckpoint(
        this.#context,
        vmId,
        id,
        await this.#expectReferencePoint(vmId, tag, signal),
        signal,
      );
      if (point !== undefined) {
        const trackingIds = Object.fromEntries(
          point.disks.map(({ identifier, trackingId }) => [identifier, trackingId]),
        );
        await this.#records.keep({
          ...snapshot,
          state: { ...snapshot.state, referencePoint: { id: point.id, trackingIds } },
        });
      }
    }
    // Nothing to do where it was converted.
    await removeCheckpoint(this.#context, vmId, id, signal);
    if (formerBase !== undefined && formerBase.tag !== tag) await this.#deleteBase(formerBase, signal);
    await this.#forgetIntents(snapshot);
  }

  async discardSnapshot(snapshot: Snapshot, _base: Snapshot | undefined, signal: AbortSignal): Promise<void> {
    await this.#context.access.release?.(signal);
    await removeCheckpoint(this.#context, snapshot.vmId, snapshot.id, signal);
    await dropDigests(this.#context, snapshot);
    await this.#records.forget(snapshot);
    await this.#forgetIntents(snapshot);
  }

  async discardPending(
    { vmId, tag }: { readonly vmId: string; readonly tag: string },
    signal: AbortSignal,
  ): Promise<void> {
    const recorded = await this.#records.find(vmId, tag);
    if (recorded !== undefined) return this.discardSnapshot(recorded, undefined, signal);
    await awaitMerge(this.#context, vmId, signal);
    const intent = await this.#intents.find(vmId, tag);
    const checkpoints = (await readCheckpoints(this.#context, vmId, signal))?.checkpoints ?? [];
    // One without a name was taken by a call that ended before it could name it. Of two, nobody knows which one that is.
    const unnamed = unnamedSince(intent, checkpoints);
    for (const checkpoint of checkpoints) {
      if (checkpoint.name === checkpointName(tag) || (unnamed.length === 1 && unnamed[0] === checkpoint))
        await removeCheckpoint(this.#context, vmId, checkpoint.id, signal);
    }
    if (intent !== undefined) await this.#forgetIntents(intent);
  }

  async deleteBase(base: Snapshot, signal: AbortSignal): Promise<void> {
    await removeCheckpoint(this.#context, base.vmId, base.id, signal);
    await this.#deleteBase(base, signal);
  }

  async shutdown(vmId: string, _environment: JsonObject, signal: AbortSignal): Promise<void> {
    const { link, vm } = await this.#context.hosts.find(vmId, signal);
    let ask = true;
    await pollUntil(
      async (within) => {
        const { state } = await link.ask('stop-vm', { vmId, ask }, stoppedSchema, within);
        ask = false;
        return state === 'off' ? { done: true, value: undefined } : { done: false, state };
      },
      shutdownPlan,
      this.#context.clock,
      signal,
      (state) =>
        new CausewayError(
          'source.shutdown-refused',
          `VM ${vm.name} is still ${state} after ${shutdownPlan.deadlineMs / 1000} s`,
        ),
    );
    await awaitMerge(this.#context, vmId, signal);
  }

  async removeResource(entry: LedgerEntry, ledger: LedgerScope, signal: AbortSignal): Promise<void> {
    if (entry.kind !== 'source-snapshot') {
      await this.#context.access.removeResource?.(entry, ledger, (host) => this.#context.hosts.linkOf(host), signal);
      return;
    }
    await ledger.release(
      entry,
      {
        findId: async (_given, within) => (await this.findResource(entry, within))?.id,
        remove: async (id, { details }, within) => {
          if (
            typeof details['vmId'] === 'string' &&
            (await this.findResource({ ...entry, resourceId: id }, within)) !== undefined
          )
            await removeCheckpoint(this.#context, details['vmId'], id, within);
        },
      },
      signal,
    );
  }

  /** An id alone may be another checkpoint's, e.g. of a VM that was imported again. */
  async findResource(
    { kind, details: { vmId, tag }, resourceId }: LedgerEntry,
    signal: AbortSignal,
  ): Promise<{ readonly id: string } | undefined> {
    if (kind !== 'source-snapshot' || typeof vmId !== 'string') return undefined;
    const { checkpoints = [] } = (await readCheckpoints(this.#context, vmId, signal)) ?? {};
    return checkpoints.find(
      (one) =>
        (typeof tag === 'string' ? one.name === checkpointName(tag) : ownCheckpoint(one) !== undefined) &&
        (resourceId === undefined || one.id === resourceId),
    );
  }

  /** Checkpoints of Causeway on any VM, those of other projects as well. */
  async listManaged(signal: AbortSignal): Promise<readonly ManagedResource[]> {
    const managed: ManagedResource[] = [];
    const {
      answers,
      silent: [unheard],
    } = await this.#context.hosts.askAll('read-vms', { ids: null }, vmsSchema, signal);
    // A list without the checkpoints of a node would say that there are none.
    if (unheard !== undefined) throw unheard.error;
    for (const { link, answer } of answers) {
      for (const { id: vmId } of answer.vms) {
        const { checkpoints } = await link.ask('read-state', { vmId }, stateSchema, signal);
        for (const checkpoint of checkpoints) {
          const own = ownCheckpoint(checkpoint);
          if (own !== undefined)
            managed.push({
              kind: 'source-snapshot',
              id: checkpoint.id,
              name: checkpoint.name,
              entryId: own.tag,
              replicaId: own.replicaId,
              owner: own.owner,
              details: { vmId, tag: own.tag },
            });
        }
      }
    }
    return managed;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#readers].map((reader) => reader.close().catch(() => undefined)));
    await this.#context.access.close();
    await this.#context.hosts.close();
  }

  /** Tracking ids of the base that can be trusted, by disk. People are told why there are none. */
  async #trackingIds(
    { vm }: FoundVm,
    { host, base }: { readonly host: string; readonly base: Snapshot },
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, string>>> {
    const untold = (why: string): Readonly<Record<string, string>> => {
      this.#context.note(`VM ${vm.name}: ${why}. Whole disks are compared.`);
      return {};
    };
    const mark = baseMark(await this.#records.find(vm.id, base.tag));
    if (mark === undefined) return untold('there is no reference point of the last execution');
    const state = await readCheckpoints(this.#context, vm.id, signal);
    if (base.state['host'] !== host)
      return untold(`it has moved from host ${String(base.state['host'])} to ${host} since the last execution`);
    if (state === undefined || !state.referencePoints.some(({ id }) => id === mark.referencePointId))
      return untold('the reference point of the last execution is gone');
    if (!canTrack(vm)) return untold(`its configuration version ${vm.version} has no change tracking`);
    const doubt = await powerDoubt(this.#context, base.takenAt, signal);
    return doubt === undefined ? mark.trackingIds : untold(doubt);
  }

  async #deleteBase(base: Snapshot, signal: AbortSignal): Promise<void> {
    const mark = baseMark(await this.#records.find(base.vmId, base.tag));
    if (mark !== undefined) await removeReferencePoint(this.#context, base.vmId, mark.referencePointId, signal);
    await dropDigests(this.#context, base);
    await this.#records.forget(base);
    await this.#forgetIntents(base);
  }

  /**
   * Records what checkpoints there are before one is taken. If that was done before, by a call that ended in between, the one that it may have taken is to be used
   * (`claim`): only it is as young. One that another program takes later is left alone.
   */
  async #expectCheckpoint(
    { vm, link }: FoundVm,
    tag: string,
    signal: AbortSignal,
  ): Promise<{ readonly known: readonly string[]; readonly claim: string | undefined }> {
    const { checkpoints, time } = await link.ask('read-state', { vmId: vm.id }, stateSchema, signal);
    const intent = await this.#intents.find(vm.id, tag);
    const [unnamed, ...others] = unnamedSince(intent, checkpoints);
    if (others.length > 0) {
      throw new CausewayError(
        'source.vm-busy',
        `VM ${vm.name} has several recovery checkpoints without a known owner: ${[unnamed, ...others].map((each) => each?.name).join(', ')}`,
        { details: { vmId: vm.id } },
      );
    }
    if (unnamed !== undefined) return { known: knownOf(intent), claim: unnamed.id };
    const known = checkpoints.map(({ id }) => id);
    await this.#intents.keep({ id: tag, tag, vmId: vm.id, takenAt: time, disks: [], state: { known } });
    return { known, claim: undefined };
  }

  /** The same of reference points. They have neither names nor times. */
  async #expectReferencePoint(
    vmId: string,
    ofTag: string,
    signal: AbortSignal,
  ): Promise<{ readonly known: readonly string[]; readonly mayBeDone: boolean }> {
    const tag = `reference point of ${ofTag}`;
    const state = await readCheckpoints(this.#context, vmId, signal);
    const intent = await this.#intents.find(vmId, tag);
    if (state !== undefined && intent !== undefined && isYoung(intent, state.time))
      return { known: knownOf(intent), mayBeDone: true };
    const known = state?.referencePoints.map(({ id }) => id) ?? [];
    if (state !== undefined && intent === undefined)
      await this.#intents.keep({ id: tag, tag, vmId, takenAt: state.time, disks: [], state: { known } });
    return { known, mayBeDone: false };
  }

  async #forgetIntents(snapshot: Snapshot): Promise<void> {
    for (const tag of [snapshot.tag, `reference point of ${snapshot.tag}`])
      await this.#intents.forget({ ...snapshot, tag });
  }
}

/** How long after it was recorded that something is made, it may have been made by the call that did so. */
const claimMs = 20 * 60_000;

function isYoung({ takenAt }: Snapshot, time: string): boolean {
  const age = Date.parse(time) - Date.parse(takenAt);
  return age >= 0 && age <= claimMs;
}

function knownOf(intent: Snapshot | undefined): readonly string[] {
  const known = intent?.state['known'];
  return Array.isArray(known) ? known.filter((id): id is string => typeof id === 'string') : [];
}

/** Checkpoints without a name of Causeway that the call with this record may have taken. */
function unnamedSince(intent: Snapshot | undefined, checkpoints: readonly Checkpoint[]): readonly Checkpoint[] {
  if (intent === undefined) return [];
  return checkpoints.filter(
    (checkpoint) =>
      !knownOf(intent).includes(checkpoint.id) &&
      ownCheckpoint(checkpoint) === undefined &&
      isYoung(intent, checkpoint.createdAt),
  );
}

function refuse(vm: HostVm): void {
  const details = { vmId: vm.id };
  if (vm.isShielded)
    throw new CausewayError('source.unsupported', `VM ${vm.name} is shielded: its host may not read its disks`, {
      details,
    });
  if (replicable(vm).length === 0) {
    throw new CausewayError(
      'source.unsupported',
      `VM ${vm.name} has no disk that can be replicated: ${
        disksOf(vm)
          .map(({ slot, obstacle }) => `${slot} ${obstacle ?? ''}`)
          .join('; ') || 'it has no disks'
      }`,
      { details },
    );
  }
  if (!['running', 'off'].includes(vm.state))
    throw new CausewayError('source.vm-busy', `VM ${vm.name} is ${vm.state}: start it or turn it off`, { details });
  if (vm.checkpoints === 'disabled')
    throw new CausewayError(
      'source.unsupported',
      `checkpoints are disabled for VM ${vm.name}; enable them with Set-VM -CheckpointType Production`,
      { details },
    );
}

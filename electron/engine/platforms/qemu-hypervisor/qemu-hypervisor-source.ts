import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import type { Vm } from '../../../../shared/model/vm.ts';
import type { QemuHypervisorConnection } from '../../../../shared/plugins/qemu-hypervisor/connection.ts';
import { NbdClient } from '../../nbd/nbd-client.ts';
import { BASE_ALLOCATION, dirtyBitmapContext, NbdDiskReader } from '../../nbd/nbd-disk-reader.ts';
import type { DiskReader } from '../../ports/disk-reader.ts';
import type { CheckReport, OptionList } from '../../ports/platform-common.ts';
import type { PlatformContext } from '../../ports/platform-context.ts';
import type { Snapshot, SourcePlatform, VmSummary } from '../../ports/source-platform.ts';
import { SnapshotRecords } from '../../source-records/snapshot-records.ts';
import { removeBitmaps } from './bitmap-actions.ts';
import { checkHypervisor } from './check.ts';
import { VmEndpoints, type VmEndpoint } from './endpoints.ts';
import { filterFleecing } from './fleecing-filter.ts';
import { jobFleecing } from './fleecing-job.ts';
import { askGuest } from './guest-facts.ts';
import { bitmapName, snapshotNames } from './names.ts';
import { clientTls, exportIds } from './nbd-exports.ts';
import { HoldRecord, resumeForgotten, vmStatus } from './pause.ts';
import { isGone, shutDownGuest } from './shutdown.ts';
import { snapshotState } from './snapshot-state.ts';
import { takeSnapshot, type FleecingChoice } from './take-snapshot.ts';
import { releaseSnapshot, undoSnapshot } from './undo-snapshot.ts';
import { describeQemuVm } from './vm-description.ts';
import { readDisks } from './vm-disks.ts';
import { VmLocks } from './vm-locks.ts';

/** How often a job's state is checked while its overlay is read; `assertUnchanged` checks it again at the end. */
const VERIFY_EVERY_MS = 500;

/** Running VMs of QEMU: snapshots by fleecing, changes by dirty bitmaps, data over NBD; all through QMP. */
export class QemuHypervisorSource implements SourcePlatform {
  readonly #connection: QemuHypervisorConnection;
  readonly #context: PlatformContext;
  readonly #endpoints: VmEndpoints;
  readonly #records: SnapshotRecords;
  readonly #fleecing: FleecingChoice;
  readonly #locks = new VmLocks();
  readonly #readers = new Set<DiskReader>();

  constructor(connection: QemuHypervisorConnection, context: PlatformContext, fleecing: FleecingChoice) {
    this.#connection = connection;
    this.#context = context;
    this.#endpoints = new VmEndpoints(connection);
    this.#records = new SnapshotRecords(context.scratchFolder, 'qemu-hypervisor');
    this.#fleecing = fleecing;
  }

  check(signal: AbortSignal): Promise<CheckReport> {
    return checkHypervisor(this.#endpoints, signal);
  }

  async listVms(signal: AbortSignal): Promise<readonly VmSummary[]> {
    const os_type = this.#connection.os_type ?? 'unknown';
    const summaries: VmSummary[] = [];
    for (const id of await this.#endpoints.ids(signal)) {
      try {
        const { qmp } = await this.#endpoints.find(id, signal);
        const disks = await readDisks(qmp, signal);
        const power = ['shutdown', 'prelaunch'].includes(await vmStatus(qmp, signal)) ? 'stopped' : 'running';
        const totalBytes = disks.reduce((sum, disk) => sum + disk.sizeBytes, 0);
        summaries.push({ id, name: id, os_type, power, diskCount: disks.length, totalBytes });
      } catch (error) {
        // A VM belongs to the endpoint even while its QEMU is not running.
        if (!isGone(error)) throw error;
        summaries.push({ id, name: id, os_type, power: 'unknown', diskCount: 0, totalBytes: 0 });
      }
    }
    return summaries;
  }

  /** What the environment says of the guest counts more than what its agent says. */
  async describeVm(vmId: string, signal: AbortSignal, environment: JsonObject = {}): Promise<Vm> {
    const { qmp, host } = await this.#endpoints.find(vmId, signal);
    const { os_type: osType, firmware, guest_agent_socket: agent } = environment;
    const told =
      typeof agent === 'string'
        ? await askGuest(host.socket(agent), signal)
        : { osType: undefined, addresses: new Map() };
    return describeQemuVm(
      vmId,
      qmp,
      {
        osType:
          osType === 'linux' || osType === 'windows' ? osType : (told.osType ?? this.#connection.os_type ?? 'linux'),
        firmware: firmware === 'bios' || firmware === 'uefi' ? firmware : undefined,
        addresses: told.addresses,
      },
      signal,
    );
  }

  async options(names: readonly string[], signal: AbortSignal): Promise<Readonly<Record<string, OptionList>>> {
    const networks = new Set<string>();
    if (names.some((name) => name === 'networks' || name === 'vm.networks')) {
      for (const id of await this.#endpoints.ids(signal)) {
        for (const nic of (await this.describeVm(id, signal)).nics) networks.add(nic.network);
      }
    }
    const list = [...networks].map((network) => ({ id: network, name: network }));
    return Object.fromEntries(names.map((name) => [name, name.endsWith('networks') ? list : []]));
  }

  async prepare(vmId: string, _environment: JsonObject, signal: AbortSignal): Promise<void> {
    // Tracking starts with the first snapshot; until then it is enough that QEMU answers and has disks.
    const { qmp } = await this.#endpoints.find(vmId, signal);
    if ((await readDisks(qmp, signal)).length === 0)
      throw new CausewayError('source.disk-not-found', `${vmId} has no disks`);
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
    const vm = await this.#endpoints.find(request.vmId, signal);
    return this.#locks.run(vm.id, async () => {
      await resumeForgotten(vm.qmp, this.#hold(vm), signal);
      const known = await this.#records.find(vm.id, request.tag);
      if (known !== undefined && snapshotState(known).committed) {
        throw new CausewayError('general.invalid-input', `the tag ${request.tag} belongs to a committed snapshot`);
      }
      if (known !== undefined && (await this.isAlive(known, signal))) return known;
      // An earlier call may have died half-way.
      await undoSnapshot(vm, request.tag, request.base?.tag, known?.disks.map((disk) => disk.diskId) ?? [], signal);
      const snapshot = await takeSnapshot(vm, request, this.#fleecing, this.#hold(vm), signal);
      await this.#records.keep(snapshot);
      return snapshot;
    });
  }

  async isAlive(snapshot: Snapshot, signal: AbortSignal): Promise<boolean> {
    try {
      const vm = await this.#endpoints.find(snapshot.vmId, signal);
      if (!(await this.#isKept(vm, snapshot, signal))) return false;
      const exported = await exportIds(vm.qmp, signal);
      const isFilter = snapshotState(snapshot).fleecing === 'filter';
      for (const { diskId } of snapshot.disks) {
        const names = snapshotNames(snapshot.tag, diskId);
        if (!exported.includes(names.exportId)) return false;
        if (!(await this.#canRead(vm, isFilter ? names.probeExportId : names.exportId, signal))) return false;
      }
      return true;
    } catch (error) {
      if (isGone(error) || (error instanceof CausewayError && error.code === 'source.vm-not-found')) return false;
      throw error;
    }
  }

  /** QEMU never takes a snapshot up again that it gave up: if it keeps this one now, it kept it during every read. */
  async assertUnchanged(snapshot: Snapshot, signal: AbortSignal): Promise<void> {
    if (!(await this.isAlive(snapshot, signal))) throw lost(snapshot);
  }

  async openDisk(
    snapshot: Snapshot,
    diskId: string,
    base: Snapshot | undefined,
    signal: AbortSignal,
  ): Promise<DiskReader> {
    const state = snapshotState(snapshot);
    const disk = state.disk(diskId);
    const vm = await this.#endpoints.find(snapshot.vmId, signal);
    const explain = async (error: unknown) => this.#explain(error, vm, snapshot);
    const dirty =
      base !== undefined && disk.baseTag === base.tag ? dirtyBitmapContext(bitmapName(base.tag)) : undefined;
    const names = snapshotNames(snapshot.tag, diskId);
    const clients: NbdClient[] = [];
    const connect = async (exportName: string, contexts: readonly string[]) => {
      const client = await connectExport(vm, exportName, contexts, signal);
      clients.push(client);
      return client;
    };
    try {
      const client = await connect(names.exportId, dirty === undefined ? [BASE_ALLOCATION] : [BASE_ALLOCATION, dirty]);
      const probe = state.fleecing === 'filter' ? await connect(names.probeExportId, []) : undefined;
      const isTracked = dirty !== undefined && client.info.contexts.has(dirty);
      const reader = new NbdDiskReader(client, {
        granularityBytes: disk.granularityBytes,
        ...(isTracked ? { dirtyContext: dirty } : {}),
        confirmZeros: true,
        explain,
        verify:
          probe === undefined
            ? this.#jobVerifier(vm, snapshot)
            : () => probeFilter(probe).catch(async (error: unknown) => Promise.reject(await explain(error))),
        onClose: async () => {
          this.#readers.delete(reader);
          await probe?.close();
        },
      });
      this.#readers.add(reader);
      return reader;
    } catch (error) {
      await Promise.all(clients.map((client) => client.close()));
      throw await explain(error);
    }
  }

  async promoteToBase(snapshot: Snapshot, formerBase: Snapshot | undefined, signal: AbortSignal): Promise<void> {
    const vm = await this.#endpoints.find(snapshot.vmId, signal);
    await this.#locks.run(vm.id, async () => {
      await resumeForgotten(vm.qmp, this.#hold(vm), signal);
      const record = await this.#records.find(vm.id, snapshot.tag);
      if (record !== undefined && !snapshotState(record).committed) {
        // First of all, so that a call that is interrupted from here on can't be followed by reads of a half-released snapshot.
        await this.#records.keep({ ...snapshot, state: { ...snapshot.state, committed: true } });
      }
      await releaseSnapshot(
        vm,
        snapshot.tag,
        snapshot.disks.map((disk) => disk.diskId),
        signal,
      );
      if (formerBase !== undefined && formerBase.tag !== snapshot.tag) await this.#dropAll(vm, formerBase, signal);
    });
  }

  async discardSnapshot(snapshot: Snapshot, base: Snapshot | undefined, signal: AbortSignal): Promise<void> {
    const vm = await this.#endpoints.find(snapshot.vmId, signal);
    await this.#locks.run(vm.id, async () => {
      await resumeForgotten(vm.qmp, this.#hold(vm), signal);
      await undoSnapshot(
        vm,
        snapshot.tag,
        base?.tag,
        snapshot.disks.map((disk) => disk.diskId),
        signal,
      );
      await this.#records.forget(snapshot);
    });
  }

  async deleteBase(base: Snapshot, signal: AbortSignal): Promise<void> {
    const vm = await this.#endpoints.find(base.vmId, signal);
    await this.#locks.run(vm.id, () => this.#dropAll(vm, base, signal));
  }

  async shutdown(vmId: string, _environment: JsonObject, signal: AbortSignal): Promise<void> {
    const { qmp } = await this.#endpoints.find(vmId, signal);
    await shutDownGuest(vmId, qmp, signal);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#readers].map((reader) => reader.close()));
    await this.#endpoints.close();
  }

  /** What reading a base still needs, if it was never released, and its bitmaps. */
  async #dropAll(vm: VmEndpoint, base: Snapshot, signal: AbortSignal): Promise<void> {
    await releaseSnapshot(
      vm,
      base.tag,
      base.disks.map((disk) => disk.diskId),
      signal,
    );
    const actions = removeBitmaps(await readDisks(vm.qmp, signal), bitmapName(base.tag));
    if (actions.length > 0) await vm.qmp.execute('transaction', { actions: [...actions] }, signal);
    await this.#records.forget(base);
  }

  async #isKept(vm: VmEndpoint, snapshot: Snapshot, signal: AbortSignal): Promise<boolean> {
    const fleecing = snapshotState(snapshot).fleecing === 'filter' ? filterFleecing : jobFleecing;
    for (const { diskId } of snapshot.disks) {
      if (!(await fleecing.isKept(vm.qmp, snapshotNames(snapshot.tag, diskId), signal))) return false;
    }
    return true;
  }

  async #canRead(vm: VmEndpoint, exportName: string, signal: AbortSignal): Promise<boolean> {
    try {
      const client = await connectExport(vm, exportName, [], signal);
      try {
        await probeFilter(client, signal);
        return true;
      } finally {
        await client.close();
      }
    } catch (error) {
      // A host that is not reached says nothing about the snapshot.
      if (
        error instanceof CausewayError &&
        error.code !== 'general.cancelled' &&
        error.code !== 'source.ssh-unreachable'
      )
        return false;
      throw error;
    }
  }

  #jobVerifier(vm: VmEndpoint, snapshot: Snapshot): () => Promise<void> {
    let verifiedAt = 0;
    return async () => {
      if (performance.now() - verifiedAt < VERIFY_EVERY_MS) return;
      verifiedAt = performance.now();
      if (!(await this.#isKept(vm, snapshot, AbortSignal.timeout(30_000)))) throw lost(snapshot);
    };
  }

  async #explain(error: unknown, vm: VmEndpoint, snapshot: Snapshot): Promise<unknown> {
    if (!(error instanceof CausewayError) || error.code === 'general.cancelled' || error.code === 'source.tls-refused')
      return error;
    const alive = await this.isAlive(snapshot, AbortSignal.timeout(10_000)).catch(() => true);
    return alive
      ? error
      : new CausewayError('source.snapshot-lost', `snapshot ${snapshot.tag} of ${vm.id}: ${error.message}`, {
          cause: error,
        });
  }

  #hold(vm: VmEndpoint): HoldRecord {
    return new HoldRecord(this.#context.scratchFolder, vm.key);
  }
}

function lost(snapshot: Snapshot): CausewayError {
  return new CausewayError(
    'source.snapshot-lost',
    `QEMU no longer keeps the snapshot ${snapshot.tag} of ${snapshot.vmId}`,
  );
}

/**
 * After its scratch storage fails, a filter refuses every read. So what was read from the overlay before a
 * sector could be read here, was read while the snapshot held.
 */
async function probeFilter(probe: NbdClient, signal: AbortSignal = new AbortController().signal): Promise<void> {
  await probe.read(0, new Uint8Array(Math.min(512, probe.info.sizeBytes)), signal);
}

async function connectExport(
  vm: VmEndpoint,
  exportName: string,
  contexts: readonly string[],
  signal: AbortSignal,
): Promise<NbdClient> {
  const tls = await clientTls(vm.nbd);
  // QEMU looks at the allocation before it reads in pieces, which for a snapshot is not exact where the guest discards meanwhile.
  return NbdClient.connect(
    { address: vm.nbd.address, exportName, contexts, wholeReads: true, ...(tls === undefined ? {} : { tls }) },
    signal,
  );
}

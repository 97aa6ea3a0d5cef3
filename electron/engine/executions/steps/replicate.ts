import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { TransferProgress } from '../../../../shared/model/progress.ts';
import { legsText, measuredLegs } from '../../../../shared/model/legs.ts';
import { bytes } from '../../../../shared/model/quantities.ts';
import type { Disk, Vm } from '../../../../shared/model/vm.ts';
import type { AttachedVolume, Volume } from '../../ports/destination-platform.ts';
import type { WorkerDevice, WorkerSession } from '../../ports/write-target.ts';
import type { Snapshot } from '../../ports/source-platform.ts';
import { verificationError, type DiskProgress, type VerifyOutcome } from '../../replication/index.ts';
import { hasDeviceOf, loginsOf, matchDevices, type DeviceProbe } from '../../workers/match-devices.ts';
import { probeEmptyDevice } from '../../workers/probe-devices.ts';
import { mapConcurrently } from '../../concurrency/map-concurrently.ts';
import { systemClock } from '../../time/clock.ts';
import { pollUntil } from '../../time/poll.ts';
import { progressMeter } from '../progress-meter.ts';
import { attachTurn, turnsOf, type WorkerWithVolumes } from '../../workers/attach-volumes.ts';
import { destinationRun, replicaOf, type ExecutionContext } from '../execution-context.ts';
import type { ReplicaStep } from '../replica-graph.ts';

/** How many disks are copied in parallel unless the execution says otherwise. */
const defaultParallelDisks = 4;

/**
 * Step 4: what was read from the snapshot goes to the matching offsets of the volumes. An attempt that fails made progress if
 * it moved the durable position in a snapshot on; one that had to begin with another snapshot did not, whatever it copied.
 */
export function replicateDisks(run: ExecutionContext): ReplicaStep<'replicate-disks'> {
  const furthest = new Map<string, number>();
  return async ({ values: { vm, volumes, snapshot, worker }, signal, progressed }) => {
    meterOf(run, vm);
    const before =
      furthest.get(snapshot.tag) ?? (furthest.size === 0 ? durableBytes(run, vm, snapshot) : Number.POSITIVE_INFINITY);
    const outcomes = await onDevices(
      run,
      { vm, volumes, worker },
      signal,
      async (disk, volume, device, session, within) => {
        const outcome = await replicateOne(run, { disk, volume, device, session, snapshot }, within);
        const unverified = outcome.bytesUnverifiedBefore ?? 0;
        if (unverified > 0 && run.options.verify !== 'none') {
          run.event(
            'note',
            `disk ${disk.id}: verification also covers ${bytes(unverified)} that earlier executions wrote without verification`,
            { diskId: disk.id, bytes: unverified },
          );
        }
        const legs = legsText(measuredLegs([{ ...outcome }]));
        const recalled = outcome.bytesRecalled ?? 0;
        run.event(
          'disk.done',
          `disk ${disk.id}: ${bytes(outcome.bytesSent)} sent${recalled === 0 ? '' : `, ${bytes(recalled)} taken from earlier copies on the worker`}${legs === '' ? '' : ` (${legs})`}`,
          { diskId: disk.id, ...outcome },
        );
        return { diskId: disk.id, ...outcome };
      },
    ).catch((error: unknown) => {
      const reached = durableBytes(run, vm, snapshot);
      if (reached > before) progressed();
      furthest.set(snapshot.tag, reached);
      throw error;
    });
    return { outcomes };
  };
}

/** Reads back from the volumes what was written since their last verification (or everything) and compares digests. */
export function verifyDisks(run: ExecutionContext): ReplicaStep<'verify-disks'> {
  const verified = new Set<string>();
  return async ({ values: { vm, volumes, snapshot, worker }, signal, progressed }) => {
    const meter = meterOf(run, vm);
    const before = verified.size;
    await onDevices(run, { vm, volumes, worker }, signal, async (disk, _volume, device, session, within) => {
      // By an attempt before; nothing has written to the volume since.
      if (verified.has(disk.id)) return;
      const writer = await session.open(device, within);
      try {
        const outcome = await run.replication.verifyDisk({
          writer,
          state: stateOf(run, disk.id, snapshotDiskSize(snapshot, disk)),
          scope: run.options.verify === 'all' ? 'all' : 'written',
          onProgress: (progress) => meter.report(disk.id, shown(progress)),
          signal: within,
        });
        // Not within this run: what differed is no longer "written and unverified", so a second look would not see it.
        if (!outcome.matches) throw differing(disk.id, outcome);
        verified.add(disk.id);
      } finally {
        await writer.close();
      }
    }).catch((error: unknown) => {
      if (verified.size > before) progressed();
      throw error;
    });
  };
}

async function replicateOne(
  run: ExecutionContext,
  parts: { disk: Disk; volume: Volume; device: WorkerDevice; session: WorkerSession; snapshot: Snapshot },
  signal: AbortSignal,
): Promise<DiskNumbers> {
  const { disk, volume, device, session, snapshot } = parts;
  const state = stateOf(run, disk.id, snapshotDiskSize(snapshot, disk));
  const base = baseFor(run, disk.id);
  const usedBase = state.mustReadAll(base?.tag) ? undefined : base;
  const reader = await run.source.openDisk(snapshot, disk.id, usedBase, signal);
  try {
    const writer = await session.open(device, signal);
    try {
      const outcome = await run.replication.replicateDisk({
        reader,
        writer,
        state,
        snapshotId: snapshot.tag,
        baseSnapshotId: usedBase?.tag,
        volumeId: volume.id,
        volumeIsNew: run.store.replicas.claimForWriting(run.replicaId, disk.id, snapshot.tag),
        volumesAreZeroed: run.policy.volumesAreZeroed,
        limiter: run.limiter,
        onProgress: (progress) => run.meter?.report(disk.id, beforeVerification(run, shown(progress))),
        signal,
      });
      return numbersOf(outcome);
    } finally {
      await writer.close();
    }
  } finally {
    await reader.close();
  }
}

/** What a worker that takes its volumes in turns has attached by now. */
const attachedNow = new WeakMap<WorkerWithVolumes, AttachedVolume[]>();

/** The volumes that a worker has by now. */
export function attachedBy(worker: WorkerWithVolumes): readonly AttachedVolume[] {
  return attachedNow.get(worker) ?? worker.attached;
}

/** How long a worker's system may take to see that a volume was attached or detached, after the cloud said so. */
export const deviceChange = { deadlineMs: 30_000, firstMs: 250, capMs: 2_000 };

/** Attaches the volumes of a turn and finds their devices. */
async function devicesOfTurn(
  run: ExecutionContext,
  vm: Vm,
  worker: WorkerWithVolumes,
  session: WorkerSession,
  wanted: readonly Volume[],
  signal: AbortSignal,
): Promise<Map<string, WorkerDevice>> {
  const attached = attachedNow.get(worker) ?? [...worker.attached];
  attachedNow.set(worker, attached);
  const whenGone = (former: readonly AttachedVolume[]): Promise<void> =>
    pollUntil(
      async (within) => {
        const isThere = hasDeviceOf(former, await session.devices(within));
        return isThere ? { done: false, state: 'there' } : { done: true, value: undefined };
      },
      deviceChange,
      systemClock,
      signal,
      () =>
        new CausewayError(
          'engine.volume-not-matched',
          `worker ${worker.workerId} still has devices of volumes that were detached: ${former.map(({ volume }) => volume.id).join(', ')}`,
        ),
    );
  const now = await attachTurn(
    run.destination,
    destinationRun(run, vm),
    worker.workerId,
    attached,
    wanted,
    whenGone,
    signal,
  );
  return untilMatched(now, session, (within) => probeIn(run, worker.workerId, session, within), signal);
}

/** The devices of all volumes. A VM of the user's own, which runs all the time, may be some moments behind; and nothing is written there to find out. */
async function devicesOf(
  run: ExecutionContext,
  worker: WorkerWithVolumes,
  session: WorkerSession,
  signal: AbortSignal,
): Promise<Map<string, WorkerDevice>> {
  const { attached, workerId, ownVm } = worker;
  if (ownVm !== undefined)
    return untilMatched(
      attached,
      session,
      () => undefined,
      signal,
      Math.min(deviceChange.deadlineMs, run.workerPatienceMs),
    );
  return matchDevices(
    attached,
    await session.devices(signal, loginsOf(attached)),
    probeIn(run, workerId, session, signal),
  );
}

/** Finds the devices of volumes that were attached just now, as soon as the system has them. */
function untilMatched(
  attached: readonly AttachedVolume[],
  session: WorkerSession,
  probeWithin: (signal: AbortSignal) => DeviceProbe | undefined,
  signal: AbortSignal,
  deadlineMs = deviceChange.deadlineMs,
): Promise<Map<string, WorkerDevice>> {
  let last: CausewayError | undefined;
  return pollUntil(
    async (within) => {
      try {
        return {
          done: true,
          value: await matchDevices(attached, await session.devices(within, loginsOf(attached)), probeWithin(within)),
        };
      } catch (error) {
        if (!(error instanceof CausewayError) || error.code !== 'engine.volume-not-matched') throw error;
        last = error;
        return { done: false, state: error.message };
      }
    },
    { ...deviceChange, deadlineMs },
    systemClock,
    signal,
    (state) => last ?? new CausewayError('engine.volume-not-matched', state),
  );
}

/** Connects to the worker, finds each disk's device, and does the work for several disks in parallel; in turns, where it takes fewer volumes. */
async function onDevices<R>(
  run: ExecutionContext,
  { vm, volumes, worker }: { vm: Vm; volumes: readonly Volume[]; worker: WorkerWithVolumes },
  signal: AbortSignal,
  work: (disk: Disk, volume: Volume, device: WorkerDevice, session: WorkerSession, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  const session = await run.workers.get(worker, signal);
  const within = AbortSignal.any([signal, session.lost]);
  try {
    const done: R[] = [];
    for (const disks of turnsOf(vm.disks, worker)) {
      const devices =
        disks.length === vm.disks.length
          ? await devicesOf(run, worker, session, within)
          : await devicesOfTurn(
              run,
              vm,
              worker,
              session,
              volumes.filter(({ diskId }) => disks.some(({ id }) => id === diskId)),
              within,
            );
      done.push(
        ...(await mapConcurrently(
          disks,
          run.options.parallelDisks ?? defaultParallelDisks,
          within,
          async (disk, inner) => {
            const volume = volumes.find((candidate) => candidate.diskId === disk.id);
            const device = volume === undefined ? undefined : devices.get(volume.id);
            if (volume === undefined || device === undefined)
              throw new CausewayError('general.bug', `disk ${disk.id} has no volume`);
            return work(disk, volume, device, session, inner);
          },
        )),
      );
    }
    return done;
  } catch (error) {
    // The reason for the loss of the session explains more than the error that followed from it.
    throw session.lost.aborted && !signal.aborted ? session.lost.reason : error;
  } finally {
    run.meter?.flush();
  }
}

/** Devices that the probe found, by worker and volume: a volume that was written to can't be probed again. */
const probed = new WeakMap<ExecutionContext, Map<string, string>>();

function probeIn(run: ExecutionContext, workerId: string, session: WorkerSession, signal: AbortSignal): DeviceProbe {
  return async (volume, candidates) => {
    const known = probed.get(run) ?? new Map<string, string>();
    probed.set(run, known);
    const key = `${workerId} ${volume.id}`;
    const path = known.get(key);
    if (path !== undefined) return candidates.find((device) => device.path === path);
    // Recorded as written first: a crash could leave the probe's mark on a volume whose zeros would then be skipped.
    if (!run.store.replicas.claimForWriting(run.replicaId, volume.diskId, 'probe')) return undefined;
    const device = await probeEmptyDevice(session, candidates, signal);
    if (device !== undefined) known.set(key, device.path);
    return device;
  };
}

/** The base applies to a disk only if the execution that made it filled the disk's volume. */
function baseFor(run: ExecutionContext, diskId: string): Snapshot | undefined {
  const base = run.store.snapshots.list(run.replicaId).find((stored) => stored.role === 'base');
  const disk = replicaOf(run).disks.find((candidate) => candidate.diskId === diskId);
  return base !== undefined && disk?.synchronisedBy === base.executionId ? base.snapshot : undefined;
}

/** Whether the volume is known to hold exactly the snapshot, with every block durable and verified. */
export function isSynchronised(run: ExecutionContext, snapshot: Snapshot, disk: Disk): boolean {
  return stateOf(run, disk.id, snapshotDiskSize(snapshot, disk)).isSynchronised(snapshot.tag);
}

/** Whether the disk as this snapshot has it was copied to the end. */
export function isCopied(run: ExecutionContext, snapshot: Snapshot, disk: Disk): boolean {
  const seen = snapshot.disks.find((candidate) => candidate.diskId === disk.id);
  return seen?.sizeBytes === disk.size_bytes && isSynchronised(run, snapshot, disk);
}

/** The digest of each disk's content as the snapshot has it; disks of which it is not known have none. */
export async function contentDigests(
  run: ExecutionContext,
  vm: Vm,
  snapshot: Snapshot,
  signal: AbortSignal,
): Promise<{ readonly diskId: string; readonly sha256: string }[]> {
  const digests = [];
  for (const disk of vm.disks) {
    const sha256 = await run.replication.contentDigest(stateOf(run, disk.id, snapshotDiskSize(snapshot, disk)), signal);
    if (sha256 !== undefined) digests.push({ diskId: disk.id, sha256 });
  }
  return digests;
}

/** How much of the snapshot is durable on the volumes, in bytes of all disks, as far as a resumed copy can skip them. */
function durableBytes(run: ExecutionContext, vm: Vm, snapshot: Snapshot): number {
  let sum = 0;
  for (const disk of vm.disks) {
    const sizeBytes = snapshotDiskSize(snapshot, disk);
    const reached = stateOf(run, disk.id, sizeBytes).resumability(snapshot.tag);
    sum += reached.kind === 'new' ? 0 : reached.kind === 'complete' ? sizeBytes : reached.durableBytes;
  }
  return sum;
}

function stateOf(run: ExecutionContext, diskId: string, sizeBytes: number) {
  return run.replication.openTransferState({
    db: run.store.db,
    folder: run.transferFolder,
    replicaId: run.replicaId,
    diskId,
    sizeBytes,
  });
}

function snapshotDiskSize(snapshot: Snapshot, disk: Disk): number {
  const seen = snapshot.disks.find((candidate) => candidate.diskId === disk.id);
  if (seen?.sizeBytes === disk.size_bytes) return seen.sizeBytes;
  throw new CausewayError(
    'replication.size-mismatch',
    seen === undefined
      ? `disk ${disk.id} is not in the snapshot`
      : `disk ${disk.id} has ${disk.size_bytes} bytes in the VM description but ${seen.sizeBytes} in the snapshot`,
    // The description was read again for this very snapshot, and still says something else.
    { retryable: false },
  );
}

function meterOf(run: ExecutionContext, vm: Vm) {
  const diskIds = vm.disks.map((disk) => disk.id);
  // The VM is described again when its disks changed before the snapshot.
  if (
    run.meter === undefined ||
    run.meter
      .current()
      .disks.map((disk) => disk.diskId)
      .join() !== diskIds.join()
  ) {
    run.meter = progressMeter({ executionId: run.executionId, diskIds, publish: run.publishProgress });
  }
  return run.meter;
}

function differing(diskId: string, outcome: VerifyOutcome): CausewayError {
  const { code, message, details } = verificationError(diskId, outcome);
  return new CausewayError(code, message, { details, retryable: false });
}

/** A disk's numbers as they travel. */
function shown({ diskId: _diskId, secondsLeft, ...progress }: DiskProgress): TransferProgress {
  return { ...progress, ...(secondsLeft === null ? {} : { secondsLeft }) };
}

/** A disk is done when it is verified, not when it is copied. */
function beforeVerification(run: ExecutionContext, progress: TransferProgress): TransferProgress {
  return progress.phase === 'done' && run.options.verify !== 'none' ? { ...progress, phase: 'flushing' } : progress;
}

/** The numbers reported for a disk at its end. */
interface DiskNumbers {
  readonly bytesSent: number;
  readonly [name: string]: number;
}

function numbersOf(outcome: object): DiskNumbers {
  const numbers = Object.fromEntries(
    Object.entries(outcome).filter((pair): pair is [string, number] => typeof pair[1] === 'number'),
  );
  return { bytesSent: 0, ...numbers };
}

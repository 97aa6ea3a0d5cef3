import { CausewayError, toErrorRecord } from '../../../../shared/model/causeway-error.ts';
import type { Vm } from '../../../../shared/model/vm.ts';
import type { Snapshot } from '../../ports/source-platform.ts';
import type { StoredSnapshot } from '../../store/snapshots.ts';
import { replicaOf, type ExecutionContext } from '../execution-context.ts';
import type { ReplicaStep } from '../replica-graph.ts';
import { contentDigests, isCopied, isSynchronised } from './replicate.ts';

/**
 * Step 2: a snapshot on top of that of the last success. One that this execution took before it was interrupted is used
 * on as long as it can be read. If it can't, the disks are copied again from a new one. Those of other executions are
 * discarded first, because an execution copies the disks as they are now. Where they are others than the VM description says,
 * the description is read again, with all that follows from it. What can't be removed from the source is tried
 * again at the end, and never stops an execution.
 */
export function takeSnapshot(run: ExecutionContext): ReplicaStep<'take-snapshot'> {
  /** Tags already reported as unreadable: a repeated step finds them again. */
  const told = new Set<string>();
  /** Tags for which the VM was described again: a source that contradicts itself must not cause an endless loop. */
  const described = new Set<string>();
  return async ({ values: { vm }, stateOf, redo, signal }) => {
    const snapshot = await ownSnapshot(run, told, signal);
    const changes = diskChanges(vm, snapshot);
    if (changes.length > 0 && !described.has(snapshot.tag)) {
      described.add(snapshot.tag);
      run.event(
        'note',
        `the disks are not as described before the snapshot was taken: ${changes.join('; ')}. Reading the VM description again`,
      );
      await redo(['describe-vm']);
    } else if (stateOf('replicate-disks') === 'completed' && !vm.disks.every((disk) => isCopied(run, snapshot, disk))) {
      // The copy was completed in an earlier life of the engine, maybe from a snapshot that is gone. Success could not be recorded for this one.
      run.event(
        'note',
        'the snapshot that the disks were copied from no longer exists: comparing them with a new one and sending only the differences',
      );
      await redo(['replicate-disks']);
    }
    return { snapshot };
  };
}

/** In what a snapshot has other disks than a description, in words. */
function diskChanges(vm: Vm, snapshot: Snapshot): readonly string[] {
  const seen = new Map(snapshot.disks.map((disk) => [disk.diskId, disk.sizeBytes]));
  return [
    ...vm.disks.flatMap((disk) => {
      const size = seen.get(disk.id);
      if (size === disk.size_bytes) return [];
      return [
        size === undefined
          ? `disk ${disk.id} was removed`
          : `disk ${disk.id} has ${size} bytes instead of ${disk.size_bytes}`,
      ];
    }),
    ...snapshot.disks
      .filter(({ diskId }) => !vm.disks.some((disk) => disk.id === diskId))
      .map(({ diskId }) => `disk ${diskId} was added`),
  ];
}

async function ownSnapshot(run: ExecutionContext, told: Set<string>, signal: AbortSignal): Promise<Snapshot> {
  const { snapshots } = run.store;
  const { vmId } = replicaOf(run);
  const known = snapshots.list(run.replicaId);
  // Once this execution has a snapshot, the release may take away what that is read from.
  if (!known.some((stored) => stored.executionId === run.executionId))
    noteUnreleased(run, await releaseOldBases(run, signal));
  const base = snapshots.base(run.replicaId);
  let mine = 0;
  for (const stored of known) {
    if (stored.role !== 'taken' && stored.role !== 'intended') continue;
    if (stored.executionId === run.executionId) {
      mine += 1;
      if (stored.role === 'intended') return take(run, stored.tag, vmId, base, signal);
      if (stored.snapshot !== undefined && (await run.source.isAlive(stored.snapshot, signal))) return stored.snapshot;
      if (!told.has(stored.tag))
        run.event('note', 'the snapshot can no longer be read; taking a new one and sending only the differences');
      told.add(stored.tag);
    }
    noteUnreleased(run, await attempt(run, stored.tag, () => discard(run, stored, base, signal), signal));
  }
  await run.source.prepare(vmId, run.environments.source, signal);
  const tag = `causeway-${run.executionId}${mine === 0 ? '' : `-${Date.now().toString(36)}`}`;
  snapshots.intend({ tag, replicaId: run.replicaId, executionId: run.executionId });
  return take(run, tag, vmId, base, signal);
}

/** After the last read: the source confirms that everything read was one state. */
export function confirmSnapshot(run: ExecutionContext): ReplicaStep<'confirm-snapshot'> {
  return async ({ values: { snapshot }, signal }) => {
    try {
      await run.source.assertUnchanged(snapshot, signal);
    } catch (error) {
      if (!(error instanceof CausewayError) || error.code !== 'source.changed-while-reading') throw error;
      // Asking again does not help: the disks must be read again.
      throw new CausewayError(error.code, error.message, { details: error.details, retryable: false, cause: error });
    }
  };
}

/** Only after every disk is equal to the snapshot, and the snapshot was one state to the end: it becomes the base. */
export function recordSuccess(run: ExecutionContext): ReplicaStep<'record-success'> {
  return async ({ values: { vm, snapshot }, signal }) => {
    const { snapshots, replicas } = run.store;
    const unequal = vm.disks.filter((disk) => !isSynchronised(run, snapshot, disk)).map((disk) => disk.id);
    if (unequal.length > 0) {
      throw new CausewayError(
        'replication.verification-failed',
        `not known to be equal to the snapshot: ${unequal.join(', ')}`,
        { retryable: false },
      );
    }
    const digests = await contentDigests(run, vm, snapshot, signal);
    const present = new Set(vm.disks.map((disk) => disk.id));
    snapshots.advanceBase(run.replicaId, snapshot.tag, () => {
      for (const disk of replicaOf(run).disks) {
        if (present.has(disk.diskId))
          replicas.setSynchronised(run.replicaId, disk.diskId, run.executionId, snapshot.takenAt);
      }
      replicas.setLastSuccess(run.replicaId, snapshot.takenAt);
    });
    if (run.options.verify === 'none') {
      run.event(
        'note',
        'completed without verification: the next execution with verification also covers the data of this one',
      );
    }
    return { digests };
  };
}

/**
 * The end of every execution: success keeps the snapshot as the new base, anything else discards it. Removes all that can be
 * removed before it fails for what can't.
 */
export function cleanUpSnapshots(run: ExecutionContext): ReplicaStep<'release-snapshot'> {
  return async ({ signal }) => {
    const failures = [...(await releaseOldBases(run, signal))];
    const base = run.store.snapshots.base(run.replicaId);
    for (const stored of run.store.snapshots.list(run.replicaId)) {
      if (stored.role !== 'taken' && stored.role !== 'intended') continue;
      failures.push(...(await attempt(run, stored.tag, () => discard(run, stored, base, signal), signal)));
    }
    for (const failure of failures.slice(1)) noteUnreleased(run, [failure]);
    if (failures[0] !== undefined) throw failures[0].error;
  };
}

interface Unreleased {
  readonly tag: string;
  readonly error: unknown;
}

/**
 * Makes the base of the last success one on the source too, and deletes the bases before it. One failure does not stop the others.
 * @returns what failed; it stays on record
 */
async function releaseOldBases(run: ExecutionContext, signal: AbortSignal): Promise<readonly Unreleased[]> {
  const { snapshots, tasks } = run.store;
  const known = snapshots.list(run.replicaId);
  const base = known.find((stored) => stored.role === 'base');
  if (base?.snapshot === undefined) return [];
  const promoted = base.snapshot;
  const old = known.filter((stored) => stored.role === 'superseded');
  const former = old.at(-1);
  const failures: Unreleased[] = [];
  // The port promises that a repetition does no harm.
  const isReleased = tasks
    .list(base.executionId)
    .some((task) => task.id === 'release-snapshot' && task.state === 'completed');
  if (!isReleased || former !== undefined) {
    failures.push(
      ...(await attempt(
        run,
        base.tag,
        async () => {
          await run.source.promoteToBase(promoted, former?.snapshot, signal);
          if (former !== undefined) snapshots.setDropped(former.tag);
        },
        signal,
      )),
    );
  }
  for (const stored of old.slice(0, -1)) {
    failures.push(
      ...(await attempt(
        run,
        stored.tag,
        async () => {
          if (stored.snapshot !== undefined) await run.source.deleteBase(stored.snapshot, signal);
          snapshots.setDropped(stored.tag);
        },
        signal,
      )),
    );
  }
  return failures;
}

/** @returns the failure, if it is one; a cancellation is thrown */
async function attempt(
  run: ExecutionContext,
  tag: string,
  work: () => Promise<void>,
  signal: AbortSignal,
): Promise<readonly Unreleased[]> {
  try {
    // Whoever continues has to know which snapshot is the base before the former one goes.
    await run.store.ledger.settled(run.replicaId, signal);
    await work();
    return [];
  } catch (error) {
    if (signal.aborted) throw error;
    return [{ tag, error }];
  }
}

function noteUnreleased(run: ExecutionContext, failures: readonly Unreleased[]): void {
  for (const { tag, error } of failures) {
    const { code, message } = toErrorRecord(error);
    run.event('note', `the source could not release snapshot ${tag}; retrying later: ${message}`, { tag, code });
  }
}

async function take(
  run: ExecutionContext,
  tag: string,
  vmId: string,
  base: Snapshot | undefined,
  signal: AbortSignal,
): Promise<Snapshot> {
  const request = { vmId, tag, environment: run.environments.source, ...(base === undefined ? {} : { base }) };
  await run.store.ledger.settled(run.replicaId, signal);
  const snapshot = await run.source.createSnapshot(request, signal);
  run.store.snapshots.setTaken(tag, snapshot);
  return snapshot;
}

async function discard(
  run: ExecutionContext,
  stored: StoredSnapshot,
  base: Snapshot | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (stored.snapshot === undefined && run.source.discardPending !== undefined) {
    await run.source.discardPending({ vmId: replicaOf(run).vmId, tag: stored.tag }, signal);
    run.store.snapshots.setDropped(stored.tag);
    return;
  }
  // For a mere intent the source may or may not have one; requesting it again reveals its state.
  const snapshot = stored.snapshot ?? (await take(run, stored.tag, replicaOf(run).vmId, base, signal));
  await run.source.discardSnapshot(snapshot, base, signal);
  run.store.snapshots.setDropped(stored.tag);
}

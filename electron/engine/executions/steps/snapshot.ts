import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { TaskHandler } from '../../jobs/runner.ts';
import type { Snapshot } from '../../ports/source-platform.ts';
import type { StoredSnapshot } from '../../store/snapshots.ts';
import { replicaOf, snapshotOf, vmOf, type RunContext } from '../run-context.ts';
import { isSynchronised } from './replicate.ts';

/**
 * Step 2: a snapshot on top of that of the last success. One that this execution took before it was interrupted is used
 * on as long as it can be read; what others left is dropped first, because an execution copies the disks as they are now.
 */
export function takeSnapshot(run: RunContext): TaskHandler {
  return async ({ signal }) => {
    const { snapshots } = run.store;
    const { vmId } = replicaOf(run);
    await endSuperseded(run, signal);
    const base = snapshots.base(run.replicaId);
    let mine = 0;
    for (const stored of snapshots.list(run.replicaId)) {
      if (stored.role !== 'taken' && stored.role !== 'intended') continue;
      if (stored.executionId === run.executionId) {
        mine += 1;
        if (stored.role === 'intended') return { snapshot: await take(run, stored.tag, vmId, base, signal) };
        if (stored.snapshot !== undefined && (await run.source.isAlive(stored.snapshot, signal))) return { snapshot: stored.snapshot };
        run.event('note', 'the snapshot can no longer be read; a new one is taken, and only what differs is sent');
      }
      await abandon(run, stored, base, signal);
    }
    await run.source.prepare(vmId, run.environments.source, signal);
    const tag = `causeway-${run.executionId}${mine === 0 ? '' : `-${Date.now().toString(36)}`}`;
    snapshots.intend({ tag, replicaId: run.replicaId, executionId: run.executionId });
    return { snapshot: await take(run, tag, vmId, base, signal) };
  };
}

/** The end of every execution: success keeps the snapshot as the new base, anything else drops it. */
export function settleSnapshot(run: RunContext): TaskHandler {
  return async ({ signal }) => {
    await endSuperseded(run, signal);
    const base = run.store.snapshots.base(run.replicaId);
    for (const stored of run.store.snapshots.list(run.replicaId)) {
      if (stored.role === 'taken' || stored.role === 'intended') await abandon(run, stored, base, signal);
    }
  };
}

/** Only after every disk is equal to the snapshot: it becomes the base. */
export function recordSuccess(run: RunContext): TaskHandler {
  return async ({ values }) => {
    const { snapshots, replicas } = run.store;
    const snapshot = snapshotOf(values);
    const vm = vmOf(values);
    const doubtful = vm.disks.filter((disk) => !isSynchronised(run, snapshot, disk)).map((disk) => disk.id);
    if (doubtful.length > 0) {
      throw new CausewayError('replication.verification-failed', `not known to be equal to the snapshot: ${doubtful.join(', ')}`, { retryable: false });
    }
    const present = new Set(vm.disks.map((disk) => disk.id));
    snapshots.advanceBase(run.replicaId, snapshot.tag, () => {
      for (const disk of replicaOf(run).disks) {
        if (present.has(disk.diskId)) replicas.setSynchronised(run.replicaId, disk.diskId, run.executionId, snapshot.takenAt);
      }
      replicas.setLastSuccess(run.replicaId, snapshot.takenAt);
    });
  };
}

/** What an interrupted end of an earlier run, or this one's own success, left to say to the source. */
async function endSuperseded(run: RunContext, signal: AbortSignal): Promise<void> {
  const { snapshots } = run.store;
  const known = snapshots.list(run.replicaId);
  const base = known.find((stored) => stored.role === 'base');
  const superseded = known.filter((stored) => stored.role === 'superseded');
  if (base?.snapshot === undefined) return;
  const former = superseded.at(-1);
  // Repeated when it was interrupted; the port promises that this does no harm.
  if (base.executionId === run.executionId || former !== undefined) {
    await run.source.commitSnapshot(base.snapshot, former?.snapshot, signal);
  }
  for (const stored of superseded) {
    if (stored !== former && stored.snapshot !== undefined) await run.source.dropBase(stored.snapshot, signal);
    snapshots.setDropped(stored.tag);
  }
}

async function take(run: RunContext, tag: string, vmId: string, base: Snapshot | undefined, signal: AbortSignal): Promise<Snapshot> {
  const request = { vmId, tag, environment: run.environments.source, ...(base === undefined ? {} : { base }) };
  const snapshot = await run.source.createSnapshot(request, signal);
  run.store.snapshots.setTaken(tag, snapshot);
  return snapshot;
}

async function abandon(run: RunContext, stored: StoredSnapshot, base: Snapshot | undefined, signal: AbortSignal): Promise<void> {
  if (stored.snapshot === undefined && run.source.abandonIntent !== undefined) {
    await run.source.abandonIntent({ vmId: replicaOf(run).vmId, tag: stored.tag }, signal);
    run.store.snapshots.setDropped(stored.tag);
    return;
  }
  // For a mere intent the source may or may not have one; asking for it again is the way to learn its state.
  const snapshot = stored.snapshot ?? (await take(run, stored.tag, replicaOf(run).vmId, base, signal));
  await run.source.abandonSnapshot(snapshot, base, signal);
  run.store.snapshots.setDropped(stored.tag);
}

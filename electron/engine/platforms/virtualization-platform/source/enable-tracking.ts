import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { isFault } from '../client/fault.ts';
import { data, value } from '../client/request.ts';
import { awaitTask } from '../client/tasks.ts';
import { readVm, replicable, type VmState } from './inventory.ts';
import { snapshotName } from './snapshot-marks.ts';
import { readSnapshotDisks, removeSnapshot, removeTagged, takeSnapshot } from './snapshots.ts';
import type { SourceContext } from './source-context.ts';
import { trackingStarts, type TrackingStarts } from './used-areas.ts';
import type { VirtualDisk } from './vm-devices.ts';

/**
 * Switches changed block tracking on, where that is possible and effective: not on top of a snapshot, as the changes would have gaps that
 * the platform does not report. A running VM needs a short stun, which a snapshot that is created and removed gives it.
 *
 * What keeps tracking off is no failure: the first execution reads everything anyway, and people are told what the next ones cost.
 *
 * @returns where tracking began, of the disks that it has begun for
 */
export async function enableTracking(
  context: SourceContext,
  state: VmState,
  tag: string,
  signal: AbortSignal,
): Promise<TrackingStarts> {
  const { note } = context;
  const without = (why: string): TrackingStarts => {
    note(
      `VM ${state.name}: changed block tracking stays off, because ${why}. Each execution reads and compares the whole disks.`,
    );
    return new Map();
  };
  if (state.isTracked) return new Map();
  if (!state.canTrack) return without('its virtual hardware does not support it');
  if (state.snapshots.length > 0) {
    const names = state.snapshots.map(({ name }) => name).join(', ');
    return without(
      `it has ${state.snapshots.length === 1 ? 'a snapshot' : `${state.snapshots.length} snapshots`} (${names}); remove ${state.snapshots.length === 1 ? 'it' : 'them'} first`,
    );
  }
  try {
    await switchTracking(context, state, true, signal);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return without(`the platform refused it (${error.message})`);
  }
  const disks = state.power === 'running' ? await stun(context, state, tag, signal) : undefined;
  const untracked = (disks ?? []).filter(({ changeId }) => changeId === undefined).map(({ label }) => label);
  note(
    untracked.length === 0
      ? `VM ${state.name}: changed block tracking is on.`
      : `VM ${state.name}: changed block tracking is on, but has no effect on ${untracked.join(', ')}. Each execution reads and compares these disks as a whole.`,
  );
  return trackingStarts(disks ?? replicable(await readVm(context.session, state.vm.id, signal)));
}

/**
 * Starts change tracking anew for a VM whose tracking misses changes. It is off in between, so that the next snapshot has other ids.
 * Not on top of snapshots: see `enableTracking`.
 */
export async function restartTracking(
  context: SourceContext,
  state: VmState,
  tag: string,
  signal: AbortSignal,
): Promise<void> {
  const { note } = context;
  if (!state.isTracked || state.snapshots.length > 0) return;
  note(
    `VM ${state.name}: changed block tracking misses changes, so it is disabled and enabled again. This execution reads and compares the whole disks.`,
  );
  try {
    for (const isOn of [false, true]) {
      await switchTracking(context, state, isOn, signal);
      if (state.power === 'running') await stun(context, state, tag, signal);
    }
  } catch (error) {
    if (!isRefusal(error)) throw error;
    note(`VM ${state.name}: the platform refused to start changed block tracking anew (${error.message}).`);
  }
}

async function switchTracking(
  { session }: SourceContext,
  { vm, name }: VmState,
  isOn: boolean,
  signal: AbortSignal,
): Promise<void> {
  const task = await session.callForObject(
    'ReconfigVM_Task',
    vm,
    [data('spec', [value('changeTrackingEnabled', isOn)])],
    signal,
    { repeatable: true },
  );
  await awaitTask(session, task, `${isOn ? 'enable' : 'disable'} changed block tracking on VM ${name}`, signal);
}

const isRefusal = (error: unknown): error is CausewayError =>
  error instanceof CausewayError &&
  (error.code === 'source.permission-denied' ||
    isFault(error, 'NotSupported', 'InvalidState', 'GenericVmConfigFault', 'InvalidVmConfig'));

/** So long the removal of a stun may take after everything else was called off. */
const removalGraceMs = 60_000;

/** Takes a snapshot and removes it; the disks that were in it. Whatever happens, it does not stay. */
async function stun(
  context: SourceContext,
  state: VmState,
  tag: string,
  signal: AbortSignal,
): Promise<readonly VirtualDisk[]> {
  const vmId = state.vm.id;
  try {
    const taken = await takeSnapshot(context, { ...state, hasRunningTools: false }, tag, signal);
    const disks = await readSnapshotDisks(context, taken.id, signal);
    await removeSnapshot(context, vmId, taken, signal);
    return disks;
  } catch (error) {
    // No record names it, so that nobody else would know of it. The signal of the execution may be what ended the work above.
    await removeTagged(context, vmId, tag, AbortSignal.timeout(removalGraceMs)).catch((failure: unknown) => {
      context.note(
        `VM ${state.name}: snapshot ${snapshotName(tag)} could not be removed (${failure instanceof Error ? failure.message : String(failure)}). The next execution removes it.`,
      );
    });
    throw error;
  }
}

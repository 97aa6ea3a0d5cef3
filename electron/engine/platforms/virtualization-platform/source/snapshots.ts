import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { createOnce, usualLooks } from '../../../http/create-once.ts';
import { retryDelayMs } from '../../../http/retry-after.ts';
import { isFault, isGone } from '../client/fault.ts';
import { propertyOf, readObject } from '../client/properties.ts';
import { value, vm as vmObject, type ManagedObject } from '../client/request.ts';
import { awaitTask } from '../client/tasks.ts';
import { textAt, type XmlElement } from '../client/xml.ts';
import type { VmState } from './inventory.ts';
import { isLeftover, isStun, ownSnapshot, snapshotName, snapshotText } from './snapshot-marks.ts';
import type { SourceContext } from './source-context.ts';
import { devicesOf, snapshotsOf, type SnapshotNode, type VirtualDisk } from './vm-devices.ts';

export const snapshotObject = (id: string): ManagedObject => ({ type: 'VirtualMachineSnapshot', id });

/** All snapshots of a VM; none when the VM is gone. */
export async function listSnapshots(
  { session }: SourceContext,
  vmId: string,
  signal: AbortSignal,
): Promise<readonly SnapshotNode[]> {
  try {
    return snapshotsOf(propertyOf(await readObject(session, vmObject(vmId), ['snapshot'], signal), 'snapshot'));
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

/** The tasks of a VM that the server still lists, with what it says of each. */
async function* recentTasks(
  { session }: SourceContext,
  vmId: string,
  signal: AbortSignal,
): AsyncGenerator<{ readonly task: ManagedObject; readonly info: XmlElement | undefined }> {
  const ignoreGone = (error: unknown): undefined => {
    if (isGone(error)) return undefined;
    throw error;
  };
  const recent = await readObject(session, vmObject(vmId), ['recentTask'], signal).catch(ignoreGone);
  for (const element of recent?.properties.get('recentTask')?.children ?? []) {
    const task = { type: 'Task', id: element.text };
    yield { task, info: (await readObject(session, task, ['info'], signal).catch(ignoreGone))?.properties.get('info') };
  }
}

/** Waits for tasks with snapshots of this VM that are still running, e.g. of a process that was killed: until then nobody knows what is there. */
export async function settleTasks(context: SourceContext, vmId: string, signal: AbortSignal): Promise<void> {
  for await (const { task, info } of recentTasks(context, vmId, signal)) {
    const isRunning = ['queued', 'running'].includes(textAt(info, 'state') ?? '');
    if (
      !isRunning ||
      !/snapshot|consolidate/i.test(`${textAt(info, 'descriptionId') ?? ''} ${textAt(info, 'name') ?? ''}`)
    )
      continue;
    // Whether it succeeds is seen by what is there afterwards.
    await awaitTask(context.session, task, `earlier task ${task.id} of VM ${vmId}`, signal).catch((error: unknown) => {
      if (!(error instanceof CausewayError) || error.code === 'general.cancelled' || error.code === 'general.deadline')
        throw error;
    });
  }
}

/** The snapshot with this tag, which an earlier call has made. */
export async function findSnapshot(
  context: SourceContext,
  vmId: string,
  tag: string,
  signal: AbortSignal,
): Promise<SnapshotNode | undefined> {
  const name = snapshotName(tag);
  const found = (await listSnapshots(context, vmId, signal)).find((node) => node.name === name);
  if (found !== undefined) return found;
  await settleTasks(context, vmId, signal);
  return (await listSnapshots(context, vmId, signal)).find((node) => node.name === name);
}

/** A snapshot, with the task that took it as far as that is known. */
export interface TakenSnapshot extends SnapshotNode {
  readonly task?: string | undefined;
}

/** The task that took a snapshot, of those that the server still lists; for a snapshot whose creation was not seen to end. */
export async function creationTask(
  context: SourceContext,
  vmId: string,
  snapshotId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  for await (const { task, info } of recentTasks(context, vmId, signal))
    if (textAt(info, 'result') === snapshotId) return task.id;
  return undefined;
}

/**
 * Takes a snapshot without memory. With VMware Tools running, the guest's file systems are quiesced; when that fails, the snapshot is
 * taken without, and people are told.
 */
export async function takeSnapshot(
  context: SourceContext,
  state: VmState,
  tag: string,
  signal: AbortSignal,
): Promise<TakenSnapshot> {
  const { session, backOff, clock, random, note } = context;
  const vmId = state.vm.id;
  const take = async (quiesce: boolean, within: AbortSignal): Promise<TakenSnapshot> => {
    const task = await session.callForObject(
      'CreateSnapshot_Task',
      state.vm,
      [
        value('name', snapshotName(tag)),
        value('description', snapshotText(context.use, context.owner)),
        value('memory', false),
        value('quiesce', quiesce),
      ],
      within,
    );
    await awaitTask(session, task, `create snapshot ${snapshotName(tag)} of VM ${state.name}`, within);
    const made = (await listSnapshots(context, vmId, within)).find((node) => node.name === snapshotName(tag));
    if (made === undefined)
      throw new CausewayError(
        'source.snapshot-failed',
        `snapshot ${snapshotName(tag)} of VM ${state.name} was created, but is not there`,
        { details: { vmId, tag } },
      );
    return { ...made, task: task.id };
  };
  const once = (quiesce: boolean): Promise<TakenSnapshot> =>
    createOnce(
      { create: (within) => take(quiesce, within), find: (within) => findSnapshot(context, vmId, tag, within) },
      { backOff, clock, random, looks: usualLooks },
      signal,
    );
  const canQuiesce = state.power === 'running' && state.hasRunningTools;
  if (state.power === 'running' && !canQuiesce)
    note(`VM ${state.name}: VMware Tools are not running, so the snapshot is crash-consistent.`);
  try {
    return await once(canQuiesce);
  } catch (error) {
    const refusedTo =
      canQuiesce &&
      error instanceof CausewayError &&
      ['source.quiesce-failed', 'source.snapshot-failed', 'source.request-refused', 'general.deadline'].includes(
        error.code,
      );
    if (!refusedTo) throw asSnapshotError(error, state, tag);
    // What failed may have been a call after the snapshot was taken.
    const made = await findSnapshot(context, vmId, tag, signal);
    if (made !== undefined) return made;
    note(
      `VM ${state.name}: the guest's file systems could not be quiesced (${error.message}), so the snapshot is crash-consistent.`,
    );
  }
  return once(false).catch((error: unknown) => {
    throw asSnapshotError(error, state, tag);
  });
}

function asSnapshotError(error: unknown, { name, vm }: VmState, tag: string): unknown {
  if (!(error instanceof CausewayError) || error.code !== 'source.request-refused') return error;
  return new CausewayError('source.snapshot-failed', `VM ${name}: ${error.message}`, {
    cause: error,
    details: { vmId: vm.id, tag },
  });
}

/** How often a removal is asked for while other tasks or a passing failure stand in its way. */
const removalAttempts = 8;

/** A snapshot as a record of it says. The platform gives ids anew, e.g. to a VM that was registered again: an id alone may be another snapshot's. */
export interface RecordedSnapshot {
  readonly id: string;
  /** Undefined where it was not recorded: then the snapshot has the marks of Causeway. */
  readonly name: string | undefined;
}

/** The snapshot of a record; undefined when it is gone, whatever has its id now. */
export async function findRecorded(
  context: SourceContext,
  vmId: string,
  { id, name }: RecordedSnapshot,
  signal: AbortSignal,
): Promise<SnapshotNode | undefined> {
  const node = (await listSnapshots(context, vmId, signal)).find((one) => one.id === id);
  return node !== undefined && (name === undefined ? ownSnapshot(node) !== undefined : node.name === name)
    ? node
    : undefined;
}

/**
 * Removes a snapshot and waits until its files are merged into the chain. Gone already is done. Disks that need consolidation after that are
 * consolidated.
 */
export async function removeSnapshot(
  context: SourceContext,
  vmId: string,
  recorded: RecordedSnapshot,
  signal: AbortSignal,
): Promise<void> {
  const { session, clock, backOff, random } = context;
  const { id: snapshotId } = recorded;
  for (let attempt = 1; ; attempt += 1) {
    if ((await findRecorded(context, vmId, recorded, signal)) === undefined) break;
    try {
      const task = await session.callForObject(
        'RemoveSnapshot_Task',
        snapshotObject(snapshotId),
        [value('removeChildren', false), value('consolidate', true)],
        signal,
      );
      await awaitTask(session, task, `remove snapshot ${snapshotId} of VM ${vmId}`, signal);
      break;
    } catch (error) {
      // Gone may be the snapshot, or only the task, e.g. when the server was restarted: the list of snapshots tells.
      if (
        !(error instanceof CausewayError) ||
        error.code === 'general.cancelled' ||
        error.code === 'source.permission-denied' ||
        attempt >= removalAttempts
      )
        throw error;
      await settleTasks(context, vmId, signal);
      await clock.sleep(retryDelayMs(backOff, attempt, undefined, random), signal);
    }
  }
  await consolidate(context, vmId, signal).catch((error: unknown) => {
    if (!(error instanceof CausewayError) || error.code === 'general.cancelled') throw error;
    // What was read is complete all the same; the next execution tries again, and stops if it must.
    context.note(`VM ${vmId}: ${error.message}`);
  });
}

/** Removes the snapshot with this tag, where there is one. */
export async function removeTagged(
  context: SourceContext,
  vmId: string,
  tag: string,
  signal: AbortSignal,
): Promise<void> {
  const left = await findSnapshot(context, vmId, tag, signal);
  if (left !== undefined) await removeSnapshot(context, vmId, left, signal);
}

/** Removes stuns of this replica that a process has left which was killed; with `ofExecution`, only those of this execution. */
export async function removeStuns(
  context: SourceContext,
  vmId: string,
  ofExecution: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { use } = context;
  if (use === undefined) return;
  for (const node of await listSnapshots(context, vmId, signal))
    if (isStun(node, use, ofExecution)) await removeSnapshot(context, vmId, node, signal);
}

/** Merges what removed snapshots have left. @throws `source.consolidation-needed` */
export async function consolidate(context: SourceContext, vmId: string, signal: AbortSignal): Promise<void> {
  const { session, note } = context;
  const isNeeded = async (): Promise<boolean> => {
    const path = 'runtime.consolidationNeeded';
    const read = await readObject(session, vmObject(vmId), [path], signal).catch((error: unknown) => {
      if (isGone(error)) return undefined;
      throw error;
    });
    return read !== undefined && propertyOf(read, path)?.text === 'true';
  };
  if (!(await isNeeded())) return;
  note(`VM ${vmId}: its disks need consolidation, which is started now.`);
  let failure: unknown;
  try {
    await awaitTask(
      session,
      await session.callForObject('ConsolidateVMDisks_Task', vmObject(vmId), [], signal),
      `consolidate the disks of VM ${vmId}`,
      signal,
    );
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code === 'general.cancelled') throw error;
    failure = error;
  }
  if (await isNeeded()) {
    const said = failure instanceof Error ? `: ${failure.message}` : '';
    throw new CausewayError('source.consolidation-needed', `the disks of VM ${vmId} still need consolidation${said}`, {
      details: { vmId },
      cause: failure,
    });
  }
}

/** Removes snapshots that earlier executions of the same replica have left. Those of other replicas, and of other programs, are not touched. */
export async function removeLeftovers(
  context: SourceContext,
  vmId: string,
  keepTag: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { use, note } = context;
  if (use?.executionId === undefined) return;
  for (const node of await listSnapshots(context, vmId, signal)) {
    if (!isLeftover(node, use, keepTag)) continue;
    note(`VM ${vmId}: snapshot ${node.name} was left by an earlier execution and is removed.`);
    await removeSnapshot(context, vmId, node, signal);
  }
}

/** The snapshot's configuration has the disks as they were frozen. */
export async function readSnapshotDisks(
  { session }: SourceContext,
  snapshotId: string,
  signal: AbortSignal,
): Promise<readonly VirtualDisk[]> {
  const path = 'config.hardware.device';
  try {
    return devicesOf(
      propertyOf(await readObject(session, snapshotObject(snapshotId), [path], signal), path),
    ).disks.filter(({ obstacle }) => obstacle === undefined);
  } catch (error) {
    if (isFault(error, 'ManagedObjectNotFound'))
      throw new CausewayError('source.snapshot-lost', `snapshot ${snapshotId} no longer exists`, {
        details: { snapshotId },
      });
    throw error;
  }
}

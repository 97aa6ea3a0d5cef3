import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import type { Vm } from '../../../../shared/model/vm.ts';
import type { AttachedVolume, DestinationRun, Volume, WorkerAccess } from '../../ports/destination-platform.ts';
import type { WorkerSession } from '../../ports/write-target.ts';
import { systemClock } from '../../time/clock.ts';
import { pollUntil } from '../../time/poll.ts';
import { attachVolumes, startWorkerWith, stopFormerWorker, type WorkerWithVolumes } from '../../workers/attach-volumes.ts';
import { hasDeviceOf } from '../../workers/match-devices.ts';
import { destinationRun, replicaOf, type ExecutionContext } from '../execution-context.ts';
import { releaseAttachments } from '../own-vm-attachments.ts';
import type { OwnVms } from '../own-vms.ts';
import type { ReplicaStep } from '../replica-graph.ts';
import { attachedBy, deviceChange } from './replicate.ts';

/** The worker of the pool that an execution uses, as it was last attached to. */
const pooled = new WeakMap<ExecutionContext, WorkerWithVolumes>();

/** Step 3: a running worker with the volumes attached. Repeated after a crash or loss; the destination adopts what is there. */
export function startWorker(run: ExecutionContext): ReplicaStep<'start-worker'> {
  let former: string | undefined;
  return async ({ values: { vm, volumes }, signal }) => {
    await run.workers.close();
    const worker = await start(run, vm, volumes, signal);
    const known = worker.workerId === former;
    former = worker.workerId;
    // This computer: there is nothing that could be replaced.
    if (worker.ownVm !== undefined) return { worker };
    // A new one has all the time that it takes to start.
    if (!known || (await answers(run, worker, signal))) return { worker };
    // The cloud reports it as running, but it does not answer: it crashed, or its network failed.
    run.event('note', 'the worker stopped responding; starting a new one');
    if (worker.isPooled === true) await run.pool?.discard(run.executionId);
    else await stopFormerWorker(run.destination, destinationRun(run, vm), 'disk-copy', signal);
    const next = await start(run, vm, volumes, signal);
    former = next.workerId;
    return { worker: next };
  };
}

/** This computer, where it is a VM of the destination; one of the pool, where there is one for this execution; else one of its own. */
async function start(run: ExecutionContext, vm: Vm, volumes: readonly Volume[], signal: AbortSignal): Promise<WorkerWithVolumes> {
  const inRun = destinationRun(run, vm);
  const here = await onThisComputer(run, inRun, volumes, signal);
  if (here !== undefined) return here;
  const access = await run.pool?.lease(
    { executionId: run.executionId, endpointId: replicaOf(run).destinationEndpointId, environment: run.environments.destination, vm, note: inRun.note },
    signal,
  );
  if (access === undefined) return startWorkerWith(run.destination, inRun, 'disk-copy', volumes, signal);
  await run.destination.claimVolumes?.(inRun, volumes, signal);
  const worker = await attachVolumes(run.destination, inRun, access, volumes, signal);
  pooled.set(run, worker);
  return worker;
}

/** Takes volumes from where engines have left them attached, and attaches them to the VM that this engine runs on. */
async function onThisComputer(run: ExecutionContext, inRun: DestinationRun, volumes: readonly Volume[], signal: AbortSignal): Promise<WorkerWithVolumes | undefined> {
  const { executionId, ownVms } = run;
  const endpointId = replicaOf(run).destinationEndpointId;
  const found = ownVms?.lease({ executionId, endpointId, volumes: volumes.length });
  const access = run.destination.ownVm;
  const release = (kept?: { readonly executionId: string; readonly vmId: string }) => releaseAttachments({ ...run, note: inRun.note }, kept, signal);
  const elsewhere = async (why: string, details: JsonObject = {}): Promise<undefined> => {
    inRun.note(why, details);
    ownVms?.giveBack(executionId, 'destination');
    await release();
  };
  if (found === 'full') return elsewhere('This computer has as many volumes attached as it may have: starting a worker');
  if (ownVms === undefined || found === undefined) return void (await release());
  if (access === undefined) throw new CausewayError('engine.own-vm-unsupported', `endpoint ${endpointId}`);
  const whyNone = await access.whyNone?.(inRun, signal);
  if (whyNone !== undefined) return elsewhere(`No volume is attached to this computer: ${whyNone}`);
  const { vmId } = found;
  const before = access.bySerial ? [] : await devicesHere(ownVms, run, vmId, signal);
  const { kept, released } = await release(access.bySerial ? { executionId, vmId } : undefined);
  const { destination } = run;
  const { name, room } = await access.check(inRun.environment, vmId, signal);
  const missing = volumes.filter(({ id }) => !kept.includes(id)).length;
  if (room !== undefined && room < missing) return elsewhere(`VM ${name}, on which Causeway runs, takes ${room} more volumes and ${missing} are needed: starting a worker`, { ownVmId: vmId, room, missing });
  // Workers of former pools may hold the volumes.
  await run.pool?.removeLeft(endpointId, signal);
  await destination.claimVolumes?.(inRun, volumes, signal);
  // What an interrupted execution has started in its place would keep the volumes.
  await destination.stopWorker(inRun, 'disk-copy', signal);
  const gone = released.filter((details) => details['vmId'] === vmId).length;
  // A serial is proof enough, and a path may be that of a device which another execution has just given up.
  let notAmong: readonly string[] | undefined;
  if (!access.bySerial) notAmong = gone === 0 ? await devicesHere(ownVms, run, vmId, signal) : await devicesLeft(ownVms, run, vmId, before.length - gone, signal);
  const attached: AttachedVolume[] = [];
  for (const volume of volumes) {
    const identity = await access.attachVolume(inRun, vmId, volume, signal);
    attached.push({ volume, identity, ...(notAmong === undefined || kept.includes(volume.id) ? {} : { notAmong }) });
  }
  inRun.note(`The volumes are attached to VM ${name}, on which Causeway runs. No worker is started: data goes from the source to this computer and straight to its disks`, { ownVmId: vmId, ownVmName: name });
  const open = (within: AbortSignal): Promise<WorkerSession> => ownVms.connect(useOf(run, vmId), within);
  return { workerId: vmId, ownVm: name, host: '', sshPort: 0, httpsPort: 0, username: '', privateKeyPem: '', open, attached };
}

/** What this computer has before a volume is attached to it. */
async function devicesHere({ connect }: OwnVms, run: ExecutionContext, vmId: string, signal: AbortSignal): Promise<readonly string[]> {
  const session = await connect(useOf(run, vmId), signal);
  try {
    return (await session.devices(signal)).map(({ path }) => path);
  } finally {
    await session.close();
  }
}

const useOf = ({ replicaId, store }: ExecutionContext, vmId: string) => ({ purpose: `${vmId} ${replicaId}`, epoch: store.ledger.epoch(replicaId) });

/** The same, some moments after volumes were detached: their devices would be taken for ones that were there before. */
async function devicesLeft(ownVms: OwnVms, run: ExecutionContext, vmId: string, expected: number, signal: AbortSignal): Promise<readonly string[]> {
  let last: readonly string[] = [];
  const patience = { ...deviceChange, deadlineMs: Math.min(deviceChange.deadlineMs, run.workerPatienceMs) };
  const late = new CausewayError('engine.volume-not-matched', 'devices of volumes that were detached are still there');
  try {
    return await pollUntil(async (within) => {
      last = await devicesHere(ownVms, run, vmId, within);
      return last.length <= expected ? { done: true, value: last } : { done: false, state: 'there' };
    }, patience, systemClock, signal, () => late);
  } catch (error) {
    // What took its place may be of others. A device that is taken for a former one ends the execution, and nothing is written.
    if (error !== late) throw error;
    return last;
  }
}

/** Whether a worker that was lost can be reached again soon. The session is kept for what comes next. */
async function answers(run: ExecutionContext, worker: WorkerAccess, signal: AbortSignal): Promise<boolean> {
  try {
    await run.workers.get(worker, AbortSignal.any([signal, AbortSignal.timeout(run.workerPatienceMs)]));
    return true;
  } catch (error) {
    signal.throwIfAborted();
    run.event('note', `reconnecting to the worker failed: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

/** Step 5: detaches the volumes and deletes the worker with all that was made for it; one of the pool is given back, and this computer stays as it is. */
export function stopWorker(run: ExecutionContext): ReplicaStep<'stop-worker'> {
  return async ({ values: { vm }, signal }) => {
    try {
      await giveBack(run, vm, signal);
    } finally {
      await run.workers.close();
      await run.pool?.discard(run.executionId);
    }
    await releaseAttachments({ ...run, note: (message, details) => run.event('note', message, details) }, undefined, signal);
    run.ownVms?.giveBack(run.executionId, 'destination');
    await run.destination.stopWorker(destinationRun(run, vm), 'disk-copy', signal);
  };
}

/** The next execution must find nothing of this one: neither volumes nor their devices. What can't be freed is deleted with the worker. */
async function giveBack(run: ExecutionContext, vm: Vm, signal: AbortSignal): Promise<void> {
  const worker = pooled.get(run);
  if (worker === undefined || run.pool === undefined) return;
  pooled.delete(run);
  const attached = attachedBy(worker);
  try {
    for (const { volume } of attached) await run.destination.detachVolume(destinationRun(run, vm), worker.workerId, volume, signal);
    const session = await run.workers.get(worker, AbortSignal.any([signal, AbortSignal.timeout(run.workerPatienceMs)]));
    await pollUntil(async (within) => (hasDeviceOf(attached, await session.devices(within)) ? { done: false, state: 'there' } : { done: true, value: undefined }),
      deviceChange, systemClock, signal, () => new CausewayError('engine.volume-not-matched', 'devices of volumes that were detached are still there'));
    // Its agent ends with the session.
    await run.workers.close();
    run.pool.giveBack(run.executionId);
  } catch (error) {
    signal.throwIfAborted();
    run.event('note', `the worker is not given back to the pool: ${error instanceof Error ? error.message : String(error)}`);
  }
}

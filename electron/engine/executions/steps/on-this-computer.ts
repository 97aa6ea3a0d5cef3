import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import type { AttachedVolume, DestinationRun, Volume } from '../../ports/destination-platform.ts';
import type { OwnVmAccess } from '../../ports/own-vm.ts';
import type { WorkerDevice, WorkerSession } from '../../ports/write-target.ts';
import type { OwnVm } from '../../store/own-vms.ts';
import { systemClock } from '../../time/clock.ts';
import { pollUntil } from '../../time/poll.ts';
import type { WorkerWithVolumes } from '../../workers/attach-volumes.ts';
import { awaitNewDevices, tryOut, type DeviceWait } from '../../workers/new-devices.ts';
import { isNamedHere } from '../../workers/search-own-vm.ts';
import { replicaOf, type ExecutionContext } from '../execution-context.ts';
import { releaseAttachments } from '../own-vm-attachments.ts';
import type { OwnVms } from '../own-vms.ts';
import { deviceChange } from './replicate.ts';

/** What the parts of the step share. */
interface Here {
  readonly run: ExecutionContext;
  readonly inRun: DestinationRun;
  readonly ownVms: OwnVms;
  readonly access: OwnVmAccess;
  readonly vm: OwnVm;
  readonly volumes: readonly Volume[];
  release(kept?: { readonly executionId: string; readonly vmId: string }): ReturnType<typeof releaseAttachments>;
  /** Starts a worker in its place. */
  elsewhere(why: string, details?: JsonObject): Promise<undefined>;
}

/** Takes volumes from where engines have left them attached, and attaches them to the VM that this engine runs on; undefined: a worker is to be started. */
export async function onThisComputer(
  run: ExecutionContext,
  inRun: DestinationRun,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<WorkerWithVolumes | undefined> {
  const { executionId, ownVms } = run;
  const endpointId = replicaOf(run).destinationEndpointId;
  const vm = ownVms?.lease({ executionId, endpointId, volumes: volumes.length });
  const access = run.destination.ownVm;
  const release: Here['release'] = (kept) => releaseAttachments({ ...run, note: inRun.note }, kept, signal);
  const elsewhere: Here['elsewhere'] = async (why, details = {}) => {
    inRun.note(why, details);
    ownVms?.giveBack(executionId, 'destination');
    await release();
  };
  if (vm === 'full') return elsewhere('This computer has as many volumes attached as it may have: starting a worker');
  if (ownVms === undefined || vm === undefined) return void (await release());
  if (access === undefined) throw new CausewayError('engine.own-vm-unsupported', `endpoint ${endpointId}`);
  const whyNone = await access.whyNone?.(inRun, signal);
  if (whyNone !== undefined) return elsewhere(`No volume is attached to this computer: ${whyNone}`);
  const here: Here = { run, inRun, ownVms, access, vm, volumes, release, elsewhere };
  const waits = (): void =>
    inRun.note('Another execution attaches volumes to this computer: waiting until it has their devices');
  const attached = access.bySerial
    ? await attachBySerial(here, signal)
    : await ownVms.inTurn(waits, signal, (within) => attachInTurn(here, within));
  if (attached === undefined) return undefined;
  const { vmId, vmName } = vm;
  inRun.note(
    `The volumes are attached to VM ${vmName}, on which Causeway runs. No worker is started: data goes from the source to this computer and straight to its disks`,
    { ownVmId: vmId, ownVmName: vmName },
  );
  const open = (within: AbortSignal): Promise<WorkerSession> => ownVms.connect(useOf(run, vmId), within);
  return {
    workerId: vmId,
    ownVm: vmName,
    host: '',
    sshPort: 0,
    httpsPort: 0,
    username: '',
    privateKeyPem: '',
    open,
    attached,
  };
}

/** Each device has the serial of its volume, which is proof enough. */
async function attachBySerial(here: Here, signal: AbortSignal): Promise<readonly AttachedVolume[] | undefined> {
  const {
    run: { executionId },
    inRun,
    access,
    vm: { vmId },
    volumes,
  } = here;
  const { kept } = await here.release({ executionId, vmId });
  if (!(await hasRoom(here, kept, signal))) return undefined;
  const attached: AttachedVolume[] = [];
  for (const volume of volumes)
    attached.push({ volume, identity: await access.attachVolume(inRun, vmId, volume, signal) });
  return attached;
}

/**
 * A device has a name by its place at the VM, and a disk of the user's may have the same one at another VM. So a volume's device is one that appears while it is
 * attached, as one of exactly as many as volumes; and that this computer is the VM is said by the computer, or has been seen.
 */
async function attachInTurn(here: Here, signal: AbortSignal): Promise<readonly AttachedVolume[] | undefined> {
  const { run, inRun, ownVms, access, vm, volumes } = here;
  const { vmId, vmName } = vm;
  const isKnown = ownVms.isProven(vm) || (await isNamedHere(access, ownVms.thisComputer, vmId, signal));
  const session = await ownVms.connect(useOf(run, vmId), signal);
  try {
    const look = (within: AbortSignal): Promise<readonly WorkerDevice[]> => session.devices(within);
    const wait: DeviceWait = {
      look,
      plan: { ...deviceChange, deadlineMs: Math.min(deviceChange.deadlineMs, run.workerPatienceMs) },
      clock: systemClock,
    };
    const there = (await look(signal)).length;
    const { released } = await here.release();
    if (!(await hasRoom(here, [], signal))) return undefined;
    const gone = released.filter((details) => details['vmId'] === vmId).length;
    if (gone > 0) await awaitFewer(wait, there - gone, signal);
    const [first] = volumes;
    if (!isKnown && first !== undefined) {
      inRun.note(
        `Nothing on this computer names VM ${vmName}: a volume is attached and detached once, to see its device appear and disappear here`,
        { ownVmId: vmId },
      );
      const other = await tryOut(
        async () => ({ volume: first, identity: await access.attachVolume(inRun, vmId, first, signal) }),
        () => here.release(),
        wait,
        signal,
      );
      if (other !== undefined)
        throw new CausewayError(
          'engine.own-vm-mismatch',
          `${other.path} appeared when volume ${first.id} was attached to VM ${vmName} (${vmId}), and stayed when it was detached: it is another disk`,
          { details: { vmId, device: other.path } },
        );
    }
    const before = await look(signal);
    const attached: AttachedVolume[] = [];
    for (const volume of volumes)
      attached.push({ volume, identity: await access.attachVolume(inRun, vmId, volume, signal) });
    const paired = await awaitNewDevices(attached, before, wait, signal);
    if (!isKnown) ownVms.prove(vm);
    return paired;
  } finally {
    await session.close();
  }
}

/** Whether the VM takes the volumes. What else may have them, gives them up. @throws `engine.own-vm-unusable` */
async function hasRoom(
  { run, inRun, access, vm: { vmId }, volumes, elsewhere }: Here,
  kept: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const { destination } = run;
  const { name, room } = await access.check(inRun.environment, vmId, signal);
  const missing = volumes.filter(({ id }) => !kept.includes(id)).length;
  if (room !== undefined && room < missing) {
    await elsewhere(
      `VM ${name}, on which Causeway runs, takes ${room} more volumes and ${missing} are needed: starting a worker`,
      { ownVmId: vmId, room, missing },
    );
    return false;
  }
  // Workers of former pools may hold the volumes.
  await run.pool?.removeLeft(replicaOf(run).destinationEndpointId, signal);
  await destination.claimVolumes?.(inRun, volumes, signal);
  // What an interrupted execution has started in its place would keep the volumes.
  await destination.stopWorker(inRun, 'disk-copy', signal);
  return true;
}

const useOf = ({ replicaId, store }: ExecutionContext, vmId: string) => ({
  purpose: `${vmId} ${replicaId}`,
  epoch: store.ledger.epoch(replicaId),
});

/** Waits, some moments, until devices of volumes that were detached are gone: a kernel that does not count them has the next ones under the same names. */
async function awaitFewer({ look, plan, clock }: DeviceWait, expected: number, signal: AbortSignal): Promise<void> {
  const late = new Error('they are still there');
  try {
    await pollUntil(
      async (within) =>
        (await look(within)).length <= expected ? { done: true, value: undefined } : { done: false, state: 'there' },
      plan,
      clock,
      signal,
      () => late,
    );
  } catch (error) {
    // Others may have taken their place. A device that is taken for a former one ends the attempt, and nothing is written.
    if (error !== late) throw error;
  }
}

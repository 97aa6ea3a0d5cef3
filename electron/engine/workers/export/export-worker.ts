import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { CloudApi } from '../../cloud-resources/cloud-api.ts';
import { deleteAll } from '../../cloud-resources/resource-deletion.ts';
import type {
  AttachedVolume,
  DestinationRun,
  DeviceIdentity,
  Volume,
  WorkerAccess,
} from '../../ports/destination-platform.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import { isCopyAttachment, type OwnVmAccess, type OwnVmOfSource } from '../../ports/own-vm.ts';
import type { WorkerDevice, WorkerSession, WorkerVolume } from '../../ports/write-target.ts';
import { connectWatched } from '../../transport/connect-watched.ts';
import { connectWorker } from '../../transport/connect-worker.ts';
import { matchDevices } from '../match-devices.ts';
import { whyDown } from '../server-state.ts';
import { stopWorker } from '../stop-worker.ts';
import type { Clock } from '../../time/clock.ts';
import type { WorkerKeyRing } from '../worker-entries.ts';

/** The role of the worker that copies of disks are attached to, and part of the keys of its entries in the ledger. */
export const exportRole = 'disk-copy';

/** A device may appear a moment after its attachment: so often it is looked for, after such pauses. */
const mostLooks = 10;
const lookMs = 2_000;

/** What a source cloud does for its export worker. */
export interface ExportWorkerCloud {
  readonly cloud: Pick<CloudApi, 'deleterFor' | 'servers' | 'clock'>;
  /** A running worker: the one that there is, or a new one. */
  start(keyRing: WorkerKeyRing, run: DestinationRun, signal: AbortSignal): Promise<WorkerAccess>;
  /** Attaches a volume, and says what the worker knows its device by. */
  attach(run: DestinationRun, workerId: string, volume: Volume, signal: AbortSignal): Promise<DeviceIdentity>;
  /** How copies are attached to VMs that engines run on; left out where that is not possible. */
  readonly ownVm?: OwnVmAccess;
}

/**
 * The temporary server that copies of disks are attached to, and the session with its agent. One for all disks of a run;
 * volumes are attached one after the other, as the disks are opened. Where the engine itself runs on a VM of the source, and that has room, it is
 * in the place of such a server.
 */
export class ExportWorker {
  readonly #source: ExportWorkerCloud;
  readonly #here: OwnVmOfSource | undefined;
  readonly #keyRing: WorkerKeyRing = new Map();
  #place: { readonly here: OwnVmOfSource | undefined } | undefined;
  #connection: { readonly workerId: string; readonly agent: WorkerSession } | undefined;
  /** What the worker has; kept when the connection is lost. */
  #attached: { readonly workerId: string; readonly volumes: Map<string, AttachedVolume> } | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  /** @param here the source's VM that this engine runs on */
  constructor(source: ExportWorkerCloud, here?: OwnVmOfSource) {
    this.#source = source;
    this.#here = source.ownVm === undefined ? undefined : here;
  }

  /** Before anything is made: whether the VM that this engine runs on can be used, where there is one. @throws `engine.own-vm-unusable` */
  async check(environment: DestinationRun['environment'], signal: AbortSignal): Promise<void> {
    if (this.#here !== undefined) await this.#source.ownVm?.check(environment, this.#here.vmId, signal);
  }

  /**
   * Where the copies of this run are attached: to the VM that this engine runs on, or else (undefined) to a worker. It stays as it was answered first.
   * What engines have left attached elsewhere is taken from there.
   */
  place(run: DestinationRun, copies: number, signal: AbortSignal): Promise<OwnVmOfSource | undefined> {
    return this.#inTurn(async () => {
      if (this.#place !== undefined) return this.#place.here;
      const leased = this.#here?.lease(copies) === true ? this.#here : undefined;
      const isKept = ({ state, details }: LedgerEntry): boolean =>
        state !== 'removing' && details['vmId'] === leased?.vmId;
      await this.#release(run, (entry) => !isKept(entry), signal);
      const here = leased === undefined ? undefined : await this.#withRoom(run, leased, copies, signal);
      if (this.#here !== undefined && leased === undefined)
        run.note('This computer has as many volumes attached as it may have: starting an export worker');
      this.#place = { here };
      return here;
    });
  }

  /** The VM, where it takes all copies, besides those that it has from an earlier attempt. */
  async #withRoom(
    run: DestinationRun,
    here: OwnVmOfSource,
    copies: number,
    signal: AbortSignal,
  ): Promise<OwnVmOfSource | undefined> {
    const { ownVm } = this.#source;
    if (ownVm === undefined) return undefined;
    const { name, room } = await ownVm.check(run.environment, here.vmId, signal);
    const missing = copies - this.#attachments(run).filter(({ state }) => state === 'existing').length;
    if (room !== undefined && room < missing) {
      run.note(
        `VM ${name}, on which Causeway runs, takes ${room} more volumes and ${missing} are needed: starting an export worker`,
        { sourceVmId: here.vmId, room, missing },
      );
      here.giveBack();
      await this.#release(run, () => true, signal);
      return undefined;
    }
    run.note(
      `The copies of the disks are attached to VM ${name} of the source, on which Causeway runs, and read there. No export worker is started`,
      { sourceVmId: here.vmId, sourceVmName: name },
    );
    return here;
  }

  #attachments(run: Pick<DestinationRun, 'ledger'>): readonly LedgerEntry[] {
    return run.ledger.list().filter((entry) => isCopyAttachment(entry) && entry.state !== 'removed');
  }

  /** Attaches a volume to the worker, which is started when there is none, and opens it through the agent. */
  open(run: DestinationRun, volume: Volume, signal: AbortSignal): Promise<WorkerVolume> {
    return this.#inTurn(async () => {
      const { workerId, identity, connect } = await this.#attach(run, volume, signal);
      if (
        this.#connection !== undefined &&
        (this.#connection.workerId !== workerId || this.#connection.agent.lost.aborted)
      )
        await this.#disconnect();
      if (this.#attached?.workerId !== workerId) this.#attached = { workerId, volumes: new Map() };
      const { volumes } = this.#attached;
      volumes.set(volume.id, { volume, identity });
      this.#connection ??= { workerId, agent: await connect() };
      const { agent } = this.#connection;
      // Where only the order of attachment tells devices apart, it takes all volumes to tell one.
      const device = await awaitDevice(
        agent,
        volume,
        identity.kind === 'order' ? [...volumes.values()] : [{ volume, identity }],
        this.#source.cloud.clock,
        signal,
      );
      return withDigests(await agent.open(device, signal));
    });
  }

  /** Removes the worker and all that was made for it, and detaches copies from VMs that engines run on; nothing to do when there is none. @throws `cloud.clean-up-incomplete` */
  stop(run: Pick<DestinationRun, 'ledger'>, signal: AbortSignal): Promise<void> {
    return this.#inTurn(async () => {
      await this.#disconnect();
      this.#place = undefined;
      try {
        await this.#release(run, () => true, signal);
      } finally {
        await stopWorker(this.#source.cloud, this.#keyRing, run, exportRole, signal);
      }
    });
  }

  /** Closes the connection; the worker stays recorded in the ledger. */
  close(): Promise<void> {
    return this.#inTurn(() => this.#disconnect());
  }

  /** Detaches copies from VMs that engines run on, whoever attached them. @throws `cloud.clean-up-incomplete` */
  async #release(
    run: Pick<DestinationRun, 'ledger'> & Partial<Pick<DestinationRun, 'note'>>,
    isOver: (entry: LedgerEntry) => boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const left = this.#attachments(run).filter(isOver);
    for (const { details } of left)
      run.note?.(
        `Detaching volume ${String(details['volumeId'])} from VM ${String(details['vmId'])}, on which Causeway runs`,
        details,
      );
    await deleteAll(this.#source.cloud, run.ledger, left, () => false, signal);
  }

  /** Attaches a volume to where the run's copies are, and says how the agent there is reached. */
  async #attach(
    run: DestinationRun,
    volume: Volume,
    signal: AbortSignal,
  ): Promise<{
    readonly workerId: string;
    readonly identity: DeviceIdentity;
    readonly connect: () => Promise<WorkerSession>;
  }> {
    const here = this.#place?.here;
    if (here !== undefined && this.#source.ownVm !== undefined) {
      return {
        workerId: here.vmId,
        identity: await this.#source.ownVm.attachVolume(run, here.vmId, volume, signal),
        connect: () => here.connect(signal),
      };
    }
    const access = await this.#source.start(this.#keyRing, run, signal);
    return {
      workerId: access.workerId,
      identity: await this.#source.attach(run, access.workerId, volume, signal),
      connect: () => this.#connect(run, access, signal),
    };
  }

  #connect({ note }: DestinationRun, access: WorkerAccess, signal: AbortSignal): Promise<WorkerSession> {
    const whyNotThere = (within: AbortSignal) => whyDown(this.#source.cloud, access.workerId, within);
    return connectWatched(
      (within) => connectWorker(access, 'SSH', { note }, within),
      { host: access.host, note, whyDown: whyNotThere },
      signal,
    );
  }

  async #disconnect(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.agent.close();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

function withDigests(volume: Awaited<ReturnType<WorkerSession['open']>>): WorkerVolume {
  if (volume.digests === undefined)
    throw new CausewayError('general.bug', 'the agent beside a copy of a disk does not hash it');
  return volume as WorkerVolume;
}

/** The device of one of the attached volumes, once it is there and none else can be meant. @throws `engine.volume-not-matched` */
export async function awaitDevice(
  agent: Pick<WorkerSession, 'devices'>,
  volume: Volume,
  attached: readonly AttachedVolume[],
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
): Promise<WorkerDevice> {
  for (let look = 1; ; look += 1) {
    try {
      const device = (await matchDevices(attached, await agent.devices(signal))).get(volume.id);
      if (device !== undefined) return device;
      throw new Error(`volume ${volume.id} was not matched`);
    } catch (error) {
      if (look >= mostLooks || !(error instanceof CausewayError) || error.code !== 'engine.volume-not-matched')
        throw error;
    }
    await clock.sleep(lookMs, signal);
  }
}

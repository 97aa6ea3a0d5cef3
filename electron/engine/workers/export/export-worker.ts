import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { CloudApi } from '../../cloud-resources/cloud-api.ts';
import type { AttachedVolume, DestinationRun, DeviceIdentity, Volume, WorkerAccess } from '../../ports/destination-platform.ts';
import type { WorkerDevice, WorkerSession, WorkerVolume } from '../../ports/write-target.ts';
import type { AgentSession } from '../../transport/agent-session.ts';
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
}

/**
 * The temporary server that copies of disks are attached to, and the session with its agent. One for all disks of a run;
 * volumes are attached one after the other, as the disks are opened.
 */
export class ExportWorker {
  readonly #source: ExportWorkerCloud;
  readonly #keyRing: WorkerKeyRing = new Map();
  #connection: { readonly workerId: string; readonly agent: AgentSession } | undefined;
  /** What the worker has; kept when the connection is lost. */
  #attached: { readonly workerId: string; readonly volumes: Map<string, AttachedVolume> } | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(source: ExportWorkerCloud) {
    this.#source = source;
  }

  /** Attaches a volume to the worker, which is started when there is none, and opens it through the agent. */
  open(run: DestinationRun, volume: Volume, signal: AbortSignal): Promise<WorkerVolume> {
    return this.#inTurn(async () => {
      const access = await this.#source.start(this.#keyRing, run, signal);
      const identity = await this.#source.attach(run, access.workerId, volume, signal);
      if (this.#connection !== undefined && (this.#connection.workerId !== access.workerId || this.#connection.agent.lost.aborted)) await this.#disconnect();
      if (this.#attached?.workerId !== access.workerId) this.#attached = { workerId: access.workerId, volumes: new Map() };
      const { volumes } = this.#attached;
      volumes.set(volume.id, { volume, identity });
      this.#connection ??= { workerId: access.workerId, agent: await this.#connect(run, access, signal) };
      const { agent } = this.#connection;
      // Where only the order of attachment tells devices apart, it takes all volumes to tell one.
      const device = await awaitDevice(agent, volume, identity.kind === 'order' ? [...volumes.values()] : [{ volume, identity }], this.#source.cloud.clock, signal);
      return agent.open(device, signal);
    });
  }

  /** Removes the worker and all that was made for it; nothing to do when there is none. @throws `cloud.clean-up-incomplete` */
  stop(run: Pick<DestinationRun, 'ledger'>, signal: AbortSignal): Promise<void> {
    return this.#inTurn(async () => {
      await this.#disconnect();
      await stopWorker(this.#source.cloud, this.#keyRing, run, exportRole, signal);
    });
  }

  /** Closes the connection; the worker stays recorded in the ledger. */
  close(): Promise<void> {
    return this.#inTurn(() => this.#disconnect());
  }

  #connect({ note }: DestinationRun, access: WorkerAccess, signal: AbortSignal): Promise<AgentSession> {
    const whyNotThere = (within: AbortSignal) => whyDown(this.#source.cloud, access.workerId, within);
    return connectWatched((within) => connectWorker(access, 'SSH', { note }, within), { host: access.host, note, whyDown: whyNotThere }, signal);
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

/** The device of one of the attached volumes, once it is there and none else can be meant. @throws `engine.volume-not-matched` */
export async function awaitDevice(
  agent: Pick<WorkerSession, 'devices'>, volume: Volume, attached: readonly AttachedVolume[], clock: Pick<Clock, 'sleep'>, signal: AbortSignal,
): Promise<WorkerDevice> {
  for (let look = 1; ; look += 1) {
    try {
      const device = (await matchDevices(attached, await agent.devices(signal))).get(volume.id);
      if (device !== undefined) return device;
      throw new Error(`volume ${volume.id} was not matched`);
    } catch (error) {
      if (look >= mostLooks || !(error instanceof CausewayError) || error.code !== 'engine.volume-not-matched') throw error;
    }
    await clock.sleep(lookMs, signal);
  }
}

import { attachToWorker } from '../../../../../cloud-resources/volume-attachments.ts';
import { whyDown } from '../../../../../workers/server-state.ts';
import { stopWorker } from '../../../../../workers/stop-worker.ts';
import type { WorkerKeyRing } from '../../../../../workers/worker-entries.ts';
import type { DestinationRun, Volume, WorkerAccess } from '../../../../../ports/destination-platform.ts';
import type { WorkerSession, WorkerVolume } from '../../../../../ports/write-target.ts';
import { connectWatched } from '../../../../../transport/connect-watched.ts';
import { connectWorker } from '../../../../../transport/connect-worker.ts';
import { matchDevices } from '../../../../../workers/match-devices.ts';
import { cloudApi } from '../../../destination/cloud-api.ts';
import { startWorker } from '../../../destination/start-worker.ts';
import { inExportWords } from './worker-environment.ts';
import type { AgentSession } from '../../../../../transport/agent-session.ts';
import type { OpenStackSession } from '../../../destination/context.ts';

const role = 'disk-copy';

/**
 * The temporary server that copies of disks are attached to, and the session with its agent. One for all disks of a run;
 * volumes are attached one after the other, as the disks are opened.
 */
export class ExportWorker {
  readonly #session: OpenStackSession;
  readonly #keyRing: WorkerKeyRing = new Map();
  #connection: { readonly workerId: string; readonly agent: AgentSession } | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(session: OpenStackSession) {
    this.#session = session;
  }

  /** Attaches a volume to the worker, which is started when there is none, and opens it through the agent. */
  open(run: DestinationRun, volume: Volume, signal: AbortSignal): Promise<WorkerVolume> {
    return this.#inTurn(async () => {
      const access = await startWorker(this.#session, this.#keyRing, run, role, signal).catch((error: unknown) => {
        throw inExportWords(error);
      });
      const identity = await attachToWorker(cloudApi(this.#session), run, access.workerId, volume, signal);
      if (this.#connection !== undefined && (this.#connection.workerId !== access.workerId || this.#connection.agent.lost.aborted)) await this.#disconnect();
      this.#connection ??= { workerId: access.workerId, agent: await this.#connect(run, access, signal) };
      const { agent } = this.#connection;
      const device = (await matchDevices([{ volume, identity }], await devicesOf(agent, signal))).get(volume.id);
      if (device === undefined) throw new Error(`volume ${volume.id} was not matched`);
      return agent.open(device, signal);
    });
  }

  /** Removes the worker and all that was made for it; nothing to do when there is none. @throws `cloud.clean-up-incomplete` */
  stop(run: Pick<DestinationRun, 'ledger'>, signal: AbortSignal): Promise<void> {
    return this.#inTurn(async () => {
      await this.#disconnect();
      await stopWorker(cloudApi(this.#session), this.#keyRing, run, role, signal);
    });
  }

  /** Closes the connection; the worker stays recorded in the ledger. */
  close(): Promise<void> {
    return this.#inTurn(() => this.#disconnect());
  }

  #connect({ note }: DestinationRun, access: WorkerAccess, signal: AbortSignal): Promise<AgentSession> {
    const whyNotThere = (within: AbortSignal) => whyDown(cloudApi(this.#session), access.workerId, within);
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

const devicesOf = (agent: WorkerSession, signal: AbortSignal) => agent.devices(signal);

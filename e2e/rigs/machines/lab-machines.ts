import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { turnsByKey } from '../../../electron/engine/concurrency/in-turn.ts';
import type { Exposure, MachinePlan, MachineVolume, ServerMachines } from '../cloud-kit/server-machines.ts';
import { closing } from '../closing.ts';
import { AddressBridge } from './address-bridge.ts';
import type { Machine, StartMachine } from './machine.ts';
import { listenPort } from './reachable-port.ts';

/** Ports that the lab's network leads through: SSH and the agent. */
const ports = [22, 5566];

interface Running {
  machine: Machine;
  plan: MachinePlan;
}

/** The machines of one cloud: starts them by `start`, and keeps the addresses that lead to them. */
export class LabMachines implements ServerMachines {
  readonly #folder: string;
  readonly #start: StartMachine;
  readonly #bridge = new AddressBridge();
  readonly #running = new Map<string, Running>();
  /** Of all servers that were ever started: one that is starting runs in a moment. */
  readonly #started = new Set<string>();
  /** A stop that comes while a machine starts waits for that, or it would stop nothing. */
  readonly #inTurn = turnsByKey();
  #exposed: readonly Exposure[] = [];

  constructor(folder: string, start: StartMachine) {
    this.#folder = join(folder, 'machines');
    this.#start = start;
  }

  start(plan: MachinePlan): Promise<void> {
    this.#started.add(plan.serverId);
    return this.#inTurn(plan.serverId, () => this.#startNow(plan));
  }

  stop(serverId: string): Promise<void> {
    return this.#inTurn(serverId, () => this.#stopNow(serverId));
  }

  async #startNow(plan: MachinePlan): Promise<void> {
    await this.#stopNow(plan.serverId);
    const folder = this.#folderOf(plan.serverId);
    await mkdir(folder, { recursive: true });
    this.#running.set(plan.serverId, { machine: await this.#start(plan, folder), plan });
  }

  async #stopNow(serverId: string): Promise<void> {
    const running = this.#running.get(serverId);
    if (running === undefined) return;
    this.#running.delete(serverId);
    await running.machine.stop();
    await rm(this.#folderOf(serverId), { recursive: true, force: true });
  }

  /** The path of a socket has 107 bytes at most, and some clouds have long ids. */
  #folderOf(serverId: string): string {
    return join(
      this.#folder,
      serverId.length <= 36 ? serverId : createHash('sha256').update(serverId).digest('hex').slice(0, 32),
    );
  }

  async reboot(serverId: string): Promise<void> {
    const plan = this.#running.get(serverId)?.plan;
    if (plan === undefined) return;
    await this.start(plan);
    await this.expose(this.#exposed);
  }

  /** Ends the machine as a crash would: the cloud's records do not know of it. */
  async crash(serverId: string): Promise<void> {
    await this.#running.get(serverId)?.machine.stop();
  }

  async attach(serverId: string, volume: MachineVolume): Promise<void> {
    const running = this.#running.get(serverId);
    if (running === undefined) return;
    await running.machine.attach(volume);
    running.plan = { ...running.plan, dataVolumes: [...running.plan.dataVolumes, volume] };
  }

  async detach(serverId: string, volumeId: string): Promise<void> {
    const running = this.#running.get(serverId);
    if (running === undefined) return;
    await running.machine.detach(volumeId);
    running.plan = {
      ...running.plan,
      dataVolumes: running.plan.dataVolumes.filter((volume) => volume.volumeId !== volumeId),
    };
  }

  /** The beginning of a command line that runs something in a server. */
  within(serverId: string): readonly string[] {
    const within = this.#running.get(serverId)?.machine.within;
    if (within === undefined) throw new Error(`nothing can be run in server ${serverId}`);
    return within;
  }

  async log(serverId: string): Promise<string> {
    return (await this.#running.get(serverId)?.machine.log()) ?? '';
  }

  async expose(exposures: readonly Exposure[]): Promise<void> {
    this.#exposed = exposures;
    await this.#bridge.expose(
      exposures.flatMap(({ address, serverId, ingress }) => {
        const machine = this.#running.get(serverId)?.machine;
        if (machine === undefined) return [];
        return ports.map((port) => ({
          address,
          port,
          listenPort: listenPort(port),
          server: serverId,
          allow: ingress,
          target: machine.target(port),
        }));
      }),
    );
  }

  /** What the network does to all connections of one server. */
  link(serverId: string, action: 'cut' | 'freeze' | 'thaw'): Promise<void> {
    return this.#bridge.link(serverId, action);
  }

  async close(): Promise<void> {
    await using stack = new AsyncDisposableStack();
    stack.adopt(this.#bridge, closing);
    for (const serverId of this.#started) stack.defer(() => this.stop(serverId));
  }
}

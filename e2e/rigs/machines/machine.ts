import type { MachinePlan, MachineVolume } from '../cloud-kit/server-machines.ts';

/** Where a machine's port is, as the address bridge reaches it. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** Path of the network namespace that the host name belongs to; the machine that runs the lab's own if absent. */
  readonly netns?: string;
}

/** A machine that runs. */
export interface Machine {
  attach(volume: MachineVolume): Promise<void>;
  detach(volumeId: string): Promise<void>;
  target(port: number): Target;
  /** The beginning of a command line that runs something in it, as root; absent where only its network leads there. */
  readonly within?: readonly string[];
  log(): Promise<string>;
  /** Ends at once, as by a power cut. */
  stop(): Promise<void>;
}

/** Starts a machine in a folder of its own; resolves when it is powered on. */
export type StartMachine = (plan: MachinePlan, folder: string) => Promise<Machine>;

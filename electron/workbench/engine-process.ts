import type { Channel } from '../../shared/contract/channel.ts';

/** What an engine process is told first. The passphrase lives in the memory of both processes only. */
export interface EngineStart {
  readonly projectFolder: string;
  readonly executionLimit: number;
  readonly passphrase?: string;
}

/** An engine that runs in a process of its own, whatever started it (a utility process, a child of Node). */
export interface EngineProcess {
  readonly channel: Channel;
  /** Calls back once, with why in words; `expected` when we had asked for it. */
  onEnd(listener: (reason: string) => void): void;
  /** Asks it to drain and end. */
  stop(): void;
  kill(): void;
}

export type SpawnEngine = (start: EngineStart) => EngineProcess;

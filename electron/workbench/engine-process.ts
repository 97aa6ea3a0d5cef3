import type { Channel } from '../../shared/contract/channel.ts';
import type { ProxySettingsWithPassword } from '../engine/http/proxies.ts';

/** What opens the vault. It lives in the memory of both processes only. */
export interface EngineKeys {
  readonly passphrase?: string;
  /** The vault's data key, when the operating system's key store protects it: only the parent can ask that one. */
  readonly dataKey?: { readonly kind: string; readonly bytes: Uint8Array };
}

/** The first message to an engine process. */
export interface EngineStart extends EngineKeys {
  readonly projectFolder: string;
  readonly executionLimit: number;
  /** How proxies are found; undefined: as the environment and the system say. */
  readonly proxies?: ProxySettingsWithPassword;
}

/** Messages to an engine outside the contract: facts that only its parent knows. */
export type EngineNote =
  /** The vault was opened after the engine had started. */
  | { readonly unlock: EngineKeys }
  /** Proxies are found in another way from now on. */
  | { readonly proxies: ProxySettingsWithPassword }
  /** The computer was asleep, milliseconds. */
  | { readonly woke: number };

/** An engine that runs in a process of its own, whatever started it (a utility process, a child of Node). */
export interface EngineProcess {
  readonly channel: Channel;
  /** Calls back once, with why in words; `expected` when we had asked for it. */
  onEnd(listener: (reason: string) => void): void;
  tell(note: EngineNote): void;
  /** Asks it to drain and end. */
  stop(): void;
  kill(): void;
}

export type SpawnEngine = (start: EngineStart) => EngineProcess;

import type { JsonObject } from '../../../shared/model/json.ts';
import type { LedgerScope } from './ledger.ts';
import type { OwnVmOfSource } from './own-vm.ts';

/** What the engine gives every platform adapter besides its connection. */
export interface PlatformContext {
  /** Folder for small files that must outlive the engine process, e.g. sockets and records of snapshots. */
  readonly scratchFolder: string;
  /**
   * For a source that is opened for a replica: where it records, before it asks for it, everything that it creates on
   * the platform. Undefined where the endpoint is only looked at. Entries of a source are the source's alone, even when
   * the same endpoint is the destination as well.
   */
  readonly ledger?: LedgerScope;
  /** What a source is opened for; together with `ledger`. */
  readonly use?: PlatformUse;
  /** What the last sign-in of a person at this endpoint left. */
  readonly signIn?: SignInStore;
}

/** Keeps what a person's sign-in leaves (what renews tokens, never a password): sealed in the vault, for one endpoint. */
export interface SignInStore {
  /** Undefined when nobody has signed in. @throws CausewayError `secrets.*` */
  read(): Promise<string | undefined>;
  /** Keeps nothing where the person has signed out in the meantime. @throws CausewayError `secrets.*` */
  save(session: string): Promise<void>;
}

/** A sign-in that a person completes in a browser, on whatever computer. */
export interface PersonSignIn {
  /** What to enter there. */
  readonly code: string;
  /** Where to enter it. */
  readonly address: string;
  readonly expiresAt: string;
  /** @throws CausewayError `cloud.sign-in-incomplete` */
  readonly finished: Promise<{ readonly account: string }>;
}

/** A replica, and the execution of it that is under way. */
export interface PlatformUse {
  readonly replicaId: string;
  readonly executionId?: string;
  /** Narrative of what happens on the source, for the events of the execution. No secrets. */
  readonly note?: (message: string, details?: JsonObject) => void;
  /** The source's VM that this engine runs on, where it is to read copies of disks there instead of by an export worker. */
  readonly ownVm?: OwnVmOfSource;
}

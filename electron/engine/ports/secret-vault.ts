import type { JsonObject } from '../../../shared/model/json.ts';
import type { PluginId } from '../../../shared/model/plugin-id.ts';

export interface VaultStatus {
  readonly exists: boolean;
  /** False when its data key is at hand, so that secrets can be set and used. */
  readonly locked: boolean;
  /** What protects the data key, e.g. `passphrase`, `key-file`, `os-key-store`. */
  readonly protection?: string;
}

/** An endpoint as one sealed record: where it leads and the secrets that were entered for that place can't be separated. */
export interface EndpointRecord {
  /** The project on this computer that it was accepted for. */
  readonly project: string;
  readonly plugin: PluginId;
  /** Secrets by reference. */
  readonly connection: JsonObject;
  /** Those that were entered with it, by the names that the connection refers to them. */
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * Where secrets are kept. The engine resolves a reference right before use and keeps the value in memory only.
 * Errors are `CausewayError` with `secrets.*` codes.
 */
export interface SecretVault {
  status(): Promise<VaultStatus>;
  /** Whether it is open, after trying what opens it without asking a person. */
  openQuietly(): Promise<boolean>;
  /** Of all secrets, those of endpoint records too. */
  names(): Promise<readonly string[]>;
  has(name: string): Promise<boolean>;
  /** One of an endpoint's record is replaced inside that record. */
  set(name: string, value: string): Promise<void>;
  /** "Not there" is done. */
  remove(name: string): Promise<void>;
  /** The plain text of a secret that belongs to no endpoint's record. Never to be stored, logged or sent over the contract. */
  resolve(name: string): Promise<string>;
  /** Without opening it. */
  hasEndpoint(endpointId: string): Promise<boolean>;
  /** Undefined when there is none. @throws CausewayError `secrets.vault-damaged` when it was changed or belongs to another endpoint */
  endpoint(endpointId: string): Promise<EndpointRecord | undefined>;
  saveEndpoint(endpointId: string, record: EndpointRecord): Promise<void>;
  /** "Not there" is done. */
  removeEndpoint(endpointId: string): Promise<void>;
}

/** The vault for everybody but the gate: no secret comes out. */
export type SealedVault = Omit<SecretVault, 'resolve' | 'endpoint' | 'saveEndpoint'>;

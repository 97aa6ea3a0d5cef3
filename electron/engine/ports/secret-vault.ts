export interface VaultStatus {
  readonly exists: boolean;
  /** False when its data key is at hand, so that secrets can be set and used. */
  readonly locked: boolean;
  /** What protects the data key, e.g. `passphrase`, `key-file`, `os-key-store`. */
  readonly protection?: string;
}

/**
 * Where secrets are kept. The engine resolves a reference right before use and keeps the value in memory only.
 * Errors are `CausewayError` with `secrets.*` codes.
 */
export interface SecretVault {
  status(): Promise<VaultStatus>;
  names(): Promise<readonly string[]>;
  has(name: string): Promise<boolean>;
  set(name: string, value: string): Promise<void>;
  /** "Not there" is done. */
  remove(name: string): Promise<void>;
  /** The plain text. Never to be stored, logged or sent over the contract. */
  resolve(name: string): Promise<string>;
}

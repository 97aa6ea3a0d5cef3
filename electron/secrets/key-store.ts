import type { JsonObject } from '../../shared/model/json.ts';
import { readVaultFile, writeVaultFile } from './vault-file.ts';
import type { KeyWrapper } from './key-wrapper.ts';

/** What the operating system's key store is like on this computer. */
export interface KeyStoreState {
  readonly isUsable: boolean;
  /** For people: which key store, or why it can't be used. */
  readonly words: string;
}

/** The operating system's key store as a wrapper of data keys. It lives in the desktop app's main process only. */
export interface KeyStore extends KeyWrapper {
  state(): Promise<KeyStoreState>;
  /** As `unwrap`, and whether the key store asks for its answer to be wrapped again. */
  open(wrapped: JsonObject): Promise<{ readonly dataKey: Buffer; readonly shouldRewrap: boolean }>;
}

/** The kind that a vault file records for a key store's wrapping. */
export const keyStoreKind = 'os-key-store';

/**
 * The data key of a vault that the key store protects; undefined when there is no vault, or another protection. A key
 * store that has changed its own key gets the data key wrapped anew, and the file is written once more.
 *
 * @throws CausewayError `secrets.key-store-changed`, `secrets.key-store-unavailable`, `secrets.vault-damaged`
 */
export async function dataKeyFromKeyStore(path: string, keyStore: KeyStore): Promise<Buffer | undefined> {
  const protection = readVaultFile(path)?.protection;
  if (protection === undefined || protection.kind !== keyStoreKind) return undefined;
  const { dataKey, shouldRewrap } = await keyStore.open(protection.wrapped);
  if (shouldRewrap) {
    const wrapped = await keyStore.wrap(dataKey);
    // Read again: a secret may have been set in the meantime.
    const now = readVaultFile(path);
    if (now?.protection.kind === keyStoreKind)
      writeVaultFile(path, { ...now, protection: { kind: keyStoreKind, wrapped } });
  }
  return dataKey;
}

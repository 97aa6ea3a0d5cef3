import type { VaultProtection } from '../../shared/contract/shell.ts';
import { CausewayError, toErrorRecord } from '../../shared/model/causeway-error.ts';
import { errorText } from '../../shared/model/errors/catalogue.ts';
import { dataKeyFromKeyStore, keyStoreKind, type KeyStore } from '../secrets/key-store.ts';
import { passphraseWrapper } from '../secrets/passphrase-wrapper.ts';
import { readVaultFile } from '../secrets/vault-file.ts';
import { createVault, openVault } from '../secrets/vault.ts';
import type { EngineKeys } from './engine-process.ts';

/** The open project's vault as the workbench's process handles it: it hands over what opens it, and reads no secret. */
export interface ProjectVault {
  /** What the engine needs to open the vault; empty while it is locked. In memory only. */
  forEngine(): EngineKeys;
  /** Protected by the key store when there is no passphrase. @throws CausewayError `secrets.*` */
  create(passphrase: string | undefined): Promise<void>;
  /** @throws CausewayError `secrets.no-vault`, `secrets.wrong-passphrase` */
  unlock(passphrase: string): Promise<void>;
  describe(): VaultProtection;
}

/**
 * Looks at a project's vault and opens it where the key store can. A vault that can't be opened is no reason not to open
 * the project: it stays locked, and `describe` says why.
 *
 * @param path the vault's file, which may not exist
 * @param keyStore the operating system's key store; undefined in a host that can't reach it
 */
export async function openProjectVault(path: string, keyStore: KeyStore | undefined): Promise<ProjectVault> {
  let given: EngineKeys = {};
  let refusal: string | undefined;
  const state = (await keyStore?.state()) ?? {
    isUsable: false,
    words: 'only the desktop app can use the key store of the operating system',
  };

  async function askKeyStore(): Promise<void> {
    if (keyStore === undefined) return;
    try {
      const bytes = await dataKeyFromKeyStore(path, keyStore);
      if (bytes !== undefined) given = { dataKey: { kind: keyStoreKind, bytes } };
    } catch (error) {
      refusal = inWords(error);
    }
  }

  function protection(): string | undefined {
    try {
      return readVaultFile(path)?.protection.kind;
    } catch (error) {
      refusal = inWords(error);
      return 'damaged';
    }
  }

  function words(kind: string | undefined): string {
    if (refusal !== undefined) return refusal;
    if (kind === undefined)
      return state.isUsable
        ? `No vault yet. ${state.words} can protect one.`
        : `No vault yet. A passphrase can protect one (${state.words}).`;
    if (kind === keyStoreKind)
      return keyStore === undefined
        ? `Protected by the key store of the operating system: ${state.words}.`
        : `Protected by ${state.words}.`;
    if (kind === 'passphrase') return 'Protected by a passphrase, not by the operating system.';
    return 'Protected by a key file. Only the command line can open it, which is not part of the installed app.';
  }

  await askKeyStore();
  return {
    forEngine: () => given,
    async create(passphrase) {
      if (passphrase === undefined && keyStore === undefined)
        throw new CausewayError('secrets.key-store-unavailable', state.words);
      await createVault(path, passphrase === undefined ? keyStore! : passphraseWrapper(passphrase));
      refusal = undefined;
      if (passphrase === undefined) await askKeyStore();
      else given = { passphrase };
    },
    async unlock(passphrase) {
      const { exists, locked } = await openVault(path, async () => passphraseWrapper(passphrase)).status();
      if (!exists) throw new CausewayError('secrets.no-vault', 'this project has no vault yet');
      if (locked) throw new CausewayError('secrets.wrong-passphrase', 'the passphrase does not open this vault');
      given = { passphrase };
    },
    describe() {
      const kind = protection();
      return {
        exists: kind !== undefined,
        isOpen: given.passphrase !== undefined || given.dataKey !== undefined,
        words: words(kind),
        keyStoreIsUsable: state.isUsable,
      };
    },
  };
}

function inWords(error: unknown): string {
  const { code, message } = toErrorRecord(error);
  const { title, remedy } = errorText(code);
  return `${title}: ${message}. ${remedy}`;
}

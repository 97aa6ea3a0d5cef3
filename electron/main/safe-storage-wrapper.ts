import type { SafeStorage } from 'electron';
import { z } from 'zod';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { keyStoreKind, type KeyStore, type KeyStoreState } from '../secrets/key-store.ts';

type SafeStoragePart = Pick<
  SafeStorage,
  'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync' | 'getSelectedStorageBackend'
>;

const wrappedSchema = z.object({ backend: z.string(), data: z.string() });

const backendWords: Readonly<Record<string, string>> = {
  keychain: 'the macOS keychain',
  dpapi: 'the Windows data protection of your account',
  gnome_libsecret: 'GNOME Keyring (Secret Service)',
  kwallet: 'KWallet',
  kwallet5: 'KWallet 5',
  kwallet6: 'KWallet 6',
  unknown: 'a Secret Service of this desktop',
};

/**
 * The data key under Electron's asynchronous safeStorage. The back end is recorded beside the ciphertext, so that a
 * changed one can be distinguished from damage; the back end without protection is refused, and never switched on.
 */
export function safeStorageWrapper(
  safeStorage: SafeStoragePart,
  platform: NodeJS.Platform = process.platform,
): KeyStore {
  const backend = (): string => {
    if (platform === 'darwin') return 'keychain';
    if (platform === 'win32') return 'dpapi';
    return safeStorage.getSelectedStorageBackend();
  };

  async function usable(): Promise<string> {
    // Asked first: it is what starts the encryptor, and the back end is only chosen then.
    const isAvailable = await safeStorage.isAsyncEncryptionAvailable();
    const chosen = backend();
    if (chosen === 'basic_text') throw new CausewayError('secrets.key-store-weak', 'the back end is basic_text');
    if (!isAvailable)
      throw new CausewayError('secrets.key-store-unavailable', `the back end is ${chosen} and does not respond`);
    return chosen;
  }

  async function decrypt(
    data: string,
    recorded: string,
    now: string,
  ): Promise<{ text: string; shouldRewrap: boolean }> {
    try {
      const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(Buffer.from(data, 'base64'));
      return { text: result, shouldRewrap: shouldReEncrypt };
    } catch (cause) {
      // A prompt that was dismissed or a keyring that is locked: the vault still belongs to this key store.
      if (isTemporary(cause) || !(await safeStorage.isAsyncEncryptionAvailable())) {
        throw new CausewayError('secrets.key-store-unavailable', `${now} does not respond`, { cause });
      }
      throw changed(`the data key is protected by ${recorded}, and ${now} cannot open it`, recorded, now, cause);
    }
  }

  /** On Linux, Chromium marks by `v10` what it encrypts with a key that is built into it, where no keyring is open. */
  function refuseFixedKey(data: Buffer): void {
    if (platform === 'linux' && data.subarray(0, 3).toString('latin1') === 'v10') {
      throw new CausewayError(
        'secrets.key-store-weak',
        'no keyring is open: the data key would be encrypted with a publicly known key',
      );
    }
  }

  async function open(value: JsonObject): Promise<{ dataKey: Buffer; shouldRewrap: boolean }> {
    const parsed = wrappedSchema.safeParse(value);
    if (!parsed.success) throw new CausewayError('secrets.vault-damaged', 'the wrapped data key is incomplete');
    const now = await usable();
    const { backend: recorded, data } = parsed.data;
    if (recorded !== now)
      throw changed(`the data key is protected by ${recorded}, but the key store is now ${now}`, recorded, now);
    refuseFixedKey(Buffer.from(data, 'base64'));
    const { text, shouldRewrap } = await decrypt(data, recorded, now);
    const dataKey = Buffer.from(text, 'base64');
    if (dataKey.length !== 32)
      throw new CausewayError('secrets.vault-damaged', 'the key store did not return a 32-byte key');
    return { dataKey, shouldRewrap };
  }

  return {
    kind: keyStoreKind,
    async state(): Promise<KeyStoreState> {
      try {
        const chosen = await usable();
        return { isUsable: true, words: backendWords[chosen] ?? chosen };
      } catch (error) {
        const isWeak = error instanceof CausewayError && error.code === 'secrets.key-store-weak';
        return {
          isUsable: false,
          words: isWeak
            ? 'the key store on this computer stores plain text only'
            : 'the operating system has no responding key store',
        };
      }
    },
    async wrap(dataKey) {
      const chosen = await usable();
      const data = await safeStorage.encryptStringAsync(dataKey.toString('base64'));
      refuseFixedKey(data);
      return { backend: chosen, data: data.toString('base64') };
    },
    open,
    unwrap: async (wrapped) => (await open(wrapped)).dataKey,
  };
}

function isTemporary(cause: unknown): boolean {
  return cause instanceof Error && /temporar|unavailable|locked/i.test(cause.message);
}

function changed(message: string, previous: string, current: string, cause?: unknown): CausewayError {
  return new CausewayError('secrets.key-store-changed', message, { details: { previous, current }, cause });
}

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SafeStorage } from 'electron';
import { dataKeyFromKeyStore, keyStoreKind } from '../secrets/key-store.ts';
import { releasedKey } from '../secrets/released-key.ts';
import type { VaultFile } from '../secrets/vault-file.ts';
import { createVault, openVault } from '../secrets/vault.ts';
import { safeStorageWrapper } from './safe-storage-wrapper.ts';
import { createElectron } from './testing/electron-stand-in.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'key-store-'));
  path = join(folder, 'vault.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

type Part = Partial<
  Pick<
    SafeStorage,
    'isAsyncEncryptionAvailable' | 'getSelectedStorageBackend' | 'decryptStringAsync' | 'encryptStringAsync'
  >
>;
const keyStore = (change: Part = {}, platform: NodeJS.Platform = 'linux') =>
  safeStorageWrapper({ ...createElectron().safeStorage, ...change }, platform);
const file = (): VaultFile => JSON.parse(readFileSync(path, 'utf8')) as VaultFile;

describe("a vault under the operating system's key store", () => {
  test('records the back end, and opens with a key that was handed to another process', async () => {
    await createVault(path, keyStore());
    expect(file().protection).toMatchObject({ kind: keyStoreKind, wrapped: { backend: 'gnome_libsecret' } });
    const dataKey = (await dataKeyFromKeyStore(path, keyStore()))!;
    expect(readFileSync(path, 'utf8')).not.toContain(dataKey.toString('base64'));
    const elsewhere = openVault(path, async () => releasedKey(keyStoreKind, structuredClone(new Uint8Array(dataKey))));
    await elsewhere.set('lab/password', 'canary');
    expect(await openVault(path, async () => keyStore()).resolve('lab/password')).toBe('canary');
    expect(await elsewhere.status()).toEqual({ exists: true, locked: false, protection: 'os-key-store' });
  });

  test('is not made on the back end that protects nothing, even if it calls itself available', async () => {
    const weak = keyStore({ getSelectedStorageBackend: () => 'basic_text' });
    await expect(createVault(path, weak)).rejects.toMatchObject({ code: 'secrets.key-store-weak' });
    expect(await weak.state()).toEqual({
      isUsable: false,
      words: 'the key store on this computer stores plain text only',
    });
  });

  test('is not made where no key store answers', async () => {
    const none = keyStore({ isAsyncEncryptionAvailable: async () => false });
    await expect(createVault(path, none)).rejects.toMatchObject({
      code: 'secrets.key-store-unavailable',
      retryable: true,
    });
    expect((await none.state()).isUsable).toBe(false);
  });

  test('says so when the back end is another one now', async () => {
    await createVault(path, keyStore());
    await expect(
      dataKeyFromKeyStore(path, keyStore({ getSelectedStorageBackend: () => 'kwallet6' })),
    ).rejects.toMatchObject({
      code: 'secrets.key-store-changed',
      details: { previous: 'gnome_libsecret', current: 'kwallet6' },
    });
  });

  test("says so when the key store can't decrypt what it is given", async () => {
    await createVault(path, keyStore());
    const other = keyStore({
      decryptStringAsync: () => Promise.reject(new Error('Error while decrypting the ciphertext')),
    });
    await expect(dataKeyFromKeyStore(path, other)).rejects.toMatchObject({ code: 'secrets.key-store-changed' });
  });

  test('is not made, and not opened, with the key that is built into the browser', async () => {
    const fixed = keyStore({ encryptStringAsync: async () => Buffer.from('v10 anything') });
    await expect(createVault(path, fixed)).rejects.toMatchObject({ code: 'secrets.key-store-weak' });
    expect(existsSync(path)).toBe(false);
    await expect(
      fixed.open({ backend: 'gnome_libsecret', data: Buffer.from('v10 anything').toString('base64') }),
    ).rejects.toMatchObject({ code: 'secrets.key-store-weak' });
  });

  test('is asked for again when the key store is only unavailable for the moment', async () => {
    await createVault(path, keyStore());
    const locked = keyStore({
      decryptStringAsync: () => Promise.reject(new Error('Decryption is temporarily unavailable. Please try again.')),
    });
    await expect(dataKeyFromKeyStore(path, locked)).rejects.toMatchObject({
      code: 'secrets.key-store-unavailable',
      retryable: true,
    });
    let answers = 1;
    const gone = keyStore({
      isAsyncEncryptionAvailable: async () => answers-- > 0,
      decryptStringAsync: () => Promise.reject(new Error('Error while decrypting the ciphertext')),
    });
    await expect(dataKeyFromKeyStore(path, gone)).rejects.toMatchObject({ code: 'secrets.key-store-unavailable' });
  });

  test('is wrapped anew when the key store asks for it, with its secrets left as they are', async () => {
    await createVault(path, keyStore());
    await openVault(path, async () => keyStore()).set('a', 'b');
    const before = file();
    const { safeStorage } = createElectron();
    const rotated = keyStore({
      decryptStringAsync: async (data) => ({ ...(await safeStorage.decryptStringAsync(data)), shouldReEncrypt: true }),
      encryptStringAsync: (text) => safeStorage.encryptStringAsync(text),
      getSelectedStorageBackend: () => 'gnome_libsecret',
    });
    let wraps = 0;
    await dataKeyFromKeyStore(path, { ...rotated, wrap: (key) => ((wraps += 1), rotated.wrap(key)) });
    expect(wraps).toBe(1);
    expect(file().records).toEqual(before.records);
    expect(await openVault(path, async () => keyStore()).resolve('a')).toBe('b');
  });

  test('never asks Linux for the back end elsewhere', async () => {
    const throws = () => {
      throw new Error('not on this platform');
    };
    for (const [platform, backend] of [
      ['darwin', 'keychain'],
      ['win32', 'dpapi'],
    ] as const) {
      expect(await keyStore({ getSelectedStorageBackend: throws }, platform).wrap(Buffer.alloc(32))).toMatchObject({
        backend,
      });
    }
  });

  test('is called damaged when its wrapping is not complete, or gives back no key', async () => {
    await expect(keyStore().open({ backend: 'gnome_libsecret' })).rejects.toMatchObject({
      code: 'secrets.vault-damaged',
    });
    const { data } = (await keyStore().wrap(Buffer.alloc(16))) as { data: string };
    await expect(keyStore().open({ backend: 'gnome_libsecret', data })).rejects.toMatchObject({
      code: 'secrets.vault-damaged',
    });
  });
});

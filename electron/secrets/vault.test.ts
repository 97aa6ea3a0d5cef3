import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keyFileWrapper, makeKeyFile } from './key-file-wrapper.ts';
import { passphraseWrapper } from './passphrase-wrapper.ts';
import type { VaultFile } from './vault-file.ts';
import { createVault, openVault } from './vault.ts';

const cheap = { n: 2 ** 14, r: 8, p: 1 };
const canary = 'canary-9f3b-correct-horse';
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-vault-'));
  path = join(folder, 'vault.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const withPassphrase = (passphrase: string) => openVault(path, async () => passphraseWrapper(passphrase, cheap));

describe('a vault with a passphrase', () => {
  beforeEach(() => createVault(path, passphraseWrapper('open sesame', cheap)));

  test('gives back what was set, to another process with the same passphrase', async () => {
    await withPassphrase('open sesame').set('lab/password', canary);
    expect(await withPassphrase('open sesame').resolve('lab/password')).toBe(canary);
    expect(await withPassphrase('open sesame').names()).toEqual(['lab/password']);
  });

  test('says so when the passphrase is wrong, and takes the right one afterwards', async () => {
    await expect(withPassphrase('open barley').set('a', 'b')).rejects.toMatchObject({ code: 'secrets.wrong-passphrase' });
    let passphrase = 'wrong';
    const vault = openVault(path, async () => passphraseWrapper(passphrase, cheap));
    expect(await vault.status()).toEqual({ exists: true, locked: true, protection: 'passphrase' });
    passphrase = 'open sesame';
    expect(await vault.status()).toEqual({ exists: true, locked: false, protection: 'passphrase' });
  });

  test('stays locked when nothing is given', async () => {
    await expect(openVault(path, async () => undefined).set('a', 'b')).rejects.toMatchObject({ code: 'secrets.locked' });
  });

  test('is a file of the owner alone, without plain text, without left-over temporary files', async () => {
    await withPassphrase('open sesame').set('a', canary);
    expect(readFileSync(path, 'utf8')).not.toContain(canary);
    expect(readFileSync(path, 'utf8')).not.toContain(Buffer.from(canary).toString('base64'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['vault.json']);
  });

  test('refuses a record that was moved under another name', async () => {
    const vault = withPassphrase('open sesame');
    await vault.set('mine', canary);
    const file = JSON.parse(readFileSync(path, 'utf8')) as VaultFile;
    const record = file.records['mine'];
    writeFileSync(path, JSON.stringify({ ...file, records: { theirs: record } }));
    await expect(vault.resolve('theirs')).rejects.toMatchObject({ code: 'secrets.vault-damaged' });
  });

  test('is not made a second time, which would lose what is in it', async () => {
    await expect(createVault(path, passphraseWrapper('x', cheap))).rejects.toMatchObject({ code: 'secrets.vault-exists' });
  });

  test('forgets what is removed, and says that it is not there', async () => {
    const vault = withPassphrase('open sesame');
    await vault.set('a', 'b');
    await vault.remove('a');
    await vault.remove('a');
    expect(await vault.has('a')).toBe(false);
    await expect(vault.resolve('a')).rejects.toMatchObject({ code: 'secrets.unknown-secret' });
  });
});

describe('a vault with a key file', () => {
  test('opens with that file only', async () => {
    makeKeyFile(join(folder, 'key'));
    makeKeyFile(join(folder, 'other'));
    await createVault(path, keyFileWrapper(join(folder, 'key')));
    await openVault(path, async () => keyFileWrapper(join(folder, 'key'))).set('a', canary);
    expect(await openVault(path, async () => keyFileWrapper(join(folder, 'key'))).resolve('a')).toBe(canary);
    await expect(openVault(path, async () => keyFileWrapper(join(folder, 'other'))).resolve('a')).rejects.toMatchObject({ code: 'secrets.wrong-passphrase' });
    await expect(openVault(path, async () => passphraseWrapper('x', cheap)).resolve('a')).rejects.toMatchObject({ code: 'secrets.wrong-passphrase' });
  });

  test('refuses a file that others may read', async () => {
    writeFileSync(join(folder, 'key'), 'x'.repeat(44), { mode: 0o644 });
    await expect(createVault(path, keyFileWrapper(join(folder, 'key')))).rejects.toMatchObject({ code: 'secrets.weak-file-mode' });
  });
});

test('a vault that is cut off is called damaged, not replaced', async () => {
  await createVault(path, passphraseWrapper('x', cheap));
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, 50));
  await expect(withPassphrase('x').has('a')).rejects.toMatchObject({ code: 'secrets.vault-damaged' });
});

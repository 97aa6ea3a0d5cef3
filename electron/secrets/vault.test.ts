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
    await expect(withPassphrase('open barley').set('a', 'b')).rejects.toMatchObject({
      code: 'secrets.wrong-passphrase',
    });
    let passphrase = 'wrong';
    const vault = openVault(path, async () => passphraseWrapper(passphrase, cheap));
    expect(await vault.status()).toEqual({ exists: true, locked: true, protection: 'passphrase' });
    passphrase = 'open sesame';
    expect(await vault.status()).toEqual({ exists: true, locked: false, protection: 'passphrase' });
  });

  test('stays locked when nothing is given', async () => {
    await expect(openVault(path, async () => undefined).set('a', 'b')).rejects.toMatchObject({
      code: 'secrets.locked',
    });
  });

  test('is a file of the owner alone, without plain text, without left-over temporary files', async () => {
    await withPassphrase('open sesame').set('a', canary);
    expect(readFileSync(path, 'utf8')).not.toContain(canary);
    expect(readFileSync(path, 'utf8')).not.toContain(Buffer.from(canary).toString('base64'));
    // On Windows its folder is closed.
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
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
    await expect(createVault(path, passphraseWrapper('x', cheap))).rejects.toMatchObject({
      code: 'secrets.vault-exists',
    });
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
    await expect(openVault(path, async () => keyFileWrapper(join(folder, 'other'))).resolve('a')).rejects.toMatchObject(
      { code: 'secrets.wrong-passphrase' },
    );
    await expect(openVault(path, async () => passphraseWrapper('x', cheap)).resolve('a')).rejects.toMatchObject({
      code: 'secrets.wrong-passphrase',
    });
  });

  test.skipIf(process.platform === 'win32')('refuses a file that others may read', async () => {
    writeFileSync(join(folder, 'key'), 'x'.repeat(44), { mode: 0o644 });
    await expect(createVault(path, keyFileWrapper(join(folder, 'key')))).rejects.toMatchObject({
      code: 'secrets.weak-file-mode',
    });
  });
});

test('a vault that is cut off is called damaged, not replaced', async () => {
  await createVault(path, passphraseWrapper('x', cheap));
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, 50));
  await expect(withPassphrase('x').has('a')).rejects.toMatchObject({ code: 'secrets.vault-damaged' });
});

describe('an endpoint in the vault', () => {
  const project = '5f0f6a52-6c3b-4f6e-9c55-0f7d7f3f9e10';
  const record = {
    project,
    plugin: 'open-source-cloud' as const,
    connection: { auth_url: 'https://cloud.example/v3', password: { $secret: 'endpoint/ep-1/password' } },
    secrets: { 'endpoint/ep-1/password': canary },
  };
  beforeEach(async () => {
    await createVault(path, passphraseWrapper('x', cheap));
    await withPassphrase('x').saveEndpoint('ep-1', record);
  });
  const file = () => JSON.parse(readFileSync(path, 'utf8')) as VaultFile;

  test('is one sealed record: connection and secrets, neither in plain text', async () => {
    expect(await withPassphrase('x').endpoint('ep-1')).toEqual(record);
    expect(readFileSync(path, 'utf8')).not.toMatch(/cloud\.example|canary/);
    expect(await withPassphrase('x').names()).toEqual(['endpoint/ep-1/password']);
    await expect(withPassphrase('x').resolve('endpoint/ep-1/password')).rejects.toMatchObject({
      code: 'secrets.unknown-secret',
    });
  });

  test.each<[string, (content: VaultFile) => VaultFile]>([
    ['another endpoint', (content) => ({ ...content, endpoints: { 'ep-2': content.endpoints['ep-1']! } })],
    [
      'another project',
      (content) => ({ ...content, endpoints: { 'ep-1': { ...content.endpoints['ep-1']!, project: 'another' } } }),
    ],
    ['another vault', (content) => ({ ...content, id: 'another' })],
  ])('does not fit %s', async (_what, change) => {
    writeFileSync(path, JSON.stringify(change(file())));
    const [id = ''] = Object.keys(file().endpoints);
    await expect(withPassphrase('x').endpoint(id)).rejects.toMatchObject({ code: 'secrets.vault-damaged' });
  });

  test('takes a new value of one of its secrets, and nothing else changes', async () => {
    await withPassphrase('x').set('endpoint/ep-1/password', 'second');
    expect(await withPassphrase('x').endpoint('ep-1')).toEqual({
      ...record,
      secrets: { 'endpoint/ep-1/password': 'second' },
    });
    expect(file().records).toEqual({});
  });

  test('is found and removed without opening the vault', async () => {
    const closed = openVault(path, async () => undefined);
    expect([await closed.hasEndpoint('ep-1'), await closed.openQuietly()]).toEqual([true, false]);
    await closed.removeEndpoint('ep-1');
    expect(await closed.hasEndpoint('ep-1')).toBe(false);
  });

  test('a vault of the first version opens, and is written as the second', async () => {
    const { endpoints: _none, ...first } = file();
    writeFileSync(path, JSON.stringify({ ...first, version: 1 }));
    await withPassphrase('x').saveEndpoint('ep-1', record);
    expect(file()).toMatchObject({ version: 2, endpoints: { 'ep-1': { project } } });
  });
});

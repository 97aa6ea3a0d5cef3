import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Envelope } from '../../shared/contract/envelope.ts';
import { shellCalls, type ShellInfo } from '../../shared/contract/shell.ts';
import { safeStorageWrapper } from '../main/safe-storage-wrapper.ts';
import { createElectron } from '../main/testing/electron-stand-in.ts';
import { nodeEngine } from './node-engine.ts';
import { settingsStore } from './settings-store.ts';
import { createShell, type Shell, type ShellOptions } from './shell.ts';

const never = new AbortController().signal;
let folder: string;
let shell: Shell;
let told: ShellInfo[];

function start(more: Partial<ShellOptions> = {}): void {
  const kept = new Map<string, unknown>();
  shell = createShell({
    host: 'desktop',
    version: '0.0.0',
    settings: settingsStore({
      get: (key) => kept.get(key),
      set: (key, value) => void kept.set(key, structuredClone(value)),
    }),
    spawn: nodeEngine(join(import.meta.dirname, 'testing', 'tiny-engine.ts')),
    ...more,
  });
  told = [];
  shell.subscribe('shell.changed', (info: ShellInfo) => told.push(info));
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shell-'));
  start();
});
afterEach(async () => {
  await shell.close();
  rmSync(folder, { recursive: true });
});

const call = (name: string, input: unknown = {}): Promise<Envelope<unknown>> => shell.dispatch(name, input, never);
async function value<T>(name: string, input: unknown = {}): Promise<T> {
  const answer = await call(name, input);
  if (!answer.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return answer.value as T;
}
const info = () => value<ShellInfo>('shell.info');
/** What the engine was told, which the tiny engine gives back. */
async function engine(): Promise<{ start: Record<string, unknown>; notes: Record<string, unknown>[] }> {
  const [, text] = await value<string[]>('vault.list');
  return JSON.parse(text!) as Awaited<ReturnType<typeof engine>>;
}

test('the network in effect is shown without passwords', async () => {
  // On Windows both names are one.
  vi.stubEnv('https_proxy', undefined);
  vi.stubEnv('HTTPS_PROXY', 'http://me:secret-word@proxy.example:3128');
  vi.stubEnv('CAUSEWAY_SSH_PROXY', 'http://me:secret-word@other.example:8080');
  try {
    const network = shellCalls['shell.network'].output.parse(await value('shell.network'));
    expect(network).toMatchObject({
      proxy: 'http://proxy.example:3128',
      proxyFrom: 'environment',
      workerProxy: 'http://other.example:8080',
      systemCertificates: expect.any(Number) as number,
    });
    expect(JSON.stringify(network)).not.toContain('secret-word');
  } finally {
    vi.unstubAllEnvs();
  }
});

describe('projects', () => {
  test('are made, closed, opened again and remembered', async () => {
    const project = { folder: join(folder, 'move'), name: 'The move' };
    expect(await value('project.create', project)).toEqual(project);
    expect(await info()).toMatchObject({
      project,
      engine: { state: 'running' },
      vault: { exists: false, isOpen: false },
    });
    await value('project.close');
    expect(await info()).toMatchObject({ engine: { state: 'none', restarts: 0 } });
    expect(await info()).not.toHaveProperty('project');
    expect(await call('vault.list')).toMatchObject({ ok: false, error: { code: 'engine.connection-lost' } });
    expect(await value('project.open', { folder: project.folder })).toEqual(project);
    expect(await value('project.recent')).toEqual([project]);
    for (const each of told) expect(shellCalls['shell.info'].output.safeParse(each).success).toBe(true);
  });

  test("that can't be opened leave no project open", async () => {
    const refused = join(folder, 'refuses');
    expect(await call('project.create', { folder: refused, name: 'x' })).toMatchObject({
      ok: false,
      error: { code: 'engine.project-busy' },
    });
    expect(await info()).toMatchObject({ engine: { state: 'none' } });
    expect(await info()).not.toHaveProperty('project');
    expect(await call('project.open', { folder: join(folder, 'nothing') })).toMatchObject({
      ok: false,
      error: { code: 'general.invalid-input' },
    });
  });

  test('opened twice at once end with one engine', async () => {
    await value('project.create', { folder: join(folder, 'a'), name: 'a' });
    await value('project.create', { folder: join(folder, 'b'), name: 'b' });
    await Promise.all([
      value('project.open', { folder: join(folder, 'a') }),
      value('project.open', { folder: join(folder, 'b') }),
    ]);
    expect((await info()).project?.name).toBe('b');
    expect((await engine()).start['projectFolder']).toBe(join(folder, 'b'));
  });

  test('are only those that somebody chose, where there is a dialog', async () => {
    await value('project.create', { folder: join(folder, 'mine'), name: 'mine' });
    await value('project.create', { folder: join(folder, 'other'), name: 'other' });
    await shell.close();
    start({ chooseFolder: async () => join(folder, 'mine') });
    expect(await call('project.open', { folder: join(folder, 'mine') })).toMatchObject({
      ok: false,
      error: { code: 'general.invalid-input' },
    });
    expect(await value('project.chooseFolder')).toEqual({ folder: join(folder, 'mine') });
    await value('project.open', { folder: join(folder, 'mine') });
    expect((await call('project.open', { folder: join(folder, 'other') })).ok).toBe(false);
    expect((await call('project.open', { folder: join(folder, 'mine', '..', 'other') })).ok).toBe(false);
    expect((await call('project.create', { folder: join(folder, 'mine-too'), name: 'x' })).ok).toBe(false);
    expect((await call('project.create', { folder: join(folder, 'mine', 'inside'), name: 'x' })).ok).toBe(true);
    expect(existsSync(join(folder, 'mine-too'))).toBe(false);
  });
});

describe('the vault', () => {
  beforeEach(() => value('project.create', { folder: join(folder, 'p'), name: 'p' }));
  const vaultFile = () => readFileSync(join(folder, 'p', '.causeway', 'vault.json'), 'utf8');

  test('with a passphrase is made and handed to the engine that runs', async () => {
    await value('vault.create', { passphrase: 'correct horse' });
    expect((await engine()).notes).toEqual([{ unlock: { passphrase: 'correct horse' } }]);
    expect((await info()).vault).toEqual({
      exists: true,
      isOpen: true,
      keyStoreIsUsable: false,
      words: 'Protected by a passphrase, not by the operating system.',
    });
    expect(JSON.stringify(told)).not.toContain('correct horse');
  });

  test('is locked when the project is opened again, until the right passphrase comes', async () => {
    await value('vault.create', { passphrase: 'correct horse' });
    await value('project.open', { folder: join(folder, 'p') });
    expect((await info()).vault).toMatchObject({ exists: true, isOpen: false });
    expect(await call('vault.unlock', { passphrase: 'battery staple' })).toMatchObject({
      ok: false,
      error: { code: 'secrets.wrong-passphrase' },
    });
    await value('vault.unlock', { passphrase: 'correct horse' });
    expect((await info()).vault).toMatchObject({ exists: true, isOpen: true });
  });

  test('a short passphrase is refused without being repeated', async () => {
    const answer = await call('vault.create', { passphrase: 'secret' });
    expect(answer).toMatchObject({ ok: false, error: { code: 'general.invalid-input' } });
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  test('needs a passphrase where no key store can be reached', async () => {
    expect(await call('vault.create')).toMatchObject({ ok: false, error: { code: 'secrets.key-store-unavailable' } });
    expect((await info()).vault?.words).toContain('A passphrase can protect one');
  });

  test('needs none on the desktop: the data key goes to the engine at its start, and nowhere else', async () => {
    await shell.close();
    start({ keyStore: safeStorageWrapper(createElectron().safeStorage, 'linux') });
    await value('project.open', { folder: join(folder, 'p') });
    expect((await info()).vault).toEqual({
      exists: false,
      isOpen: false,
      keyStoreIsUsable: true,
      words: 'No vault yet. GNOME Keyring (Secret Service) can protect one.',
    });
    await value('vault.create');
    const [note] = (await engine()).notes as [{ unlock: { dataKey: { kind: string; bytes: Record<string, number> } } }];
    const key = Buffer.from(
      (note.unlock.dataKey.bytes as { data?: number[] }).data ?? Object.values(note.unlock.dataKey.bytes),
    );
    expect(key).toHaveLength(32);
    await value('project.open', { folder: join(folder, 'p') });
    expect((await engine()).start['dataKey']).toMatchObject({ kind: 'os-key-store' });
    expect((await info()).vault).toMatchObject({
      exists: true,
      isOpen: true,
      words: 'Protected by GNOME Keyring (Secret Service).',
    });
    expect(vaultFile() + JSON.stringify(told)).not.toContain(key.toString('base64'));
  });

  test('of another key store leaves the project usable, locked, and says why', async () => {
    await shell.close();
    const { safeStorage } = createElectron();
    start({ keyStore: safeStorageWrapper(safeStorage, 'linux') });
    await value('project.open', { folder: join(folder, 'p') });
    await value('vault.create');
    await shell.close();
    start({ keyStore: safeStorageWrapper({ ...safeStorage, getSelectedStorageBackend: () => 'kwallet6' }, 'linux') });
    await value('project.open', { folder: join(folder, 'p') });
    const { vault } = await info();
    expect(vault).toMatchObject({ exists: true, isOpen: false });
    expect(vault?.words).toContain('protected by gnome_libsecret, but the key store is now kwallet6');
  });
});

test('a command and a waking reach the page, and the waking reaches the engine', async () => {
  const heard: unknown[] = [];
  shell.subscribe('shell.command', (payload) => heard.push(payload));
  shell.subscribe('shell.woke', (payload) => heard.push(payload));
  await value('project.create', { folder: join(folder, 'p'), name: 'p' });
  shell.command('go.ledger');
  shell.woke(5000);
  expect(heard).toEqual([{ command: 'go.ledger' }, { asleepMs: 5000 }]);
  expect((await engine()).notes).toEqual([{ woke: 5000 }]);
});

test('unknown calls have a code', async () => {
  expect(await call('shell.nothing')).toMatchObject({ ok: false, error: { code: 'engine.unknown-call' } });
  mkdirSync(join(folder, 'plain'));
  expect(await call('project.open', { folder: 'relative' })).toMatchObject({
    ok: false,
    error: { code: 'general.invalid-input' },
  });
});

import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MenuItemConstructorOptions } from 'electron';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import type { Envelope } from '../../shared/contract/envelope.ts';
import type { ShellInfo } from '../../shared/contract/shell.ts';
import { nodeEngine } from '../workbench/node-engine.ts';
import { createElectron, type ElectronStandIn } from './testing/electron-stand-in.ts';

let folder: string;
let electron: ElectronStandIn;
let log: string[];
let kept: Map<string, unknown>;
/** Everything anew: the app is one a process. */
async function start(
  prepare: (electron: ElectronStandIn) => void = () => undefined,
  argv: readonly string[] = [],
): Promise<void> {
  vi.resetModules();
  electron = createElectron();
  vi.doMock('electron', () => electron);
  prepare(electron);
  const { startDesktopApp } = await import('./desktop-app.ts');
  log = [];
  kept = new Map();
  const started = startDesktopApp({
    outFolder: folder,
    argv,
    file: { get: (key) => kept.get(key), set: (key, value) => void kept.set(key, structuredClone(value)) },
    spawn: nodeEngine(join(import.meta.dirname, '../workbench/testing/tiny-engine.ts')),
    log: (message) => log.push(message),
  });
  electron.app.ready.resolve();
  await started;
}
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'desktop-'));
});
afterEach(async () => {
  if (electron.seen.handlers.has('call:project.close')) await call('project.close');
  await rm(folder, { recursive: true });
});

const windows = () => electron.BrowserWindow.getAllWindows();
async function call<T>(name: string, input: unknown = {}): Promise<T> {
  const event = { senderFrame: { url: 'causeway://app/', parent: null } };
  const answer = (await electron.seen.handlers.get(`call:${name}`)!(event as never, input)) as Envelope<T>;
  if (!answer.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return answer.value;
}
const item = (id: string): MenuItemConstructorOptions =>
  electron.seen.menus
    .at(-1)!
    .flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))
    .find((each) => each.id === id)!;

test('the window is sandboxed, isolated, without Node, on our own page', async () => {
  await start();
  expect(electron.app.isSandboxed).toBe(true);
  const [window] = windows();
  expect(window!.url).toBe('causeway://app/');
  expect(window!.options.webPreferences).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webviewTag: false,
  });
  expect(window!.shown).toEqual([]);
  window!.emit('ready-to-show');
  expect(window!.shown).toEqual(['show']);
});

test('a second start ends before it does anything, and the first one comes to the front', async () => {
  await start(({ app }) => void (app.isFirstInstance = false));
  expect(electron.app.quits).toBe(1);
  expect(electron.app.handedOver).toEqual({ argv: [], workingFolder: process.cwd() });
  expect(electron.seen.handlers.size).toBe(0);
  expect(windows()).toEqual([]);
  await start();
  windows()[0]!.isDown = true;
  electron.app.emit('second-instance', {}, [], '');
  expect(windows()[0]!.shown).toEqual(['restore', 'focus']);
});

test('Windows knows the app by the identity of its shortcut', async () => {
  vi.spyOn(process, 'platform', 'get').mockReturnValue('win32');
  try {
    await start();
  } finally {
    vi.restoreAllMocks();
  }
  expect(electron.app.userModelId).toBe(
    (parse(readFileSync(join(import.meta.dirname, '../../electron-builder.yml'), 'utf8')) as { appId: string }).appId,
  );
  expect(electron.app.toastActivator).toMatch(/^\{[0-9a-f-]{36}\}$/);
});

test('the menu sends its commands to the page, and opens a window for it where there is none', async () => {
  await start();
  (item('go.ledger').click as () => void)();
  expect(windows()[0]!.webContents.sent).toEqual([
    { channel: 'event:shell.command', payload: { command: 'go.ledger' } },
  ]);
  windows()[0]!.close();
  (item('project.new').click as () => void)();
  const [reopened] = windows();
  expect(reopened!.webContents.sent).toEqual([]);
  reopened!.webContents.emit('did-finish-load');
  expect(reopened!.webContents.sent).toEqual([{ channel: 'event:shell.command', payload: { command: 'project.new' } }]);
});

test('a project is opened by a folder that was chosen, with a vault of the key store, and its runs go on without a window', async () => {
  await start();
  electron.answers.open = { canceled: false, filePaths: [folder] };
  await call('project.chooseFolder');
  await call('project.create', { folder: join(folder, 'p'), name: 'p' });
  await call('vault.create');
  expect(await call<ShellInfo>('shell.info')).toMatchObject({
    host: 'desktop',
    engine: { state: 'running' },
    vault: { isOpen: true },
  });
  windows()[0]!.bounds = { x: 5, y: 6, width: 1111, height: 777 };
  windows()[0]!.close();
  expect(kept.get('window')).toEqual({ x: 5, y: 6, width: 1111, height: 777, isMaximized: false });
  // Nothing runs: the app ends, its engine first.
  await expect.poll(() => electron.app.quits).toBe(1);
  expect(await call<ShellInfo>('shell.info')).toMatchObject({ engine: { state: 'none' } });
});

test('waking is told to the page', async () => {
  await start();
  electron.powerMonitor.emit('resume');
  expect(windows()[0]!.webContents.sent).toEqual([{ channel: 'event:shell.woke', payload: { asleepMs: 0 } }]);
});

test("a link goes to the system's browser, a foreign scheme nowhere, and that is logged", async () => {
  await start();
  const handler = windows()[0]!.webContents.windowOpenHandler!;
  handler({ url: 'https://example.invalid/manual' } as never);
  handler({ url: 'file:///etc/passwd' } as never);
  expect(electron.seen.opened).toEqual(['https://example.invalid/manual']);
  expect(log).toEqual(['refused to open a file: URL in another program']);
});

test('a project that is named at the start, or at a second one, is opened', async () => {
  await writeFile(join(folder, 'causeway.yaml'), 'name: named\n');
  await start(() => undefined, ['electron', '.', '--project', folder]);
  await expect.poll(() => call<ShellInfo>('shell.info')).toMatchObject({ project: { name: 'named' } });
  await call('project.close');
  electron.app.emit('second-instance', {}, ['electron', '--project', '.', 'reordered'], folder, {
    argv: ['electron', '.', '--project=.'],
    workingFolder: folder,
  });
  await expect.poll(() => call<ShellInfo>('shell.info')).toMatchObject({ project: { name: 'named' } });
  await call('project.close');
  electron.app.emit('second-instance', {}, [], folder, {
    argv: ['electron', '.', '--project', join(folder, 'none')],
    workingFolder: folder,
  });
  await expect.poll(() => log.at(-1)).toContain('is not a project');
});

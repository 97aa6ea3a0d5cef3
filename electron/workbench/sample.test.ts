import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SampleState, ShellInfo } from '../../shared/contract/shell.ts';
import { passphraseWrapper } from '../secrets/passphrase-wrapper.ts';
import { createVault } from '../secrets/vault.ts';
import { ensureStateFolder } from '../engine/store/database.ts';
import { nodeEngine } from './node-engine.ts';
import { createProject } from './project-file.ts';
import { sampleLab } from './sample-lab.ts';
import { settingsStore } from './settings-store.ts';
import { createShell, type Shell } from './shell.ts';

let root: string;
let shell: Shell | undefined;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'causeway-sample-'));
});
afterEach(async () => {
  await shell?.close();
  shell = undefined;
  rmSync(root, { recursive: true, force: true });
});

/** A checkout whose lab is this script. */
function checkout(script: string): string {
  mkdirSync(join(root, 'scripts'));
  mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true });
  symlinkSync(process.execPath, join(root, 'node_modules', '.bin', 'node'));
  writeFileSync(join(root, 'scripts', 'lab.ts'), '');
  writeFileSync(join(root, 'scripts', 'launch.js'), script);
  chmodSync(join(root, 'scripts', 'launch.js'), 0o755);
  return root;
}

/** Says two lines, is ready, and writes down how it ended. */
const usual = (project: string, ended: string, readyAfterMs = 50): string => `
  const { writeFileSync } = require('node:fs');
  const end = (why) => { writeFileSync(${JSON.stringify(ended)}, why); process.exit(0); };
  process.stdin.on('end', () => end('input ended')).resume();
  process.on('SIGTERM', () => setTimeout(() => end('asked to'), 50));
  console.log('a cloud'); console.error('a machine');
  setTimeout(() => console.log(JSON.stringify({ ready: { project: ${JSON.stringify(project)}, passphrase: 'causeway-lab' } })), ${readyAfterMs});`;

async function madeProject(): Promise<string> {
  const { folder } = createProject(join(root, 'project'), 'Lab');
  await createVault(join(ensureStateFolder(folder), 'vault.json'), passphraseWrapper('causeway-lab'));
  return folder;
}

function start(script: string): Shell {
  const kept = new Map<string, unknown>();
  shell = createShell({
    host: 'browser',
    version: '0.0.0',
    sample: sampleLab(checkout(script))!,
    settings: settingsStore({
      get: (key) => kept.get(key),
      set: (key, value) => void kept.set(key, structuredClone(value)),
    }),
    spawn: nodeEngine(join(import.meta.dirname, 'testing', 'tiny-engine.ts')),
  });
  return shell;
}

async function call<T>(name: string): Promise<T> {
  const answer = await shell!.dispatch(name, {}, new AbortController().signal);
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value as T;
}

function awaited(isIt: (info: ShellInfo) => boolean): Promise<ShellInfo> {
  return new Promise((resolve) => {
    const stop = shell!.subscribe('shell.changed', (info: ShellInfo) => {
      if (isIt(info)) resolve((stop(), info));
    });
  });
}

test('there is none outside of a checkout', () => {
  expect(sampleLab(root)).toBeUndefined();
});

test('it is started once, says how far it is, and its project is opened with its vault', async () => {
  const ended = join(root, 'ended');
  start(usual(await madeProject(), ended));
  expect((await call<ShellInfo>('shell.info')).sample).toEqual({ state: 'offered' });
  const lines = new Set<string>();
  shell!.subscribe(
    'shell.changed',
    ({ sample }: ShellInfo) => void (sample?.state === 'starting' && lines.add(sample.line)),
  );
  const opened = awaited((info) => info.vault?.isOpen === true);
  await call('sample.open');
  await call('sample.open');
  expect(await opened).toMatchObject({ project: { name: 'Lab' }, sample: { state: 'running' } });
  expect([...lines]).toEqual(expect.arrayContaining(['a cloud', 'a machine']));

  await call('project.close');
  const again = awaited((info) => info.vault?.isOpen === true);
  await call('sample.open');
  await again;

  await call('sample.end');
  expect(readFileSync(ended, 'utf8')).toMatch(/asked to|input ended/);
  const info = await call<ShellInfo>('shell.info');
  expect(info).toMatchObject({ sample: { state: 'offered' } });
  expect(info).not.toHaveProperty('project');
  expect(await call('project.recent')).toEqual([]);
});

test('a lab that does not come up is told with its last word, and can be tried again', async () => {
  start('console.error("qemu-system-x86_64 is missing"); process.exit(3);');
  const failed = awaited(({ sample }) => sample?.state === 'failed');
  await call('sample.open');
  const { sample } = (await failed) as { sample: Extract<SampleState, { state: 'failed' }> };
  expect(sample.error).toMatchObject({
    code: 'general.sample-failed',
    message: 'qemu-system-x86_64 is missing (it exited with status 3)',
  });
  const failedAgain = awaited((info) => info.sample?.state === 'failed');
  await call('sample.open');
  await failedAgain;
});

test('one that is starting can be cancelled, and the workbench ends what it started', async () => {
  const ended = join(root, 'ended');
  start(usual(await madeProject(), ended, 60_000));
  const starting = awaited(({ sample }) => sample?.state === 'starting' && sample.line === 'a cloud');
  await call('sample.open');
  await starting;
  await call('sample.end');
  expect(existsSync(ended)).toBe(true);
  expect((await call<ShellInfo>('shell.info')).sample).toEqual({ state: 'offered' });
});

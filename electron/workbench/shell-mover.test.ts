import { beforeEach, expect, test, vi } from 'vitest';
import type { ShellInfo } from '../../shared/contract/shell.ts';
import type { MoverDesk } from './mover-desk.ts';
import type { RemoteProject } from './remote-project.ts';
import { settingsStore } from './settings-store.ts';
import { createShell, type Shell } from './shell.ts';

const open = vi.hoisted(() => vi.fn<MoverDesk['open']>());
vi.mock('./mover-desk.ts', () => ({ moverDesk: () => ({ open, list: () => [], cancel: () => undefined }) }));

const never = new AbortController().signal;
let shell: Shell;
let told: ShellInfo[];

beforeEach(() => {
  const kept = new Map<string, unknown>();
  shell = createShell({
    host: 'desktop',
    version: '0.0.0',
    spawn: () => {
      throw new Error('no engine is started here');
    },
    installation: { application: '' },
    settings: settingsStore({
      get: (key) => kept.get(key),
      set: (key, value) => void kept.set(key, structuredClone(value)),
    }),
  });
  told = [];
  shell.subscribe('shell.changed', (info: ShellInfo) => told.push(info));
});

const openProject = () =>
  shell.dispatch('mover.openProject', { mover: 'site-a', folder: 'web', create: false, secrets: {} }, never);

function project(
  name: string,
  stop: () => Promise<void> = () => Promise.resolve(),
): RemoteProject & { readonly stop: () => Promise<void> } {
  const stopped = vi.fn(stop);
  return {
    project: { folder: `/srv/${name}`, name, mover: 'site-a' },
    link: { name: 'site-a', step: 'connected' },
    stop: stopped,
    vault: { describe: () => ({ exists: false, isOpen: false, words: '', keyStoreIsUsable: false }) } as never,
    engine: { state: { state: 'running', restarts: 0 }, stop: stopped } as never,
    reconnect: () => undefined,
    dismissMeanwhile: () => undefined,
  };
}

test('closing gives up what is being opened on a mover, and what waits to be', async () => {
  open.mockImplementation(
    (_asked, _told, signal) =>
      new Promise((_done, failed) => {
        if (signal.aborted) return failed(signal.reason as Error);
        signal.addEventListener('abort', () => failed(signal.reason as Error));
      }),
  );
  const first = openProject();
  const second = openProject();
  await vi.waitFor(() => expect(open).toHaveBeenCalled());
  await shell.close();
  expect([(await first).ok, (await second).ok]).toEqual([false, false]);
});

test('what ran in a project on a mover does not count any more once it is closed', async () => {
  open.mockResolvedValue({ remote: project('web') });
  expect(await openProject()).toMatchObject({ ok: true });
  expect(told.at(-1)?.engine.state).toBe('running');
  open.mockResolvedValue({ remote: project('other') });
  told.length = 0;
  await openProject();
  expect(told.map(({ engine }) => engine.state)).toEqual(['none', 'running']);
  await shell.close();
  expect(told.at(-1)?.engine.state).toBe('none');
});

test('a project that cannot take the place of the open one is closed again', async () => {
  open.mockResolvedValue({ remote: project('web', () => Promise.reject(new Error('it does not end'))) });
  await openProject();
  const next = project('other');
  open.mockResolvedValue({ remote: next });
  expect(await openProject()).toMatchObject({ ok: false, error: { message: 'it does not end' } });
  expect(next.stop).toHaveBeenCalledOnce();
});

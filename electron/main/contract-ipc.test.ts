import { afterEach, describe, expect, test, vi } from 'vitest';
import type { IpcMainInvokeEvent } from 'electron';
import { workbenchCalls, workbenchEvents } from '../../shared/contract/shell.ts';
import type { Shell } from '../workbench/shell.ts';
import { sendEvents, serveContract } from './contract-ipc.ts';
import { WebContentsStandIn, type ElectronStandIn } from './testing/electron-stand-in.ts';

vi.mock('electron', async () => (await import('./testing/electron-stand-in.ts')).createElectron());
const electron = (await import('electron')) as unknown as ElectronStandIn;

function shellStandIn() {
  const asked: unknown[] = [];
  const listeners = new Map<string, Set<(payload: never) => void>>();
  const shell: Pick<Shell, 'dispatch' | 'subscribe'> = {
    async dispatch(name, input) {
      asked.push([name, input]);
      return { ok: true, value: 'answer' };
    },
    subscribe(name, listener) {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set.add(listener));
      return () => void set.delete(listener);
    },
  };
  const emit = (name: string, payload: unknown): void =>
    listeners.get(name)?.forEach((listener) => listener(payload as never));
  return {
    shell: shell as Shell,
    asked,
    emit,
    listening: () => [...listeners.values()].reduce((sum, set) => sum + set.size, 0),
  };
}

const from = (senderFrame: { url: string; parent?: object | null } | null): IpcMainInvokeEvent =>
  ({ senderFrame: senderFrame === null ? null : { parent: null, ...senderFrame } }) as unknown as IpcMainInvokeEvent;

afterEach(() => electron.seen.handlers.clear());

describe("the contract over Electron's IPC", () => {
  test('answers every call of the table and nothing else', () => {
    serveContract(shellStandIn().shell);
    expect([...electron.seen.handlers.keys()].sort()).toEqual(
      Object.keys(workbenchCalls)
        .map((name) => `call:${name}`)
        .sort(),
    );
  });

  test("hands the main frame's call on", async () => {
    const { shell, asked } = shellStandIn();
    serveContract(shell);
    const answer = await electron.seen.handlers.get('call:shell.info')!(from({ url: 'causeway://app/#/replicas' }), {
      some: 'input',
    });
    expect(answer).toEqual({ ok: true, value: 'answer' });
    expect(asked).toEqual([['shell.info', { some: 'input' }]]);
  });

  test.each([
    ['a sub-frame of our own page', from({ url: 'causeway://app/', parent: {} })],
    ['a foreign page', from({ url: 'https://example.invalid/' })],
    ['a page whose URL holds ours', from({ url: 'https://example.invalid/?causeway://app/' })],
    ['another host of our scheme', from({ url: 'causeway://app.example.invalid/' })],
    ['about:blank', from({ url: 'about:blank' })],
    ['a frame without a URL', from({ url: '' })],
    ['a frame that is gone', from(null)],
  ])('refuses %s', async (_who, event) => {
    const { shell, asked } = shellStandIn();
    serveContract(shell);
    expect(await electron.seen.handlers.get('call:vault.list')!(event, {})).toMatchObject({
      ok: false,
      error: { code: 'general.invalid-input' },
    });
    expect(asked).toEqual([]);
  });
});

describe('events to a window', () => {
  test('are those of the table, each on its own channel', () => {
    const { shell, emit, listening } = shellStandIn();
    const contents = new WebContentsStandIn();
    sendEvents(shell, contents as never);
    expect(listening()).toBe(Object.keys(workbenchEvents).length);
    emit('shell.command', { command: 'go.home' });
    expect(contents.sent).toEqual([{ channel: 'event:shell.command', payload: { command: 'go.home' } }]);
  });

  test('stop when the window is destroyed, and never reach one that is just going', () => {
    const { shell, emit, listening } = shellStandIn();
    const contents = new WebContentsStandIn();
    sendEvents(shell, contents as never);
    contents.isGone = true;
    emit('shell.command', { command: 'go.home' });
    contents.emit('destroyed');
    expect(contents.sent).toEqual([]);
    expect(listening()).toBe(0);
  });
});

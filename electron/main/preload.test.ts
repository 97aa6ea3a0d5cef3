import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { workbenchCalls, workbenchEvents } from '../../shared/contract/shell.ts';

interface Bridge {
  readonly call: Record<string, (input: unknown) => unknown>;
  readonly on: Record<string, (listener: (payload: unknown) => void) => () => void>;
}
const exposed = new Map<string, Bridge>();
const ipc = Object.assign(new EventEmitter(), { invoke: (...args: unknown[]) => args });
vi.mock('electron', () => ({
  contextBridge: { exposeInMainWorld: (name: string, api: Bridge) => exposed.set(name, api) },
  ipcRenderer: ipc,
}));
await import('../preload.ts');

test('the bridge offers the calls and events of the contract, and nothing else', () => {
  expect([...exposed.keys()]).toEqual(['causeway']);
  const bridge = exposed.get('causeway')!;
  expect(Object.keys(bridge).sort()).toEqual(['call', 'on']);
  expect(Object.keys(bridge.call)).toEqual(Object.keys(workbenchCalls));
  expect(Object.keys(bridge.on)).toEqual(Object.keys(workbenchEvents));
  expect(bridge.call['vault.set']!({ name: 'a' })).toEqual(['call:vault.set', { name: 'a' }]);
});

test("a listener gets the payload without Electron's event, until it stops", () => {
  const heard: unknown[][] = [];
  const stop = exposed.get('causeway')!.on['shell.command']!((...args) => heard.push(args));
  ipc.emit('event:shell.command', { sender: 'internal' }, { command: 'go.home' });
  stop();
  ipc.emit('event:shell.command', { sender: 'internal' }, { command: 'go.home' });
  expect(heard).toEqual([[{ command: 'go.home' }]]);
  expect(ipc.listenerCount('event:shell.command')).toBe(0);
});

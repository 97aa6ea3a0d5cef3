import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron';
import { workbenchCalls, workbenchEvents } from '../shared/contract/shell.ts';

/**
 * The bridge between the page and the main process, made from the contract's tables: one function a call, one a kind of
 * event. There is no way to name another channel, and Electron's own event object never reaches the page.
 */
const call = Object.fromEntries(
  Object.keys(workbenchCalls).map((name) => [name, (input: unknown) => ipcRenderer.invoke(`call:${name}`, input)]),
);
const on = Object.fromEntries(
  Object.keys(workbenchEvents).map((name) => [
    name,
    (listener: (payload: unknown) => void) => {
      const handOn = (_event: IpcRendererEvent, payload: unknown): void => listener(payload);
      ipcRenderer.on(`event:${name}`, handOn);
      return () => void ipcRenderer.removeListener(`event:${name}`, handOn);
    },
  ]),
);
contextBridge.exposeInMainWorld('causeway', { call, on });

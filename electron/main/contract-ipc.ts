import { ipcMain, type IpcMainInvokeEvent, type WebContents } from 'electron';
import { workbenchCalls, workbenchEvents } from '../../shared/contract/shell.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import type { Shell } from '../workbench/shell.ts';
import { isOwnPage } from './origins.ts';

/** Registers a handler for each call of the contract, and for no other name. Foreign senders get an error, no answer. */
export function serveContract(shell: Shell): void {
  for (const name of Object.keys(workbenchCalls)) {
    ipcMain.handle(`call:${name}`, (event, input: unknown) => {
      if (isOwnMainFrame(event)) return shell.dispatch(name, input, new AbortController().signal);
      const error = new CausewayError('general.invalid-input', 'the call did not come from the workbench page');
      return { ok: false, error: error.toRecord() };
    });
  }
}

/** Sends every event of the contract to a window until it is closed. */
export function sendEvents(shell: Shell, contents: WebContents): void {
  const stops = Object.keys(workbenchEvents).map((name) =>
    shell.subscribe(name, (payload) => {
      if (!contents.isDestroyed()) contents.send(`event:${name}`, payload);
    }),
  );
  contents.once('destroyed', () => {
    for (const stop of stops) stop();
  });
}

/** Only the main frame of our own origin may call: no sub-frame, no foreign page, no frame that is gone. */
function isOwnMainFrame({ senderFrame }: IpcMainInvokeEvent): boolean {
  return senderFrame !== null && senderFrame.parent === null && isOwnPage(senderFrame.url);
}

import { join } from 'node:path';
import type { JsonObject, JsonValue } from '../../shared/model/json.ts';
import { serveChannel } from '../../shared/contract/serve-channel.ts';
import { workbenchEvents } from '../../shared/contract/shell.ts';
import { startWebHost } from '../../electron/host/web-host.ts';
import type { SpawnEngine } from '../../electron/workbench/engine-process.ts';
import { settingsStore } from '../../electron/workbench/settings-store.ts';
import { createShell } from '../../electron/workbench/shell.ts';
import { closedWith, openInChromium, type OpenedPage } from './workbench-in-browser.ts';

export interface WorkbenchHere extends OpenedPage {
  /** What the page could ask, asked without it. */
  ask(call: string, input: JsonObject): Promise<JsonValue>;
}

interface Options {
  /** The folder of the built page. */
  readonly page?: string;
  /** The language that somebody chose before. */
  readonly language?: string;
}

/** The built page before a workbench in this process, with the given engine. */
export async function openWorkbenchHere(
  spawn: SpawnEngine,
  project: string,
  { page: built = join(import.meta.dirname, '..', '..', 'out/renderer'), language }: Options = {},
): Promise<WorkbenchHere> {
  await using stack = new AsyncDisposableStack();
  // A busy machine must not miss a message that a spec waits for.
  const settings = new Map<string, unknown>([['settings', { messageSeconds: 30 }]]);
  const shell = stack.adopt(
    createShell({
      host: 'browser',
      version: '0.0.0',
      spawn,
      settings: settingsStore({ get: (key) => settings.get(key), set: (key, value) => void settings.set(key, value) }),
    }),
    (opened) => opened.close(),
  );
  const ask = async (call: string, input: JsonObject): Promise<JsonValue> => {
    const answer = await shell.dispatch(call, input, new AbortController().signal);
    if (!answer.ok) throw new Error(answer.error.message);
    return answer.value as JsonValue;
  };
  await ask('project.open', { folder: project });
  const host = stack.adopt(
    await startWebHost({ folder: built, connect: (channel) => void serveChannel(shell, workbenchEvents, channel) }),
    (opened) => opened.close(),
  );
  const page = stack.use(await openInChromium(host.url));
  if (language !== undefined) {
    await page.page.evaluate((tag) => localStorage.setItem('causeway-language', tag), language);
    await page.page.reload();
  }
  return closedWith(stack.move(), { ...page, ask });
}

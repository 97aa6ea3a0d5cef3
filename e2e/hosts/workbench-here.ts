import { join } from 'node:path';
import { serveChannel } from '../../shared/contract/serve-channel.ts';
import { workbenchEvents } from '../../shared/contract/shell.ts';
import { socketChannel } from '../../electron/host/socket-channel.ts';
import { startWebHost } from '../../electron/host/web-host.ts';
import type { SpawnEngine } from '../../electron/workbench/engine-process.ts';
import { settingsStore } from '../../electron/workbench/settings-store.ts';
import { createShell } from '../../electron/workbench/shell.ts';
import { openInChromium, type OpenedPage } from './workbench-in-browser.ts';

/** The built page before a workbench in this process, with the given engine. */
export async function openWorkbenchHere(spawn: SpawnEngine, project: string): Promise<OpenedPage> {
  const settings = new Map<string, unknown>();
  const shell = createShell({
    host: 'browser', version: '0.0.0', spawn,
    settings: settingsStore({ get: (key) => settings.get(key), set: (key, value) => void settings.set(key, value) }),
  });
  const opened = await shell.dispatch('project.open', { folder: project }, new AbortController().signal);
  if (!opened.ok) throw new Error(opened.error.message);
  const host = await startWebHost({
    folder: join(import.meta.dirname, '..', '..', 'out/renderer'),
    connect: (socket) => void serveChannel(shell, workbenchEvents, socketChannel(socket)),
  });
  const page = await openInChromium(host.url);
  return {
    ...page,
    async close() {
      await page.close();
      await host.close();
      await shell.close();
    },
  };
}

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openWorkbenchInBrowser } from './workbench-in-browser.ts';
import type { Workbench, WorkbenchOptions } from './workbench.ts';

export type { Workbench, WorkbenchOptions } from './workbench.ts';

/** In Electron where `CAUSEWAY_HOST=electron` asks for it, and in Debian's Chromium otherwise. */
export async function openWorkbench(options: WorkbenchOptions): Promise<Workbench> {
  const { settings, project } = options;
  keepMessages(settings);
  if (process.env['CAUSEWAY_HOST'] === 'electron')
    return (await import('./workbench-in-electron.ts')).openWorkbenchInElectron(options);
  const opened = await openWorkbenchInBrowser([
    '--settings',
    settings,
    ...(project === undefined ? [] : ['--project', project]),
  ]);
  return { ...opened, nameFolder: (form, folder) => form.getByLabel('Folder', { exact: true }).fill(folder) };
}

/** A busy machine must not miss a message that a spec waits for: each stays for half a minute, unless settings are there already. */
function keepMessages(folder: string): void {
  const file = join(folder, 'config.json');
  if (existsSync(file)) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify({ settings: { messageSeconds: 30 } }));
}

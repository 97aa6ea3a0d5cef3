import { openWorkbenchInBrowser } from './workbench-in-browser.ts';
import type { Workbench, WorkbenchOptions } from './workbench.ts';

export type { Workbench, WorkbenchOptions } from './workbench.ts';

/** In Electron where `CAUSEWAY_HOST=electron` asks for it, and in Debian's Chromium otherwise. */
export async function openWorkbench(options: WorkbenchOptions): Promise<Workbench> {
  if (process.env['CAUSEWAY_HOST'] === 'electron') return (await import('./workbench-in-electron.ts')).openWorkbenchInElectron(options);
  const { settings, project } = options;
  const opened = await openWorkbenchInBrowser(['--settings', settings, ...(project === undefined ? [] : ['--project', project])]);
  return { ...opened, nameFolder: (form, folder) => form.getByLabel('Folder').fill(folder) };
}

import type { Locator } from 'playwright';
import { openWorkbenchInBrowser, type OpenedPage } from './workbench-in-browser.ts';

export interface WorkbenchOptions {
  /** Folder where settings are kept. */
  readonly settings: string;
  /** The project that is open at the start. */
  readonly project?: string;
}

/** The workbench as a person has it before them, whatever shows it. */
export interface Workbench extends OpenedPage {
  /** The process behind the page; engines are its children. */
  readonly hostPid: number;
  /** Says in a form for projects which folder is meant. */
  nameFolder(form: Locator, folder: string): Promise<void>;
}

/** In Electron where `CAUSEWAY_HOST=electron` asks for it, and in Debian's Chromium otherwise. */
export async function openWorkbench(options: WorkbenchOptions): Promise<Workbench> {
  if (process.env['CAUSEWAY_HOST'] === 'electron') return (await import('./workbench-in-electron.ts')).openWorkbenchInElectron(options);
  const { settings, project } = options;
  const opened = await openWorkbenchInBrowser(['--settings', settings, ...(project === undefined ? [] : ['--project', project])]);
  return { ...opened, nameFolder: (form, folder) => form.getByLabel('Folder').fill(folder) };
}

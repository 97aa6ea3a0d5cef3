import type { Locator } from 'playwright';
import type { OpenedPage } from './workbench-in-browser.ts';

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

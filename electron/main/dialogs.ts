import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { dialog, type BrowserWindow, type FileFilter, type OpenDialogOptions } from 'electron';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import type { OpenedFile } from '../workbench/shell.ts';

/** More is no document of ours, and would only fill the page's memory. */
const mostBytes = 50 * 1024 * 1024;

const filters: Readonly<Record<'environment' | 'inventory', FileFilter[]>> = {
  environment: [
    { name: 'Environment documents', extensions: ['yaml', 'yml', 'json'] },
    { name: 'All files', extensions: ['*'] },
  ],
  inventory: [
    { name: 'Tables', extensions: ['csv', 'tsv', 'txt'] },
    { name: 'All files', extensions: ['*'] },
  ],
};

/** The folder that somebody chose; undefined when the dialog was closed. */
export async function chooseFolder(window: BrowserWindow | undefined): Promise<string | undefined> {
  const { canceled, filePaths } = await ask(window, { properties: ['openDirectory', 'createDirectory'] });
  return canceled ? undefined : filePaths[0];
}

/**
 * What is in the files that somebody chose: the page gets names and contents, never a path.
 * @throws CausewayError `general.invalid-input` for a file that is too large or no text
 */
export async function openFiles(window: BrowserWindow | undefined, kind: 'environment' | 'inventory'): Promise<OpenedFile[]> {
  const { canceled, filePaths } = await ask(window, { properties: ['openFile', 'multiSelections'], filters: filters[kind] });
  return canceled ? [] : Promise.all(filePaths.map(readText));
}

async function readText(path: string): Promise<OpenedFile> {
  const name = basename(path);
  const { size } = await stat(path);
  if (size > mostBytes) throw new CausewayError('general.invalid-input', `${name} has ${size} bytes; ${mostBytes} are the most`);
  try {
    return { name, text: new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path)) };
  } catch (cause) {
    throw new CausewayError('general.invalid-input', `${name} is no UTF-8 text`, { cause });
  }
}

/** A dialog that belongs to the window where there is one, so that it can't get lost behind it. */
function ask(window: BrowserWindow | undefined, options: OpenDialogOptions) {
  return window === undefined ? dialog.showOpenDialog(options) : dialog.showOpenDialog(window, options);
}

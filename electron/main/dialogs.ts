import { dialog, type BrowserWindow, type OpenDialogOptions } from 'electron';

/**
 * The chosen folder; undefined if the dialog was closed. Files need no call: the page's own file
 * fields open the system's dialog.
 */
export async function chooseFolder(window: BrowserWindow | undefined): Promise<string | undefined> {
  const options: OpenDialogOptions = { properties: ['openDirectory', 'createDirectory'] };
  // One that belongs to the window can't get lost behind it.
  const { canceled, filePaths } = await (window === undefined
    ? dialog.showOpenDialog(options)
    : dialog.showOpenDialog(window, options));
  return canceled ? undefined : filePaths[0];
}

import { join } from 'node:path';
import { BrowserWindow, screen } from 'electron';
import type { KeyValueFile } from '../workbench/settings-store.ts';
import { pageOrigin } from './page-scheme.ts';
import { placeWindow, rememberPlace, smallestWindow } from './window-state.ts';

/** The workbench's window: sandboxed, isolated, where it was last, shown when it has something to show. */
export function openWorkbench(outFolder: string, file: KeyValueFile): BrowserWindow {
  const primary = screen.getPrimaryDisplay();
  const others = screen.getAllDisplays().filter(({ id }) => id !== primary.id);
  const { isMaximized, ...place } = placeWindow(
    file.get('window'),
    [primary, ...others].map(({ workArea }) => workArea),
  );
  const window = new BrowserWindow({
    ...place,
    minWidth: smallestWindow.width,
    minHeight: smallestWindow.height,
    show: false,
    title: 'Causeway',
    webPreferences: {
      preload: join(outFolder, 'preload', 'preload.cjs'),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
    },
  });
  rememberPlace(window, file);
  window.once('ready-to-show', () => {
    if (isMaximized) window.maximize();
    window.show();
  });
  void window.loadURL(`${pageOrigin}/`);
  return window;
}

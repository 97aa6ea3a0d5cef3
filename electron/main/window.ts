import { join } from 'node:path';
import { BrowserWindow } from 'electron';
import { pageOrigin } from './page-scheme.ts';

/** The workbench's window: sandboxed, isolated, shown when it has something to show. */
export function openWorkbench(outFolder: string): BrowserWindow {
  const window = new BrowserWindow({
    width: 1280,
    height: 860,
    minWidth: 720,
    minHeight: 480,
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
  window.once('ready-to-show', () => window.show());
  void window.loadURL(`${pageOrigin}/`);
  return window;
}

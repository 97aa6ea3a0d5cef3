import { join } from 'node:path';
import { app, BrowserWindow, dialog, session, shell as desktop } from 'electron';
import ElectronStore from 'electron-store';
import { sendEvents, serveContract } from './main/contract-ipc.ts';
import { registerPageScheme, servePage } from './main/page-scheme.ts';
import { utilityEngine } from './main/utility-engine.ts';
import { applyWebRules, refusePermissions } from './main/web-rules.ts';
import { openWorkbench } from './main/window.ts';
import { settingsStore } from './workbench/settings-store.ts';
import { createShell } from './workbench/shell.ts';

const outFolder = join(import.meta.dirname, '..');

if (!app.requestSingleInstanceLock()) app.quit();
app.enableSandbox();
registerPageScheme();
applyWebRules(app, (url) => void desktop.openExternal(url));

const shell = createShell({
  host: 'desktop',
  version: app.getVersion(),
  settings: settingsStore(new ElectronStore()),
  spawn: utilityEngine(join(import.meta.dirname, 'engine.js')),
  async chooseFolder() {
    const { filePaths } = await dialog.showOpenDialog({ properties: ['openDirectory', 'createDirectory'] });
    return filePaths[0];
  },
});

app.on('second-instance', () => {
  const window = BrowserWindow.getAllWindows()[0];
  if (window?.isMinimized() === true) window.restore();
  window?.focus();
});
app.on('window-all-closed', () => {
  if (process.platform !== 'darwin') app.quit();
});
let hasDrained = false;
app.on('before-quit', (event) => {
  if (hasDrained) return;
  event.preventDefault();
  void shell.close().finally(() => {
    hasDrained = true;
    app.quit();
  });
});

await app.whenReady();
refusePermissions(session.defaultSession);
servePage(join(outFolder, 'renderer'));
serveContract(shell);
open();
app.on('activate', () => {
  if (BrowserWindow.getAllWindows().length === 0) open();
});

function open(): void {
  sendEvents(shell, openWorkbench(outFolder).webContents);
}

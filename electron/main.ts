import { join } from 'node:path';
import { app, BrowserWindow, session, shell } from 'electron';
import { registerPageScheme, servePage } from './main/page-scheme.ts';
import { applyWebRules, refusePermissions } from './main/web-rules.ts';
import { openWorkbench } from './main/window.ts';

const outFolder = join(import.meta.dirname, '..');

if (!app.requestSingleInstanceLock()) app.quit();
app.enableSandbox();
registerPageScheme();
applyWebRules(app, (url) => void shell.openExternal(url));

app.on('second-instance', () => {
  const window = BrowserWindow.getAllWindows()[0];
  if (window?.isMinimized() === true) window.restore();
  window?.focus();
});
app.on('window-all-closed', () => {
  if (process.platform !== 'darwin') app.quit();
});

await app.whenReady();
refusePermissions(session.defaultSession);
servePage(join(outFolder, 'renderer'));
openWorkbench(outFolder);
app.on('activate', () => {
  if (BrowserWindow.getAllWindows().length === 0) openWorkbench(outFolder);
});

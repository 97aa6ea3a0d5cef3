import { BrowserWindow } from 'electron';

/**
 * A small window that says why the app is still there after its windows have closed. It has no script and no preload.
 *
 * @returns what closes it
 */
export function showClosingWindow(runs: number, longestMs: number): () => void {
  const window = new BrowserWindow({
    width: 420,
    height: 150,
    resizable: false,
    minimizable: false,
    maximizable: false,
    closable: false,
    fullscreenable: false,
    title: 'Causeway',
    webPreferences: { sandbox: true, contextIsolation: true, nodeIntegration: false, javascript: false },
  });
  window.setMenuBarVisibility(false);
  // Over 1: the taskbar or dock shows progress without an end.
  window.setProgressBar(2);
  void window.loadURL(`data:text/html;charset=utf-8,${encodeURIComponent(page(runs, longestMs))}`);
  return () => {
    if (!window.isDestroyed()) window.destroy();
  };
}

function page(runs: number, longestMs: number): string {
  const what =
    runs === 0
      ? 'Stopping the engine.'
      : `Cancelling ${runs === 1 ? '1 execution' : `${runs} executions`} and deleting temporary workers.`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Causeway</title>
<style>body { font: 15px system-ui, sans-serif; margin: 24px } p { margin: 0 0 8px } progress { width: 100% }</style>
<p>Closing Causeway…</p><p>${what} This takes up to ${Math.ceil(longestMs / 1000)} seconds.</p><progress aria-label="Closing"></progress></html>`;
}

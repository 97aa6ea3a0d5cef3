import { dialog, type App, type MessageBoxOptions } from 'electron';
import type { RunWatch } from '../workbench/run-watch.ts';

const choices = { stay: 0, cancelAndQuit: 1 } as const;

/**
 * Nothing ends while something runs unless somebody said so: quitting asks, then cancels what runs in good order (its
 * workers are deleted, what was made durable stays) and quits after that.
 *
 * @param close ends the engine in good order; bounded in time
 */
export function guardQuit(app: App, runs: RunWatch, close: () => Promise<void>): void {
  let phase: 'open' | 'asking' | 'closing' | 'closed' = 'open';
  app.on('before-quit', (event) => {
    if (phase === 'closed') return;
    event.preventDefault();
    if (phase !== 'open') return;
    phase = 'asking';
    void mayQuit(runs.active).then(async (yes) => {
      phase = yes ? 'closing' : 'open';
      if (!yes) return;
      await close().catch(() => undefined);
      phase = 'closed';
      app.quit();
    });
  });
}

async function mayQuit(active: number): Promise<boolean> {
  if (active === 0) return true;
  const question: MessageBoxOptions = {
    type: 'question',
    message: active === 1 ? 'One run is under way.' : `${active} runs are under way.`,
    detail: 'Quitting cancels them in good order: temporary workers are deleted, and what was copied so far is kept for the next run.',
    buttons: ['Stay', active === 1 ? 'Cancel It and Quit' : 'Cancel Them and Quit'],
    defaultId: choices.stay,
    cancelId: choices.stay,
    noLink: true,
  };
  const { response } = await dialog.showMessageBox(question);
  return response === choices.cancelAndQuit;
}

/**
 * A window may be closed while something runs: the app stays and goes on, and opening it again shows the window. Without
 * a window and without a run it ends, a while after the last run so that its notification can still be clicked. On
 * macOS apps stay anyway.
 */
export function quitWhenIdle(options: {
  readonly app: App;
  readonly runs: RunWatch;
  readonly hasWindow: () => boolean;
  readonly platform?: NodeJS.Platform;
  /** How long the app stays after the last run when there is no window, milliseconds. */
  readonly afterwardsMs?: number;
}): void {
  const { app, runs, hasWindow, platform = process.platform, afterwardsMs = 60_000 } = options;
  if (platform === 'darwin') {
    // Without a listener Electron would quit.
    app.on('window-all-closed', () => undefined);
    return;
  }
  const quitIfIdle = (): void => {
    if (runs.active === 0 && !hasWindow()) app.quit();
  };
  app.on('window-all-closed', quitIfIdle);
  runs.onChange((active) => {
    if (active === 0 && !hasWindow()) setTimeout(quitIfIdle, afterwardsMs);
  });
}

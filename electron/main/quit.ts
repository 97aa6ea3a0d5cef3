import { dialog, type App, type BrowserWindow, type MessageBoxOptions } from 'electron';
import type { RunWatch } from '../workbench/run-watch.ts';

const choices = { stay: 0, cancelAndQuit: 1 } as const;

export interface QuitOptions {
  readonly app: App;
  readonly runs: RunWatch;
  /** Stops the engine in good order; bounded in time. */
  readonly close: () => Promise<void>;
  /** Shows that the app is closing, with how many runs are being cancelled; called only when it takes a while. Returns what hides it. */
  readonly showClosing: (runs: number) => () => void;
  /** Closing that takes longer than this is shown, milliseconds. */
  readonly showAfterMs?: number;
}

export interface Quit {
  /** Whether the engine is being stopped, so that no window may be opened any more. */
  isClosing(): boolean;
  /** Whether the app ends because the computer shuts down or the user logs off: then nothing is asked. */
  isSessionEnding(): boolean;
  /** Delays the end of a session until the engine has stopped, where the system offers that. */
  watchSession(window: BrowserWindow): void;
  /** Stops the engine and quits without a question. */
  endSession(): void;
}

/**
 * Quits in three stages. Executions under way: a person confirms that they are cancelled. Unsaved changes: each page may
 * object, which ends the quit with everything still running. Only when all windows have closed, the engine stops (its
 * workers are deleted, what is durable stays), and then the app ends.
 */
export function guardQuit({ app, runs, close, showClosing, showAfterMs = 500 }: QuitOptions): Quit {
  let stage: 'open' | 'asking' | 'confirmed' | 'closing' | 'closed' = 'open';
  let sessionEnds = false;

  app.on('before-quit', (event) => {
    if (stage === 'closed') return;
    // Confirmed holds for one attempt: a page may object to it, and the next attempt asks again.
    if (stage === 'confirmed' || (stage === 'open' && (runs.active === 0 || sessionEnds))) {
      stage = 'open';
      return;
    }
    event.preventDefault();
    if (stage !== 'open') return;
    stage = 'asking';
    void mayCancel(runs.active).then((yes) => {
      stage = yes ? 'confirmed' : 'open';
      if (yes) app.quit();
    });
  });
  // All windows are closed by now; nobody can object any more.
  app.on('will-quit', (event) => {
    if (stage === 'closed') return;
    event.preventDefault();
    if (stage !== 'closing') void stopAndQuit();
  });

  async function stopAndQuit(): Promise<void> {
    stage = 'closing';
    let hide: (() => void) | undefined;
    const cancelled = runs.active;
    const late = setTimeout(() => (hide = showClosing(cancelled)), showAfterMs);
    await close().catch(() => undefined);
    clearTimeout(late);
    stage = 'closed';
    hide?.();
    app.quit();
  }

  function endSession(): void {
    sessionEnds = true;
    if (stage !== 'closing' && stage !== 'closed') void stopAndQuit();
  }

  return {
    isClosing: () => stage === 'closing' || stage === 'closed',
    isSessionEnding: () => sessionEnds,
    endSession,
    watchSession(window) {
      // Windows announces its end to windows; it emits no before-quit then.
      window.on('query-session-end', (event) => {
        if (stage === 'closed') return;
        // Without a run the engine stops within the time that Windows gives anyway.
        if (runs.active > 0 || stage === 'closing') event.preventDefault();
        endSession();
      });
      window.on('session-end', endSession);
    },
  };
}

async function mayCancel(active: number): Promise<boolean> {
  const question: MessageBoxOptions = {
    type: 'question',
    message: active === 1 ? '1 execution is running.' : `${active} executions are running.`,
    detail:
      'Quitting cancels them: temporary workers are deleted, and data that was already copied is kept for the next execution.',
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

import { dialog, type WebContents } from 'electron';

/** A page that dies again within this time is not reloaded by itself. */
const quietMs = 60_000;

/**
 * A page that crashed is loaded again, once: the engine is another process and has gone on. One that crashes again right
 * away would do so for ever, so a person decides.
 */
export function reloadAfterCrash(
  contents: WebContents,
  log: (message: string) => void,
  now: () => number = () => performance.now(),
): void {
  let lastAt: number | undefined;
  contents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return;
    log(`the page process exited: ${reason}`);
    const isFirst = lastAt === undefined || now() - lastAt > quietMs;
    lastAt = now();
    if (isFirst) return contents.reload();
    void dialog
      .showMessageBox({
        type: 'error',
        message: 'The window stopped working again.',
        detail: `Reason: ${reason}. Executions continue in a separate process.`,
        buttons: ['Load Again', 'Leave It'],
        defaultId: 0,
        cancelId: 1,
        noLink: true,
      })
      .then(({ response }) => {
        if (response === 0 && !contents.isDestroyed()) contents.reload();
      });
  });
}

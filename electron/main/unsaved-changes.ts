import { dialog, type WebContents } from 'electron';

const choices = { stay: 0, discard: 1 } as const;

/**
 * Asks before a page with unsaved changes is closed or reloaded. Electron has no question of its own: a page that objects
 * to being unloaded would keep its window open without a word.
 *
 * @param isSessionEnding nothing is asked while the computer shuts down
 */
export function askBeforeUnload(contents: WebContents, isSessionEnding: () => boolean): void {
  contents.on('will-prevent-unload', (event) => {
    // The answer is needed before this listener returns.
    const answer = isSessionEnding()
      ? choices.discard
      : dialog.showMessageBoxSync({
          type: 'warning',
          message: 'Discard unsaved changes?',
          detail: 'The settings have unsaved changes.',
          buttons: ['Keep Editing', 'Discard Changes'],
          defaultId: choices.stay,
          cancelId: choices.stay,
          noLink: true,
        });
    if (answer === choices.discard) event.preventDefault(); // of the objection: the page is unloaded
  });
}

import type { Locator, Page } from 'playwright';

/** What stands in a text editor of the page; for texts that fit on the screen, as an editor draws no others. */
export function editorText(editor: Locator): Promise<string> {
  return editor.evaluate((element) =>
    [...element.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'),
  );
}

/**
 * Lets the list of completions take keys: the editor ignores them for 75 ms after it has opened, so that nobody accepts
 * what they have not seen. The page's clock is moved by as much.
 */
export async function passInteractionDelay(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { now } = Date;
    Date.now = () => now() + 75;
  });
}

/** Pastes over everything. Text that the browser inserts by itself would take on the look of what was selected, by styles that the page forbids. */
export async function writeOver(editor: Locator, text: string): Promise<void> {
  await editor.focus();
  await editor.press('ControlOrMeta+a');
  await editor.evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

import type { Locator, Page } from 'playwright';
import { expect } from 'vitest';
import { seriousFindings } from './accessibility.ts';
import { takePictures } from './pictures.ts';

/** What a person does on any screen. */
export interface ScreenSteps {
  /** Goes to a screen by the navigation. */
  go(screen: string): Promise<void>;
  /** Awaits the screen with this heading. */
  heading(name: string): Promise<void>;
  choose(select: Locator, option: string): Promise<void>;
  /**
   * Pictures when asked for, and no serious finding of axe: of each screen, dialog and tab, by its headings, once, and with `CAUSEWAY_EVERY_STEP=1` (the full tier) at each
   * look, which takes half a second of processor time.
   */
  lookAt(name: string): Promise<void>;
}

/** What this process has looked at. */
const seen = new Set<string>();

/** Whether this is the first look at this screen, with these headings and this tab. */
async function isFirstLook(page: Page): Promise<boolean> {
  const what = await page.evaluate(() =>
    [...document.querySelectorAll('h1, [role="tab"][aria-selected="true"], h2')]
      .map(({ textContent }) => textContent)
      .join('\n'),
  );
  if (seen.has(what)) return false;
  seen.add(what);
  return true;
}

/** @param page the page as it then is: a workbench that is opened again has another one */
export function screenSteps(page: () => Page): ScreenSteps {
  return {
    go: (screen) =>
      page().getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen, exact: true }).click(),
    heading: (name) => page().getByRole('heading', { level: 1, name }).waitFor(),
    async choose(select, option) {
      await select.click();
      await page().getByRole('option', { name: option, exact: true }).click();
    },
    async lookAt(name) {
      await takePictures(page(), name);
      if (process.env['CAUSEWAY_EVERY_STEP'] === '1' || (await isFirstLook(page())))
        expect(await seriousFindings(page()), name).toEqual([]);
    },
  };
}

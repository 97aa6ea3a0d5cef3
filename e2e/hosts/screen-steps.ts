import type { Locator, Page } from 'playwright';
import { expect } from 'vitest';
import { seriousFindings } from './accessibility.ts';
import { takePictures } from './pictures.ts';
import { stepTimeoutMs } from './workbench-in-browser.ts';

/** What a person does on any screen. */
export interface ScreenSteps {
  /** Goes to a screen by the navigation, and awaits it by its heading: that of an open project is its name. */
  go(screen: string, title?: string): Promise<void>;
  /** Awaits the screen with this heading. */
  heading(name: string): Promise<void>;
  choose(select: Locator, option: string): Promise<void>;
  /**
   * Pictures when asked for, and no serious finding of axe: of each screen, dialog and tab, by its headings, once, and with `CAUSEWAY_EVERY_STEP=1` (the full tier) at each
   * look, which takes half a second of processor time.
   */
  lookAt(name: string): Promise<void>;
}

/** Headings that differ from what the navigation calls their screens. */
const headings: Readonly<Record<string, string>> = {
  Project: 'Projects',
  Defaults: 'Common settings',
  'Validate files': 'Validate environment files',
};

/** What the page says, as soon as it does: an answer that is read once may be that of the moment before. */
export const soon = <T>(read: () => Promise<T>, message?: string): ReturnType<typeof expect.poll<T>> =>
  expect.poll(read, { timeout: stepTimeoutMs, ...(message === undefined ? {} : { message }) });

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

/** A screen in the navigation, for who may stay where they are; `go` is for all others. */
export function screenLink(page: Page, screen: string): Locator {
  return page
    .getByRole('navigation', { name: 'Screens', exact: true })
    .getByRole('link', { name: screen, exact: true });
}

/** @param page the page as it then is: a workbench that is opened again has another one */
export function screenSteps(page: () => Page): ScreenSteps {
  const heading = (name: string): Promise<void> =>
    page().getByRole('heading', { level: 1, name, exact: true }).waitFor();
  return {
    async go(screen, title = headings[screen] ?? screen) {
      await screenLink(page(), screen).click();
      await heading(title);
    },
    heading,
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

/** Takes the first entry of the list that has opened under a field. */
export async function takeByKeys(page: Page, field: Locator): Promise<void> {
  await page.getByRole('option').first().waitFor();
  await field.press('ArrowDown');
  await soon(() => field.getAttribute('aria-activedescendant')).not.toBeNull();
  await field.press('Enter');
}

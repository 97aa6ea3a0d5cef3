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
  /** Pictures when asked for, and no serious finding of axe in any case. */
  lookAt(name: string): Promise<void>;
}

/** @param page the page as it then is: a workbench that is opened again has another one */
export function screenSteps(page: () => Page): ScreenSteps {
  return {
    go: (screen) => page().getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen, exact: true }).click(),
    heading: (name) => page().getByRole('heading', { level: 1, name }).waitFor(),
    async choose(select, option) {
      await select.click();
      await page().getByRole('option', { name: option, exact: true }).click();
    },
    async lookAt(name) {
      await takePictures(page(), name);
      expect(await seriousFindings(page()), name).toEqual([]);
    },
  };
}

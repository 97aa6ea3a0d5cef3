import type { Page } from 'playwright';

/** A screen of which docs/pictures has a picture in light and one in dark. */
export interface PicturedScreen {
  /** Begins the names of both files. */
  readonly name: string;
  /** As renderer/app/screens.tsx calls it. */
  readonly component: string;
  /** Parts of its address after the first, which names the kind of thing it shows; `id` stands for that of the thing. */
  readonly route: readonly [kind: 'replicas' | 'runs', 'id', ...string[]];
  /** What is shown before the picture is taken. */
  prepare(page: Page): Promise<void>;
}

/** The pictures of the README. */
export const picturedScreens: readonly PicturedScreen[] = [
  {
    name: 'configure',
    component: 'ConfigureScreen',
    route: ['replicas', 'id', 'configure'],
    async prepare(page) {
      await page.getByText('No findings', { exact: true }).waitFor();
      await page.locator('[data-setting="migr_network"]').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'run-graph',
    component: 'RunScreen',
    route: ['runs', 'id'],
    async prepare(page) {
      await page.getByRole('button', { name: 'Graph', exact: true }).click();
      await page.getByRole('img', { name: /^Graph of \d+ tasks, / }).waitFor();
      // Enough of a curve to look at.
      await page.getByText(/^Copying · [4-9]\d %$/).waitFor({ timeout: 120_000 });
    },
  },
];

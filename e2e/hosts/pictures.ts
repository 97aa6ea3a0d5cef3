import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright';

const folder = process.env['CAUSEWAY_PICTURES'];

/** Keeps a picture of the page in light and in dark in the folder that `CAUSEWAY_PICTURES` names; nothing without one. */
export async function takePictures(page: Page, name: string): Promise<void> {
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
  }
}

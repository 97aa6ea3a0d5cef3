import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright';

const folder = process.env['CAUSEWAY_PICTURES'];
const widths = (process.env['CAUSEWAY_PICTURE_WIDTHS'] ?? '')
  .split(',')
  .map(Number)
  .filter((width) => width > 0);
const heights: Readonly<Record<number, number>> = { 1024: 768, 1440: 900, 1920: 1080, 2560: 1440 };

/**
 * Keeps a picture of the page in light and in dark in the folder that `CAUSEWAY_PICTURES` names; nothing without one. `CAUSEWAY_PICTURE_WIDTHS`, e.g.
 * `1024,1440,2560`, asks for one of each width.
 */
export async function takePictures(page: Page, name: string): Promise<void> {
  if (folder !== undefined) await savePictures(page, name, folder);
}

/** A picture of the page in light and in dark; with `CAUSEWAY_PICTURE_WIDTHS` in each width. */
export async function savePictures(page: Page, name: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const size = page.viewportSize();
  for (const width of widths.length === 0 ? [undefined] : widths) {
    if (width !== undefined)
      await page.setViewportSize({ width, height: heights[width] ?? Math.round((width * 10) / 16) });
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({
        path: join(folder, `${[name, width, colorScheme].filter((part) => part !== undefined).join('-')}.png`),
      });
    }
  }
  if (widths.length > 0 && size !== null) await page.setViewportSize(size);
}

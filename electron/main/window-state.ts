import type { BrowserWindow, Rectangle } from 'electron';
import { z } from 'zod';
import type { KeyValueFile } from '../workbench/settings-store.ts';

export const smallestWindow = { width: 720, height: 480 } as const;
const usualSize = { width: 1280, height: 860 } as const;

const savedSchema = z.object({
  x: z.int(),
  y: z.int(),
  width: z.int().min(1).max(20_000),
  height: z.int().min(1).max(20_000),
  isMaximized: z.boolean(),
});

/** Where a window goes; without x and y the system centres it. */
export interface WindowPlace {
  readonly x?: number;
  readonly y?: number;
  readonly width: number;
  readonly height: number;
  readonly isMaximized: boolean;
}

/** How much of the title bar has to stay in reach, in device-independent pixels. */
const reach = 48;

/**
 * The place of the window that was closed last, on a screen that is there now: a saved place on a missing screen, or
 * that was edited badly, gives the usual size in the middle.
 *
 * @param workAreas the usable part of each screen, the primary one first
 */
export function placeWindow(saved: unknown, workAreas: readonly Rectangle[]): WindowPlace {
  const parsed = savedSchema.safeParse(saved);
  const primary = workAreas[0];
  if (!parsed.success || primary === undefined) return { ...fitted(usualSize, primary), isMaximized: false };
  const { isMaximized, ...bounds } = parsed.data;
  // Checked with the size that it gets there: one that is made narrower may end beside the screen.
  const area = workAreas.find((each) => isInReach({ ...bounds, ...fitted(bounds, each) }, each));
  if (area === undefined) return { ...fitted(bounds, primary), isMaximized };
  return { ...fitted(bounds, area), x: bounds.x, y: bounds.y, isMaximized };
}

function fitted(
  { width, height }: { width: number; height: number },
  area: Rectangle | undefined,
): { width: number; height: number } {
  const within = (size: number, least: number, most: number | undefined): number =>
    Math.max(least, Math.min(size, most ?? size));
  return {
    width: within(width, smallestWindow.width, area?.width),
    height: within(height, smallestWindow.height, area?.height),
  };
}

function isInReach(bounds: Rectangle, area: Rectangle): boolean {
  const overlap = Math.min(bounds.x + bounds.width, area.x + area.width) - Math.max(bounds.x, area.x);
  return overlap >= reach && bounds.y >= area.y && bounds.y <= area.y + area.height - reach;
}

/** Remembers the window's place when it is closed; the size it had before it was maximized. */
export function rememberPlace(window: BrowserWindow, file: KeyValueFile): void {
  window.on('close', () => {
    const { x, y, width, height } = window.getNormalBounds();
    file.set('window', { x, y, width, height, isMaximized: window.isMaximized() });
  });
}

import { readdirSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { moverFolder } from '../movers/place-engine.ts';
import { runningServices } from './service-file.ts';

/** What was asked for within this time may be about to start, milliseconds. */
const recentMs = 15 * 60_000;
/** An upload takes hours on a slow link, milliseconds. */
const uploadMs = 24 * 3_600_000;

/**
 * Removes the engines of this user that no service runs from, and what uploads have left that were cut off. Never rejects: what cannot be
 * removed is tried again at the next start.
 *
 * @param own digest of the engine that asks
 */
export function removeOldEngines(
  own: string,
  now = Date.now(),
  folder = join(homedir(), moverFolder, 'engines'),
): void {
  const used = new Set([own, ...runningServices().map(({ engine }) => engine)]);
  for (const name of namesIn(folder)) {
    const isEngine = /^[0-9a-f]{64}$/.test(name);
    if (isEngine && used.has(name)) continue;
    const path = join(folder, name);
    try {
      if (now - statSync(path).mtimeMs > (isEngine ? recentMs : uploadMs))
        rmSync(path, { recursive: true, force: true });
    } catch {
      // Another start removes it at this moment.
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

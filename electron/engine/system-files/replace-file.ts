import { renameSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** What Windows answers while a virus scanner, an indexer or a backup has one of the files open: milliseconds later it works. */
const heldCodes = new Set(['EPERM', 'EACCES', 'EBUSY']);
const pausesMs = [5, 10, 20, 40, 80, 160, 320, 640, 1000];

interface Means<R> {
  readonly platform?: NodeJS.Platform;
  readonly rename?: (from: string, to: string) => R;
  readonly pause?: (ms: number) => R;
}

/** Renames a file over another one, which Windows refuses as long as another program has either open. */
export function replaceFileSync(from: string, to: string, { platform = process.platform, rename: attempt = renameSync, pause = sleepSync }: Means<void> = {}): void {
  for (const ms of pausesMs) {
    try {
      return attempt(from, to);
    } catch (error) {
      if (!isHeld(error, platform)) throw error;
      pause(ms);
    }
  }
  attempt(from, to);
}

/** As `replaceFileSync`, without blocking. */
export async function replaceFile(from: string, to: string, { platform = process.platform, rename: attempt = rename, pause = sleep }: Means<Promise<void>> = {}): Promise<void> {
  for (const ms of pausesMs) {
    try {
      return await attempt(from, to);
    } catch (error) {
      if (!isHeld(error, platform)) throw error;
      await pause(ms);
    }
  }
  await attempt(from, to);
}

function isHeld(error: unknown, platform: NodeJS.Platform): boolean {
  return platform === 'win32' && heldCodes.has((error as NodeJS.ErrnoException).code ?? '');
}

async function sleep(ms: number): Promise<void> {
  await delay(ms);
}

function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

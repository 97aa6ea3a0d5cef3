import { setTimeout as delay } from 'node:timers/promises';

/** What Windows answers while a virus scanner, an indexer or a backup has a file open: milliseconds later it works. */
const heldCodes = new Set(['EPERM', 'EACCES', 'EBUSY']);
const pausesMs = [5, 10, 20, 40, 80, 160, 320, 640, 1000];

/** The system, and how to wait; other ones in tests. */
export interface HeldFileMeans<R> {
  readonly platform?: NodeJS.Platform | undefined;
  readonly pause?: ((ms: number) => R) | undefined;
}

/** Does something with a file again and again while Windows refuses it because another program has the file open. */
export function whileHeldSync<T>(
  work: () => T,
  { platform = process.platform, pause = sleepSync }: HeldFileMeans<void> = {},
): T {
  for (const ms of pausesMs) {
    try {
      return work();
    } catch (error) {
      if (!isHeld(error, platform)) throw error;
      pause(ms);
    }
  }
  return work();
}

/** As `whileHeldSync`, without blocking. */
export async function whileHeld<T>(
  work: () => Promise<T>,
  { platform = process.platform, pause = sleep }: HeldFileMeans<Promise<void>> = {},
): Promise<T> {
  for (const ms of pausesMs) {
    try {
      return await work();
    } catch (error) {
      if (!isHeld(error, platform)) throw error;
      await pause(ms);
    }
  }
  return work();
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

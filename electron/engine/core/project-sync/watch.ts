import { existsSync, mkdirSync, watch } from 'node:fs';
import { join } from 'node:path';

/** A version control system or a shared folder changes many files at once; they are read together. */
const burstMs = 250;

/**
 * Calls `look` soon after what people share in the project changed, whoever changed it, until the signal is aborted.
 * Nothing is read while the project's folder is missing. Where the file system sends no events (some network folders), changes are
 * seen when the project is opened next.
 */
export function watchProjectFiles(projectFolder: string, look: () => void, signal: AbortSignal): void {
  let timer: NodeJS.Timeout | undefined;
  const lookNow = (): void => {
    timer = undefined;
    // Removed as a whole, or a share that went away: nothing must be created in its place.
    if (!existsSync(projectFolder)) return;
    try {
      look();
    } catch {
      // A failure (no rights, no space) is reported to the next caller; it must not stop executions.
    }
  };
  const soon = (): void => {
    if (!signal.aborted) timer ??= setTimeout(lookNow, burstMs).unref();
  };
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  for (const folder of [
    projectFolder,
    ...['endpoints', 'replicas', 'waves', 'inventory'].map((name) => join(projectFolder, name)),
  ]) {
    mkdirSync(folder, { recursive: true });
    try {
      watch(folder, { signal, persistent: false }, soon).on('error', () => undefined);
    } catch {
      // No more watches are available: the next opening reads the files.
    }
  }
}

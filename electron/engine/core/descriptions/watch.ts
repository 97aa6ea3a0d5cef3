import { mkdirSync, watch } from 'node:fs';
import { descriptionFolders } from '../../project-files/description-files.ts';

/** A version control system or a shared folder changes many files at once; one look takes them all. */
const burstMs = 250;

/**
 * Calls `look` soon after files of endpoints or replicas changed, until the signal is aborted. Where the file system
 * tells nothing (some network folders), changes are seen when the project is opened next.
 */
export function watchDescriptions(projectFolder: string, look: () => void, signal: AbortSignal): void {
  let timer: NodeJS.Timeout | undefined;
  const soon = (): void => {
    if (!signal.aborted) timer ??= setTimeout(() => ((timer = undefined), look()), burstMs).unref();
  };
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  for (const folder of Object.values(descriptionFolders(projectFolder))) {
    mkdirSync(folder, { recursive: true });
    try {
      watch(folder, { signal, persistent: false }, soon).on('error', () => undefined);
    } catch {
      // No more watches to be had: the next opening looks.
    }
  }
}

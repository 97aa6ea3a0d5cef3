import { perOs } from './per-os.ts';
import { text } from './text.ts';

/**
 * Images of workers by OS type: Linux for the disk copy and for preparing Linux guests, Windows for preparing Windows
 * guests.
 *
 * @param what an entry gives, e.g. "Image ID"
 */
export function workerImages(what: string, example: { readonly linux: string; readonly windows: string }) {
  return perOs(
    text,
    {
      linux: 'Linux worker image',
      windows: 'Windows worker image',
      help: { linux: `${what} for the disk copy worker and for preparing Linux guests.`, windows: `${what} for preparing Windows guests.` },
      example,
    },
    { group: 'Workers', optionsFrom: 'images' },
  );
}

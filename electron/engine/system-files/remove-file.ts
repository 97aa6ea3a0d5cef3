import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { whileHeld, whileHeldSync, type HeldFileMeans } from './held-files.ts';

interface Means<R> extends HeldFileMeans<R> {
  readonly remove?: (path: string, options: { readonly force: true }) => R;
}

/** Deletes a file if it is there. Windows refuses that as long as another program has it open; Node tries again for whole folders alone. */
export function removeFileSync(path: string, { remove = rmSync, ...means }: Means<void> = {}): void {
  whileHeldSync(() => remove(path, { force: true }), means);
}

/** As `removeFileSync`, without blocking. */
export async function removeFile(path: string, { remove = rm, ...means }: Means<Promise<void>> = {}): Promise<void> {
  await whileHeld(() => remove(path, { force: true }), means);
}

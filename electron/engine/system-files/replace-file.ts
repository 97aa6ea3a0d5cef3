import { renameSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { whileHeld, whileHeldSync, type HeldFileMeans } from './held-files.ts';

interface Means<R> extends HeldFileMeans<R> {
  readonly rename?: (from: string, to: string) => R;
}

/** Renames a file over another one, which Windows refuses as long as another program has either open. */
export function replaceFileSync(
  from: string,
  to: string,
  { rename: attempt = renameSync, ...means }: Means<void> = {},
): void {
  whileHeldSync(() => attempt(from, to), means);
}

/** As `replaceFileSync`, without blocking. */
export async function replaceFile(
  from: string,
  to: string,
  { rename: attempt = rename, ...means }: Means<Promise<void>> = {},
): Promise<void> {
  await whileHeld(() => attempt(from, to), means);
}

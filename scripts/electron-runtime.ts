import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The executable that electron's installer put into its package; undefined where it was never fetched. */
export function electronRuntime(root: string): string | undefined {
  if (process.env['ELECTRON_EXEC_PATH'] !== undefined) return process.env['ELECTRON_EXEC_PATH'];
  const folder = join(root, 'node_modules', 'electron');
  const pathFile = join(folder, 'path.txt');
  if (!existsSync(pathFile)) return undefined;
  const executable = join(folder, 'dist', readFileSync(pathFile, 'utf8').trim());
  return existsSync(executable) ? executable : undefined;
}

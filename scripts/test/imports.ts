import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const known = new Map<string, readonly string[]>();

/**
 * A file and every file under one of the folders that it imports, by static imports and by what those import.
 *
 * @param path relative to `root`
 * @param folders of the repository, e.g. `e2e`
 * @returns paths relative to `root`
 */
export function withImports(path: string, root: string, folders: readonly string[] = ['e2e']): string[] {
  const seen = new Set([path]);
  for (const file of seen) {
    for (const imported of importsOf(file, root)) {
      if (folders.some((folder) => imported.startsWith(`${folder}/`))) seen.add(imported);
    }
  }
  return [...seen];
}

/** Files of the repository that a file imports when it runs, not for types alone. */
function importsOf(path: string, root: string): readonly string[] {
  const file = join(root, path);
  const before = known.get(file);
  if (before !== undefined) return before;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const found = [
    ...text.matchAll(/^(?:import|export)\s+(?!type\b)[^'";]*?from\s+'(\.[^']+)'|^import\s+'(\.[^']+)'/gm),
  ].map(([, from, alone]) => join(dirname(path), from ?? alone ?? '').replaceAll('\\', '/'));
  known.set(file, found);
  return found;
}

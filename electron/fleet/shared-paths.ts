import { limitsFile } from '../engine/project-files/fleet-limits.ts';
import { foldedFileName, isPortableFileName } from '../../shared/model/file-names.ts';

/** Folders of a project whose files are shared. */
export const sharedFolders = ['endpoints', 'replicas', 'waves'] as const;
export const defaultsFile = 'defaults.json';
/** Files of a project that are shared, beside those folders. */
export const sharedFiles: readonly string[] = [defaultsFile, limitsFile];

const description = /^(?:endpoints|replicas|waves)\/([^/\0]{1,200}\.(?:json|yaml|yml))$/;

/** Whether a path, with slashes, is that of a description; of its name nothing is said. */
export function isDescription(path: string): boolean {
  return sharedFiles.includes(path) || description.test(path);
}

/**
 * Whether a description may be written into a project folder of any member. Paths come from others: on Windows, `a:b.json` would be written
 * into a hidden stream of the file `a`, and `nul.json` into nothing.
 */
export function isSharedPath(path: string): boolean {
  return sharedFiles.includes(path) || isPortableFileName(description.exec(path)?.[1] ?? '');
}

/**
 * Of paths that are one file on some members, all but one: the one that is already shared with this computer, or else the first one.
 *
 * @param isShared whether this computer has exchanged it before
 */
export function sameFileElsewhere(paths: Iterable<string>, isShared: (path: string) => boolean): ReadonlySet<string> {
  const chosen = new Map<string, string>();
  const others = new Set<string>();
  for (const path of [...paths].sort((a, b) => Number(isShared(b)) - Number(isShared(a)) || (a < b ? -1 : 1))) {
    const key = foldedFileName(path);
    if (chosen.has(key)) others.add(path);
    else chosen.set(key, path);
  }
  return others;
}

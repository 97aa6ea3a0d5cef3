import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

export interface CollectedFiles {
  readonly files: readonly string[];
  /** One line each: what was named and cannot be used. */
  readonly failures: readonly string[];
}

/**
 * The documents that the arguments mean, each once: files as they are, folders searched for .yaml, .yml and .json in the
 * order of their names. Hidden folders, node_modules and the files in `except` are passed over in folders.
 */
export async function collectFiles(paths: readonly string[], except: readonly string[] = []): Promise<CollectedFiles> {
  const files = new Map<string, string>();
  const failures: string[] = [];
  const passedOver = new Set(except.map((path) => resolve(path)));
  for (const path of paths) {
    try {
      const found = (await stat(path)).isDirectory() ? await documentsBelow(path, passedOver) : [path];
      if (found.length === 0) failures.push(`${path}: this folder contains no .yaml, .yml or .json file`);
      for (const file of found) if (!files.has(resolve(file))) files.set(resolve(file), file);
    } catch (error) {
      failures.push(`${path}: ${readFailure(error)}`);
    }
  }
  return { files: [...files.values()], failures };
}

async function documentsBelow(folder: string, passedOver: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!entry.name.startsWith('.') && entry.name !== 'node_modules')
        found.push(...(await documentsBelow(path, passedOver)));
    } else if (isDocument(entry) && !passedOver.has(resolve(path))) {
      found.push(path);
    }
  }
  return found;
}

/** Pipes and the like are left out: opening one would wait for its writer. */
function isDocument(entry: Dirent): boolean {
  return (entry.isFile() || entry.isSymbolicLink()) && /\.(?:ya?ml|json)$/i.test(entry.name);
}

/** Why a file cannot be read, without the path and the system call that Node's own text repeats. */
export function readFailure(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const texts: Readonly<Record<string, string>> = {
    ENOENT: 'file or folder not found',
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EISDIR: 'it is a folder, not a file',
    ENOTDIR: 'part of the path is not a folder',
    EMFILE: 'too many files are open',
  };
  return texts[String(code)] ?? (error instanceof Error ? error.message : String(error));
}

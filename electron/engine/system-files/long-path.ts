import { toNamespacedPath } from 'node:path';

/** Names of files are appended to what is given: a path of 230 characters may become one of 260. */
const longest = 230;

/**
 * A path for programs and libraries that, unlike Node, open those of more than 260 characters on Windows only in a form of their own:
 * SQLite, `icacls`. Elsewhere it is the path itself.
 */
export function longPath(path: string): string {
  return path.length > longest ? toNamespacedPath(path) : path;
}

import { realpathSync } from 'node:fs';

/** From here on, Windows may refuse to resolve a path by its own means. */
const longest = 230;

/** The systems' ways; other ones in tests. */
interface Ways {
  readonly platform?: NodeJS.Platform;
  /** The system's own, which also gives names the case that they have on disk. */
  readonly native?: (path: string) => string;
  /** Node's, part by part. */
  readonly byParts?: (path: string) => string;
}

/** A path with every link resolved, also where it has more than 260 characters on Windows. Throws where it does not exist. */
export function realPathSync(
  path: string,
  { platform = process.platform, native = realpathSync.native, byParts = realpathSync }: Ways = {},
): string {
  try {
    return native(path);
  } catch (error) {
    if (platform !== 'win32' || path.length < longest) throw error;
    return byParts(path);
  }
}

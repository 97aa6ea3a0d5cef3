import { readdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';

/** One installation of the vendor's disk library. */
export interface LibraryRelease {
  /** The folder of the distribution; the library lies in it or in its `lib64`. */
  readonly folder: string;
  /** The library as programs load it. */
  readonly path: string;
  /** Number of its interface: 6, 7, 8 … */
  readonly major: number;
  /** Release by the name of the real file, e.g. 7.0.3; the major number alone where that does not tell. */
  readonly version: readonly number[];
}

/** Subfolders that are looked at: a folder of releases has a handful. */
const MAX_FOLDERS = 100;

/**
 * The releases in a folder: its own, or those of its subfolders, newest first.
 * @throws CausewayError source.tool-missing when there is none
 */
export async function findReleases(folder: string): Promise<readonly LibraryRelease[]> {
  const below = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw new CausewayError(
      'source.tool-missing',
      `the folder of the disk library can't be read: ${folder}: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  });
  const folders = below
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .slice(0, MAX_FOLDERS)
    .map(({ name }) => join(folder, name));
  const found: LibraryRelease[] = [];
  for (const candidate of [folder, ...folders]) {
    if (candidate !== folder && basename(candidate) === 'lib64') continue;
    const release = await releaseIn(candidate);
    if (release !== undefined) found.push(release);
  }
  if (found.length === 0)
    throw new CausewayError('source.tool-missing', `no disk library (lib64/libvixDiskLib.so) in ${folder}`);
  return found.toSorted((one, other) => compareVersions(other.version, one.version));
}

/**
 * The release for a compatibility version: the newest of that version where there is one, otherwise the oldest that is newer,
 * which is then initialized for it. Without a version the newest.
 * @throws CausewayError source.unsupported when all are older
 */
export function chooseRelease(releases: readonly LibraryRelease[], compatibility: string | undefined): LibraryRelease {
  const [newest] = releases;
  if (newest === undefined) throw new CausewayError('general.bug', 'there is no release to choose from');
  if (compatibility === undefined) return newest;
  const wanted = compatibility.split('.').map(Number);
  const same = releases.find(({ version }) => version[0] === wanted[0] && version[1] === wanted[1]);
  const newer = releases.findLast(({ version }) => compareVersions(version, wanted) >= 0);
  const chosen = same ?? newer;
  if (chosen !== undefined) return chosen;
  throw new CausewayError(
    'source.unsupported',
    `disklib_compatibility_version ${compatibility}: the disk library is ${newest.version.join('.')}, which can't be initialized for a newer version`,
  );
}

async function releaseIn(folder: string): Promise<LibraryRelease | undefined> {
  for (const libraries of [join(folder, 'lib64'), folder]) {
    const names = (await readdir(libraries).catch(() => [])).flatMap((name) => {
      const major = /^libvixDiskLib\.so\.(\d{1,2})$/.exec(name)?.[1];
      return major === undefined ? [] : [{ name, major: Number(major) }];
    });
    const [newest] = names.toSorted((one, other) => other.major - one.major);
    if (newest === undefined) continue;
    const path = join(libraries, newest.name);
    const real = basename(await realpath(path).catch(() => path));
    const version = /\.so\.(\d+(?:\.\d+)*)$/.exec(real)?.[1]?.split('.').map(Number) ?? [newest.major];
    return { folder, path, major: newest.major, version };
  }
  return undefined;
}

/** As far as both tell: 7 and 7.0.3 are equal. */
function compareVersions(one: readonly number[], other: readonly number[]): number {
  for (let index = 0; index < Math.min(one.length, other.length); index++) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

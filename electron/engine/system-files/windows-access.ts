import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { longPath } from './long-path.ts';

/** What Windows' own programs do; a stand-in in tests. */
export interface AccessTools {
  /** Standard output. Throws where the program fails. */
  run(program: 'icacls' | 'whoami', args: readonly string[]): string;
  /** What `icacls <path> /save` writes: names, each followed by its access list as SDDL. */
  saved(path: string): string;
}

/** An entry of an access list that allows something. */
interface Allowed {
  readonly sid: string;
  readonly isInherited: boolean;
}

const system = 'S-1-5-18';
/** What SDDL calls those who may open anything on this computer anyway: the system and its administrators. */
const almighty = ['SY', system, 'BA', 'S-1-5-32-544'];

/**
 * Closes a folder on Windows, where modes mean nothing: the signed-in user and the system alone have access, to everything in it.
 * Says whether it is closed; file systems without access lists (FAT, some network shares) cannot be.
 */
export function closeWindowsFolder(folder: string, tools: AccessTools = windowsTools): boolean {
  return close(folder, '(OI)(CI)F', tools, () => {
    // What is inside first: afterwards it inherits from the folder.
    tools.run('icacls', [longPath(folder), '/reset', '/t', '/c', '/q']);
  });
}

/** The same for a file. */
export function closeWindowsFile(file: string, tools: AccessTools = windowsTools): boolean {
  return close(file, 'F', tools, () => undefined);
}

/** Whether others than this user, the system and its administrators may open a file; undefined where it has no access list that can be read. */
export function isOpenToOthers(file: string, tools: AccessTools = windowsTools): boolean | undefined {
  try {
    const entries = allowedBy(tools.saved(file));
    const user = userOf(tools);
    return user === undefined ? undefined : entries?.some(({ sid }) => ![...almighty, ...user].includes(sid));
  } catch {
    return undefined;
  }
}

function close(path: string, rights: string, tools: AccessTools, before: () => void): boolean {
  try {
    const user = userOf(tools);
    if (user === undefined) return false;
    if (isClosed(tools.saved(path), user)) return true;
    before();
    tools.run('icacls', [
      longPath(path),
      '/inheritance:r',
      '/grant:r',
      `*${user[0]}:${rights}`,
      '/grant:r',
      `*${system}:${rights}`,
      '/q',
    ]);
    return isClosed(tools.saved(path), user);
  } catch {
    return false;
  }
}

/** Whether the list is one that Causeway made: it allows the user and the system, nobody else, and is not that of a folder above. */
function isClosed(saved: string, user: readonly string[]): boolean {
  const entries = allowedBy(saved);
  return (
    entries !== undefined &&
    entries.some(({ sid }) => user.includes(sid)) &&
    entries.every(({ sid, isInherited }) => !isInherited && ['SY', system, ...user].includes(sid))
  );
}

/** The entries of the one list; undefined where there is none, or one that is not understood. */
function allowedBy(saved: string): readonly Allowed[] | undefined {
  const list = /^D:([A-Z]*)((?:\([^()]*\))*)\s*$/m.exec(saved);
  if (list === null || list[1]?.includes('NO_ACCESS_CONTROL') === true) return undefined;
  const entries = [...(list[2] ?? '').matchAll(/\(([^()]*)\)/g)].map(([, entry = '']) => entry.split(';'));
  // Types of entries other than these two have conditions or are for objects that no file is.
  if (entries.some(([type]) => type !== 'A' && type !== 'D')) return undefined;
  return entries
    .filter(([type, flags = '']) => type === 'A' && !flags.includes('IO'))
    .map(([, flags = '', , , , sid = '']) => ({ sid, isInherited: flags.includes('ID') }));
}

/** The identifiers of the signed-in user in SDDL; the first one in full. */
function userOf(tools: AccessTools): readonly [string, ...string[]] | undefined {
  const sid = /"(S-1-[\d-]+)"/.exec(tools.run('whoami', ['/user', '/fo', 'csv', '/nh']))?.[1];
  if (sid === undefined) return undefined;
  // SDDL has a short name for the administrator that Windows comes with.
  return sid.endsWith('-500') ? [sid, 'LA'] : [sid];
}

const windowsTools: AccessTools = {
  run: (program, args) =>
    execFileSync(program, [...args], {
      encoding: 'utf8',
      windowsHide: true,
      timeout: 60_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  saved(path) {
    const folder = mkdtempSync(join(tmpdir(), 'causeway-access-'));
    try {
      const file = join(folder, 'list');
      this.run('icacls', [longPath(path), '/save', file, '/q']);
      return readFileSync(file, 'utf16le');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

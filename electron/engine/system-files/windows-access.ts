import { execFileSync } from 'node:child_process';

type Run = (program: string, args: readonly string[]) => string;

const LOCAL_SYSTEM = '*S-1-5-18';

/**
 * Closes a folder on Windows, where modes mean nothing: the signed-in user and the system alone have access, to everything in it.
 * Says whether it is closed; file systems without access lists (FAT, some network shares) cannot be.
 */
export function closeWindowsFolder(folder: string, run: Run = outputOf): boolean {
  try {
    if (isClosed(folder, run('icacls', [folder]))) return true;
    const user = sidOf(run('whoami', ['/user', '/fo', 'csv', '/nh']));
    if (user === undefined) return false;
    // What is inside first: afterwards it inherits from the folder.
    run('icacls', [folder, '/reset', '/t', '/c', '/q']);
    run('icacls', [folder, '/inheritance:r', '/grant:r', `*${user}:(OI)(CI)F`, '/grant:r', `${LOCAL_SYSTEM}:(OI)(CI)F`, '/q']);
    return isClosed(folder, run('icacls', [folder]));
  } catch {
    return false;
  }
}

/**
 * Whether the list has two entries, none of them inherited. It is never longer when Causeway made it; names in it are in the language
 * of the system, so that they cannot be compared.
 */
export function isClosed(folder: string, printed: string): boolean {
  const entries = printed.replace(folder, '').split(/\r?\n/).flatMap((line) => /:((?:\([A-Za-z,]+\))+)\s*$/.exec(line)?.[1] ?? []);
  return entries.length === 2 && entries.every((rights) => !rights.includes('(I)') && rights.includes('(F)'));
}

function sidOf(printed: string): string | undefined {
  return /"(S-1-[\d-]+)"/.exec(printed)?.[1];
}

function outputOf(program: string, args: readonly string[]): string {
  return execFileSync(program, [...args], { encoding: 'utf8', windowsHide: true, timeout: 60_000, stdio: ['ignore', 'pipe', 'ignore'] });
}

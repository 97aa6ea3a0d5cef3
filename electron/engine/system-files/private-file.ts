import { statSync, writeFileSync } from 'node:fs';
import { closeWindowsFile, isOpenToOthers, type AccessTools } from './windows-access.ts';

/** Where a file lies; the system it is on and its programs, for tests. */
interface Place {
  readonly platform?: NodeJS.Platform;
  readonly tools?: AccessTools;
}

/** Makes a file that its owner alone may open: mode 0600, or on Windows an access list. Throws where there is one already. */
export function createPrivateFile(
  path: string,
  content: string,
  { platform = process.platform, tools }: Place = {},
): void {
  if (platform !== 'win32') return writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
  writeFileSync(path, '', { flag: 'wx' });
  // Closed before there is anything to read.
  closeWindowsFile(path, tools);
  writeFileSync(path, content, { flag: 'r+' });
}

/** What opens a file to other users, in words; undefined where nothing does, and on file systems of Windows without access lists. */
export function whatOpensToOthers(
  path: string,
  { platform = process.platform, tools }: Place = {},
): string | undefined {
  if (platform === 'win32')
    return isOpenToOthers(path, tools) === true ? 'an access list with further users or groups' : undefined;
  const mode = statSync(path).mode & 0o777;
  return (mode & 0o077) === 0 ? undefined : `mode ${mode.toString(8)}`;
}

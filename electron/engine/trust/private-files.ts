import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeFileSync } from '../system-files/remove-file.ts';
import { replaceFileSync } from '../system-files/replace-file.ts';

/** A file of another user does not count. */
export function isOurs(path: string): boolean {
  const { uid, mode } = lstatSync(path);
  return process.platform === 'win32' || (uid === process.getuid?.() && (mode & 0o022) === 0);
}

/** Readable by this user only, and whole or not at all. */
export function writePrivately(path: string, text: string): void {
  const folder = join(path, '..');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (process.platform !== 'win32') chmodSync(folder, 0o700);
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
    replaceFileSync(temporary, path);
  } catch (error) {
    removeFileSync(temporary);
    throw error;
  }
}

import type { ErrorCode } from './errors/catalogue.ts';

/** SQLite's primary result codes that say that the file can't be written: busy, locked, read-only, I/O error, can't open, … */
const notWritable = new Set([5, 6, 8, 10, 14]);
const sqliteFull = 13;

/** The code of an error of the operating system, or of the database on it, that is no defect of the program. */
export function systemFailure(error: unknown): ErrorCode | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'store.disk-full';
  if (code === 'EROFS') return 'store.not-writable';
  if (code !== 'ERR_SQLITE_ERROR' || typeof errcode !== 'number') return undefined;
  const primary = errcode & 0xff;
  if (primary === sqliteFull) return 'store.disk-full';
  return notWritable.has(primary) ? 'store.not-writable' : undefined;
}

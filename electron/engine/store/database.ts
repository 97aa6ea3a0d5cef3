import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { migrate, type Migration } from './migrate.ts';
import { migrations } from './migrations.ts';

const fileName = 'causeway.db';
const asidePrefix = `${fileName}.unreadable-`;

/** Where a project keeps the engine's state. Everything in it is this machine's own and never shared. */
export function stateFolder(projectFolder: string): string {
  return join(projectFolder, '.causeway');
}

/** Makes the state folder, closed to others, and keeps it out of version control. */
export function ensureStateFolder(projectFolder: string): string {
  const folder = stateFolder(projectFolder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ignore = join(folder, '.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
  return folder;
}

/**
 * Opens (or, in a new project, makes) the database in a state folder. A file that can't be read is renamed, with its
 * journal, and the error says so; as long as it lies there without a good copy, no empty one is made in its place.
 * @param furtherSteps of the schema, kept by other parts in the same file
 * @throws CausewayError `engine.database-unreadable`, `engine.database-version`
 */
export function openDatabase(folder: string, furtherSteps: readonly Migration[] = []): DatabaseSync {
  const path = join(folder, fileName);
  if (!existsSync(path)) {
    const aside = readdirSync(folder).find((name) => name.startsWith(asidePrefix));
    if (aside !== undefined) throw unreadable(path, join(folder, aside), 'it was set aside earlier and no good copy was put back');
  }
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path);
    // FULL: an acknowledged commit survives a power loss; the ledger stands on that.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 5000');
    const check = db.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
    if (check.quick_check !== 'ok') throw new CausewayError('engine.database-unreadable', check.quick_check);
  } catch (error) {
    db?.close();
    if (!isCorruption(error)) throw error;
    const aside = setAside(folder);
    throw unreadable(path, aside, error instanceof Error ? error.message : String(error));
  }
  try {
    migrate(db, [...migrations, ...furtherSteps].sort((a, b) => a.number - b.number));
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

/** Runs `work` in one transaction: all of it becomes durable, or nothing. Not to be nested. */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

function isCorruption(error: unknown): boolean {
  if (error instanceof CausewayError) return error.code === 'engine.database-unreadable';
  const code = (error as { errcode?: number }).errcode;
  // SQLITE_CORRUPT and SQLITE_NOTADB, with their extended codes in the upper bits.
  return code !== undefined && [11, 26].includes(code & 0xff);
}

function setAside(folder: string): string {
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  for (const suffix of ['-wal', '-shm', '']) {
    const from = join(folder, fileName + suffix);
    if (existsSync(from)) renameSync(from, join(folder, `${asidePrefix}${stamp}${suffix}`));
  }
  return join(folder, asidePrefix + stamp);
}

function unreadable(path: string, aside: string, why: string): CausewayError {
  return new CausewayError('engine.database-unreadable', `${path}: ${why}. The file now lies at ${aside}.`, {
    details: { path, aside },
  });
}

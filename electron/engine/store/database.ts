import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { systemFailure } from '../../../shared/model/system-failure.ts';
import { longPath } from '../system-files/long-path.ts';
import { replaceFileSync } from '../system-files/replace-file.ts';
import { closeWindowsFolder } from '../system-files/windows-access.ts';
import { isNewProject, projectTrust } from '../trust/trusted-projects.ts';
import { migrate, type Migration } from './migrate.ts';
import { migrations } from './migrations.ts';

const fileName = 'causeway.db';
const asidePrefix = `${fileName}.unreadable-`;

/** Where a project keeps the engine's state. Everything in it is this machine's own and never shared. */
export function stateFolder(projectFolder: string): string {
  return join(projectFolder, '.causeway');
}

/**
 * Makes the state folder, closed to others, and keeps it out of version control. A folder that had nothing of a project
 * becomes one here, and is trusted by the user who makes it.
 */
export function ensureStateFolder(projectFolder: string): string {
  const folder = stateFolder(projectFolder);
  const isNew = isNewProject(projectFolder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  closeToOthers(folder);
  if (isNew) projectTrust(projectFolder).accept();
  const ignore = join(folder, '.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
  return folder;
}

/** A folder that others could read, for example because an archive was unpacked there, is closed with all that is in it. */
function closeToOthers(folder: string): void {
  if (process.platform === 'win32') return void closeWindowsFolder(folder);
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) === 0) return;
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(path, 0o700);
    else if (entry.isFile()) chmodSync(path, 0o600);
  }
}

/**
 * Opens (or, in a new project, makes) the database in a state folder. A file that can't be read is renamed, with its
 * journal, and the error says so; as long as it lies there without a good copy, no empty one is made in its place.
 * @param furtherSteps of the schema, kept by other parts in the same file
 * @throws CausewayError `engine.database-unreadable`, `engine.database-version`
 */
export function openDatabase(folder: string, furtherSteps: readonly Migration[] = []): DatabaseSync {
  const path = longPath(join(folder, fileName));
  if (!existsSync(path)) {
    const aside = readdirSync(folder).find((name) => name.startsWith(asidePrefix));
    if (aside !== undefined)
      throw unreadable(path, join(folder, aside), 'it was set aside earlier and has not been restored');
  }
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path);
    try {
      prepare(db);
    } catch (error) {
      if (systemFailure(error) === undefined) throw error;
      // A full disk has no room for the index that other readers would share; the engine is the only one, and needs none.
      db.close();
      db = new DatabaseSync(path);
      db.exec('PRAGMA locking_mode = EXCLUSIVE');
      prepare(db);
    }
  } catch (error) {
    db?.close();
    if (!isCorruption(error)) throw error;
    const aside = setAside(folder);
    throw unreadable(path, aside, error instanceof Error ? error.message : String(error));
  }
  try {
    migrate(
      db,
      [...migrations, ...furtherSteps].sort((a, b) => a.number - b.number),
    );
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

function prepare(db: DatabaseSync): void {
  // FULL: an acknowledged commit survives a power loss; the ledger depends on that.
  db.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  const check = db.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
  if (check.quick_check !== 'ok') throw new CausewayError('engine.database-unreadable', check.quick_check);
}

/** Runs `work` in one transaction: all of it becomes durable, or nothing. Not to be nested. */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk ends the transaction by itself.
    if (db.isTransaction) db.exec('ROLLBACK');
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
    if (existsSync(from)) replaceFileSync(from, join(folder, `${asidePrefix}${stamp}${suffix}`));
  }
  return join(folder, asidePrefix + stamp);
}

function unreadable(path: string, aside: string, why: string): CausewayError {
  return new CausewayError('engine.database-unreadable', `${path}: ${why}. The file was moved to ${aside}.`, {
    details: { path, aside },
  });
}

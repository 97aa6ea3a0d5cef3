import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { CausewayError } from '../../../shared/model/causeway-error.ts';

/** One step of the schema's history. A step that has shipped is never edited; a new one is added. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/**
 * Brings the schema up to date, each step in its own transaction.
 * @throws CausewayError `engine.database-version` when the database knows a step that we don't, or another text of one
 */
export function migrate(db: DatabaseSync, migrations: readonly Migration[]): void {
  db.exec(`CREATE TABLE IF NOT EXISTS schema_migrations (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT`);
  const applied = db
    .prepare('SELECT number, name, checksum FROM schema_migrations ORDER BY number')
    .all() as unknown as {
    number: number;
    name: string;
    checksum: string;
  }[];
  for (const row of applied) {
    const known = migrations.find((migration) => migration.number === row.number);
    if (known === undefined) {
      throw new CausewayError(
        'engine.database-version',
        `the database has schema step ${row.number} (${row.name}), which is unknown to this version`,
      );
    }
    if (checksum(known) !== row.checksum) {
      throw new CausewayError(
        'engine.database-version',
        `schema step ${row.number} (${row.name}) differs from the one that was applied`,
      );
    }
  }
  const last = applied.at(-1)?.number ?? 0;
  for (const migration of migrations) {
    if (migration.number <= last) continue;
    db.exec('BEGIN IMMEDIATE');
    try {
      db.exec(migration.sql);
      db.prepare('INSERT INTO schema_migrations VALUES (?, ?, ?, ?)').run(
        migration.number,
        migration.name,
        checksum(migration),
        new Date().toISOString(),
      );
      db.exec('COMMIT');
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }
}

function checksum(migration: Migration): string {
  return createHash('sha256').update(migration.sql).digest('hex');
}

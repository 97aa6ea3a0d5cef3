import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { migrate } from './migrate.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the database file', () => {
  test('survives being closed and opened again, with every commit on stable storage', () => {
    const first = openDatabase(folder);
    first.exec(`INSERT INTO endpoints VALUES ('ep-1', 'lab', 'disk-images', '{}', '', '')`);
    expect(first.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    expect(first.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    first.close();
    const second = openDatabase(folder);
    expect(second.prepare('SELECT name FROM endpoints').all()).toEqual([{ name: 'lab' }]);
    second.close();
  });

  test('that is no database is set aside unchanged, and no empty one takes its place', () => {
    writeFileSync(join(folder, 'causeway.db'), 'this was a database once, and then the disk failed'.repeat(100));
    expect(() => openDatabase(folder)).toThrowError(expect.objectContaining({ code: 'engine.database-unreadable' }));
    const aside = readdirSync(folder).find((name) => name.startsWith('causeway.db.unreadable-'));
    expect(readFileSync(join(folder, aside ?? ''), 'utf8')).toMatch(/^this was a database once/);
    expect(() => openDatabase(folder)).toThrowError(/has not been restored/);
    rmSync(join(folder, aside ?? ''));
    openDatabase(folder).close();
  });

  test('with a damaged page is found out when it is opened', () => {
    const db = openDatabase(folder);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
    const bytes = readFileSync(join(folder, 'causeway.db'));
    bytes.fill(0x5a, 4096, 12288);
    writeFileSync(join(folder, 'causeway.db'), bytes);
    expect(() => openDatabase(folder)).toThrowError(expect.objectContaining({ code: 'engine.database-unreadable' }));
  });
});

describe('the schema history', () => {
  const one = { number: 1, name: 'one', sql: 'CREATE TABLE a (x)' };

  test('a step that was edited after it was applied is refused', () => {
    const db = openDatabase(folder);
    expect(() => migrate(db, [{ number: 1, name: 'other', sql: 'SELECT 1' }])).toThrowError(/schema step 1 .* differs/);
    db.close();
  });

  test('a database from the future is refused', () => {
    const db = openDatabase(folder);
    db.exec(`INSERT INTO schema_migrations VALUES (999, 'later', '', '')`);
    expect(() => migrate(db, [one])).toThrowError(expect.objectContaining({ code: 'engine.database-version' }));
    db.close();
  });
});

test('events can be added, never changed', () => {
  const db = openDatabase(folder);
  db.exec(`INSERT INTO events (at, type, message, details) VALUES ('', 'note', 'hello', '{}')`);
  expect(() => db.exec(`UPDATE events SET message = 'bye'`)).toThrowError(/append-only/);
  db.close();
});

import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test } from 'vitest';
import { inTransaction } from './database.ts';
import { keptUntilChange } from './kept-until-change.ts';

let db: DatabaseSync;
let reads: number;
let names: () => string[];

beforeEach(() => {
  db = new DatabaseSync(':memory:');
  db.exec(`PRAGMA foreign_keys = ON; CREATE TABLE things (name TEXT PRIMARY KEY);
    CREATE TABLE parts (name TEXT, thing TEXT REFERENCES things (name) ON DELETE CASCADE); INSERT INTO things VALUES ('one')`);
  reads = 0;
  const all = db.prepare('SELECT name FROM things ORDER BY name');
  names = keptUntilChange(db, () => {
    reads += 1;
    return all.all().map((row) => String(row['name']));
  });
});

test('a query is asked once until a row is added, changed or removed', () => {
  expect([names(), names(), reads]).toEqual([['one'], ['one'], 1]);
  db.exec(`INSERT INTO things VALUES ('two')`);
  expect(names()).toEqual(['one', 'two']);
  db.exec(`UPDATE things SET name = 'three' WHERE name = 'two'`);
  expect(names()).toEqual(['one', 'three']);
  db.exec('DELETE FROM things');
  expect(names()).toEqual([]);
});

test('rows that go along with others count', () => {
  db.exec(`INSERT INTO parts VALUES ('a', 'one')`);
  const all = db.prepare('SELECT name FROM parts');
  const parts = keptUntilChange(db, () => all.all().length);
  expect(parts()).toBe(1);
  db.exec('DELETE FROM things');
  expect(parts()).toBe(0);
});

test('what a transaction saw is not there any more when it is rolled back', () => {
  names();
  expect(() =>
    inTransaction(db, () => {
      db.exec(`INSERT INTO things VALUES ('two')`);
      expect(names()).toEqual(['one', 'two']);
      throw new Error('full');
    }),
  ).toThrow('full');
  expect(names()).toEqual(['one']);
});
